import { Client, type Kept, type Schemas } from '@cuatrola/client'
import { readJSON, writeJSON } from '../device'

export type { Schemas }

async function exclusively<T>(work: () => Promise<T>): Promise<T> {
  // Not there on a plain-HTTP page of a home network.
  if (!('locks' in navigator)) return work()
  return (await navigator.locks.request('cuatrola.session', work)) as T
}

/** The server that the page came from. What lets this device back in is kept in its storage. */
export const client = new Client({
  store: { read: () => readJSON<Kept>('device'), write: (kept) => writeJSON('device', kept) },
  // Two tabs that renew at once would use up one token twice, which looks like a theft.
  exclusively,
})
export const { api } = client
