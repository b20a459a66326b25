import type { MatchRecord } from '@cuatrola/rules'
import { ask, Problem, type FrameOf, type MatchTopic } from '@cuatrola/client'
import { pace } from '../device'
import { randomHex } from '../random'
import { againstRules, contradicts, reportDisagreement } from './agreement'
import { api, client, type Schemas } from './client'
import { engine } from './engine'
import { keepPromise, keptPromise } from './finished'
import type { Prediction } from './protocol'
import { readMatch, type ServerMatch } from './serverView'
import { closedView, whyNot, type HouseRules, type Level, type Promised, type Seat, type Table, type TableState, type Talk } from './types'

/** Who waits for a table is told at once that there is no answer. */
const once = { patience: 0 }

/**
 * A match that the server keeps. What it says last is what is shown, but for a hand's result, which waits to be read, and for
 * one's own action, which is shown at once as the module says that it will be.
 */
export class OnlineTable implements Table {
  readonly id: string
  readonly talk: Talk
  state: TableState
  readonly #listeners = new Set<() => void>()
  readonly #stops: (() => void)[]
  #latest: ServerMatch
  #heard = 0

  /** Makes a match against bots, and answers its identifier. */
  static async start(rules: HouseRules, levels: readonly Level[]): Promise<string> {
    await client.guest()
    return (await client.createMatch({ rules, botPauseMs: Math.min(pace(), 5000), levels: [...levels] }, once)).matchId
  }

