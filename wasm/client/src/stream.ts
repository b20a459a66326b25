import type { ClientFrame, Frame, ServerFrame, Topic } from './frames.js'
import { Problem } from './problem.js'
import { Following, type Follower } from './topic.js'

/** What is asked of a WebSocket, which a browser's, Node's, React Native's and that of the package `ws` have. */
export interface SocketLike {
  send(text: string): void
  close(): void
  onopen: ((event: never) => unknown) | null
  onmessage: ((event: never) => unknown) | null
  onclose: ((event: never) => unknown) | null
  onerror: ((event: never) => unknown) | null
}

/** Time and chance, as a test may have its own. */
export interface Clock {
  /** Milliseconds since whenever. */
  now(): number
  /** Does something after so many milliseconds, unless what is answered is called before. */
  after(ms: number, work: () => void): () => void
  /** From 0 to less than 1. */
  random(): number
}

/** What a Stream is connected to. */
export interface Wires {
  /** Where the socket is. */
  url(): string
  /** A valid access token, which is not the refused one; null while nobody is signed in. Throws a Problem. */
  token(refused: string | null): Promise<string | null>
  open(address: string): SocketLike
  /** Throws where no socket can ever be opened. */
  ready?(): void
  /** Milliseconds in which a sign of life has to come once it is asked for, the welcome too; left out, 10 seconds. */
  patience?: number
  /** Milliseconds of silence before one is asked for; left out, 20 seconds. */
  silence?: number
  clock?: Clock
}

const realClock: Clock = {
  now: () => Date.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
  random: () => Math.random(),
}

/** How long a sign of life may take when the app comes back to the foreground, where somebody waits. */
const impatience = 4_000
/** How long a socket has to stand for its loss to be the first again. */
const steady = 10_000
const longestWait = 8_000
/** How long a kept-out player waits before it asks whether that is over. */
const keptOutWait = 60_000
/** How long a socket that nobody needs stays: a page that changes goes from one topic to the next. */
const linger = 1_000

/** Codes of a topic that cannot be followed now, but may be in a moment. */
const transient = new Set<string>(['internal', 'unavailable', 'rate_limited', 'timeout'])

/** One socket, from its opening to its end. */
interface Link {
  readonly socket: SocketLike
  readonly token: string
  /** What hello has said. */
  readonly greeted: Map<Topic, number>
  /** When the server welcomed; null before that. */
  welcome: number | null
  heard: number
  /** Whether the server was asked for a sign of life and has given none. */
  waiting: boolean
  stopWatch: () => void
  /** What has been asked under which number. */
  readonly requests: Map<number, Topic>
}

/**
 * The socket, for any number of topics: `match:` and a match's identifier, `notices`, `engagement`. It opens with the first
 * follower and comes back by itself after a loss, and each follower gets every event of its topic once and in order, whatever
 * was lost on the way.
 */
export class Stream {
  readonly #wires: Wires
  readonly #clock: Clock
  readonly #patience: number
  /** The server pings too, but browsers do not show that. */
  readonly #silence: number
  readonly #topics = new Map<Topic, Following>()
  readonly #links = new Set<(live: boolean) => void>()
  #link: Link | null = null
  #live = false
  /** Whether a socket is wanted: not after `close`, until somebody follows something. */
  #wanted = false
  #opening = false
  /** Counts who is signed in: what was begun for the one before is not gone on with. */
  #era = 0
  #losses = 0
  #limited = 0
  #refused: string | null = null
  #next = 0
  #stopWaiting = () => {}
  #stopLinger = () => {}
  readonly #stopHearing: () => void

  constructor(wires: Wires) {
    this.#wires = wires
    this.#clock = wires.clock ?? realClock
    this.#patience = wires.patience ?? 10_000
    this.#silence = wires.silence ?? 20_000
    this.#stopHearing = hearPlatform(() => this.check())
  }

  /** Whether the server hears and tells. */
  get live(): boolean {
    return this.#live
  }

  /** Calls back whenever that changes. Answers how to stop. */
  onLink(listener: (live: boolean) => void): () => void {
    this.#links.add(listener)
    return () => this.#links.delete(listener)
  }

