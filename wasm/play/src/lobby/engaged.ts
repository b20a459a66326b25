import { readJSON, writeJSON } from '../device'
import type { Schemas } from '../game/client'

// What one was taken up with last, as this device knows it, and how it ended: so that an end is told once, also to somebody who
// was not looking, and a reload in the middle tells nothing twice.

type Engagement = Schemas['Engagement']
type Kind = Engagement['kind']

/** What this device has seen last. */
interface Seen {
  player: string
  seq: number
  kind: Kind
  id: string | null
  stake: number
}

/** Something that ended, and not as one wanted. */
export interface Ended {
  player: string
  seq: number
  reason: NonNullable<Engagement['reason']>
  /** What it was. */
  was: Kind
  /** The entry of it, if there was one. */
  stake: number
}

/** Those that one has not brought about oneself. */
const told: ReadonlySet<Engagement['reason']> = new Set([
  'voided', 'partner_left', 'kicked', 'expired', 'cancelled', 'unseated', 'insufficient_coins', 'in_debt', 'stakes_off', 'stopped', 'suspended',
] as const)

export const lastSeen = (player: string): Seen | null => {
  const kept = readJSON<Seen>('engaged')
  return kept?.player === player ? kept : null
}

/** Keeps what is seen now. */
export function see(player: string, now: Engagement): Seen {
  const stake = now.table?.stake ?? now.ticket?.stake ?? 0
  const seen = { player, seq: now.seq, kind: now.kind, id: now.id, stake }
  writeJSON('engaged', seen)
  return seen
}

/** What ended between the two; null if nothing did that has to be told. */
export function endedBetween(before: Seen, now: Engagement): Ended | null {
  if (now.seq <= before.seq || !now.reason || !told.has(now.reason)) return null
  // Back in the room or in the queue: what ended was something else.
  if (now.kind !== 'none' && now.reason !== 'unseated' && now.reason !== 'voided') return null
  return { player: before.player, seq: now.seq, reason: now.reason, was: before.kind, stake: before.stake }
}

/** Whether a match has begun between the two. */
export const begunBetween = (before: Seen, now: Engagement) => now.kind === 'match' && !(before.kind === 'match' && before.id === now.id)

let ended: Ended | null = null
const listeners = new Set<() => void>()

/** Keeps an end until it is taken note of; null when it has been. */
export function keepEnded(next: Ended | null): void {
  ended = next
  writeJSON('ended', next)
  for (const listener of listeners) listener()
}

/** The end that a player has not taken note of yet. */
export function unheard(player: string): Ended | null {
  ended ??= readJSON<Ended>('ended')
  return ended?.player === player ? ended : null
}

export function onEnded(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
