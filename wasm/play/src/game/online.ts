import type { MatchRecord } from '@cuatrola/rules'
import { unreachable, type Server, type ServerView } from '../api/client'
import { Stream } from '../api/stream'
import { readMatch, type ServerMatch } from '../api/view'
import { randomHex } from '../random'
import { pace, readJSON, writeJSON } from '../settings'
import type { Engine } from './engine'
import { closedView, Refusal, type HouseRules, type Level, type Promised, type Table, type TableState } from './types'

/** How often an action is sent again while no answer comes: the same action at the same number is one action. */
const tries = 6

/** A match that the server keeps. What it says last is what is shown, but for a hand's result, which waits to be read. */
export class OnlineTable implements Table {
  readonly id: string
  state: TableState
  readonly #listeners = new Set<() => void>()
  readonly #stream: Stream
  #latest: ServerMatch

  static async start(engine: Engine, server: Server, rules: HouseRules, levels: readonly Level[]): Promise<OnlineTable> {
    const botPauseMs = Math.min(pace(), 5000)
    const view = await server.createMatch({ rules, botPauseMs, levels: [...levels] }, randomHex(16))
    return OnlineTable.#open(engine, server, view)
  }

  static async resume(engine: Engine, server: Server, id: string): Promise<OnlineTable> {
    return OnlineTable.#open(engine, server, await server.match(id))
  }

  /** Brings this seat's own seed, after the server has committed to its own, and keeps both to check the deals by. */
  static async #open(engine: Engine, server: Server, view: ServerView): Promise<OnlineTable> {
    let match = readMatch(engine, view)
    if (match.view.phase === 'seeds') {
      let promised = keptPromise(match.id)
      if (!promised) {
        promised = { id: match.id, commitment: match.commitment, seat: match.view.viewer, seed: randomHex(16) }
        // Before it is sent: a seed whose answer is lost is sent again, and must be the same.
        writeJSON('promised', promised)
      }
      try {
        match = readMatch(engine, await server.seed(match.id, promised.seed))
      } catch (err) {
        // The time to bring a seed is over: the match began without it.
        if (!(err instanceof Refusal) || err.code !== 'seed_conflict') throw err
        match = readMatch(engine, await server.match(match.id))
      }
    }
    return new OnlineTable(engine, server, match)
  }

  private constructor(private readonly engine: Engine, private readonly server: Server, match: ServerMatch) {
    this.id = match.id
    this.#latest = match
    this.state = {
      view: match.view, players: match.players, deadline: server.localTime(match.deadline),
      ended: null, link: 'live', timedOut: false, busy: false,
    }
    this.#stream = new Stream(server, match.id, () => this.#latest.view.seq, {
      view: (view) => this.#receive(readMatch(this.engine, view)),
      timedOut: (seat) => seat === this.#latest.view.viewer && this.#set({ timedOut: true }),
      link: (live) => this.#set({ link: live ? 'live' : 'reconnecting' }),
    })
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  check(action: string): string | null {
    const { view } = this.state
    if (view.phase === 'seeds') return 'wrong_phase'
    return this.engine.checkView({ ...view, phase: view.phase }, action)
  }

  async act(action: string): Promise<void> {
    const why = this.check(action)
    if (why) throw new Refusal(why)
    const { seq } = this.state.view
    this.#set({ busy: true, timedOut: false })
    try {
      for (let n = 1; ; n++) {
        try {
          this.#receive(readMatch(this.engine, await this.server.act(this.id, seq, action)))
          return
        } catch (err) {
          if (!(err instanceof Refusal) || err.code !== unreachable || n === tries) throw err
          await new Promise((resolve) => setTimeout(resolve, 400 * n))
        }
      }
    } catch (err) {
      // The clock may have played in our place: the server tells where the match is.
      if (err instanceof Refusal && err.code === 'stale_sequence') this.#receive(readMatch(this.engine, await this.server.match(this.id)))
      throw err
    } finally {
      this.#set({ busy: false })
    }
  }

  nextHand(): void {
    const { view, players, deadline } = this.#latest
    this.#set({ view, players, deadline: this.server.localTime(deadline), ended: null })
  }

  promised(): Promised | null {
    return keptPromise(this.id)
  }

  async record(): Promise<MatchRecord> {
    return (await this.server.record(this.id)) as MatchRecord
  }

  close(): void {
    this.#stream.close()
    this.#listeners.clear()
  }

  #receive(match: ServerMatch): void {
    // Answers and events cross on their way: an older view tells nothing new.
    if (match.view.seq < this.#latest.view.seq) return
    const before = this.#latest.view
    this.#latest = match
    const deadline = this.server.localTime(match.deadline)
    if (this.state.ended) {
      this.#set({ deadline })
      return
    }
    const ended = match.lastHand
    const number = match.view.handsFinished
    if (ended && number > before.handsFinished) {
      this.#set({
        view: closedView(this.state.view, match.view, ended, number),
        deadline,
        ended: { hand: ended, number },
      })
    } else {
      this.#set({ view: match.view, players: match.players, deadline })
    }
  }

  #set(part: Partial<TableState>): void {
    this.state = { ...this.state, ...part }
    for (const listener of this.#listeners) listener()
  }
}

function keptPromise(id: string): Promised | null {
  const kept = readJSON<Promised>('promised')
  return kept?.id === id ? kept : null
}
