// The rules' numbers and their texts. shared/rules is where they are defined; a test holds these to it.

import type { Phase, Reason, Reasons } from './types.js'

const suits = 'OCEB'
const ranks = 'SCR3A'

/** Stands where there is no card, seat or pair. */
export const none = 255
export const deckSize = 20
export const firstBid = 20
export const firstSing = 24
export const silent = 28
const unknownCante = 253
const unknownCard = 254

/** Texts of the actions by code; the first twenty are the cards. */
export const actionTexts: readonly string[] = [
  ...[...suits].flatMap((s) => [...ranks].map((r) => r + s)),
  'pass', 'solo', 'cuatrola', 'quintola',
  ...[...suits].map((s) => 'sing:' + s),
  'silent',
]

const actionCodes = new Map(actionTexts.map((text, code) => [text, code]))

export const phases: readonly Phase[] = ['deal', 'bid', 'play', 'sing', 'over']
export const suitTexts: readonly string[] = [...suits]

/** By code; 0 means that nothing is wrong. */
export const reasons: readonly (Reason | null)[] = [
  null,
  'match_over', 'hand_over', 'not_your_turn', 'wrong_phase',
  'bid_not_in_rules', 'bid_too_low', 'bid_past_target', 'cante_not_available',
  'unknown_card', 'card_not_in_hand', 'must_follow', 'must_beat', 'must_overtrump', 'must_trump',
  'bad_deal', 'bad_dealer', 'hand_unfinished',
]

/** By code. */
export const fairFaults = ['ok', 'commitment_mismatch', 'dealer_mismatch', 'deal_mismatch'] as const

/** An action's code. What is none has a code all the same, and the rules say why it is refused. */
export function actionCode(text: string): number {
  return actionCodes.get(text) ?? (text.startsWith('sing:') ? unknownCante : unknownCard)
}

/** A card's code, 255 for any other text. */
export function cardCode(text: string): number {
  const code = actionCodes.get(text)
  return code !== undefined && code < deckSize ? code : none
}

export const suitOf = (card: number) => (card / 5) | 0

/** The texts of a set of actions or cards, in the rules' order. */
export function textsOf(set: number): string[] {
  const texts: string[] = []
  for (let rest = set >>> 0; rest !== 0; rest &= rest - 1) {
    texts.push(actionTexts[31 - Math.clz32(rest & -rest)]!)
  }
  return texts
}

/** What the module answers for each action, by the action's text. */
export function reasonsOf(codes: readonly number[]): Reasons {
  return Object.fromEntries(codes.map((code, action) => [actionTexts[action]!, reasons[code] ?? null]))
}
