// One's own move shown before the server has answered: what viewAfter says, beside what the match itself comes to.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FormatError, init } from '../dist/index.js'
import { dice, eachState } from './helpers.mjs'

const cuatrola = await init()

/** A view without what may hang on others' hidden cards once a trick has been taken: who sings, what it brings, who is next. */
const withoutSinging = ({ phase, turn, legal, hand: { cantes, points, ...hand }, ...view }) => ({ ...view, hand })

/**
 * Called before each action with the match, whose and which it will be, and once more after the last: predicts what that seat
 * sees, and holds it against what it saw. Counts what has come up in `seen`.
 */
function predicts(seen) {
  let wanted = null
  const count = (what) => (seen[what] = (seen[what] ?? 0) + 1)
  return (match, seat, action) => {
    if (wanted) compare(match, wanted)
    wanted = null
    if (seat === undefined) return
    const before = JSON.parse(JSON.stringify(match.view(seat))) // as from a server
    wanted = { before, predicted: cuatrola.viewAfter(before, action), viewer: seat, hands: match.results.length }
    const illegal = ['AO', 'SB', 'silent', 'pass', 'sing:O', 'XX'].find((a) => !before.legal.includes(a))
    for (const [view, odd] of [[before, illegal], [match.view((seat + 1) % 4), action], [match.view(4), action]]) {
      assert.equal(cuatrola.viewAfter(view, odd), null)
    }
  }
  function compare(match, { before, predicted, viewer, hands }) {
    const after = match.view(viewer)
    const ended = match.results[hands]
    if (ended) {
      const { score, ...hand } = ended
      assert.deepEqual(
        { hand: predicted.hand, score: predicted.score, finished: predicted.handsFinished, seq: predicted.seq },
        { hand, score, finished: hands + 1, seq: after.seq },
      )
      assert.deepEqual([predicted.phase, predicted.turn, predicted.legal], [match.over ? 'over' : 'deal', null, []])
      if (match.over) assert.deepEqual(predicted, after)
      count(match.over ? 'matchOver' : 'handEnded')
      return
    }
    const taken = predicted.hand.tricks.length > before.hand.tricks.length
    const others = after.hand.cantes.slice(predicted.hand.cantes.length)
    const open = taken || before.phase === 'sing'
    if (open && (others.length > 0 || after.phase !== predicted.phase || after.turn !== predicted.turn)) {
      // Somebody of the pair that took the trick sings or is asked: hidden cards decide who.
      assert.ok(others.every(({ seat }) => seat % 2 === predicted.table.lead % 2 && (seat !== viewer || before.rules.cantes === 'auto')))
      assert.deepEqual(withoutSinging(predicted), withoutSinging(after))
      count('otherSinging')
    } else {
      assert.deepEqual(predicted, after)
      count('sure')
    }
    if (taken) count('taken')
    if (predicted.hand.cantes.length > before.hand.cantes.length) count('sang')
    if (predicted.turn === viewer && predicted.phase === 'play') {
      assert.deepEqual(predicted.legal, predicted.cards)
      count('leads')
    }
  }
}

test('a view after one’s own action is what the match shows, but for what nobody at that seat can know', () => {
  const seen = {}
  eachState(cuatrola, predicts(seen), 3)
  for (const what of ['sure', 'taken', 'leads', 'handEnded', 'matchOver']) assert.ok(seen[what] > 20, JSON.stringify(seen))
  assert.ok((seen.otherSinging ?? 0) * 50 < seen.sure, `the rule is not the exception: ${JSON.stringify(seen)}`)
})

test('and so it is where both of a pair have something to sing', () => {
  const marriages = (cards) => [...'OCEB'].filter((suit) => cards.includes('R' + suit) && cards.includes('C' + suit)).length
  const sings = (dealer, n) => {
    for (let i = 0; ; i++) {
      const deal = cuatrola.dealFrom(`${n} ${i}`, dealer)
      if ([0, 1].some((seat) => marriages(deal.deal[seat]) > 0 && marriages(deal.deal[seat + 2]) > 0)) return deal
    }
  }
  const roll = dice(5)
  for (const options of [{ preset: 'clasica' }, { preset: 'mesa' }, { preset: 'liga', cantes: 'declare' }, { preset: 'clasica', fortyFirst: true }]) {
    const seen = {}
    const look = predicts(seen)
    const match = cuatrola.newMatch({ rules: { ...options, end: 'hands', target: 12 }, deal: sings(0, 0) })
    while (!match.over) {
      const { turn, phase } = match
      if (phase === 'deal') {
        look(match)
        assert.equal(match.deal(sings(match.results.length % 4, match.results.length)), null)
        continue
      }
      // Kings and knights are kept, so that there is something to sing.
      const legal = match.legal(turn)
      const kept = legal.filter((action) => !/^[RC][OCEB]$/.test(action))
      const from = phase === 'bid' ? ['pass'] : kept.length > 0 ? kept : legal
      const action = from[roll(from.length)]
      look(match, turn, action)
      assert.equal(match.apply(turn, action), null)
    }
    look(match)
    assert.ok(seen.otherSinging > 2 && (seen.sang > 2 || match.rules.cantes === 'auto'), JSON.stringify({ options, seen }))
  }
})

test('what is no view has nothing after it', () => {
  const view = cuatrola.newMatch({ rules: 'mesa', seed: 's' }).view(0)
  for (const odd of [null, {}, { ...view, cards: ['AO'] }, { ...view, viewer: 9 }]) assert.throws(() => cuatrola.viewAfter(odd, 'pass'), FormatError)
})
