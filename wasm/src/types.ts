// The public types: texts and plain objects, as the JSON of records and of the server has them.

import type * as review from './review.gen.js'
import type { Language } from './texts.js'

/** A place at the table, 0 to 3 in playing order; partners sit opposite. */
export type Seat = number
/** 0: seats 0 and 2; 1: seats 1 and 3. */
export type Pair = 0 | 1
/** Rank letter then suit letter: "RE" is the king of espadas. */
export type Card = string
/** A card, "pass", "solo", "cuatrola", "quintola", "sing:O" … "sing:B" or "silent". */
export type Action = string
/**
 * What a match waits for: a deal, a bid, a card, a seat's answer whether it sings (canta), or nothing, since it is over.
 * That another seat is asked to sing is hidden from a view: it then looks like `play`, but to the trick's winner.
 */
export type Phase = 'deal' | 'bid' | 'play' | 'sing' | 'over'
/** The rule sets that have a name. The house may change each option of one, but for its bids. */
export type Preset = 'clasica' | 'mesa' | 'mesa-quintola' | 'liga'
/**
 * How well a bot plays: `aprendiz` makes a beginner's mistakes, `tabernero` has sound bids and rules of thumb, `veterano` tries
 * what it does on deals that fit what it has seen, `maestro` plays as well as is known how.
 */
export type Level = 'aprendiz' | 'tabernero' | 'veterano' | 'maestro'

/**
 * Why something is refused: stable codes, of which the first that applies is given. `reasonText` has a sentence for each.
 *
 * - `match_over`, `hand_over` (a hand is to be dealt first), `not_your_turn`, `wrong_phase`
 * - bids: `bid_not_in_rules`, `bid_too_low`, `bid_past_target` (under `exactTarget`)
 * - cantes: `cante_not_available`
 * - cards: `unknown_card`, `card_not_in_hand`, `must_follow` (asistir), `must_beat` (montar), `must_overtrump` (pisar),
 *   `must_trump` (fallar)
 * - deals: `bad_deal` (not the twenty cards once each, or the trump is not the dealer's), `bad_dealer` (another's turn to
 *   deal), `hand_unfinished`
 */
export type Reason =
  | 'match_over'
  | 'hand_over'
  | 'not_your_turn'
  | 'wrong_phase'
  | 'bid_not_in_rules'
  | 'bid_too_low'
  | 'bid_past_target'
  | 'cante_not_available'
  | 'unknown_card'
  | 'card_not_in_hand'
  | 'must_follow'
  | 'must_beat'
  | 'must_overtrump'
  | 'must_trump'
  | 'bad_deal'
  | 'bad_dealer'
  | 'hand_unfinished'

/** What the house may choose. A value outside its range is refused by the option's name. */
export interface Options {
  /** Whether `target` counts match points or hands. */
  end: 'points' | 'hands'
  /** Match points that win, or hands to be played (level, one more until it is not): 1 to 99. */
  target: number
  /** Whether a bid is refused that would carry the bidder's pair past `target`. Only with `end: 'points'`. */
  exactTarget: boolean
  /** A hand without a bid is worth 2 instead of 1 to a winner with more card points than this: 0 to 250; null: never. */
  bonusAbove: number | null
  /** Who wins a hand that is level in points: mano's pair, or that which took the last trick. */
  tie: 'mano' | 'lastTrick'
  /** Whether players are asked to sing (cantar), or it is done for them. */
  cantes: 'declare' | 'auto'
  /** How often a pair may sing in a hand: 0 to 4; null: as often as it can. */
  maxCantes: number | null
  /** Whether who holds the forty (las cuarenta) may sing nothing before it. */
  fortyFirst: boolean
  /** What has to be beaten by who follows suit: the card that was led, or the best of the suit so far. */
  beat: 'led' | 'best'
  /** Whether a hand on tricks ends as soon as the bidder cannot reach them any more. */
  stopWhenLost: boolean
  /** Whether a lower trump is due of who cannot overtrump a ruff. */
  undertrump: 'free' | 'forced'
  /** Whether nothing but following suit is due while one's partner is winning the trick. */
  partnerExempt: boolean
  /** Whether others may bid more once somebody has bid. */
  raising: boolean
  /** Whether the bidder leads to the first trick instead of mano. */
  bidderLeads: boolean
}

/** A preset's name, or a preset with options of its own. */
export type HouseRules = Preset | ({ preset: Preset } & Partial<Options>)

/** A bid that the rules have, and what it comes to. */
export interface BidTerms {
  name: 'solo' | 'cuatrola' | 'quintola'
  /** Tricks due; null where the hand is played on points. */
  needs: number | null
  /** Match points: to the bidder's pair if it is made, to the other if not. */
  value: number
}

