import type { Cuatrola, HandResult, MatchRecord, Trick } from '@cuatrola/rules'
import type { Frame, Summary } from './protocol'

const spectator = 4

/** Plays a record. Throws a FormatError for what is none. */
export function summarise(engine: Cuatrola, record: MatchRecord): Summary {
  const played = engine.replay(record)
  const fault = played.ok ? null : { hand: played.hand, action: played.action, error: played.error }
  return {
    rules: engine.rules(record.rules),
    results: played.hands,
    // A hand whose deal is refused has nothing to show.
    hands: fault ? fault.hand + (fault.action === null ? 0 : 1) : record.hands.length,
    score: played.ok ? played.score : (played.hands.at(-1)?.score ?? [0, 0]),
    winner: played.ok ? played.winner : null,
    fault,
  }
}

/** The table before a hand's first action and after each, as far as they are legal. The hands before it have to be. */
export function framesOf(engine: Cuatrola, record: MatchRecord, hand: number): Frame[] {
  const dealt = record.hands[hand]!
  // The deals are the record's own, whatever its proof says of them.
  const { fair: _, ...unproven } = record
  const match = engine.resume({ ...unproven, hands: [...record.hands.slice(0, hand), { ...dealt, actions: [] }] })
  const held = dealt.deal.map((cards) => [...cards])
  const bids: Frame['bids'] = [null, null, null, null]

  const frame = (done: number, last: Frame['last']): Frame => {
    const result: HandResult | null = match.results[hand] ?? null
    const view = match.view(spectator)
    const seen = result ?? view.hand
    const taken = result !== null || view.table.cards.length === 0
    const trick: Trick = (taken ? seen.tricks.at(-1) : view.table) ?? view.table
    return {
      done, last, trick, result,
      taken: taken && trick.cards.length > 0,
      phase: result ? 'over' : match.phase,
      turn: result ? null : match.turn,
      out: result ? before.out : view.out,
      held: held.map((cards) => [...cards]),
      bids: [...bids],
      bid: seen.bid,
      bidder: seen.bidder,
      tricks: seen.tricks.length,
      cantes: seen.cantes,
      points: seen.points,
      tricksWon: seen.tricksWon,
      score: result?.score ?? view.score,
    }
  }

  let before = frame(0, null)
  const frames = [before]
  for (const [i, action] of dealt.actions.entries()) {
    const seat = match.turn
    const bidding = match.phase === 'bid'
    if (seat === null || before.result || match.apply(seat, action) !== null) break
    if (bidding) bids[seat] = action
    else held[seat] = held[seat]!.filter((card) => card !== action)
    before = frame(i + 1, { seat, action })
    frames.push(before)
  }
  return frames
}
