// What the worker that reads a record tells the page of it.
import type { Action, Cante, Card, HandResult, MatchRecord, Pair, Phase, Reason, Rules, Seat, Trick } from '@cuatrola/rules'
import type { Promised } from '../game/types'

/** What a record is, as the rules play it. */
export interface Summary {
  rules: Rules
  /** The hands that were played to their end. */
  results: HandResult[]
  /** How many hands can be shown, the last perhaps up to where it breaks off. */
  hands: number
  score: [number, number]
  winner: Pair | null
  fault: Fault | null
}

/** Where a record breaks the rules; `action` is null where the deal itself does. */
export interface Fault {
  hand: number
  action: number | null
  error: Reason
}

/** The table after some of a hand's actions, as everybody could see it with all cards open. */
export interface Frame {
  /** How many actions have been done. */
  done: number
  /** The one that was done last, and by whom; null before the first. */
  last: { seat: Seat; action: Action } | null
  phase: Phase
  turn: Seat | null
  out: Seat | null
  /** What each seat still holds. */
  held: Card[][]
  /** What each seat has said in the bidding. */
  bids: (Action | null)[]
  bid: Action
  bidder: Seat | null
  /** The trick that lies on the table: in play, or the last that was taken until the next is led to. */
  trick: Trick
  taken: boolean
  /** How many tricks have been taken. */
  tricks: number
  cantes: Cante[]
  points: [number, number]
  tricksWon: [number, number]
  /** Of the match, before this hand, and after it in its last frame. */
  score: [number, number]
  /** How the hand ended, in its last frame. */
  result: HandResult | null
}

export type State = 'good' | 'bad' | 'unknown'

/** A seat's cards that are not those that the seeds give it, and those that it should have instead. */
export interface WrongCards {
  seat: Seat
  found: Card[]
  due: Card[]
}

/** What became of each question that is asked of a record. `unknown`: it could not be asked. */
export type Finding =
  /** It is a match in a form that can be read, and its proof is its own. `field` names what is not. */
  | { check: 'record'; state: State; field?: string }
  /** The server's seed is the one it committed to. */
  | { check: 'commitment'; state: State }
  /** What each seat brought: a seed, none, or one that a bot must not have. */
  | { check: 'seeds'; state: State; brought: boolean[]; bots: Seat[] }
  /** Every deal follows from the seeds. */
  | { check: 'deals'; state: State; hands: number; hand?: number; dealer?: { found: Seat; due: Seat }; trump?: { found: Card; due: Card }; cards?: WrongCards[] }
  /** Every action is one that the rules allow. */
  | { check: 'actions'; state: State; actions: number; fault?: Fault; by?: { seat: Seat; action: Action } }
  /** The seeds are those that were promised to this device before the first card. */
  | { check: 'promise'; state: State; broken?: 'commitment' | 'seed' }
  /** It is the record that the server, or this device, has of that match. */
  | { check: 'copy'; state: State; at?: Difference }

/** Where two records of a match differ first; nulls where it is not in a hand, or not in an action. */
export interface Difference {
  hand: number | null
  action: number | null
  found?: string | undefined
  due?: string | undefined
}

export interface Report {
  /** bad: something is wrong. unknown: nothing is, but there is no proof. */
  state: State
  findings: Finding[]
}

/** What is known of a match besides its record. */
export interface Known {
  promised: Promised | null
  /** The same match's record from where it was played; null if that is not at hand. */
  copy: MatchRecord | null
}
