import { tally, type HandReview, type ReviewDecision, type ReviewTally, type Seat } from '@cuatrola/rules'
import { asProblem, useLanguage, type Problem } from '@cuatrola/ui'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { pairOf } from '../game/types'
import type { Reader } from './reader'

export interface Reviewed {
  /** By hand, as far as the coach has come. */
  hands: ReadonlyMap<number, HandReview>
  /** How many hands there are to look at. */
  of: number
  /** The hand that is being looked at; null when all are done. */
  working: number | null
  problem: Problem | null
}

/** Lets the coach look at the hands of a match one by one, from the one that is open; nothing happens before it is asked for. */
export function useReview(reader: Reader, hands: number, asked: boolean, first: number): Reviewed {
  const language = useLanguage()
  const [state, setState] = useState<Reviewed>({ hands: new Map(), of: hands, working: null, problem: null })
  useEffect(() => {
    if (!asked || hands === 0) return
    let gone = false
    const order = [...new Set([Math.min(first, hands - 1), ...Array.from({ length: hands }, (_, hand) => hand)])]
    const look = async () => {
      const found = new Map<number, HandReview>()
      for (const hand of order) {
        setState({ hands: new Map(found), of: hands, working: hand, problem: null })
        // In whatever language: the sentences are made anew in the one that is chosen.
        found.set(hand, await reader.review(hand, language))
        if (gone) return
      }
      setState({ hands: found, of: hands, working: null, problem: null })
    }
    look().catch((err: unknown) => gone || setState((s) => ({ ...s, working: null, problem: asProblem(err) })))
    return () => {
      gone = true
    }
  }, [reader, hands, asked])
  return state
}

export const isMistake = ({ verdict }: ReviewDecision) => verdict === 'doubtful' || verdict === 'mistake' || verdict === 'blunder'

/** A seat's tally over the hands that the coach has looked at. */
export const seatTally = (hands: Iterable<HandReview>, seat: Seat): ReviewTally => tally([...hands].map((hand) => hand.seats[seat]!))

/** A mistake's place in a match. */
export interface Place {
  hand: number
  /** The step at which it has been made. */
  step: number
}

/** Where the mistakes of some seats are, in the order of play. */
export function useMistakes({ hands }: Reviewed, whose: (seat: Seat) => boolean): Place[] {
  return useMemo(() => [...hands.entries()]
    .sort(([a], [b]) => a - b)
    .flatMap(([hand, review]) => review.decisions.filter((d) => whose(d.seat) && isMistake(d)).map((d) => ({ hand, step: d.action + 1 }))), [hands, whose])
}

/** A point of the course of a match: how likely a pair wins it after a step, if all cards are seen. */
export interface Point extends Place {
  chance: number
}

export function courseOf({ hands }: Reviewed, pair: number): Point[] {
  return [...hands.entries()]
    .sort(([a], [b]) => a - b)
    .flatMap(([hand, { decisions }]) => decisions.map((d) => {
      const { openMatch } = d.options.find((option) => option.action === d.played)!
      return { hand, step: d.action + 1, chance: pairOf(d.seat) === pair ? openMatch : 1 - openMatch }
    }))
}
