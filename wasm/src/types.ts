// The public types: texts and plain objects, as the JSON of records and of the server has them.

import type { ReviewCode, ReviewUnit, ReviewVerdict } from './review.gen.js'

export type { ReviewCode, ReviewUnit, ReviewVerdict } from './review.gen.js'

/** A place at the table, 0 to 3 in playing order; partners sit opposite. */
export type Seat = number
/** 0: seats 0 and 2; 1: seats 1 and 3. */
export type Pair = 0 | 1
/** Rank letter then suit letter: "RE" is the king of espadas. */
export type Card = string
/** A card, "pass", "solo", "cuatrola", "quintola", "sing:O" … "sing:B" or "silent". */
export type Action = string
export type Phase = 'deal' | 'bid' | 'play' | 'sing' | 'over'
export type Preset = 'clasica' | 'mesa' | 'mesa-quintola' | 'liga'
/**
 * How well a bot plays: `aprendiz` makes a beginner's mistakes, `tabernero` has sound bids and rules of thumb, `veterano` tries
 * what it does on deals that fit what it has seen, `maestro` plays as well as is known how.
 */
export type Level = 'aprendiz' | 'tabernero' | 'veterano' | 'maestro'

/** Why something is refused: stable codes. */
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

export interface Options {
  end: 'points' | 'hands'
  target: number
  exactTarget: boolean
  bonusAbove: number | null
  tie: 'mano' | 'lastTrick'
  cantes: 'declare' | 'auto'
  maxCantes: number | null
  fortyFirst: boolean
  beat: 'led' | 'best'
  stopWhenLost: boolean
  undertrump: 'free' | 'forced'
  partnerExempt: boolean
  raising: boolean
  bidderLeads: boolean
}

/** A preset's name, or a preset with options of its own. */
export type HouseRules = Preset | ({ preset: Preset } & Partial<Options>)

export interface BidTerms {
  name: 'solo' | 'cuatrola' | 'quintola'
  /** Tricks due; null where the hand is played on points. */
  needs: number | null
  value: number
}

/** A rule set with every option filled in. */
export interface Rules extends Options {
  preset: Preset
  bids: BidTerms[]
}

export interface Trick {
  lead: Seat
  cards: Card[]
  /** The seat that took it, or is winning it so far; null while nothing is played. */
  winner: Seat | null
}

export interface Cante {
  seat: Seat
  suit: string
  points: number
  /** Tricks played when it was sung. */
  trick: number
}

export interface Hand {
  bid: Action
  bidder: Seat | null
  tricks: Trick[]
  cantes: Cante[]
  points: [number, number]
  tricksWon: [number, number]
  winner: Pair | null
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
  viewer: Seat
  phase: Phase
  turn: Seat | null
  winner: Pair | null
  /** How many actions the viewer has been shown. */
  seq: number
  handsFinished: number
  score: [number, number]
  dealer: Seat | null
  /** The card that the dealer showed. */
  trump: Card | null
  /** The seat that takes no part in this hand. */
  out: Seat | null
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
  you: Seat | null
  rules: HouseRules
  phase: 'seeds' | 'bid' | 'play' | 'sing' | 'over'
  turn: Seat | null
  winner: Pair | null
  seq: number
  score: [number, number]
  dealer: Seat | null
  trump: Card | null
  out: Seat | null
  cards: Card[]
  legal: Action[]
  bids: { seat: Seat; bid: Action }[]
  bid: Action
  bidder: Seat | null
  trick: { lead: Seat | null; cards: { seat: Seat; card: Card }[] }
  tricks: Trick[]
  cantes: Cante[]
  points: [number, number]
  tricksWon: [number, number]
  /** The score after each finished hand. */
  scores: [number, number][]
  /** The hand that finished last. */
  lastHand: HandResult | null
}

export interface HandRecord {
  dealer: Seat
  deal: Card[][]
  trump: Card
  actions: Action[]
}

/** What a server publishes of a match's deals after its end. */
export interface FairProof {
  scheme: string
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
  format: 'cuatrola-record/1'
  rules: HouseRules
  hands: HandRecord[]
  id?: string
  players?: { name: string; bot: boolean }[]
  startedAt?: string
  endedAt?: string
  fair?: FairProof
}

export type Result =
  | { ok: true; hands: HandResult[]; score: [number, number]; winner: Pair | null }
  | { ok: false; hand: number; action: number | null; error: Reason; hands: HandResult[] }

/** What stood before one action of a record. */
export interface TraceEntry {
  hand: number
  i: number
  phase: Phase
  seat: Seat
  /** Sorted. */
  legal: Action[]
}

/** A point of a record: what stood before an action of a hand. */
export interface Moment {
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

/** What a seat's decisions that were not forced add up to. */
export interface ReviewTally {
  decisions: number
  /** The parts of what was at stake that were given away, added up. */
  loss: number
  /** 0 to 100: 100 if nothing was given away, 50 for a tenth of the stake in each decision. */
  accuracy: number
}

export interface ReviewOption {
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

export interface ReviewReason {
  code: ReviewCode
  /** The action that the text names. */
  better: Action | null
  points: number | null
  chance: number | null
  text: string
}

export interface ReviewDecision {
  /** Its place among the hand's actions. */
  action: number
  seat: Seat
  phase: Phase
  /** How many tricks had been taken. */
  trick: number
  forced: boolean
  unit: ReviewUnit
  played: Action
  /** The best that the seat could know. */
  best: Action
  /** The best with all cards seen. */
  openBest: Action
  verdict: ReviewVerdict
  /** The part of what was at stake that was given away. */
  loss: number
  /** Beside the best: what was expected less, in the unit and in match-winning chance, and with all cards seen. */
  cost: { expected: number; match: number; open: number }
  /** How many deals were looked at, and whether they were all that there were for the seat. */
  deals: number
  exact: boolean
  options: ReviewOption[]
  reasons: ReviewReason[]
}

/** A coach's look at a finished hand. */
export interface HandReview {
  hand: number
  seats: (ReviewTally & { seat: Seat })[]
  decisions: ReviewDecision[]
}

export interface Position {
  rules: HouseRules
  /** Suit letter. */
  trump: string
  seat: Seat
  trick: { seat: Seat; card: Card }[]
  hand: Card[]
}

export interface Verdict {
  fair: 'ok' | 'commitment_mismatch' | 'dealer_mismatch' | 'deal_mismatch' | 'no_proof'
  /** The first hand that does not follow from the seeds. */
  hand: number
  /** How many hands the record has. */
  hands: number
  /** Whether every action of the record is legal. */
  valid: boolean
}

export interface NewMatch {
  rules: HouseRules
  /** Everything dealt follows from it. */
  seed: string
  /** Names the match in its record; "local" if left out. */
  id?: string
}

/** How a bot thinks. */
export interface BotOptions {
  /** What chance there is in its play follows from it. */
  seed: number
  /** `tabernero` if left out. */
  level?: Level
  /** How many cards it may try in thought before it answers. Left out: what its level takes, as on the server. */
  nodes?: number
  /** How many milliseconds it may take, by the host's clock, looked at between deals. The answer then depends on the machine. */
  ms?: number
}