  static async open(id: string): Promise<OnlineTable> {
    return OnlineTable.#open(await get(id))
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
        match = await readMatch(await client.seed(match.id, promised.seed, once))
      } catch (err) {
        // The time to bring a seed is over: the match began without it.
        if (!(err instanceof Problem) || err.code !== 'seed_conflict') throw err
        match = await readMatch(await get(match.id))
      }
    }
    return new OnlineTable(match)
  }

  private constructor(match: ServerMatch) {
    this.id = match.id
    this.#latest = match
    this.state = {
      view: match.view, why: match.why, players: match.players, deadline: match.deadline, turnLasts: leftOf(match.deadline),
      ended: null, link: 'live', timedOut: false, busy: false, corrected: 0, said: null, muted: [], broken: false,
      stake: match.stake === null ? null : { entry: match.stake, pot: 4 * match.stake },
    }
    this.#stops = [
      client.stream.follow(`match:${match.id}`, { seq: () => this.#latest.view.seq, frame: (frame) => this.#hear(frame) }),
      client.stream.onLink((live) => this.#set({ link: live ? 'live' : 'reconnecting' })),
    ]
    this.talk = { say: (code) => this.#say(code), mute: (seat, on) => this.#mute(seat, on) }
    void this.#meet()
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async act(action: string): Promise<void> {
    const why = whyNot(this.state, action)
    if (why) throw new Problem(why, 0, '')
    const { view } = this.state
    this.#set({ busy: true, timedOut: false })
    try {
      // Where the module has broken down, the server's answer is what is shown.
      const shown = await engine('predict', view, action).catch(() => null)
      if (shown) this.#show(shown, this.state.deadline)
      const match = await readMatch(await client.act(this.id, view.seq, action, { patience: 6000 }))
      this.#receive(match)
      if (shown && contradicts(shown, match)) {
        this.#disagree(view.seq, action, 'the view behind the action is another')
        // Also if the newest has come before this answer: what was shown is not true.
        this.state = { ...this.state, ended: null }
        this.#put(this.#latest)
      }
    } catch (err) {
      if (err instanceof Problem && againstRules(err)) this.#disagree(view.seq, action, err.code)
      await this.#correct()
      throw err
    } finally {
      this.#set({ busy: false })
    }
  }

  /** Shows what the server last said in place of what did not come to be; it may have gone on, such as by the clock. */
  async #correct(): Promise<void> {
    this.#put(this.#latest)
    try {
      this.#receive(await readMatch(await get(this.id)))
    } catch {
      // It is told by the socket as soon as it is back.
    }
  }

  #disagree(seq: number, action: string | null, what: string): void {
    reportDisagreement(this.id, seq, action, what)
    this.#set({ corrected: this.state.corrected + 1 })
  }

  nextHand(): void {
    const { ended } = this.state
    // The hand may end here before the server has said so: what comes next is shown when it does.
    if (ended && this.#latest.view.handsFinished < ended.number) {
      this.#set({ ended: null })
      return
    }
    this.state = { ...this.state, ended: null }
    this.#put(this.#latest)
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

  #hear(frame: FrameOf<MatchTopic>): void {
    if (frame.type === 'said') {
      this.#set({ said: { n: ++this.#heard, seat: frame.seat, say: frame.say } })
      return
    }
    if (frame.type === 'event' && frame.by === 'clock' && frame.seat === this.#latest.view.viewer) this.#set({ timedOut: true })
    if (frame.view) void readMatch(frame.view).then((match) => this.#receive(match)).catch((err: unknown) => console.warn('a view cannot be read:', err))
  }

  #receive(match: ServerMatch): void {
    // Answers and events cross on their way: an older view tells nothing new.
    if (match.view.seq < this.#latest.view.seq) return
    if (match.differs && match.view.seq > this.#latest.view.seq) reportDisagreement(this.id, match.view.seq, null, 'the module allows something else')
    this.#latest = { ...match, players: known(match.players, this.state.players) }
    const { ended, view } = this.state
    // Whether the match ends with the hand that is looked at, a prediction does not know.
    if (ended) this.#set({ deadline: match.deadline, view: { ...view, winner: ended.number === match.view.handsFinished ? match.view.winner : view.winner } })
    else this.#put(this.#latest)
  }

  /** Shows a server's view; a hand that has ended since the one that is shown is shown first. */
  #put(match: ServerMatch): void {
    const { deadline, players, lastHand, view } = match
    this.#set({ players, turnLasts: Math.max(this.state.turnLasts, leftOf(deadline)) })
    if (lastHand && view.handsFinished > this.state.view.handsFinished) {
      const number = view.handsFinished
      this.#show({ view: closedView(this.state.view, view, lastHand, number), why: {}, ended: { hand: lastHand, number } }, deadline)
    } else if (!(this.state.ended && this.state.ended.number === view.handsFinished)) {
      this.#show({ view, why: match.why, ended: null }, deadline)
    }
  }

  #show({ view, why, ended }: Prediction, deadline: number | null): void {
    this.#set({ view: ended ? closedView(this.state.view, view, ended.hand, ended.number) : view, why, ended, deadline })
  }

  /** Finds out who the others are, and whom one has muted. The match goes on without. */
  async #meet(): Promise<void> {
    const { view } = this.state
    const own = client.player
    if (own) this.#know(view.viewer, { id: own.id, avatar: own.avatar })
    const people = this.state.players.flatMap((player, seat) => (player.bot || seat === view.viewer ? [] : [{ name: player.name, seat }]))
    if (people.length === 0) return
    ask(api.GET('/v1/matches/{matchId}/mutes', { params: { path: { matchId: this.id } } })).then(({ seats }) => this.#set({ muted: seats }), () => undefined)
    for (const { name, seat } of people) {
      ask(api.GET('/v1/players', { params: { query: { name } } })).then(
        ({ players: [found] }) => found && this.#know(seat, { id: found.id, avatar: found.avatar }),
        () => undefined,
      )
    }
  }

  #know(seat: Seat, person: { id: string; avatar: string }): void {
    const players = this.state.players.map((player, i) => (i === seat ? { ...player, person } : player))
    this.#latest = { ...this.#latest, players }
    this.#set({ players })
  }

  async #say(say: string): Promise<void> {
    await ask(api.POST('/v1/matches/{matchId}/talk', { params: { path: { matchId: this.id } }, body: { say } }))
  }

  async #mute(seat: Seat, on: boolean): Promise<void> {
    const at = { params: { path: { matchId: this.id, seat } } }
    await ask(on ? api.PUT('/v1/matches/{matchId}/mutes/{seat}', at) : api.DELETE('/v1/matches/{matchId}/mutes/{seat}', at))
    this.#set({ muted: [...this.state.muted.filter((other) => other !== seat), ...(on ? [seat] : [])] })
  }

  #set(part: Partial<TableState>): void {
    this.state = { ...this.state, ...part }
    for (const listener of this.#listeners) listener()
  }
}

const get = (matchId: string) => ask(api.GET('/v1/matches/{matchId}', { params: { path: { matchId } } }))

const leftOf = (deadline: number | null) => (deadline === null ? 0 : Math.max(0, deadline - Date.now()))

/** Who they are is not in a view; what was found out stays. */
const known = (players: ServerMatch['players'], before: TableState['players']) =>
  players.map((player, seat) => {
    const person = before[seat]?.name === player.name ? before[seat]?.person : undefined
    return person ? { ...player, person } : player
  })
