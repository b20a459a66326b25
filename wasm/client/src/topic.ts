import type { Frame, FrameOf, Topic } from './frames.js'
import type { Problem } from './problem.js'

/** Who wants to hear of a topic. */
export interface Follower<T extends Topic = Topic> {
  /** The number of the last event that one has; 0 or left out for none. It is asked when the following begins. */
  seq?(): number
  /** What comes of the topic: each event once and in order, and between them how things stand. */
  frame(frame: FrameOf<T>): void
  /** The topic cannot be followed: it does not exist, or is not this player's. Nothing more comes. */
  refused?(problem: Problem): void
}

type Numbered = Exclude<Frame, { type: 'said' }>

/** One follower, and how far it has come. */
interface Place {
  readonly follower: Follower
  seq: number
  /** What came too early for it. */
  held: Numbered[]
  /** Whether it was there when this socket said hello, and has heard nothing since. */
  fresh: boolean
}

const isEvent = (frame: Numbered) => frame.type === 'event' || frame.type === 'notice'

/** A topic's followers, each of whom gets every event once and in order, whatever comes over the socket. */
export class Following {
  readonly #places = new Map<Follower, Place>()
  /** How many subscriptions have not been answered. While one has not, what comes too early may come again. */
  #pending = 0

  get size(): number {
    return this.#places.size
  }

  get followers(): Follower[] {
    return [...this.#places.keys()]
  }

  /** The number after which the server has to tell, for everybody to miss nothing. */
  get from(): number {
    return Math.min(...[...this.#places.values()].map((place) => place.seq))
  }

  add(follower: Follower): void {
    this.#places.set(follower, { follower, seq: follower.seq?.() ?? 0, held: [], fresh: false })
  }

  delete(follower: Follower): boolean {
    return this.#places.delete(follower)
  }

  /** Somebody else is signed in, to whom the server counts differently. */
  recount(): void {
    for (const place of this.#places.values()) place.seq = place.follower.seq?.() ?? 0
  }

  /** A new socket says where everybody is. */
  greeted(): void {
    this.#pending = 0
    for (const place of this.#places.values()) {
      place.held = []
      place.fresh = true
    }
  }

  /** The server is asked to tell again after `from`. */
  subscribed(): void {
    this.#pending++
  }

  /** It has answered, and what it had to tell came before. Whatever is missing still, it does not have. */
  settled(): void {
    if (this.#pending === 0 || --this.#pending > 0) return
    for (const place of this.#places.values()) {
      const held = place.held.sort((a, b) => a.seq - b.seq)
      place.held = []
      for (const frame of held) if (frame.seq > place.seq || (!isEvent(frame) && frame.seq === place.seq)) this.#deliver(place, frame)
    }
  }

  /** It could not be asked, and will be again. */
  unsettled(): void {
    this.#pending = Math.max(0, this.#pending - 1)
  }

  /** Passes a frame on. False if something before it is missing, which nobody has been asked for. */
  take(frame: Frame): boolean {
    if (frame.type === 'said') {
      for (const place of this.#places.values()) tell(place.follower, frame)
      return true
    }
    let whole = true
    for (const place of this.#places.values()) {
      whole = this.#put(place, frame) && whole
      place.fresh = false
    }
    return whole
  }

  #put(place: Place, frame: Numbered): boolean {
    const event = isEvent(frame)
    const next = place.seq + 1
    if (event ? frame.seq === next : frame.seq === place.seq) {
      this.#deliver(place, frame)
    } else if (frame.seq < next) {
      // Had already. But a server that begins by saying that it has less has lost something itself: it counts.
      if (!event && place.fresh) this.#deliver(place, frame)
    } else if (frame.type === 'engagement' || (frame.type === 'inbox' && this.#pending === 0)) {
      // One may pass over engagements; and of notices, too many to tell one by one.
      this.#deliver(place, frame)
    } else {
      place.held.push(frame)
      return this.#pending > 0
    }
    return true
  }

  #deliver(place: Place, frame: Numbered): void {
    place.seq = frame.seq
    place.held = place.held.filter((held) => held.seq > frame.seq)
    tell(place.follower, frame)
  }
}

/** A follower's fault is its own: it keeps nothing from the others, nor from what comes next. */
function tell(follower: Follower, frame: Frame): void {
  try {
    follower.frame(frame)
  } catch (err) {
    setTimeout(() => {
      throw err
    })
  }
}