/** A rule set with every option filled in. */
export interface Rules extends Options {
  /** What it was made from. */
  preset: Preset
  /** Lowest first; they are the preset's. */
  bids: BidTerms[]
}

/** A trick (baza), taken or on the table. */
export interface Trick {
  /** The seat that led or is to lead; 0 before the first hand is dealt. */
  lead: Seat
  /** In the order played: by the seats from `lead` on, without the one that sits out. */
  cards: Card[]
  /** The seat that took it, or is winning it so far; null while nothing is played. */
  winner: Seat | null
}

/** A king and knight of one suit that a seat has sung. */
export interface Cante {
  seat: Seat
  /** Suit letter. */
  suit: string
  /** 40 in trumps, 20 otherwise. */
  points: number
  /** Tricks played when it was sung. */
  trick: number
}

/** What the table has seen of a hand, finished or not. */
export interface Hand {
  /** The highest bid so far; "pass" while there is none. */
  bid: Action
  /** Whose bid that is; null while there is none. */
  bidder: Seat | null
  /** Those taken. */
  tricks: Trick[]
  /** In the order sung. */
  cantes: Cante[]
  /** Card points by pair: cards taken, 10 for the last of five tricks, and cantes. */
  points: [number, number]
  /** By pair. */
  tricksWon: [number, number]
  /** The pair that won the hand; null while it is open. */
  winner: Pair | null
  /** Match points that it won; 0 while it is open. */
  value: number
}

/** A finished hand in a result. */
export interface HandResult extends Hand {
  winner: Pair
  /** Of the match after the hand. */
  score: [number, number]
}

/** Everything that a seat, or a spectator (4), may know of a match. */
export interface View {
  rules: Rules
  /** The seat that sees this; 4 for a spectator. */
  viewer: Seat
  phase: Phase
  /** The seat to act, as far as the viewer may know; null if none. */
  turn: Seat | null
  /** Of the match; null while it is open, and for one that was given up. */
  winner: Pair | null
  /** How many actions the viewer has been shown. */
  seq: number
  /** How many hands have ended: the index of the hand in play. */
  handsFinished: number
  /** Match points by pair. */
  score: [number, number]
  /** Null before the first hand is dealt. */
  dealer: Seat | null
  /** The card that the dealer showed, whose suit is trump. Null before the first hand is dealt. */
  trump: Card | null
  /** The seat that takes no part in this hand, since its partner bid; null if none. */
  out: Seat | null
  /** What the viewer holds, in the rules' order. */
  cards: Card[]
  /** What the viewer may do now, in the rules' order. */
  legal: Action[]
  /** Made in this hand, from mano. */
  bids: Action[]
  /** The trick in play. */
  table: Trick
  /** What the table has seen of this hand, or of the last one until the next is dealt. */
  hand: Hand
}

/** What a server sends of a match, as far as the rules have a say in it: openapi.yaml's View. */
export interface ServerView {
  /** One's own seat; null for a spectator. */
  readonly you: Seat | null
  readonly rules: HouseRules
  /** `seeds`: the players bring their seeds, and nothing is dealt. `void`: the match was given up, and nobody has won. */
  readonly phase: 'seeds' | 'bid' | 'play' | 'sing' | 'over' | 'void'
  /** The seat to act, as far as one may know. */
  readonly turn: Seat | null
  /** The pair that won the match. */
  readonly winner: number | null
  /** How many events one's seat has been shown: an action is sent with it. */
  readonly seq: number
  /** Match points by pair. */
  readonly score: readonly number[]
  /** Null before the first hand. */
  readonly dealer: Seat | null
  /** The card that the dealer showed. */
  readonly trump: Card | null
  /** The seat that sits out. */
  readonly out: Seat | null
  /** What one holds. */
  readonly cards: readonly Card[]
  /** What one may do now. */
  readonly legal: readonly Action[]
  /** What was said in this hand's bidding, in order. */
  readonly bids: readonly { readonly bid: Action }[]
  /** The highest bid so far. */
  readonly bid: Action
  /** Whose it is. */
  readonly bidder: Seat | null
  /** The trick in play. */
  readonly trick: { readonly lead: Seat | null; readonly cards: readonly { readonly seat: Seat; readonly card: Card }[] }
  /** Those taken in this hand. */
  readonly tricks: readonly { readonly lead: Seat; readonly cards: readonly Card[]; readonly winner: Seat | null }[]
  /** Those sung in this hand. */
  readonly cantes: readonly Readonly<Cante>[]
  /** By pair. */
  readonly points: readonly number[]
  /** By pair. */
  readonly tricksWon: readonly number[]
  /** The score after each finished hand. */
  readonly scores: readonly (readonly number[])[]
  /** The hand that finished last. */
  readonly lastHand: { readonly winner: number | null; readonly value: number } | null
}

