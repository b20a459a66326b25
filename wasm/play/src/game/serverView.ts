import type { HandResult } from '@cuatrola/rules'
import { winningCard } from '../cards/card'
import { client, type Schemas } from './client'
import type { Engine } from './engine'
import { levelOf, seatOfCard, type Hand, type HouseRules, type Player, type View } from './types'

/** A server's match as the table shows it. */
export interface ServerMatch {
  id: string
  view: View
  players: Player[]
  deadline: number | null
  /** The hand that finished last. */
  lastHand: HandResult | null
  /** The hash of the server's seed, promised before the first card. */
  commitment: string
}

/** Turns the contract's view into the module's, which is what the table shows and the module checks moves by. */
export function readMatch(engine: Engine, from: Schemas['View']): ServerMatch {
  const cards = from.trick.cards.map((played) => played.card)
  const lead = from.trick.lead ?? 0
  const best = from.trump === null ? -1 : winningCard(cards, from.trump)
  const hand: Hand = {
    bid: from.bid,
    bidder: from.bidder,
    tricks: from.tricks,
    cantes: from.cantes,
    points: from.points as Hand['points'],
    tricksWon: from.tricksWon as Hand['tricksWon'],
    winner: null,
    value: 0,
  }
  return {
    id: from.matchId,
    view: {
      rules: engine.rules(from.rules as HouseRules),
      viewer: from.you ?? 0,
      // Given up for a fault of the server's: over, and nobody has won.
      phase: from.phase === 'void' ? 'over' : from.phase,
      turn: from.turn,
      winner: from.winner as View['winner'],
      seq: from.seq,
      handsFinished: from.scores.length,
      score: from.score as View['score'],
      dealer: from.dealer,
      trump: from.trump,
      out: from.out,
      cards: from.cards,
      legal: from.legal,
      bids: from.bids.map((said) => said.bid),
      table: { lead, cards, winner: best < 0 ? null : seatOfCard(lead, best, from.out) },
      hand,
    },
    // A bot's name is how well it plays; at the table it is known by its seat.
    players: from.seats.map((seat, i) => ({
      name: seat.bot ? '' : seat.name, bot: seat.bot, ...(seat.bot && { level: levelOf(seat.name) }), away: from.away.includes(i),
    })),
    deadline: client.localTime(from.deadline),
    lastHand: from.lastHand as HandResult | null,
    commitment: from.fair.commitment,
  }
}
