import type { Server, ServerView } from './client'

export interface StreamEvents {
  view(view: ServerView): void
  link(live: boolean): void
  /** The time of a seat's turn was over and the server acted for it. */
  timedOut(seat: number): void
}

interface Frame {
  type: string
  topic?: string
  view?: ServerView
  seat?: number
  by?: string
}

const longestWait = 8000

/**
 * One match's events over the socket. It comes back by itself after a loss and then names the last event that it has, so
 * that the server sends exactly what was missed.
 */
export class Stream {
  #socket: WebSocket | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #losses = 0
  #closed = false
  #renew = false

  constructor(
    private readonly server: Server,
    private readonly matchId: string,
    private readonly seq: () => number,
    private readonly events: StreamEvents,
  ) {
    addEventListener('online', this.#now)
    void this.#open()
  }

  close(): void {
    this.#closed = true
    removeEventListener('online', this.#now)
    clearTimeout(this.#timer)
    this.#socket?.close()
  }

  #now = () => {
    if (this.#socket) return
    clearTimeout(this.#timer)
    void this.#open()
  }

  async #open(): Promise<void> {
    let token: string
    try {
      token = await this.server.token(this.#renew)
    } catch {
      this.#lost()
      return
    }
    if (this.#closed || this.#socket) return
    this.#renew = false
    const topic = 'match:' + this.matchId
    const url = new URL('/v1/stream', location.href)
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    const socket = new WebSocket(url)
    this.#socket = socket
    socket.onopen = () => socket.send(JSON.stringify({ type: 'hello', token, topics: { [topic]: this.seq() } }))
    socket.onmessage = (message) => {
      const frame = JSON.parse(String(message.data)) as Frame
      if (frame.type === 'welcome') {
        this.#losses = 0
        this.events.link(true)
      } else if (frame.type === 'error' && frame.topic) {
        // The match is not there, or not this player's: asking again would change nothing.
        this.close()
      } else if (frame.type === 'error') {
        // The token ran out, or the server restarted with other keys.
        this.#renew = true
        socket.close()
      }
      if (frame.by === 'clock' && frame.seat !== undefined) this.events.timedOut(frame.seat)
      if (frame.view && frame.topic === topic) this.events.view(frame.view)
    }
    socket.onclose = () => {
      this.#socket = null
      this.#lost()
    }
  }

  #lost(): void {
    if (this.#closed) return
    this.events.link(false)
    // Longer each time and never at the same moment as everybody else's.
    const wait = Math.min(longestWait, 250 * 2 ** this.#losses++) * (0.5 + Math.random() / 2)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#open(), wait)
  }
}
