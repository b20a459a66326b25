import { Problem } from '@cuatrola/client'
import type { Args, LocalState, Request, Result, Told } from './protocol'
import type { Calls } from './calls'

// The page's end of the worker that holds the module. Nothing of the module itself is loaded here.

interface Waiting {
  resolve(value: unknown): void
  reject(problem: Problem): void
}

/** Who shows a match on this device. */
export interface Follower {
  state(state: LocalState): void
  /** The worker broke down, and the match with it. */
  lost(): void
}

let worker: Worker | null = null
let asked = 0
const waiting = new Map<number, Waiting>()
const followers = new Map<string, Follower>()

/** Asks the module: `await engine('verify', record)`. The calls are those of `calls.ts`. Rejects with a Problem. */
export function engine<Call extends keyof Calls>(call: Call, ...args: Args<Call>): Promise<Result<Call>> {
  return new Promise((resolve, reject) => {
    const n = ++asked
    waiting.set(n, { resolve: resolve as (value: unknown) => void, reject })
    const request: Request = { n, call, args }
    running().postMessage(request)
  })
}

/** Has the module fetched and compiled, so that whoever asks for it next does not wait. */
export function warmUp(): void {
  running()
}

/** Tells of whatever happens in a match on this device. Answers how to stop. */
export function followLocal(match: string, follower: Follower): () => void {
  followers.set(match, follower)
  return () => followers.delete(match)
}

function running(): Worker {
  if (worker) return worker
  const started = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'cuatrola' })
  started.onmessage = ({ data }: MessageEvent<Told>) => hear(data)
  started.onerror = (event) => {
    event.preventDefault()
    console.warn('the module’s worker ended:', event.message)
    started.terminate()
    if (worker === started) worker = null
    const lost = [...waiting.values()]
    waiting.clear()
    for (const { reject } of lost) reject(new Problem('module_failed', 0, event.message ?? ''))
    for (const follower of followers.values()) follower.lost()
  }
  return (worker = started)
}

function hear(told: Told): void {
  if ('match' in told) {
    followers.get(told.match)?.state(told.state)
    return
  }
  const asker = waiting.get(told.n)
  waiting.delete(told.n)
  if ('fault' in told) asker?.reject(new Problem(told.fault.code, 0, told.fault.message, told.fault.field))
  else asker?.resolve(told.value)
}
