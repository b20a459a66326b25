import { ask } from '@cuatrola/client'
import { asProblem, type Loaded, type Problem } from '@cuatrola/ui'
import { useEffect, useState } from 'preact/hooks'
import { api, client, type Schemas } from '../game/client'
import { useSession } from '../session'

export type Purse = Schemas['Purse']

interface Known {
  /** Whose it is. */
  owner: string | null
  data: Purse | null
  problem: Problem | null
  loading: boolean
}

// One for the whole page: the coins in the bar above and those on a page below are the same.
let known: Known = { owner: null, data: null, problem: null, loading: false }
const listeners = new Set<(now: Known) => void>()
// Counts the questions and what has come without one: an answer to an older question is dropped.
let turn = 0

function tell(next: Known): void {
  known = next
  for (const listener of listeners) listener(known)
}

/** Asks the server anew; what was known stays until the answer is there. */
export function reloadPurse(): void {
  const owner = client.player?.id ?? null
  const mine = ++turn
  const data = known.owner === owner ? known.data : null
  if (!owner) return tell({ owner: null, data: null, problem: null, loading: false })
  tell({ owner, data, problem: known.owner === owner ? known.problem : null, loading: true })
  ask(api.GET('/v1/wallet')).then(
    (purse) => mine === turn && tell({ owner, data: purse, problem: null, loading: false }),
    (err) => mine === turn && tell({ owner, data, problem: asProblem(err), loading: false }),
  )
}

/** Puts a purse in place that an answer brought. */
export function putPurse(data: Purse): void {
  turn++
  tell({ owner: client.player?.id ?? null, data, problem: null, loading: false })
}

/** What whoever plays here has. It comes anew after a match, with a notice, and when one comes back to the page. */
export function usePurse(): Loaded<Purse> {
  const { player, unread, engagement } = useSession()
  const [now, setNow] = useState(known)
  useEffect(() => {
    listeners.add(setNow)
    setNow(known)
    return () => void listeners.delete(setNow)
  }, [])
  useEffect(reloadPurse, [player?.id, unread, engagement?.kind, engagement?.id])
  useEffect(() => {
    const look = () => document.visibilityState === 'visible' && reloadPurse()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  const mine = now.owner === (player?.id ?? null)
  return { data: mine ? now.data : null, problem: mine ? now.problem : null, loading: now.loading, reload: reloadPurse, put: putPurse }
}