/** The cards of a hand. */
export interface Deal {
  /** Who deals: in a match the seat after the last dealer. */
  dealer: Seat
  /** By seat, five cards each: the pack, once each. */
  deal: Card[][]
  /** The card that the dealer shows, one of the dealer's own. */
  trump: Card
}

/** A hand as it is written down. */
export interface HandRecord extends Deal {
  /** In order; whose each is follows from the rules. */
  actions: Action[]
}

/** What a server publishes of a match's deals after its end. */
export interface FairProof {
  /** "cuatrola-fair/1". */
  scheme: string
  /** What the deals are drawn from besides the seeds. */
  matchId: string
  /** SHA-256 of the server's seed, in hexadecimal. */
  commitment: string
  /** In hexadecimal. */
  serverSeed: string
  /** By seat; empty for a seat that brought none. */
  clientSeeds: string[]
}

/** A match as it is written down: format cuatrola-record/1. */
export interface MatchRecord {
  /** Which form this is. */
  format: 'cuatrola-record/1'
  rules: HouseRules
  /** The last one may be unfinished. */
  hands: HandRecord[]
  /** Names the match. */
  id?: string
  /** By seat. A bot goes by its level's name. */
  players?: { name: string; bot: boolean }[]
  /** RFC 3339. */
  startedAt?: string
  /** RFC 3339. */
  endedAt?: string
  /** Absent where the deals were given instead of drawn. */
  fair?: FairProof
}

/**
 * What playing a record gives: its finished hands and where the match stands, or its first fault: in which hand and action,
 * both counted from 0, null where the deal itself is at fault.
 */
export type Result =
  | { ok: true; hands: HandResult[]; score: [number, number]; winner: Pair | null }
  | { ok: false; hand: number; action: number | null; error: Reason; hands: HandResult[] }

/** What stood before one action of a record. */
export interface TraceEntry {
  /** Counted from 0. */
  hand: number
  /** The action's place in its hand, from 0. */
  i: number
  phase: Phase
  /** Whose turn it was. */
  seat: Seat
  /** Sorted. */
  legal: Action[]
}

/** A point of a record: what stood before an action of a hand. */
export interface Moment {
  /** The match. */
  record: MatchRecord
  /** The hand's index; the last one if it is left out. */
  hand?: number | null
  /** The action's index; the end of the hand's actions if it is left out. */
  action?: number | null
}

/**
 * Whose turn it is, and what each action that may be done comes to for that seat if all cards are seen and everybody plays
 * their best: in a hand on points the final points of the seat's pair less the other's, in a hand on tricks those of the
 * bidder's pair, negated for a defender. Or why nothing can be said: `wrong_phase` while the seats are bidding, `hand_over`
 * and `match_over` where nobody is to act, `no_such_moment` for what the record lacks, or the record's first fault.
 */
export type Values =
  | { seat: Seat; values: Record<Action, number> }
  | { ok: false; hand: number; action: number | null; error: Reason | 'no_such_moment' }

/** What the coach says, of which `reviewText` has a sentence in each language: stable codes. */
export type ReviewCode = review.ReviewCode
/** What a decision's values are counted in: card points or tricks that the hand comes to, or, of bids, match points. */
export type ReviewUnit = review.ReviewUnit
/** How good a decision was, the best first, and `forced` where there was none. */
export type ReviewVerdict = review.ReviewVerdict

/** What a seat's decisions that were not forced add up to. */
export interface ReviewTally {
  /** How many they are. */
  decisions: number
  /** The parts of what was at stake that were given away, added up. */
  loss: number
  /** 0 to 100: 100 if nothing was given away, 50 for a tenth of the stake in each decision. */
  accuracy: number
}

/** What an action that might have been done would have come to. */
export interface ReviewOption {
  /** What might have been done. */
  action: Action
  /** What the hand comes to with all cards seen, for the seat's own pair and in the decision's unit. */
  open: number
  /** The chance to win the match then. */
  openMatch: number
  /** The same as a mean over what the seat held possible; null for a forced decision. */
  expected: number | null
  /** The chance to win the hand, with what the seat knew. */
  hand: number | null
  /** The chance to win the match, with what the seat knew. */
  match: number | null
}

