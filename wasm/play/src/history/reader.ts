import type { HandReview, Language, MatchRecord } from '@cuatrola/rules'
import { slowly } from '../game/engine'
import type { Frame, Known, Report, Summary } from './protocol'

/** A record that is read: whatever is asked of it the module works out, once, and not where matches are played. */
export class Reader {
  readonly #frames = new Map<number, Promise<Frame[]>>()
  readonly #reviews = new Map<number, Promise<HandReview>>()

  constructor(readonly record: MatchRecord) {}

  /** Rejects with a Problem `bad_record` for what is none. */
  summary(): Promise<Summary> {
    return slowly('summary', this.record)
  }

  /** The table before and after each action of a hand. */
  frames(hand: number): Promise<Frame[]> {
    return once(this.#frames, hand, () => slowly('frames', this.record, hand))
  }

  /** A coach's look at a hand; it takes a while. */
  review(hand: number, lang: Language): Promise<HandReview> {
    return once(this.#reviews, hand, () => slowly('review', this.record, hand, lang))
  }

  /** Whether it is an honest match, and what speaks against it. */
  check(known: Known): Promise<Report> {
    return slowly('examine', this.record, known)
  }
}

function once<T>(kept: Map<number, Promise<T>>, key: number, ask: () => Promise<T>): Promise<T> {
  let found = kept.get(key)
  if (!found) {
    kept.set(key, (found = ask()))
    found.catch(() => kept.delete(key))
  }
  return found
}
