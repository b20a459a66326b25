// A network of the tests' own: what a Stream is connected to, with time that is moved by hand.
import { Stream } from '../dist/index.js'

/** Time that stands still until it is moved. */
export class FakeClock {
  at = 0
  #due = []
  #n = 0
  /** What chance says: by default always the same. */
  random = () => 0.5
  now = () => this.at
  after = (ms, work) => {
    const entry = { at: this.at + ms, n: this.#n++, work }
    this.#due.push(entry)
    return () => void (this.#due = this.#due.filter((other) => other !== entry))
  }
  /** How many wait for their time. */
  get waiting() {
    return this.#due.length
  }
  /** Lets time pass, and what is due happen in its order. */
  async pass(ms) {
    const until = this.at + ms
    for (;;) {
      await settled()
      const next = this.#due.filter((entry) => entry.at <= until).sort((a, b) => a.at - b.at || a.n - b.n)[0]
      if (!next) break
      this.#due = this.#due.filter((entry) => entry !== next)
      this.at = Math.max(this.at, next.at)
      next.work()
    }
    this.at = until
    await settled()
  }
}

/** Lets everything happen that waits for nothing but its turn. */
export async function settled() {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

/** A socket whose other end is the test. */
export class FakeSocket {
  onopen = null
  onmessage = null
  onclose = null
  onerror = null
  sent = []
  closed = false
  hear = () => {}
  constructor(address) {
    this.address = address
  }
  send(text) {
    if (this.closed) throw new Error('closed')
    const frame = JSON.parse(text)
    this.sent.push(frame)
    this.hear(frame)
  }
  close() {
    this.closed = true
  }
  /** The other end says something. */
  say(frame) {
    this.onmessage?.({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) })
  }
  welcome() {
    this.onopen?.()
    this.say({ type: 'welcome', player: 'ana' })
  }
  /** The connection breaks, and both ends notice. */
  break() {
    this.closed = true
    this.onclose?.()
  }
  /** What was sent of a type, in its order. */
  of(type) {
    return this.sent.filter((frame) => frame.type === type)
  }
}

/** A stream on fake sockets: `sockets` are all that it has opened, `tokens` what it asks for. */
export function fakeStream({ token = () => 'token', open } = {}) {
  const clock = new FakeClock()
  const sockets = []
  const refused = []
  const stream = new Stream({
    url: () => 'ws://server/v1/stream',
    token: async (bad) => {
      refused.push(bad)
      return token(bad)
    },
    open(address) {
      const socket = open ? open(address) : new FakeSocket(address)
      sockets.push(socket)
      return socket
    },
    clock,
  })
  return { stream, clock, sockets, refused, get socket() { return sockets.at(-1) } }
}

/** Random numbers by a seed, the same everywhere. */
export function seeded(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
