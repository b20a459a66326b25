import type { MatchRecord } from '@cuatrola/rules'
import { ask, Problem, unreachable, type FrameOf, type MatchTopic } from '@cuatrola/client'
import { pace } from '../device'
import { randomHex } from '../random'
import { api, client, type Schemas } from './client'
import { keepPromise, keptPromise } from './finished'
import { readMatch, type ServerMatch } from './serverView'
import { closedView, whyNot, type HouseRules, type Level, type Promised, type Table, type TableState } from './types'

/** How often an action is sent again while no answer comes: the same action at the same number is one action. */
const tries = 6

/** A match that the server keeps. What it says last is what is shown, but for a hand's result, which waits to be read. */
export class OnlineTable implements Table {
  readonly id: string
  state: TableState
  readonly #listeners = new Set<() => void>()
  readonly #stops: (() => void)[]
  #latest: ServerMatch

  /** Makes a match against bots, and answers its identifier. */
  static async start(rules: HouseRules, levels: readonly Level[]): Promise<string> {
    await client.guest()
    const view = await ask(api.POST('/v1/matches', {
      params: { header: { 'Idempotency-Key': randomHex(16) } },
      body: { rules, botPauseMs: Math.min(pace(), 5000), levels: [...levels] },
    }))
    return view.matchId
  }

  static async open(id: string): Promise<OnlineTable> {
    return OnlineTable.#open(await ask(api.GET('/v1/matches/{matchId}', { params: { path: { matchId: id } } })))
  }

  /** Brings this seat's own seed, after the server has committed to its own, and keeps both to check the deals by. */
  static async #open(view: Schemas['View']): Promise<OnlineTable> {
    let match = await readMatch(view)
    if (match.view.phase === 'seeds') {
      let promised = keptPromise(match.id)
      if (!promised) {
        promised = { id: match.id, commitment: match.commitment, seat: match.view.viewer, seed: randomHex(16) }
        // Before it is sent: a seed whose answer is lost is sent again, and must be the same.
        keepPromise(promised)
      }
      try {
        match = await readMatch(await ask(api.POST('/v1/matches/{matchId}/seed', { params: { path: { matchId: match.id } }, body: { seed: promised.seed } })))
      } catch (err) {
        // The time to bring a seed is over: the match began without it.
        if (!(err instanceof Problem) || err.code !== 'seed_conflict') throw err
        match = await readMatch(await ask(api.GET('/v1/matches/{matchId}', { params: { path: { matchId: match.id } } })))
      }
    }
    return new OnlineTable(match)
  }

  private constructor(match: ServerMatch) {
    this.id = match.id
    this.#latest = match
    this.state = {
      view: match.view, why: match.why, players: match.players, deadline: match.deadline,
      ended: null, link: 'live', timedOut: false, busy: false,
    }
    this.#stops = [
      client.stream.follow(`match:${match.id}`, { seq: () => this.#latest.view.seq, frame: (frame) => this.#hear(frame) }),
      client.stream.onLink((live) => this.#set({ link: live ? 'live' : 'reconnecting' })),
    ]
  }

  #hear(frame: FrameOf<MatchTopic>): void {
    if (frame.type === 'said') return
    if (frame.type === 'event' && frame.by === 'clock' && frame.seat === this.#latest.view.viewer) this.#set({ timedOut: true })
    if (frame.view) void readMatch(frame.view).then((match) => this.#receive(match))
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async act(action: string): Promise<void> {
    const why = whyNot(this.state, action)
    if (why) throw new Problem(why, 0, '')
    const { seq } = this.state.view
    this.#set({ busy: true, timedOut: false })
    try {
      for (let n = 1; ; n++) {
        try {
          this.#receive(await readMatch(await ask(api.POST('/v1/matches/{matchId}/actions', { params: { path: { matchId: this.id } }, body: { seq, action } }))))
          return
        } catch (err) {
          if (!(err instanceof Problem) || err.code !== unreachable || n === tries) throw err
          await new Promise((resolve) => setTimeout(resolve, 400 * n))
        }
      }
    } catch (err) {
      // The clock may have played in our place: the server tells where the match is.
      if (err instanceof Problem && err.code === 'stale_sequence') this.#receive(await readMatch(await ask(api.GET('/v1/matches/{matchId}', { params: { path: { matchId: this.id } } }))))
      throw err
    } finally {
      this.#set({ busy: false })
    }
  }

  nextHand(): void {
    const { view, why, players, deadline } = this.#latest
    this.#set({ view, why, players, deadline: deadline, ended: null })
  }

  promised(): Promised | null {
    return keptPromise(this.id)
  }

  async record(): Promise<MatchRecord> {
    return (await ask(api.GET('/v1/matches/{matchId}/record', { params: { path: { matchId: this.id } } }))) as MatchRecord
  }

  close(): void {
    for (const stop of this.#stops) stop()
    this.#listeners.clear()
  }

  #receive(match: ServerMatch): void {
    // Answers and events cross on their way: an older view tells nothing new.
    if (match.view.seq < this.#latest.view.seq) return
    const before = this.#latest.view
    this.#latest = match
    const deadline = match.deadline
    if (this.state.ended) {
      this.#set({ deadline })
      return
    }
    const ended = match.lastHand
    const number = match.view.handsFinished
    if (ended && number > before.handsFinished) {
      this.#set({
        view: closedView(this.state.view, match.view, ended, number),
        why: {},
        deadline,
        ended: { hand: ended, number },
      })
    } else {
      this.#set({ view: match.view, why: match.why, players: match.players, deadline })
    }
  }

  #set(part: Partial<TableState>): void {
    this.state = { ...this.state, ...part }
    for (const listener of this.#listeners) listener()
  }
}
