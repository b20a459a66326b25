import { useEffect, useMemo, useState } from 'preact/hooks'
import { pace, still } from '../device'
import type { Table, TableState } from '../game/types'

/** What is shown of a table: its state, but for the time that a finished trick needs to be looked at. */
export interface Shown {
  state: TableState
  /** A trick was just taken and lies open; what came after it waits. */
  resting: boolean
}

/** How much longer than a bot's ordinary wait a trick lies open. */
const rests = 1.9
/** How long its way to who took it is, in milliseconds. */
const sweeps = 320
/** So many states may wait; with more, as after a lost connection, the newest is shown at once. */
const mostWaiting = 4

/** Holds back what comes behind a finished trick until that has been seen. */
export class Showing {
  shown: Shown
  readonly #listeners = new Set<() => void>()
  readonly #waiting: TableState[] = []
  readonly #stop: () => void
  /** Runs while a trick lies open, or is on its way to who took it: nothing more is shown before. */
  #held: ReturnType<typeof setTimeout> | undefined

  constructor(table: Table) {
    this.shown = { state: table.state, resting: false }
    this.#stop = table.subscribe(() => this.#receive(table.state))
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    clearTimeout(this.#held)
    this.#stop()
  }

  /** Shows the newest at once. */
  hurry(): void {
    if (this.#held === undefined) return
    clearTimeout(this.#held)
    this.#held = undefined
    const newest = this.#waiting.pop()
    this.#waiting.length = 0
    this.#put({ state: newest ?? this.shown.state, resting: false })
  }

  #receive(state: TableState): void {
    const { state: now, resting } = this.shown
    if (this.#held !== undefined && (this.#waiting.length > 0 || goesOn(now, state))) {
      // Only the last of those that show the same.
      const last = this.#waiting.at(-1)
      if (last && !goesOn(last, state)) this.#waiting.pop()
      this.#waiting.push(state)
      if (this.#waiting.length > mostWaiting) this.hurry()
      // What does not hang on the cards is told at once.
      else this.#put({ state: { ...now, link: state.link, deadline: state.deadline, players: state.players, busy: state.busy }, resting })
      return
    }
    this.#show(state)
  }

  #show(state: TableState): void {
    const { state: now, resting } = this.shown
    const rest = tricks(state) > tricks(now) && sameHand(now, state) ? rests * pace() : 0
    this.#put({ state, resting: resting || rest > 0 })
    if (rest === 0) return
    clearTimeout(this.#held)
    this.#held = setTimeout(() => {
      this.#put({ state: this.shown.state, resting: false })
      this.#held = setTimeout(() => this.#goOn(), still() ? 0 : sweeps)
    }, rest)
  }

  #goOn(): void {
    this.#held = undefined
    while (this.#waiting.length > 0 && this.#held === undefined) this.#show(this.#waiting.shift()!)
  }

  #put(shown: Shown): void {
    this.shown = shown
    for (const listener of this.#listeners) listener()
  }
}

const tricks = ({ view }: TableState) => view.hand.tricks.length
const handOf = ({ view, ended }: TableState) => (ended ? ended.number : view.handsFinished + (view.phase === 'over' ? 0 : 1))
const sameHand = (a: TableState, b: TableState) => handOf(a) === handOf(b)

/** Whether the second shows cards that the first does not, or another hand. */
const goesOn = (a: TableState, b: TableState) => !sameHand(a, b) || tricks(a) !== tricks(b) || a.view.table.cards.length !== b.view.table.cards.length || (!a.ended && b.ended !== null)

/** What is shown of a table, kept fresh. */
export function useShown(table: Table): Shown & { hurry: () => void } {
  const showing = useMemo(() => new Showing(table), [table])
  const [shown, set] = useState(showing.shown)
  useEffect(() => {
    set(showing.shown)
    const stop = showing.subscribe(() => set(showing.shown))
    return () => {
      stop()
      showing.close()
    }
  }, [showing])
  return { ...shown, hurry: () => showing.hurry() }
}
