import type { MatchRecord } from '@cuatrola/rules'

// Records as files: what is chosen, dropped and pasted comes in, and what one downloads or shares goes out.

/** The longest text that is looked at, in characters: some hundred matches. */
export const longest = 4_000_000

/** The records in a text: one, a list of lines with one each, or a record under a name of its own. Null if there is none. */
export function recordsIn(text: string): MatchRecord[] | null {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > longest) return null
  const whole = parsed(trimmed)
  if (whole) return [whole]
  const lines = trimmed.split('\n').filter((line) => line.trim() !== '')
  const found = lines.map(parsed)
  return lines.length > 1 && found.every((record) => record !== null) ? found : null
}

function parsed(text: string): MatchRecord | null {
  try {
    const json: unknown = JSON.parse(text)
    return isObject(json) ? tidy(isObject(json['record']) ? json['record'] : json) : null
  } catch {
    return null
  }
}

/**
 * A record whose members besides the match are what they have to be, or not there: they may come from anywhere, and are only
 * shown. What the match is made of the module looks at.
 */
export function tidy(from: Record<string, unknown>): MatchRecord {
  const { id, players, startedAt, endedAt, ...match } = from
  const named = Array.isArray(players) && players.length === 4 ? players.map(playerOf) : []
  return {
    ...(match as unknown as MatchRecord),
    ...(typeof id === 'string' && { id }),
    ...(named.length === 4 && named.every((player) => player !== null) && { players: named }),
    ...(isMoment(startedAt) && { startedAt }),
    ...(isMoment(endedAt) && { endedAt }),
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
const isMoment = (value: unknown): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value))

function playerOf(value: unknown): { name: string; bot: boolean } | null {
  if (!isObject(value) || typeof value['name'] !== 'string' || typeof value['bot'] !== 'boolean') return null
  return { name: value['name'].slice(0, 60), bot: value['bot'] }
}

function fileOf(record: MatchRecord, as: 'json' | 'txt' = 'json'): File {
  const name = `cuatrola-${(record.id ?? 'match').replace(/[^\w-]/g, '')}.${as}`
  return new File([JSON.stringify(record) + '\n'], name, { type: as === 'json' ? 'application/json' : 'text/plain' })
}

export function download(record: MatchRecord): void {
  const file = fileOf(record)
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = file.name
  link.click()
  URL.revokeObjectURL(url)
}

/** The file that this device can hand on to another app; null if it can hand on none. Some take texts, but no JSON. */
function shareable(record: MatchRecord): File | null {
  if (!('canShare' in navigator)) return null
  return [fileOf(record), fileOf(record, 'txt')].find((file) => navigator.canShare({ files: [file] })) ?? null
}

export const canShare = (record: MatchRecord) => shareable(record) !== null

/** Hands a record on to an app that one chooses. */
export async function share(record: MatchRecord, title: string): Promise<void> {
  const file = shareable(record)
  try {
    if (file) await navigator.share({ files: [file], title })
  } catch (err) {
    // Whoever changes their mind has not run into a fault.
    if (!(err instanceof DOMException && err.name === 'AbortError')) throw err
  }
}
