import { FormatError, init, OptionError, type Cuatrola, type MatchRecord } from '@cuatrola/rules'
import { useEffect, useState } from 'preact/hooks'
import type { Promised, Verdict } from './types'

/** The module: rules, records, fair deals and bots. */
export type Engine = Cuatrola

let loading: Promise<Engine> | null = null

/** The module, loaded once. */
export const loadEngine = (): Promise<Engine> => (loading ??= init())

/** The module, null until it is there. */
export function useEngine(): Engine | null {
  const [engine, setEngine] = useState<Engine | null>(null)
  useEffect(() => void loadEngine().then(setEngine, (err: unknown) => console.error(err)), [])
  return engine
}

/** Checks a record that may come from anywhere, and holds it against what was promised before its match, if that is known. */
export function verify(engine: Engine, record: unknown, promised: Promised | null = null): Verdict {
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
