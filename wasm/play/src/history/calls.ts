import type { Cuatrola, MatchRecord } from '@cuatrola/rules'
import { framesOf, summarise } from './frames'
import { examine } from './proof'
import type { Frame, Known, Report, Summary } from './protocol'

/** What the module is asked of records that may come from anywhere. Works in the worker. */
export const recordCalls = (engine: Cuatrola) => ({
  /** What a record is. Refuses what is none. */
  summary: (record: MatchRecord): Summary => summarise(engine, record),
  /** The table before and after each action of a hand that can be shown. */
  frames: (record: MatchRecord, hand: number): Frame[] => framesOf(engine, record, hand),
  /** Everything that can be asked of a record's honesty; takes what `summary` refuses as well. */
  examine: (record: MatchRecord, known: Known): Report => examine(engine, record, known),
})
