import { asProblem, type Problem } from '@cuatrola/ui'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Frame } from './protocol'
import type { Reader } from './reader'

/** Milliseconds between two steps while it plays; a trick that was taken, and a hand's end, stay longer. */
const pace = 1100
const lingers = 1.8

export interface Playback {
  hand: number
  step: number
  /** Of the hand; null until they are there. */
  frames: readonly Frame[] | null
  problem: Problem | null
  playing: boolean
  atStart: boolean
  atEnd: boolean
  /** To a step of a hand; one beyond its last is its last. */
  go(hand: number, step: number): void
  next(): void
  previous(): void
  play(): void
  pause(): void
}

/** Where one is in a match that is looked at step by step. From a hand's end the next step is the next hand's deal. */
export function usePlayback(reader: Reader, hands: number, start: { hand: number; step: number }): Playback {
  const within = (hand: number) => Math.max(0, Math.min(hands - 1, hand))
  const [at, setAt] = useState({ hand: within(start.hand), step: Math.max(0, start.step) })
  const [loaded, setLoaded] = useState<{ hand: number; frames: readonly Frame[] } | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [playing, setPlaying] = useState(false)

  useEffect(() => {
    let gone = false
    reader.frames(at.hand).then((frames) => {
      if (gone) return
      setLoaded({ hand: at.hand, frames })
      // The one behind it is likely to be asked for next.
      if (at.hand + 1 < hands) reader.frames(at.hand + 1).catch(() => undefined)
    }, (err: unknown) => gone || setProblem(asProblem(err)))
    return () => {
      gone = true
    }
  }, [reader, at.hand])

  const frames = loaded?.hand === at.hand ? loaded.frames : null
  const last = frames ? frames.length - 1 : 0
  const step = frames ? Math.min(at.step, last) : 0
  const atStart = at.hand === 0 && step === 0
  const atEnd = frames !== null && at.hand === hands - 1 && step === last

  // The same functions for as long as the reader is: what they go by is looked at when they are called.
  const now = useRef({ hand: at.hand, step, last, atStart, atEnd, known: frames !== null })
  now.current = { hand: at.hand, step, last, atStart, atEnd, known: frames !== null }
  const moves = useMemo(() => {
    const to = (hand: number, step: number) => setAt({ hand: within(hand), step: Math.max(0, step) })
    const on = () => {
      const { hand, step, last, atEnd, known } = now.current
      if (!known || atEnd) return
      if (step < last) to(hand, step + 1)
      else to(hand + 1, 0)
    }
    const by = (move: () => void) => () => {
      setPlaying(false)
      move()
    }
    return {
      on,
      go: (hand: number, step: number) => by(() => to(hand, step))(),
      next: by(on),
      previous: by(() => {
        const { hand, step, atStart, known } = now.current
        // Until a hand's steps are there, nobody knows which is before its last.
        if (!known || atStart) return
        if (step > 0) to(hand, step - 1)
        else to(hand - 1, Infinity)
      }),
      play: () => {
        if (now.current.atEnd) to(0, 0)
        setPlaying(true)
      },
      pause: () => setPlaying(false),
    }
  }, [reader, hands])

  const frame = frames?.[step]
  useEffect(() => {
    if (!playing || !frame) return
    if (atEnd) {
      setPlaying(false)
      return
    }
    const timer = setTimeout(moves.on, pace * (frame.taken || frame.result ? lingers : 1))
    return () => clearTimeout(timer)
  }, [playing, frame, atEnd])

  return { hand: at.hand, step, frames, problem, playing, atStart, atEnd, ...moves }
}

/** Keys that go through a match, wherever the focus is but in what has keys of its own. Answers whether one was meant. */
export function useReplayKeys(playback: Playback, others: Readonly<Record<string, () => void>>): void {
  const latest = useRef({ playback, others })
  latest.current = { playback, others }
  const onKey = useCallback((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    const { playback: p, others } = latest.current
    const target = event.target instanceof HTMLElement ? event.target : null
    if (target?.closest('input:not([type=checkbox]), select, textarea, dialog, [role=menu], [role=tablist]')) return
    const keys: Record<string, () => void> = {
      ArrowRight: p.next, ArrowLeft: p.previous,
      Home: () => p.go(p.hand, 0), End: () => p.go(p.hand, Infinity),
      PageDown: () => p.go(p.hand + 1, 0), PageUp: () => p.go(p.step > 0 ? p.hand : p.hand - 1, 0),
      ...others,
    }
    // What one switches with a space takes it itself.
    if (!target?.closest('button, a, input, summary')) keys[' '] = p.playing ? p.pause : p.play
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key]
    if (!act) return
    event.preventDefault()
    act()
  }, [])
  useEffect(() => {
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
