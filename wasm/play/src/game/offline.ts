import { Problem } from '@cuatrola/client'
import type { MatchRecord } from '@cuatrola/rules'
import { pace } from '../device'
import { randomHex } from '../random'
import { client } from './client'
import { engine, followLocal } from './engine'
import { keepFinished } from './finished'
import { forgetMatch, keepRecord, keptRecord } from './kept'
import type { LocalState } from './protocol'
import { levelOf, type HouseRules, type Level, type Table, type TableState } from './types'

const me = 0
/** So often a worker is replaced without the match going on. */
const mostLost = 3

/** A match on this device alone. The worker plays it; here it is shown and kept. */
export class OfflineTable implements Table {
  readonly id: string
  readonly talk = null
  state: TableState
  readonly #listeners = new Set<() => void>()
  readonly #stop: () => void
  #record: MatchRecord
  #lostAt = -1
  #lost = 0
  #recovering: Promise<void> = Promise.resolve()

  /** levels: of the bots by seat; one's own does not matter. */
  static async start(rules: HouseRules, levels: readonly Level[]): Promise<OfflineTable> {
    const { id, state } = await engine('start', {
      rules, levels, id: randomHex(8), seed: randomHex(32), startedAt: new Date().toISOString(),
    })
    return new OfflineTable(id, state)
  }

  /** The match kept on this device; null if there is none, or none that this version of the rules can follow. */
  static async resume(): Promise<OfflineTable | null> {
    const kept = keptRecord()
    if (!kept) return null
    try {
      const { id, state } = await engine('resume', kept)
      return new OfflineTable(id, state)
    } catch (err) {
      if (!(err instanceof Problem && (err.code === 'bad_record' || err.code === 'invalid_rules'))) throw err
      console.warn('the kept match cannot be taken up:', err)
      forgetMatch()
      return null
    }
  }

  private constructor(id: string, { view, why, ended, record }: LocalState) {
    this.id = id
    this.#record = record
    this.state = {
      view, why, ended,
      players: [0, 1, 2, 3].map((seat) => (seat === me ? { name: '', bot: false } : { name: '', bot: true, level: levelOf(record.players?.[seat]?.name) })),
      deadline: null,
      turnLasts: 0,
      link: 'local',
      timedOut: false,
      busy: false,
      stake: null,
      corrected: 0,
      said: null,
      broken: false,
      muted: [],
    }
    keepRecord(record)
    this.#stop = followLocal(id, {
      state: (state) => this.#receive(state),
      lost: () => {
        this.#recovering = this.#recover().catch((err: unknown) => this.#break(err))
      },
    })
    this.#play()
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async act(action: string): Promise<void> {
    this.#set({ busy: true })
    try {
      const answer = await this.#again(() => engine('act', this.id, action))
      if ('refused' in answer) throw new Problem(answer.refused, 0, '')
      this.#receive(answer.state)
      this.#play()
    } finally {
      this.#set({ busy: false })
    }
  }

  async nextHand(): Promise<void> {
    this.#receive(await this.#again(() => engine('nextHand', this.id)))
    this.#play()
  }

  async record(): Promise<MatchRecord> {
    return this.#record
  }

  promised(): null {
    return null
  }

  close(): void {
    this.#stop()
    this.#listeners.clear()
    void engine('leave', this.id).catch(() => undefined)
  }

  #play(): void {
    // Where it fails, the worker is gone, and what takes its place plays on.
    void engine('play', this.id, pace()).catch(() => undefined)
  }

  /** What broke down with the worker had not happened: it is done by the one that takes its place. */
  async #again<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (err) {
      if (!(err instanceof Problem) || err.code !== 'module_failed') throw err
      await this.#recovering
      if (this.state.broken) throw err
      return call()
    }
  }

  #receive({ view, why, ended, record, over }: LocalState): void {
    this.#record = record
    keepRecord(record)
    if (over) keepFinished(record, over)
    this.#set({ view, why, ended })
  }

  /**
   * The worker is gone. What is kept here is the match: a new one goes on with it, unless it fails again and again at the same
   * place. A result that is looked at stays.
   */
  async #recover(): Promise<void> {
    const { ended, view } = this.state
    this.#lost = this.#lostAt === view.seq ? this.#lost + 1 : 1
    this.#lostAt = view.seq
    if (this.#lost > mostLost) throw new Problem('module_failed', 0, 'again and again at the same place')
    const { state } = await engine('resume', this.#record)
    if (ended) return
    this.#receive(state)
    this.#play()
  }

  #break(err: unknown): void {
    console.warn('the match cannot go on here:', err)
    client.reportFault({ kind: 'module', seq: this.state.view.seq, message: `the table’s worker ended: ${String(err)}` })
    this.#set({ broken: true })
  }

  #set(part: Partial<TableState>): void {
    this.state = { ...this.state, ...part }
    for (const listener of this.#listeners) listener()
  }
}