/** Something that the coach has to say of a decision. */
export interface ReviewReason {
  /** Stable; the text follows from it and from the other members. */
  code: ReviewCode
  /** The action that the text names. */
  better: Action | null
  /** The card points that it names. */
  points: number | null
  /** The chance that it names, 0 to 1. */
  chance: number | null
  /** In the language asked for. */
  text: string
}

/** What the coach has to say of one action. */
export interface ReviewDecision {
  /** Its place among the hand's actions. */
  action: number
  seat: Seat
  phase: Phase
  /** How many tricks had been taken. */
  trick: number
  /** Whether there was nothing else to do. */
  forced: boolean
  /** What values are counted in. */
  unit: ReviewUnit
  /** What was done. */
  played: Action
  /** The best that the seat could know. */
  best: Action
  /** The best with all cards seen. */
  openBest: Action
  /** How good it was with what the seat knew. */
  verdict: ReviewVerdict
  /** The part of what was at stake that was given away. */
  loss: number
  /** Beside the best: what was expected less, in the unit and in match-winning chance, and with all cards seen. */
  cost: { expected: number; match: number; open: number }
  /** How many deals were looked at, and whether they were all that there were for the seat. */
  deals: number
  /** See `deals`. */
  exact: boolean
  /** What might have been done, in the rules' order. */
  options: ReviewOption[]
  /** At most two, the weightiest first. */
  reasons: ReviewReason[]
}

/** A coach's look at a finished hand. */
export interface HandReview {
  /** Counted from 0. */
  hand: number
  /** What each seat's decisions add up to. */
  seats: (ReviewTally & { seat: Seat })[]
  /** One for each of the hand's actions. */
  decisions: ReviewDecision[]
}

/** A trick in play and one seat's cards: all that says what may be played. */
export interface Position {
  rules: HouseRules
  /** Suit letter. */
  trump: string
  /** Whose turn it is. */
  seat: Seat
  /** What lies on the table, in the order played; nothing if the seat leads. */
  trick: { seat: Seat; card: Card }[]
  /** What the seat holds. */
  hand: Card[]
}

/** What a player was told and gave before the first card, to hold the proof against that comes after the last. */
export interface Promised {
  /** The match's id, which is part of what the deals are drawn from. */
  matchId: string
  /** Of the server's seed, in hexadecimal. */
  commitment: string
  /** One's own seat; null for a spectator. */
  seat: Seat | null
  /** The seed that one brought; not looked at for a spectator. */
  seed: string
}

/** Whether a record's deals and actions are as they have to be. */
export interface Verdict {
  /**
   * `ok`: every deal follows from the seeds, and what was promised was kept, if that was given. Else the first fault: the
   * server's seed is not the one committed to, a dealer or a deal does not follow from the seeds, the record has no proof,
   * or its proof is of other promises than those given.
   */
  fair: 'ok' | 'commitment_mismatch' | 'dealer_mismatch' | 'deal_mismatch' | 'no_proof' | 'broken_promise'
  /** The first hand that does not follow from the seeds, counted from 0. */
  hand: number
  /** How many hands the record has. */
  hands: number
  /** Whether every action of the record is legal. */
  valid: boolean
}

/** A match whose hands follow from a seed. */
export interface SeededMatch {
  rules: HouseRules
  /** Everything dealt follows from it: any text. */
  seed: string
  /** Names the match in its record, and is part of what the deals are drawn from: at most 64 bytes; "local" if left out. */
  id?: string
}

/** A match whose hands are given: for exercises, or cards dealt by hand. */
export interface DealtMatch {
  rules: HouseRules
  /** The first hand. `Match.deal` takes each one after it. */
  deal: Deal
  /** Names the match in its record. */
  id?: string
}

/** How a match starts. */
export type NewMatch = SeededMatch | DealtMatch

/** For each action that there is: null if it may be done, or why not. */
export type Reasons = { [action: Action]: Reason | null }

/** How long bots wait. */
export interface PauseOptions {
  /** What is chance in it follows from it: an integer. Keep it apart from the bots' own seed. */
  seed: number
  /** An ordinary wait; 800 if left out. */
  ms?: number
}

/** Which hand the coach looks at, and how it speaks. */
export interface ReviewOptions {
  /** Counted from 0. */
  hand: number
  /** "es" if left out. */
  lang?: Language
}

/** How a bot thinks. */
export interface BotOptions {
  /** What chance there is in its play follows from it: an integer. */
  seed: number
  /** `tabernero` if left out. */
  level?: Level
  /** How many cards it may try in thought before it answers. Left out: what its level takes, as on the server. */
  nodes?: number
  /** How many milliseconds it may take, by the host's clock, looked at between deals. The answer then depends on the machine. */
  ms?: number
}
