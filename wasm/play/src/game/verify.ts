import { FormatError, OptionError, type Cuatrola, type MatchRecord } from '@cuatrola/rules'
import type { Promised, Verdict } from './types'

// Works in the worker.

/** Checks a record that may come from anywhere, and holds it against what was promised before its match, if that is known. */
export function verify(engine: Cuatrola, record: unknown, promised: Promised | null): Verdict {
  try {
    const verdict = engine.verifyFair(record as MatchRecord)
    const fair = (record as MatchRecord).fair
    if (promised && fair && verdict.fair === 'ok') {
      const kept = fair.commitment === promised.commitment && fair.clientSeeds[promised.seat] === promised.seed && fair.matchId === promised.id
      if (!kept) return { ...verdict, fair: 'broken_promise' }
    }
    return verdict
  } catch (err) {
    if (err instanceof FormatError || err instanceof OptionError) return { fair: 'bad_record', hand: 0, hands: 0, valid: false }
    throw err
  }
}