  /**
   * Follows a topic. Answers how to stop; the socket closes behind the last. Throws where there are no sockets.
   *
   *     const stop = client.stream.follow('engagement', { frame: ({ engagement }) => show(engagement) })
   */
  follow<T extends Topic>(topic: T, follower: Follower<T>): () => void {
    this.#wires.ready?.()
    this.#stopLinger()
    const one = follower as Follower
    let following = this.#topics.get(topic)
    if (!following) this.#topics.set(topic, (following = new Following()))
    following.add(one)
    if (this.#live) this.#subscribe(topic, following)
    this.wake()
    return () => {
      if (!following.delete(one) || following.size > 0 || this.#topics.get(topic) !== following) return
      this.#topics.delete(topic)
      if (this.#live) this.#send({ type: 'unsubscribe', id: this.#next++, topic })
      if (this.#topics.size === 0) this.#stopLinger = this.#clock.after(linger, () => this.close())
    }
  }

  /** Begins anew, if anything is followed: somebody else is signed in, to whom other numbers count. */
  restart(): void {
    this.close()
    for (const following of this.#topics.values()) following.recount()
    this.wake()
  }

  /** Hangs up. What is followed stays so, and is heard of again when something else is followed too. */
  close(): void {
    this.#era++
    this.#wanted = false
    this.#losses = 0
    this.#stopWaiting()
    this.#stopLinger()
    this.#hangUp()
    this.#tell(false)
  }

  /** Closes for good, and lets go of what it has heard of the platform. */
  end(): void {
    this.close()
    this.#topics.clear()
    this.#stopHearing()
  }

  /** Opens at once if anything is followed and no socket is open: no need to wait any longer. */
  wake(): void {
    this.#wanted = true
    if (this.#link || this.#opening || this.#topics.size === 0) return
    this.#stopWaiting()
    void this.#open()
  }

  /**
   * Looks at once whether the socket still lives, or opens it if it does not. A page does so by itself when it is shown again
   * or the network is back; in React Native, call it when `AppState` becomes `active`.
   */
  check(): void {
    if (!this.#wanted) return
    if (!this.#link) this.wake()
    else if (this.#live) this.#ping(this.#link, Math.min(impatience, this.#patience))
  }

  async #open(): Promise<void> {
    this.#opening = true
    const era = this.#era
    let token: string | null = null
    let problem: unknown = null
    try {
      token = await this.#wires.token(this.#refused)
    } catch (err) {
      problem = err
    }
    this.#opening = false
    if (era !== this.#era) {
      if (this.#wanted) this.wake()
      return
    }
    if (problem instanceof Problem && problem.status === 403) return this.#wait(keptOutWait)
    if (problem) return this.#wait(this.#backOff())
    // Nobody is signed in. Whoever signs in wakes this.
    if (token === null || this.#topics.size === 0) return
    this.#refused = null
    let socket: SocketLike
    try {
      socket = this.#wires.open(this.#wires.url())
    } catch {
      return this.#wait(this.#backOff())
    }
    const now = this.#clock.now()
    const link: Link = {
      socket, token, greeted: new Map(), welcome: null, heard: now, waiting: true, stopWatch: () => {}, requests: new Map(),
    }
    this.#link = link
    this.#watch(link, this.#patience)
    socket.onopen = () => this.#greet(link)
    socket.onmessage = (event: { data: unknown }) => this.#receive(link, String(event.data))
    socket.onclose = () => this.#lost(link, null)
    // Said by `close` as well, but for React Native, where a refused connection may have nothing else.
    socket.onerror = () => this.#lost(link, null)
  }

  #greet(link: Link): void {
    if (link !== this.#link) return
    for (const [topic, following] of this.#topics) {
      following.greeted()
      link.greeted.set(topic, following.from)
    }
    this.#write(link, { type: 'hello', token: link.token, topics: Object.fromEntries(link.greeted) })
  }

  #receive(link: Link, text: string): void {
    if (link !== this.#link) return
    link.heard = this.#clock.now()
    // To hello, only the welcome is an answer.
    if (link.welcome !== null) link.waiting = false
    let frame: ServerFrame
    try {
      frame = JSON.parse(text) as ServerFrame
    } catch {
      return this.#lost(link, null)
    }
    switch (frame.type) {
      case 'welcome':
        return this.#welcome(link)
      case 'bye':
        return this.#lost(link, frame.code)
      case 'error':
        return this.#error(link, frame)
      case 'result': {
        const topic = this.#answered(link, frame.id)
        if (topic) this.#topics.get(topic)?.settled()
        return
      }
      case 'event':
      case 'snapshot':
      case 'said':
      case 'notice':
      case 'inbox':
      case 'engagement':
        return this.#news(frame)
      default:
        // A pong; or something newer than this package.
    }
  }

  #welcome(link: Link): void {
    link.welcome = link.heard
    link.waiting = false
    // A server that welcomes and then falls over is not asked too often either.
    this.#losses = Math.min(this.#losses, 3)
    this.#watch(link, this.#silence)
    // What has changed since hello.
    for (const [topic, following] of this.#topics) {
      const greeted = link.greeted.get(topic)
      if (greeted === undefined || following.from < greeted) this.#subscribe(topic, following)
    }
    for (const topic of link.greeted.keys()) if (!this.#topics.has(topic)) this.#send({ type: 'unsubscribe', id: this.#next++, topic })
    this.#tell(true)
  }

  #news(frame: Frame): void {
    const topic = frame.topic as Topic
    const following = this.#topics.get(topic)
    if (following && !following.take(frame)) this.#subscribe(topic, following)
  }

  #error(link: Link, frame: Extract<ServerFrame, { type: 'error' }>): void {
    const asked = this.#answered(link, frame.id)
    const topic = asked ?? (frame.topic as Topic | undefined)
    if (!topic) {
      // Before the welcome it is hello that was refused. Behind it, a frame that nobody waits for.
      if (link.welcome === null) this.#lost(link, frame.code)
      return
    }
    const following = this.#topics.get(topic)
    if (!following) return
    if (asked) following.unsettled()
    if (transient.has(frame.code)) {
      this.#clock.after(this.#jitter(4000), () => {
        if (link === this.#link && this.#topics.get(topic) === following) this.#subscribe(topic, following)
      })
      return
    }
    this.#topics.delete(topic)
    const problem = new Problem(frame.code, 0, frame.detail, null, null, { ...frame })
    for (const follower of following.followers) follower.refused?.(problem)
  }

  #answered(link: Link, id: string | number | undefined): Topic | undefined {
    if (typeof id !== 'number') return undefined
    const topic = link.requests.get(id)
    link.requests.delete(id)
    return topic
  }

  /** Has the server tell what comes after the number up to which everybody has everything. */
  #subscribe(topic: Topic, following: Following): void {
    const id = this.#next++
    following.subscribed()
    this.#link?.requests.set(id, topic)
    this.#send({ type: 'subscribe', id, topic, seq: following.from })
  }

  #send(frame: ClientFrame): void {
    if (this.#link) this.#write(this.#link, frame)
  }

  #write(link: Link, frame: ClientFrame): void {
    try {
      link.socket.send(JSON.stringify(frame))
    } catch {
      this.#lost(link, null)
    }
  }

  #ping(link: Link, within: number): void {
    if (link.waiting) return
    link.waiting = true
    this.#write(link, { type: 'ping', id: this.#next++ })
    if (link === this.#link) this.#watch(link, within)
  }

  /** Looks after some time whether anything was heard. */
  #watch(link: Link, ms: number): void {
    link.stopWatch()
    link.stopWatch = this.#clock.after(ms, () => {
      if (link !== this.#link) return
      if (link.waiting) return this.#lost(link, null)
      const silent = this.#clock.now() - link.heard
      if (silent >= this.#silence) this.#ping(link, this.#patience)
      else this.#watch(link, this.#silence - silent)
    })
  }

  /** The socket is over; `why` is the server's code, if it said one. */
  #lost(link: Link, why: string | null): void {
    if (link !== this.#link) return
    const welcomed = link.welcome !== null
    if (welcomed && this.#clock.now() - link.welcome! >= steady) this.#losses = this.#limited = 0
    this.#hangUp()
    let wait = this.#backOff()
    switch (why) {
      case null:
      case 'internal':
        break
      case 'unavailable':
        // It stops, and another takes over. At once, but not everybody in the same moment.
        if (welcomed) wait = this.#clock.random() * 1000
        break
      case 'rate_limited':
        wait = this.#jitter(Math.min(60_000, 5_000 * 2 ** this.#limited++))
        break
      default:
        // The token has run out, or was signed out: the next one, if there is one, comes back at once.
        this.#refused = link.token
        if (welcomed) wait = 0
    }
    this.#wait(wait)
    this.#tell(false)
  }

  /** Without waiting for the other side's word, which may never come. */
  #hangUp(): void {
    const link = this.#link
    if (!link) return
    this.#link = null
    link.stopWatch()
    const { socket } = link
    socket.onopen = socket.onmessage = socket.onclose = null
    // Something is to hear of it: an error that nobody hears ends a process of Node's.
    socket.onerror = () => {}
    try {
      socket.close()
    } catch {
      // It was not open yet.
    }
  }

  /** Longer each time, and never at the same moment as everybody else's. */
  #backOff(): number {
    return this.#jitter(Math.min(longestWait, 250 * 2 ** this.#losses++))
  }

  #jitter(ms: number): number {
    return ms * (0.5 + this.#clock.random() / 2)
  }

  #wait(ms: number): void {
    this.#stopWaiting()
    this.#stopWaiting = this.#clock.after(ms, () => this.wake())
  }

  #tell(live: boolean): void {
    if (this.#live === live) return
    this.#live = live
    for (const listener of this.#links) listener(live)
  }
}

/** Calls back when a page is shown again or the network is back. Answers how to stop. */
function hearPlatform(listener: () => void): () => void {
  if (typeof addEventListener !== 'function' || typeof document === 'undefined') return () => {}
  const seen = () => document.visibilityState === 'visible' && listener()
  addEventListener('online', listener)
  document.addEventListener('visibilitychange', seen)
  return () => {
    removeEventListener('online', listener)
    document.removeEventListener('visibilitychange', seen)
  }
}
