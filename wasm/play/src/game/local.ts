import type { Cuatrola, Match, MatchRecord } from '@cuatrola/rules'
import type { LocalState } from './protocol'
import { sightOf } from './sight'
import { closedView, levelOf, type HouseRules, type Level } from './types'

// Works in the worker: matches that are played on this device alone.

const me = 0

export interface LocalOptions {
  id: string
  rules: HouseRules
  /** What is dealt follows from it. */
  seed: string
  /** Of the bots by seat; one's own does not matter. */
  levels: readonly Level[]
  startedAt: string
}

/** A match that the module deals, keeps the rules of, and plays the other seats of. */
export class LocalMatch {
  readonly id: string
  state: LocalState
  /** What the bots' waits follow from, besides what everybody sees. */
  readonly #pauses = random32()
  #timer: ReturnType<typeof setTimeout> | undefined

  static start(engine: Cuatrola, options: LocalOptions, tell: (match: LocalMatch) => void): LocalMatch {
    return new LocalMatch(engine, engine.newMatch(options), options.levels, options.startedAt, tell)
  }

  /** Goes on with a match from its record. Throws what the module does for one that it cannot follow. */
  static resume(engine: Cuatrola, record: MatchRecord, tell: (match: LocalMatch) => void): LocalMatch {
    // Who plays is in the record; one from before there were levels names nobody.
    const levels = [0, 1, 2, 3].map((seat) => levelOf(record.players?.[seat]?.name))
    return new LocalMatch(engine, engine.resume(record), levels, record.startedAt ?? new Date().toISOString(), tell)
  }

  private constructor(
    private readonly engine: Cuatrola, private readonly match: Match, private readonly levels: readonly Level[],
    private readonly startedAt: string, private readonly tell: (match: LocalMatch) => void,
  ) {
    this.id = match.record().id ?? 'local'
    this.state = { ...sightOf(engine, match.view(me)), ended: null, ...this.#soFar() }
  }

  /** Lets the bots play, each after a while of about `ms` milliseconds, until it is paused or one's own turn. */
  play(ms: number): void {
    clearTimeout(this.#timer)
    const seat = this.match.turn
    if (this.state.ended || seat === null || seat === me) return
    // Who is asked to sing answers at once: a wait would tell of a king and its knight, also where they are kept quiet.
    const wait = this.match.phase === 'sing' ? 0 : this.engine.pause(this.match.view(me), { seed: this.#pauses, ms })
    this.#timer = setTimeout(() => {
      const action = this.engine.bot(this.match.view(seat), { seed: random32(), level: this.levels[seat]! })
      if (!action) return
      this.#apply(seat, action)
      this.tell(this)
      this.play(ms)
    }, wait)
  }

  pause(): void {
    clearTimeout(this.#timer)
  }

  /** Does the player's own action, or says why not. */
  act(action: string): string | null {
    return this.#apply(me, action)
  }

  /** Shows the hand that is dealt next. */
  nextHand(): void {
    this.state = { ...this.state, ...sightOf(this.engine, this.match.view(me)), ended: null }
  }

  #apply(seat: number, action: string): string | null {
    const hands = this.match.results.length
    const why = this.match.apply(seat, action)
    if (why) return why
    const view = this.match.view(me)
    const ended = this.match.results[hands]
    const shown = ended ? closedView(this.state.view, view, ended, hands + 1) : view
    this.state = { ...sightOf(this.engine, shown), ended: ended ? { hand: ended, number: hands + 1 } : null, ...this.#soFar() }
    return null
  }

  /** A bot goes by its level's name, as in a server's records. */
  #soFar(): Pick<LocalState, 'record' | 'over'> {
    const { score, winner } = this.match
    const players = this.levels.map((level, seat) => ({ name: seat === me ? '' : level, bot: seat !== me }))
    return { record: { ...this.match.record(), startedAt: this.startedAt, players }, over: winner === null ? null : { score, winner } }
  }
}

const random32 = () => crypto.getRandomValues(new Uint32Array(1))[0]!
