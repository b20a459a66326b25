import { Problem } from '@cuatrola/client'
import type { HandResult, Match, MatchRecord } from '@cuatrola/rules'
import { randomHex } from '../random'
import { pace } from '../device'
import type { Engine } from './engine'
import { keepFinished } from './finished'
import { forgetMatch, keepRecord, keptRecord } from './kept'
import { closedView, levelOf, type HouseRules, type Level, type Table, type TableState, type View } from './types'

const me = 0

/** A match on this device alone: the module deals from a seed drawn here, keeps the rules and plays the other seats. */
export class OfflineTable implements Table {
  readonly id: string
  state: TableState
  readonly #listeners = new Set<() => void>()
  /** What the bots' waits follow from, besides what everybody sees. */
  readonly #pauses = random32()
  readonly #startedAt: string
  #timer: ReturnType<typeof setTimeout> | undefined

  /** levels: of the bots by seat; one's own does not matter. */
  static start(engine: Engine, rules: HouseRules, levels: readonly Level[]): OfflineTable {
    const table = new OfflineTable(engine, engine.newMatch({ rules, seed: randomHex(32), id: randomHex(8) }), levels)
    table.#keep()
    return table
  }

  /** The match kept on this device; null if there is none, or none that this version of the rules can follow. */
  static resume(engine: Engine): OfflineTable | null {
    const kept = keptRecord()
    if (!kept) return null
    try {
      // Who plays is in the record; one from before there were levels names nobody.
      return new OfflineTable(engine, engine.resume(kept), [0, 1, 2, 3].map((seat) => levelOf(kept.players?.[seat]?.name)))
    } catch (err) {
      console.warn('the kept match cannot be taken up:', err)
      forgetMatch()
      return null
    }
  }

  private constructor(private readonly engine: Engine, private readonly match: Match, private readonly levels: readonly Level[]) {
    const { id = 'local', startedAt = new Date().toISOString() } = match.record()
    this.id = id
    this.#startedAt = startedAt
    this.state = {
      view: match.view(me),
      players: [0, 1, 2, 3].map((seat) => (seat === me ? { name: '', bot: false } : { name: '', bot: true, level: levels[seat]! })),
      deadline: null,
      ended: null,
      link: 'local',
      timedOut: false,
      busy: false,
    }
    this.#waitForBot()
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  check(action: string): string | null {
    return this.match.check(me, action)
  }

  async act(action: string): Promise<void> {
    this.#apply(me, action)
  }

  nextHand(): void {
    this.#show(this.match.view(me), null)
  }

  async record(): Promise<MatchRecord> {
    return this.#record()
  }

  promised(): null {
    return null
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#listeners.clear()
  }

  #apply(seat: number, action: string): void {
    const hands = this.match.results.length
    const why = this.match.apply(seat, action)
    if (why) throw new Problem(why, 0, '')
    this.#keep()
    const view = this.match.view(me)
    const ended = this.match.results[hands]
    if (ended) this.#show(closedView(this.state.view, view, ended, hands + 1), ended)
    else this.#show(view, null)
  }

  #keep(): void {
    const record = this.#record()
    keepRecord(record)
    const { score, winner } = this.match
    if (winner !== null) keepFinished(record, { score, winner })
  }

  /** A bot goes by its level's name, as in a server's records. */
  #record(): MatchRecord {
    return { ...this.match.record(), startedAt: this.#startedAt, players: this.levels.map((level, seat) => ({ name: seat === me ? '' : level, bot: seat !== me })) }
  }

  #show(view: View, ended: HandResult | null): void {
    this.state = { ...this.state, view, ended: ended && { hand: ended, number: this.match.results.length } }
    for (const listener of this.#listeners) listener()
    this.#waitForBot()
  }

  /** Lets a bot act after a while, so that a person can follow the table. */
  #waitForBot(): void {
    clearTimeout(this.#timer)
    const seat = this.match.turn
    if (this.state.ended || seat === null || seat === me) return
    const { view } = this.state
    const taken = view.phase === 'play' && view.table.cards.length === 0 && view.hand.tricks.length > 0
    // Who is asked to sing answers at once: a wait would tell of a king and its knight, also where they are kept quiet.
    const wait = this.match.phase === 'sing' ? 0 : this.engine.pause(this.match.view(me), { seed: this.#pauses, ms: pace() })
    this.#timer = setTimeout(() => {
      const action = this.engine.bot(this.match.view(seat), { seed: random32(), level: this.levels[seat]! })
      if (action) this.#apply(seat, action)
    }, wait * (taken ? 2 : 1))
  }
}

const random32 = () => crypto.getRandomValues(new Uint32Array(1))[0]!
