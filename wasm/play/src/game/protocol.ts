// What the page and the worker that holds the module say to each other.
import type { HandResult, MatchRecord, Pair } from '@cuatrola/rules'
import type { Calls } from './calls'
import type { View } from './types'

/** A view, and why each thing that its viewer could think of may not be done; null if it may. */
export interface Sight {
  view: View
  why: Readonly<Record<string, string | null>>
}

/** A server's view. */
export interface ServerSight extends Sight {
  /** Whether the server allows something else than the module: a fault of one of them. */
  differs: boolean
}

/** A view as it will be behind one's own action. */
export interface Prediction extends Sight {
  /** The hand that ends with it. */
  ended: { hand: HandResult; number: number } | null
}

/** A match on this device, as its own player sees it. */
export interface LocalState extends Sight {
  /** The hand that ended with what was done last. */
  ended: { hand: HandResult; number: number } | null
  /** The whole match so far. */
  record: MatchRecord
  /** How the match ended, if it has. */
  over: { score: [number, number]; winner: Pair } | null
}

type Names = keyof Calls
export type Args<Call extends Names> = Parameters<Calls[Call]>
export type Result<Call extends Names> = Awaited<ReturnType<Calls[Call]>>

export interface Request {
  n: number
  call: Names
  args: readonly unknown[]
}

/** Why a call was refused: a stable code, such as the rules' reasons; `module_failed` for what nobody expected. */
export interface Fault {
  code: string
  message: string
  field: string | null
}

/** An answer to the request with that number, or something that happened in a match here. */
export type Told = { n: number; value: unknown } | { n: number; fault: Fault } | { match: string; state: LocalState }
