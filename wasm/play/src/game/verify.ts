import { FormatError, OptionError, type Cuatrola, type MatchRecord } from '@cuatrola/rules'
import type { Promised, Verdict } from './types'

// Works in the worker.

/** Checks a record that may come from anywhere, and holds it against what was promised before its match, if that is known. */
export function verify(engine: Cuatrola, record: unknown, promised: Promised | null): Verdict {
  try {
    return engine.verifyFair(record as MatchRecord, promised && { ...promised, matchId: promised.id })
  } catch (err) {
    if (err instanceof FormatError || err instanceof OptionError) return { fair: 'bad_record', hand: 0, hands: 0, valid: false }
    throw err
  }
}
