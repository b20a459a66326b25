import { FormatError, init, OptionError, type Cuatrola, type MatchRecord } from '@cuatrola/rules'
import type { Verdict } from './types'

/** The module: rules, records, fair deals and bots. */
export type Engine = Cuatrola

export const loadEngine = (): Promise<Engine> => init()

/** Checks a record that may come from anywhere. */
export function verify(engine: Engine, record: unknown): Verdict {
  try {
    return engine.verifyFair(record as MatchRecord)
  } catch (err) {
    if (err instanceof FormatError || err instanceof OptionError) return { fair: 'bad_record', hand: 0, hands: 0, valid: false }
    throw err
  }
}
