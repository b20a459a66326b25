// What coach.Hand.Append writes becomes plain objects and texts. server/review writes the same JSON natively; a test compares
// the two byte for byte.

import { actionTexts, none, phases } from './codes.js'
import { actionPhrases, percentSigns, reviewCodes, reviewTexts, units, verdicts } from './review.gen.js'
import type { Language } from './texts.js'
import type { HandReview, ReviewDecision, ReviewReason, ReviewTally, Seat } from './types.js'

const whole = 10_000
const seatSize = 8
const decisionOwn = 17
const optionSize = 13
const reasonSize = 5
const maxOptions = 5
const decisionSize = decisionOwn + maxOptions * optionSize + 2 * reasonSize

/** How much of the stake, given away in each decision, halves the accuracy: the tenth part. */
const harshness = 10

/** A seat's tally over several hands: the accuracy follows from what the hands' tallies have together. */
export function tally(parts: readonly { decisions: number; loss: number }[]): ReviewTally {
  const decisions = parts.reduce((sum, part) => sum + part.decisions, 0)
  return tallyOf(decisions, parts.reduce((sum, part) => sum + Math.round(part.loss * whole), 0))
}

function tallyOf(decisions: number, loss: number): ReviewTally {
  const n = decisions * whole
  const worse = n + harshness * loss
  const accuracy = n === 0 ? 1000 : Math.floor((1000 * n + Math.floor(worse / 2)) / worse)
  return { decisions, loss: loss / whole, accuracy: accuracy / 10 }
}

/** @internal The seats' tallies over the hands of a match. */
export function addUp(hands: readonly HandReview[]): (ReviewTally & { seat: Seat })[] {
  return [0, 1, 2, 3].map((seat) => ({ seat, ...tally(hands.map((hand) => hand.seats[seat]!)) }))
}

/** What a reason says in a language: for one that came from a server in another. */
export function reviewText(reason: Omit<ReviewReason, 'text'>, language: Language): string {
  const better = reason.better === null ? '' : actionPhrases[language][actionTexts.indexOf(reason.better)]!
  const percent = Math.floor((Math.round((reason.chance ?? 0) * whole) * 100 + whole / 2) / whole)
  return reviewTexts[language][reviewCodes.indexOf(reason.code)]!.replace('{better}', better)
    .replace('{points}', `${reason.points}`)
    .replace('{chance}', `${percent}${percentSigns[language]}`)
}

/** @internal */
export function readReview(view: DataView, at: number, hand: number, language: Language): HandReview {
  const seats = [0, 1, 2, 3].map((seat) => {
    const own = at + 1 + seat * seatSize
    return { seat, ...tallyOf(view.getUint32(own, true), view.getUint32(own + 4, true)) }
  })
  const decisions: ReviewDecision[] = []
  const count = view.getUint8(at)
  at += 1 + 4 * seatSize
  for (let i = 0; i < count; i++, at += decisionSize) decisions.push(readDecision(view, at, language))
  return { hand, seats, decisions }
}

function readDecision(view: DataView, at: number, language: Language): ReviewDecision {
  const optionCount = view.getUint8(at + 12)
  const forced = optionCount === 1
  const option = (i: number) => {
    const own = at + decisionOwn + i * optionSize
    return {
      action: actionTexts[view.getUint8(own)]!,
      open: view.getInt16(own + 1, true),
      openMatch: view.getInt16(own + 3, true),
      expected: view.getInt32(own + 5, true),
      hand: view.getInt16(own + 9, true),
      match: view.getInt16(own + 11, true),
    }
  }
  const played = option(view.getUint8(at + 13))
  const best = option(view.getUint8(at + 14))
  const openBest = option(view.getUint8(at + 15))
  const options = []
  for (let i = 0; i < optionCount; i++) {
    const { action, open, openMatch, expected, hand, match } = option(i)
    options.push({
      action,
      open,
      openMatch: openMatch / whole,
      expected: forced ? null : expected / 100,
      hand: forced ? null : hand / whole,
      match: forced ? null : match / whole,
    })
  }
  const reasons: ReviewReason[] = []
  for (let i = 0; i < view.getUint8(at + 16); i++) {
    const own = at + decisionOwn + maxOptions * optionSize + i * reasonSize
    const better = view.getUint8(own + 1)
    const points = view.getUint8(own + 2)
    const chance = view.getInt16(own + 3, true)
    const reason = {
      code: reviewCodes[view.getUint8(own)]!,
      better: better === none ? null : actionTexts[better]!,
      points: points === 0 ? null : points,
      chance: chance < 0 ? null : chance / whole,
    }
    reasons.push({ ...reason, text: reviewText(reason, language) })
  }
  return {
    action: view.getUint16(at, true),
    seat: view.getUint8(at + 2),
    phase: phases[view.getUint8(at + 3)]!,
    trick: view.getUint8(at + 4),
    forced,
    unit: units[view.getUint8(at + 5)]!,
    played: played.action,
    best: best.action,
    openBest: openBest.action,
    verdict: verdicts[view.getUint8(at + 6)]!,
    loss: view.getUint16(at + 10, true) / whole,
    cost: {
      expected: (best.expected - played.expected) / 100,
      match: (best.match - played.match) / whole,
      open: openBest.open - played.open,
    },
    deals: view.getUint16(at + 8, true),
    exact: view.getUint8(at + 7) === 1,
    options,
    reasons,
  }
}
