import type { HouseRules, MatchRecord, Pair } from '@cuatrola/rules'
import { readJSON, writeJSON } from '../device'
import type { Promised } from './types'

// What this device remembers of matches that are over: the records of those that were played here alone, and what was
// promised before a server's.

/** A match that was played to its end on this device alone: what a list of them shows. */
export interface FinishedMatch {
  id: string
  rules: HouseRules
  /** By seat; one's own is seat 0. A bot's name is its level. */
  players: { name: string; bot: boolean }[]
  startedAt: string | null
  endedAt: string
  score: [number, number]
  winner: Pair
  hands: number
}

/** More are forgotten, the oldest first. A long match's record takes some 20 KB of the 5 MB that a browser gives. */
export const mostMatches = 60
const mostPromises = 200

const recordKey = (id: string) => `finished.${id}`

/** Newest first. */
export const finishedMatches = (): FinishedMatch[] => readJSON<FinishedMatch[]>('finished') ?? []
export const finishedRecord = (id: string) => readJSON<MatchRecord>(recordKey(id))

/** Keeps the record of a match that is over. Kept twice, it is one match. */
export function keepFinished(record: MatchRecord, result: Pick<FinishedMatch, 'score' | 'winner'>): void {
  const id = record.id ?? 'local'
  const endedAt = record.endedAt ?? new Date().toISOString()
  const match: FinishedMatch = {
    id, endedAt, ...result, rules: record.rules, players: record.players ?? [], startedAt: record.startedAt ?? null, hands: record.hands.length,
  }
  let kept = [match, ...finishedMatches().filter((other) => other.id !== id)]
  for (const old of kept.splice(mostMatches)) writeJSON(recordKey(old.id), null)
  // Where the browser gives less room, older matches make way.
  while (writeJSON(recordKey(id), { ...record, endedAt }), !finishedRecord(id) && kept.length > 1) writeJSON(recordKey(kept.pop()!.id), null)
  writeJSON('finished', kept)
}

export function forgetFinished(id: string): void {
  writeJSON('finished', finishedMatches().filter((match) => match.id !== id))
  writeJSON(recordKey(id), null)
}

/** What was promised before the first card of a match, to hold its record against. */
export function keptPromise(id: string): Promised | null {
  return (readJSON<Promised[]>('promises') ?? []).find((promised) => promised.id === id) ?? null
}

export function keepPromise(promised: Promised): void {
  const kept = (readJSON<Promised[]>('promises') ?? []).filter((other) => other.id !== promised.id)
  writeJSON('promises', [promised, ...kept].slice(0, mostPromises))
}
