import { Problem } from './problem.js'

/** A frame of the socket, as `asyncapi.yaml` has it. */
export interface Frame {
  type: string
  topic?: string
  seq?: number
  [member: string]: unknown
}

export interface Follower {
  /** The number of the last event that one has; 0 for none. */
  seq(): number
  /** An event, snapshot or inbox of the topic, in order. */
  frame(frame: Frame): void
  /** The topic cannot be followed: it does not exist, or is not this player's. */
  refused?(problem: Problem): void
}

interface Wires {
  url(): string
  token(renew: boolean): Promise<string | null>
  open(address: string): WebSocket
}

const longestWait = 8000

/**
 * The socket, for any number of topics: `match:` and a match's identifier, `notices`, `engagement`. It comes back by itself
 * after a loss and then names the last event of each topic, so that the server sends exactly what was missed.
 */
export class Stream {
  readonly #wires: Wires
  readonly #followers = new Map<string, Set<Follower>>()
  readonly #links = new Set<(live: boolean) => void>()
  #socket: WebSocket | null = null
  #opening = false
  #welcome = false
  #losses = 0
  #renew = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(wires: Wires) {
    this.#wires = wires
    // A browser tells when the network is back: no need to wait any longer.
    if (typeof addEventListener === 'function') addEventListener('online', () => this.#soon())
  }

  /** Whether the server hears and tells. */
  get live(): boolean {
    return this.#welcome
  }

  /** Calls back whenever that changes. Answers how to stop. */
  onLink(listener: (live: boolean) => void): () => void {
    this.#links.add(listener)
    return () => this.#links.delete(listener)
  }

  /** Follows a topic. Answers how to stop; the socket closes with the last. */
  follow(topic: string, follower: Follower): () => void {
    let all = this.#followers.get(topic)
    const first = !all
    if (!all) this.#followers.set(topic, (all = new Set()))
    all.add(follower)
    if (this.#welcome) this.#send({ type: 'subscribe', topic, seq: first ? follower.seq() : 0 })
    else this.#soon()
    return () => {
      if (!all.delete(follower) || all.size > 0 || this.#followers.get(topic) !== all) return
      this.#followers.delete(topic)
      if (this.#welcome) this.#send({ type: 'unsubscribe', topic })
      if (this.#followers.size === 0) this.close()
    }
  }

  /** Hangs up and, if anything is followed, begins anew: somebody else is signed in. */
  restart(): void {
    this.close()
    if (this.#followers.size > 0) this.#soon()
  }

  /** Hangs up. What is followed stays so, and opens it again with the next that is. */
  close(): void {
    clearTimeout(this.#timer)
    const socket = this.#socket
    this.#socket = null
    socket?.close()
    this.#tell(false)
  }

  #soon(): void {
    if (this.#socket || this.#opening || this.#followers.size === 0) return
    clearTimeout(this.#timer)
    void this.#open()
  }

  async #open(): Promise<void> {
    this.#opening = true
    let token: string | null
    try {
      token = await this.#wires.token(this.#renew)
    } catch {
      this.#opening = false
      this.#lost()
      return
    }
    this.#opening = false
    if (token === null || this.#socket || this.#followers.size === 0) return
    this.#renew = false
    const socket = this.#wires.open(this.#wires.url())
    this.#socket = socket
    socket.onopen = () => {
      const topics = Object.fromEntries([...this.#followers].map(([topic, all]) => [topic, Math.min(...[...all].map((f) => f.seq()))]))
      socket.send(JSON.stringify({ type: 'hello', token, topics }))
    }
    socket.onmessage = (message) => this.#receive(socket, JSON.parse(String(message.data)) as Frame)
    socket.onclose = () => {
      if (this.#socket !== socket) return
      this.#socket = null
      this.#lost()
    }
  }

  #receive(socket: WebSocket, frame: Frame): void {
    if (socket !== this.#socket) return
    if (frame.type === 'welcome') {
      this.#losses = 0
      this.#tell(true)
    } else if (frame.type === 'bye' || (frame.type === 'error' && !frame.topic && frame['id'] === undefined)) {
      // The token ran out, or the server restarts.
      this.#renew = frame['code'] !== 'unavailable' && frame['code'] !== 'rate_limited'
      socket.close()
    } else if (frame.topic) {
      const all = this.#followers.get(frame.topic)
      if (frame.type === 'error') {
        const problem = new Problem(String(frame['code']), 0, String(frame['detail'] ?? ''), null, null, frame)
        this.#followers.delete(frame.topic)
        for (const follower of all ?? []) follower.refused?.(problem)
      } else {
        for (const follower of all ?? []) follower.frame(frame)
      }
    }
  }

  #send(frame: Frame): void {
    this.#socket?.send(JSON.stringify(frame))
  }

  #lost(): void {
    this.#tell(false)
    // Longer each time and never at the same moment as everybody else's.
    const wait = Math.min(longestWait, 250 * 2 ** this.#losses++) * (0.5 + Math.random() / 2)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#soon(), wait)
  }

  #tell(live: boolean): void {
    if (this.#welcome === live) return
    this.#welcome = live
    for (const listener of this.#links) listener(live)
  }
}
