import { ask, type Problem } from './problem.js'
import { persist, type Patience } from './again.js'
import type { Client, Schemas } from './client.js'
import type { EventFrame, SaidFrame } from './frames.js'

/** Who wants to hear of a match. */
export interface MatchListener {
  /** Something happened: each event once, in order, also those of while the connection was away. */
  event?(event: EventFrame): void
  /** How the match stands now; never an older view than the one before. */
  view?(view: Schemas['View']): void
  /** Somebody at the table says something. */
  said?(said: SaidFrame): void
  /** The match cannot be followed: there is none, or one does not play in it. Nothing more comes. */
  refused?(problem: Problem): void
}

/** A match that one plays in, as it is and as it goes on. */
export class FollowedMatch {
  readonly #client: Client
  readonly #listener: MatchListener
  readonly #stop: () => void
  #view: Schemas['View'] | null = null

  /** Made by `client.followMatch`. */
  constructor(client: Client, readonly id: string, listener: MatchListener, seq: number) {
    this.#client = client
    this.#listener = listener
    this.#stop = client.stream.follow(`match:${id}`, {
      seq: () => seq,
      frame: (frame) => {
        if (frame.type === 'said') return listener.said?.(frame)
        if (frame.type === 'event') listener.event?.(frame)
        if (frame.view) this.#see(frame.view, true)
      },
      refused: (problem) => listener.refused?.(problem),
    })
  }

  /** How it stands, as far as is known; null before anything was heard. */
  get view(): Schemas['View'] | null {
    return this.#view
  }

  /** Asks the server how it stands. Throws a Problem. */
  async look(patience: Patience = {}): Promise<Schemas['View']> {
    const { signal } = patience
    const wanted = { params: { path: { matchId: this.id } }, ...(signal && { signal }) }
    return this.#see(await persist(() => ask(this.#client.api.GET('/v1/matches/{matchId}', wanted)), patience))
  }

  /** Does something on the present view. Throws a Problem, for which `client.act` has more. */
  async act(action: string, patience: Patience = {}): Promise<Schemas['View']> {
    const { seq } = this.#view ?? (await this.look(patience))
    return this.#see(await this.#client.act(this.id, seq, action, patience))
  }

  /** Gives the seat's seed for the deals; see `client.seed`. Throws a Problem. */
  async seed(seed: string, patience: Patience = {}): Promise<Schemas['View']> {
    return this.#see(await this.#client.seed(this.id, seed, patience))
  }

  /** Follows it no more. */
  close(): void {
    this.#stop()
  }

  /** Answers and events cross on their way. Of two views with one number, the socket's counts, which goes on. */
  #see(view: Schemas['View'], heard = false): Schemas['View'] {
    const known = this.#view?.seq ?? -1
    if (view.seq < known || (view.seq === known && !heard && this.#client.stream.live)) return this.#view!
    this.#view = view
    this.#listener.view?.(view)
    return view
  }
}
