import type { Problem } from '@cuatrola/client'
import { happenings } from '../table/happenings'
import { client } from './client'
import type { Prediction } from './protocol'
import type { ServerMatch } from './serverView'
import type { Trick } from './types'

// Whether the server does what the module says. That it does not is a fault of ours, and the operator is told.

/** What the rules refuse, by code: what the module has allowed, the server must not refuse for one of these. */
const rules = new Set([
  'hand_over', 'not_your_turn', 'wrong_phase', 'bid_not_in_rules', 'bid_too_low', 'bid_past_target', 'cante_not_available', 'unknown_card',
  'card_not_in_hand', 'must_follow', 'must_beat', 'must_overtrump', 'must_trump',
])

/** Whether a refusal says that the server plays by other rules than the module. */
export const againstRules = (problem: Problem) => problem.status >= 400 && rules.has(problem.code)

/** Tricks as a text. The server's members and the module's need not stand in one order. */
const played = (tricks: readonly Trick[]) => JSON.stringify(tricks.map(({ lead, cards, winner }) => [lead, cards, winner]))

/** Whether a server's view tells something else than what was shown before its answer. */
export function contradicts(shown: Prediction, match: ServerMatch): boolean {
  const told = happenings({ view: shown.view, ended: shown.ended })
  if (shown.ended) {
    // The next hand may be dealt already: what is left of this one is its result.
    const last = match.lastHand
    return !last || match.view.handsFinished < shown.ended.number || played(last.tricks) !== played(shown.ended.hand.tricks)
  }
  if (match.view.handsFinished > shown.view.handsFinished) return false
  const known = happenings({ view: match.view, ended: null })
  return told.some((happening, i) => JSON.stringify(happening) !== JSON.stringify(known[i]))
    || (match.view.phase !== 'over' && shown.view.cards.join() !== match.view.cards.join())
}

/** Tells the operator. Nothing hangs on it: a report that does not arrive is lost. */
export function reportDisagreement(matchId: string, seq: number, action: string | null, message: string): void {
  console.warn(`the server does not agree at ${matchId}, ${seq}: ${message}`)
  client.reportFault({ kind: 'disagreement', matchId, seq, ...(action !== null && { action }), message })
}
