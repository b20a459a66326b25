import { Problem } from '@cuatrola/client'
import type { MatchRecord } from '@cuatrola/rules'
import { pace } from '../device'
import { randomHex } from '../random'
import { engine, followLocal } from './engine'
import { keepFinished } from './finished'
import { forgetMatch, keepRecord, keptRecord } from './kept'
import type { LocalState } from './protocol'
import { levelOf, type HouseRules, type Level, type Table, type TableState } from './types'

const me = 0

/** A match on this device alone. The worker plays it; here it is shown and kept. */
export class OfflineTable implements Table {
  readonly id: string
  readonly talk = null
  state: TableState
  readonly #listeners = new Set<() => void>()
  readonly #stop: () => void
  #record: MatchRecord
  #lostAt = -1

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
      muted: [],
    }
    keepRecord(record)
    this.#stop = followLocal(id, {
      state: (state) => this.#receive(state),
      lost: () => void this.#recover().catch((err: unknown) => console.error(err)),
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
      const answer = await engine('act', this.id, action)
      if ('refused' in answer) throw new Problem(answer.refused, 0, '')
      this.#receive(answer.state)
      this.#play()
    } finally {
      this.#set({ busy: false })
    }
  }

  async nextHand(): Promise<void> {
    this.#receive(await engine('nextHand', this.id))
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
    void engine('leave', this.id)
  }

  #play(): void {
    void engine('play', this.id, pace())
  }

  #receive({ view, why, ended, record, over }: LocalState): void {
    this.#record = record
    keepRecord(record)
    if (over) keepFinished(record, over)
    this.#set({ view, why, ended })
  }

  /** The worker is gone. What is kept here is the match: a new one goes on with it, unless it fails at the same place. */
  async #recover(): Promise<void> {
    const { seq } = this.state.view
    if (this.#lostAt === seq) throw new Problem('module_failed', 0, '')
    this.#lostAt = seq
    this.#receive((await engine('resume', this.#record)).state)
    this.#play()
  }

  #set(part: Partial<TableState>): void {
    this.state = { ...this.state, ...part }
    for (const listener of this.#listeners) listener()
  }
}
