import type { HandResult } from '@cuatrola/rules'
import { nextSeat, seatOfCard, type Pair, type Seat, type View } from '../game/types'

/** Something that everybody at the table has seen. */
export type Happening =
  | { kind: 'deal'; hand: number; dealer: Seat; trump: string }
  | { kind: 'bid'; seat: Seat; bid: string }
  /** The bidding is over: what is played, and who sits out. */
  | { kind: 'contract'; bid: string; bidder: Seat | null; out: Seat | null }
  | { kind: 'card'; seat: Seat; card: string }
  | { kind: 'trick'; trick: number; winner: Seat }
  | { kind: 'cante'; seat: Seat; suit: string; points: number }
  | { kind: 'hand'; number: number; winner: Pair; value: number; score: readonly [number, number] }
  | { kind: 'match'; winner: Pair | null }

/** A view, or one of a hand that has just ended. */
export interface Scene {
  view: View
  ended: { hand: HandResult; number: number } | null
}

/** Everything that has happened in the hand that is shown, in order. What comes later only adds to it. */
export function happenings({ view, ended }: Scene): Happening[] {
  const { hand, dealer, trump, table } = view
  const over = view.phase === 'over'
  const told: Happening[] = []
  if (dealer !== null && trump !== null && view.phase !== 'seeds') {
    told.push({ kind: 'deal', hand: ended ? ended.number : view.handsFinished + (over ? 0 : 1), dealer, trump })
    view.bids.forEach((bid, i) => told.push({ kind: 'bid', seat: (nextSeat(dealer) + i) & 3, bid }))
    if (view.phase !== 'bid') told.push({ kind: 'contract', bid: hand.bid, bidder: hand.bidder, out: view.out })
    const play = (lead: Seat, cards: readonly string[]) =>
      cards.forEach((card, i) => told.push({ kind: 'card', seat: seatOfCard(lead, i, view.out), card }))
    hand.tricks.forEach((trick, i) => {
      play(trick.lead, trick.cards)
      if (trick.winner !== null) told.push({ kind: 'trick', trick: i, winner: trick.winner })
      for (const { seat, suit, points } of hand.cantes.filter((cante) => cante.trick === i + 1)) told.push({ kind: 'cante', seat, suit, points })
    })
    play(table.lead, table.cards)
    if (hand.winner !== null) told.push({ kind: 'hand', number: ended ? ended.number : view.handsFinished, winner: hand.winner, value: hand.value, score: view.score })
  }
  if (over) told.push({ kind: 'match', winner: view.winner })
  return told
}

/** What has happened from one scene to the next. */
export function news(before: Scene, after: Scene): Happening[] {
  const known = happenings(before)
  const told = happenings(after)
  let same = 0
  while (same < known.length && same < told.length && JSON.stringify(known[same]) === JSON.stringify(told[same])) same++
  return told.slice(same)
}
