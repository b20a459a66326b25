import { Problem } from '@cuatrola/client'
import type { Calls } from './calls'
import type { Args, LocalState, Request, Result, Told } from './protocol'

// The page's end of the workers that hold the module. Nothing of the module itself is loaded here.

/** Who shows a match on this device. */
export interface Follower {
  state(state: LocalState): void
  /** The worker broke down, and the match with it. */
  lost(): void
}

interface Waiting {
  resolve(value: unknown): void
  reject(problem: Problem): void
}

/** For how many seconds in which the page is awake a worker that has answered before may be silent. */
const patience = 12

/** One instance of the worker; it starts with the first that is asked of it. */
class Instance {
  readonly followers = new Map<string, Follower>()
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  #asked = 0
  #answered = false
  #silent = 0
  #watch: ReturnType<typeof setInterval> | undefined

  /** Watched, it is taken for lost where it does not answer: a worker that the system has ended says nothing, not even that. */
  constructor(private readonly name: string, private readonly watched: boolean) {}

  ask<Call extends keyof Calls>(call: Call, args: Args<Call>): Promise<Result<Call>> {
    return new Promise((resolve, reject) => {
      const n = ++this.#asked
      this.#waiting.set(n, { resolve: resolve as (value: unknown) => void, reject })
      this.#listen()
      const request: Request = { n, call, args }
      this.start().postMessage(request)
    })
  }

  start(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: this.name })
    worker.onmessage = ({ data }: MessageEvent<Told>) => this.#hear(data)
    worker.onerror = (event) => {
      event.preventDefault()
      this.#lose(worker, event.message ?? '')
    }
    return (this.#worker = worker)
  }

  #listen(): void {
    if (!this.watched || this.#watch !== undefined) return
    this.#silent = 0
    this.#watch = setInterval(() => {
      if (this.#waiting.size === 0 && this.followers.size === 0) {
        clearInterval(this.#watch)
        this.#watch = undefined
      } else if (!this.#answered) {
        // It is still on its way here.
      } else if (++this.#silent >= patience && this.#worker) this.#lose(this.#worker, 'it does not answer')
      // Who only follows waits for nothing that would be missed.
      else if (this.#waiting.size === 0) void this.ask('ready', []).catch(() => undefined)
    }, 1000)
  }

  #hear(told: Told): void {
    this.#answered = true
    this.#silent = 0
    if ('match' in told) {
      this.followers.get(told.match)?.state(told.state)
      return
    }
    const asker = this.#waiting.get(told.n)
    this.#waiting.delete(told.n)
    if ('fault' in told) asker?.reject(new Problem(told.fault.code, 0, told.fault.message, told.fault.field))
    else asker?.resolve(told.value)
  }

  /** The worker's file did not come, or it broke down: whoever waits is told, and the next call starts another. */
  #lose(worker: Worker, message: string): void {
    console.warn(`the ${this.name}’s worker ended: ${message}`)
    worker.terminate()
    if (this.#worker !== worker) return
    this.#worker = null
    this.#answered = false
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of waiting) reject(new Problem('module_failed', 0, message))
    for (const follower of this.followers.values()) follower.lost()
  }
}

const table = new Instance('table', true)
const reader = new Instance('reader', false)

/** Asks the module: `await engine('rules', 'liga')`. The calls are those of `calls.ts`. Rejects with a Problem. */
export const engine = <Call extends keyof Calls>(call: Call, ...args: Args<Call>) => table.ask(call, args)

/** The same in a worker of its own, for what takes its time: whoever reads records is not in the way of who plays. */
export const slowly = <Call extends keyof Calls>(call: Call, ...args: Args<Call>) => reader.ask(call, args)

/** Has the module fetched and compiled, so that whoever asks for it next does not wait. */
export const warmUp = () => void table.start()

/** Tells of whatever happens in a match on this device. Answers how to stop. */
export function followLocal(match: string, follower: Follower): () => void {
  table.followers.set(match, follower)
  return () => table.followers.delete(match)
}
