// What the table on the screen knows: one seat's view, whoever keeps the match.

export type {
  Hand, HandResult, HouseRules, Level, MatchRecord, Options, Pair, Preset, Rules, Seat, Trick,
} from '@cuatrola/rules'
import type { Hand, HandResult, Level, MatchRecord, Pair, Preset, Seat, Verdict as ModuleVerdict, View as ModuleView } from '@cuatrola/rules'

export const pairOf = (seat: Seat) => (seat & 1) as Pair
export const nextSeat = (seat: Seat) => (seat + 1) & 3
export const partnerOf = (seat: Seat) => seat ^ 2
/** How well bots play, the weakest first. */
export const levels: readonly Level[] = ['aprendiz', 'tabernero', 'veterano', 'maestro']
export const usualLevel: Level = 'tabernero'
/** One of the levels, whatever was kept or sent. */
export const levelOf = (text: string | undefined): Level => levels.find((l) => l === text) ?? usualLevel

export const presets: readonly Preset[] = ['clasica', 'mesa', 'mesa-quintola', 'liga']

/** The module's view; a server's match also has a time before its first hand, while the seats bring their seeds. */
export type View = Omit<ModuleView, 'phase'> & { phase: ModuleView['phase'] | 'seeds' }

export interface Player {
  /** Empty where the page names the seat itself. */
  name: string
  bot: boolean
  /** Of a bot: how well it plays. */
  level?: Level
  /** Has missed several turns in a row; the server plays for them. */
  away?: boolean
  /** Of a person who can be found: who it is. */
  person?: { id: string; avatar: string }
}

/** A line that somebody at the table says. */
export interface Said {
  /** Counts what is heard. */
  n: number
  seat: Seat
  say: string
}

export interface TableState {
  view: View
  /** Why each thing that the player could think of may not be done, by the module's own reckoning; null if it may. */
  why: Readonly<Record<string, string | null>>
  players: Player[]
  /** Until when the seat to act may think, in milliseconds since 1970; null where nobody is timed. */
  deadline: number | null
  /** How long a turn lasts, in milliseconds, as far as it has been seen. */
  turnLasts: number
  /** A hand that ended and has not been looked at yet. */
  ended: { hand: HandResult; number: number } | null
  link: 'local' | 'live' | 'reconnecting'
  /** The server has acted for the player, who let the time pass and has not acted since. */
  timedOut: boolean
  /** True while an action is on its way. */
  busy: boolean
  /** What the winners share, and what each has put in; null where nothing is at stake. */
  stake: { entry: number; pot: number } | null
  /** How often the server has not agreed with what was shown. */
  corrected: number
  /** What was said last. */
  said: Said | null
  /** The module breaks down at this place again and again: the match is kept, but does not go on here. */
  broken: boolean
  /** The seats that this player does not hear. */
  muted: readonly Seat[]
}

/**
 * What the module says of a record; `bad_record` for what is none, `broken_promise` for seeds that hang together but are not
 * those that were promised before the match.
 */
export type Verdict = Omit<ModuleVerdict, 'fair'> & { fair: ModuleVerdict['fair'] | 'bad_record' | 'broken_promise' }

/** What both sides promised before the first card: the server its seed's hash, this device its own seed. */
export interface Promised {
  id: string
  commitment: string
  seat: Seat
  seed: string
}

/** A match being played: by the server, or by the module on this device. */
export interface Table {
  readonly id: string
  readonly state: TableState
  subscribe(listener: () => void): () => void
  /** Does it. Rejects with a Problem. */
  act(action: string): Promise<void>
  /** Goes on after a hand's result has been looked at. */
  nextHand(): void | Promise<void>
  /** The whole match, once it is over. */
  record(): Promise<MatchRecord>
  /** What the record has to be held against; null if nothing was promised to anybody else. */
  promised(): Promised | null
  /** Talk among the people of a server's match; null where nobody else is. */
  readonly talk: Talk | null
  close(): void
}

export interface Talk {
  /** Says one of the lines of `GET /v1/talk`. Rejects with a Problem. */
  say(code: string): Promise<void>
  /** Hears the person in a seat no more, or again. */
  mute(seat: Seat, on: boolean): Promise<void>
}

/** Seats that still play in this hand. */
export const activeSeats = (view: View) => (view.out === null ? 4 : 3)

/** The seat that played the i-th card of a trick. */
export function seatOfCard(lead: Seat, index: number, out: Seat | null): Seat {
  let seat = lead
  for (let i = 0; i < index; i++) {
    seat = nextSeat(seat)
    if (seat === out) seat = nextSeat(seat)
  }
  return seat
}

/** How many cards a seat still holds: public, since every card played is. */
export function cardsLeft(view: View, seat: Seat): number {
  if (view.phase === 'deal' || view.phase === 'seeds' || view.phase === 'over') return 0
  let left = 5
  if (seat === view.out) return left
  left -= view.hand.tricks.length
  view.table.cards.forEach((_, i) => {
    if (seatOfCard(view.table.lead, i, view.out) === seat) left--
  })
  return left
}

/** A view of a hand that has just ended, for as long as its result is looked at: the next hand is not shown yet. */
export function closedView(before: View, after: View, hand: HandResult, number: number): View {
  return {
    ...before,
    phase: 'deal', turn: null, cards: [], legal: [],
    // Who comes to a hand only at its end has not seen the bidding.
    out: hand.bidder === null ? null : partnerOf(hand.bidder),
    table: { lead: before.table.lead, cards: [], winner: null },
    hand, score: hand.score, handsFinished: number, seq: after.seq, winner: after.winner,
  }
}

/** The hand of a view that shows none yet. */
export const emptyHand: Hand = { bid: 'pass', bidder: null, tricks: [], cantes: [], points: [0, 0], tricksWon: [0, 0], winner: null, value: 0 }

/** Why the player may not do that now; null if they may. */
export const whyNot = (state: TableState, action: string): string | null => (action in state.why ? state.why[action]! : 'unknown_card')
