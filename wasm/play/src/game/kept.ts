import type { MatchRecord } from '@cuatrola/rules'
import { readJSON, writeJSON } from '../device'

// The match on this device alone that is not over. Its record, finished or not, is the match.

export const keptRecord = () => readJSON<MatchRecord>('offline')
export const keepRecord = (record: MatchRecord) => writeJSON('offline', record)
export const keptMatch = () => keptRecord() !== null
export const forgetMatch = () => writeJSON('offline', null)
