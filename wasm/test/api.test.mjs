// What the package promises to pages: matches, views, reasons, rule sets.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FormatError, init, OptionError, reasonText, reviewText, tally } from '../dist/index.js'
import { actionTexts, reasons } from '../dist/codes.js'
import { reviewCodes } from '../dist/review.gen.js'
import { dice, eachState as eachStateOf, native, presets, run } from './helpers.mjs'

const cuatrola = await init()
const actions = [...actionTexts, 'XX', 'sing:X', '']
const eachState = (visit, matches) => eachStateOf(cuatrola, visit, matches)

test('a view says of every action what the match says', () => {
  const seen = new Set()
  eachState((match) => {
    for (let seat = 0; seat < 4; seat++) {
      // Through JSON, as from a server.
      const view = JSON.parse(JSON.stringify(match.view(seat)))
      assert.deepEqual(cuatrola.legalFromView(view), match.legal(seat))
      assert.deepEqual(view.legal, match.legal(seat))
      const reasons = match.reasons(seat)
      assert.deepEqual(cuatrola.reasonsFromView(view), reasons)
      assert.deepEqual(Object.keys(reasons), actionTexts)
      assert.deepEqual(actionTexts.filter((action) => reasons[action] === null), view.legal)
      const action = actions[(view.seq + seat) % actions.length]
      const reason = match.check(seat, action)
      if (action in reasons) assert.equal(reasons[action], reason)
      assert.equal(cuatrola.checkView(view, action), reason)
      assert.equal(reason === null, view.legal.includes(action))
      seen.add(reason)
    }
    assert.deepEqual(cuatrola.legalFromView(match.view(4)), [])
    for (const nobody of [4, 255, -1, NaN]) assert.ok(match.check(nobody, 'pass') !== null)
  })
  for (const reason of ['match_over', 'not_your_turn', 'wrong_phase', 'bid_too_low', 'unknown_card', 'card_not_in_hand', 'must_follow', null]) {
    assert.ok(seen.has(reason), `never saw ${reason}`)
  }
})

test('a server’s view is as good as one’s own', () => {
  // What server/internal/rest makes of a view, in the terms of openapi.yaml.
  const served = (match, view) => {
    const { viewer, bids, table, hand, handsFinished, ...same } = view
    const seatOf = (lead, i) => {
      let seat = lead
      for (; i > 0; i--) do seat = (seat + 1) % 4; while (seat === view.out)
      return seat
    }
    const { winner: _, value: __, ...openHand } = hand
    return {
      ...same, ...openHand,
      you: viewer === 4 ? null : viewer,
      rules: match.record().rules,
      bids: bids.map((bid, i) => ({ seat: (view.dealer + 1 + i) % 4, bid })),
      trick: { lead: table.lead, cards: table.cards.map((card, i) => ({ seat: seatOf(table.lead, i), card })) },
      winner: view.winner,
      scores: match.results.map((hand) => hand.score),
      lastHand: match.results.at(-1) ?? null,
    }
  }
  eachState((match) => {
    for (const viewer of [match.view(0).seq % 4, 4]) {
      const view = match.view(viewer)
      const back = cuatrola.viewFromServer(JSON.parse(JSON.stringify(served(match, view))))
      assert.deepEqual(back, view)
    }
  }, 1)
  const waiting = {
    ...served(cuatrola.newMatch({ rules: 'liga', seed: 's' }), cuatrola.newMatch({ rules: 'liga', seed: 's' }).view(0)),
    phase: 'seeds', turn: null, dealer: null, trump: null, cards: [], legal: [], trick: { lead: null, cards: [] },
  }
  const view = cuatrola.viewFromServer(waiting)
  assert.equal(cuatrola.checkView(view, 'pass'), 'hand_over')
  assert.deepEqual([view.phase, view.table, view.dealer], ['deal', { lead: 0, cards: [], winner: null }, null])
  // Given up, in the first hand and after the first that ended.
  const match = cuatrola.newMatch({ rules: 'liga', seed: 's' })
  for (let hands = 0; hands < 2; hands++) {
    while (match.results.length < hands) match.apply(match.turn, match.legal(match.turn)[0])
    const sent = { ...served(match, match.view(1)), phase: 'void', turn: null, legal: [] }
    const view = cuatrola.viewFromServer(sent)
    assert.deepEqual([view.phase, view.turn, view.winner, view.hand.winner, view.hand.value], ['over', null, null, null, 0])
    assert.equal(cuatrola.checkView(view, 'pass'), 'match_over')
    assert.equal(cuatrola.bot(view, 1), null)
    assert.equal(cuatrola.viewAfter(view, 'pass'), null)
  }
})

test('a refused action changes nothing', () => {
  eachState((match) => {
    const before = match.view(0)
    const action = actions[before.seq % actions.length]
    const other = ((match.turn ?? 0) + 1) % 4
    assert.notEqual(match.apply(other, action), null)
    if (match.turn !== null && !match.legal(match.turn).includes(action)) assert.notEqual(match.apply(match.turn, action), null)
    assert.deepEqual(match.view(0), before)
  }, 1)
})

test('a view shows its viewer’s cards and no other’s', () => {
  eachState((match) => {
    const views = [0, 1, 2, 3].map((seat) => match.view(seat))
    const held = views.flatMap((view) => view.cards)
    assert.equal(new Set(held).size, held.length)
    const spectator = match.view(4)
    assert.deepEqual([spectator.cards, spectator.legal], [[], []])
    for (const view of views) {
      const elsewhere = JSON.stringify({ ...view, cards: [], legal: [], trump: null })
      for (const card of held) {
        if (!view.cards.includes(card)) assert.ok(!elsewhere.includes(`"${card}"`), `seat ${view.viewer} sees ${card}`)
      }
    }
  }, 1)
})

test('what comes as a view and is none is refused, whatever it is', () => {
  const roll = dice(4)
  const values = [null, undefined, -1, 0, 1, 3, 4, 5, 255, 256, 1.5, 1e9, NaN, '', 'AO', 'XX', 'pass', [], {}, ['AO'], [[]], true]
  const places = []
  const find = (json, path) => {
    places.push(path)
    if (typeof json === 'object' && json !== null) for (const name of Object.keys(json)) find(json[name], [...path, name])
  }
  const match = cuatrola.newMatch({ rules: 'clasica', seed: 'odd' })
  for (let i = 0; i < 15; i++) match.apply(match.turn, match.phase === 'bid' ? 'pass' : match.legal(match.turn)[0])
  const view = match.view(match.turn)
  find(view, [])
  let refused = 0
  for (let i = 0; i < 6000; i++) {
    const copy = structuredClone(view)
    for (let n = roll(3); n >= 0; n--) {
      let at = copy
      const path = places[roll(places.length)]
      for (const name of path.slice(0, -1)) at = at?.[name]
      if (path.length > 0 && typeof at === 'object' && at !== null) at[path.at(-1)] = structuredClone(values[roll(values.length)])
    }
    try {
      cuatrola.checkView(copy, actions[roll(actions.length)])
      cuatrola.legalFromView(copy)
      if (i % 2 === 0) cuatrola.reasonsFromView(copy)
      else cuatrola.viewAfter(copy, actions[roll(actions.length)])
      cuatrola.bot(copy, i)
    } catch (e) {
      assert.ok(e instanceof FormatError, `${e.stack}\n${JSON.stringify(copy)}`)
      refused++
    }
  }
  assert.ok(refused > 1000)
  for (const nothing of [null, undefined, 7, 'view', [], {}]) assert.throws(() => cuatrola.checkView(nothing, 'pass'), FormatError)
})

test('a match’s record replays, proves its deals and can be gone on with', () => {
  eachState((match) => {
    if (match.view(4).seq % 7 !== 0) return
    const record = match.record()
    const result = cuatrola.replay(record)
    assert.equal(result.ok, true)
    assert.deepEqual(result.hands, [...match.results])
    assert.deepEqual(result.score, match.score)
    assert.equal(result.winner, match.winner)
    assert.deepEqual(cuatrola.verifyFair(record), { fair: 'ok', hand: 0, hands: record.hands.length, valid: true })
    const resumed = cuatrola.resume(JSON.parse(JSON.stringify(record)))
    assert.deepEqual(resumed.record(), record)
    assert.deepEqual(resumed.view(1), match.view(1))
  }, 1)
})

test('a match that is gone on with keeps what else its record holds', () => {
  const match = cuatrola.newMatch({ rules: { preset: 'liga', target: 9, bonusAbove: null }, seed: 's', id: 'mine' })
  const record = { ...match.record(), players: [1, 2, 3, 4].map((n) => ({ name: `${n}`, bot: n > 1 })), note: 'kept' }
  assert.deepEqual(record.rules, { preset: 'liga', target: 9, bonusAbove: null })
  assert.equal(record.id, 'mine')
  assert.deepEqual(cuatrola.resume(record).record(), record)
})

test('a record that does not follow from its seeds is not gone on with', () => {
  const record = cuatrola.newMatch({ rules: 'mesa', seed: 's' }).record()
  const { fair } = record
  const hand = record.hands[0]
  for (const odd of [
    { ...record, fair: null }, { ...record, fair: { ...fair, matchId: 'x' } }, { ...record, hands: [{ ...hand, actions: ['AO'] }] },
    { ...record, hands: [{ ...hand, actions: null }] }, { ...record, hands: {} }, { ...record, format: 'cuatrola-record/2' },
    { ...record, fair: undefined, hands: [{ ...hand, trump: hand.deal[(hand.dealer + 1) % 4][0] }] },
    { ...record, fair: undefined, hands: [hand, hand] }, null, [], {},
  ]) assert.throws(() => cuatrola.resume(odd), FormatError, JSON.stringify(odd))
  for (const id of ['x'.repeat(65), 'é'.repeat(33), 5]) assert.throws(() => cuatrola.newMatch({ rules: 'mesa', seed: 's', id }), /^FormatError: id is not a text of at most 64 bytes$/)
  assert.equal(cuatrola.newMatch({ rules: 'mesa', seed: 's', id: 'é'.repeat(32) }).record().fair.matchId, 'é'.repeat(32))
})

test('verdicts', () => {
  const match = cuatrola.newMatch({ rules: 'mesa', seed: 's' })
  while (match.results.length < 2) match.apply(match.turn, match.legal(match.turn)[0])
  const record = match.record()
  const { fair, ...bare } = record
  assert.equal(cuatrola.verifyFair(bare).fair, 'no_proof')
  assert.equal(cuatrola.verifyFair({ ...record, fair: { ...fair, serverSeed: fair.commitment } }).fair, 'commitment_mismatch')
  const hands = structuredClone(record.hands)
  hands[1].deal.reverse()
  const verdict = cuatrola.verifyFair({ ...record, hands })
  assert.deepEqual([verdict.fair, verdict.hand, verdict.valid], ['deal_mismatch', 1, false])
  assert.throws(() => cuatrola.verifyFair({ ...record, fair: { ...fair, serverSeed: 'x' } }), /fair\.serverSeed/)
  // Seeds that hang together are still not those that were promised.
  const promised = { matchId: fair.matchId, commitment: fair.commitment.toUpperCase(), seat: 2, seed: '' }
  assert.equal(cuatrola.verifyFair(record, promised).fair, 'ok')
  assert.equal(cuatrola.verifyFair(record, { ...promised, seat: null, seed: 'x' }).fair, 'ok')
  for (const other of [{ matchId: 'x' }, { commitment: fair.serverSeed }, { seed: 'mine' }]) {
    assert.equal(cuatrola.verifyFair(record, { ...promised, ...other }).fair, 'broken_promise')
  }
  assert.equal(cuatrola.verifyFair({ ...record, hands }, { ...promised, seed: 'mine' }).fair, 'deal_mismatch')
})

test('bots play whole matches, alike from the same seed', () => {
  const play = (seed) => {
    const match = cuatrola.newMatch({ rules: 'liga', seed: 'bots' })
    while (!match.over) {
      const view = match.view(match.turn)
      const action = cuatrola.bot(view, seed)
      assert.ok(view.legal.includes(action))
      match.apply(match.turn, action)
    }
    return match.record().hands
  }
  assert.deepEqual(play(2 ** 40 + 1), play(2 ** 40 + 1))
  const match = cuatrola.newMatch({ rules: 'liga', seed: 'bots' })
  assert.equal(cuatrola.bot(match.view((match.turn + 1) % 4), 1), null)
})

test('a bot thinks as long as it is let', () => {
  const match = cuatrola.newMatch({ rules: 'liga', seed: 'bots' })
  const view = match.view(match.turn)
  for (const level of ['aprendiz', 'tabernero', 'veterano', 'maestro']) {
    const usual = cuatrola.bot(view, { seed: 5, level })
    assert.equal(cuatrola.bot(view, 5, level), usual)
    assert.equal(cuatrola.bot(view, { seed: 5, level, ms: 60_000 }), usual, 'time enough changes nothing')
    for (const options of [{ nodes: 1 }, { nodes: 0.5 }, { nodes: 1e12 }, { ms: 1 }, { ms: 0.01 }, { ms: 2, nodes: 1000 }]) {
      const action = cuatrola.bot(view, { seed: 5, level, ...options })
      assert.ok(view.legal.includes(action), `${level} with ${JSON.stringify(options)}: ${action}`)
    }
    assert.equal(cuatrola.bot(view, { seed: 5, level, nodes: 1000 }), cuatrola.bot(view, { seed: 5, level, nodes: 1000 }))
  }
  assert.equal(cuatrola.bot(view, { seed: 5 }), cuatrola.bot(view, 5, 'tabernero'))
  assert.throws(() => cuatrola.bot(view, 5, 'random'), RangeError)
})

test('how long a bot waits is the same from every seat', () => {
  const waits = new Set()
  const match = cuatrola.newMatch({ rules: 'clasica', seed: 'waits' })
  for (let n = 0; !match.over; n++) {
    const [wait, ...others] = [0, 1, 2, 3, 4].map((viewer) => cuatrola.pause(match.view(viewer), { seed: 2 ** 33 + 7 }))
    for (const other of others) assert.equal(other, wait)
    assert.equal(cuatrola.pause(match.view(0), { seed: 2 ** 33 + 7, ms: 0 }), 0)
    assert.ok(wait >= 200 && wait <= 2000, `${wait} ms`)
    waits.add(wait)
    match.apply(match.turn, cuatrola.bot(match.view(match.turn), n, 'aprendiz'))
  }
  assert.ok(waits.size > 20, `${waits.size} waits`)
})

for (const level of ['aprendiz', 'tabernero', 'veterano', 'maestro']) {
  test(`${level} plays here as natively`, async () => {
    let views = 0
    const house = { preset: 'liga', beat: 'led', undertrump: 'forced', partnerExempt: true, bidderLeads: true }
    for (const nodes of [0, 700]) { // 0: what the level thinks by itself
      for (const rules of [...presets.map((preset) => ({ preset })), house]) {
        const flags = ['--rules', JSON.stringify({ ...rules, target: 4 }), '--seed', '3', '--level', level, '--dice', '7', '--nodes', `${nodes}`]
        const record = JSON.parse((await run(native(), ['bots', ...flags])).out)
        const match = cuatrola.resume({ ...record, hands: [] })
        for (const action of record.hands.flatMap((hand) => hand.actions)) {
          const options = nodes > 0 ? { seed: 7, level, nodes } : { seed: 7, level }
          assert.equal(cuatrola.bot(match.view(match.turn), options), action)
          match.apply(match.turn, action)
          views++
        }
      }
    }
    assert.ok(views > 400, `${views} views`)
  })
}

test('rule sets', () => {
  assert.deepEqual(cuatrola.rules('clasica'), {
    preset: 'clasica',
    bids: [
      { name: 'solo', needs: null, value: 2 },
      { name: 'cuatrola', needs: 4, value: 4 },
      { name: 'quintola', needs: 5, value: 5 },
    ],
    end: 'points', target: 11, exactTarget: true, bonusAbove: null, tie: 'mano', cantes: 'declare', maxCantes: null,
    fortyFirst: false, beat: 'led', stopWhenLost: false, undertrump: 'free', partnerExempt: false, raising: true, bidderLeads: false,
  })
  assert.equal(cuatrola.rules('mesa').bids.length, 2)
  assert.equal(cuatrola.rules({ preset: 'liga', maxCantes: null, bonusAbove: 250, target: 99 }).bonusAbove, 250)
  const refuses = (rules, option) =>
    assert.throws(() => cuatrola.rules(rules), (e) => e instanceof OptionError && e.option === option, JSON.stringify(rules))
  refuses('x', 'preset')
  refuses({}, 'preset')
  refuses({ preset: 'mesa', bids: [] }, 'bids')
  refuses({ preset: 'mesa', target: 0 }, 'target')
  refuses({ preset: 'mesa', target: 100 }, 'target')
  refuses({ preset: 'mesa', bonusAbove: 251 }, 'bonusAbove')
  refuses({ preset: 'mesa', maxCantes: 5 }, 'maxCantes')
  refuses({ preset: 'mesa', raising: 1 }, 'raising')
  refuses({ preset: 'mesa', tie: 'led' }, 'tie')
  refuses({ preset: 'mesa', target: 0, bonusAbove: 999 }, 'bonusAbove')
  assert.throws(() => cuatrola.rules(null), FormatError)
  assert.throws(() => cuatrola.newMatch({ rules: { preset: 'liga', target: 100 }, seed: '' }), OptionError)
})

test('codes are the module’s own, and every reason has its texts', () => {
  const text = (code) => {
    const length = cuatrola.module.call((e) => e.reasonCode(code))
    return new TextDecoder().decode(cuatrola.module.answer(length))
  }
  for (const [code, reason] of reasons.entries()) {
    assert.equal(text(code), reason ?? 'ok')
    if (!reason) continue
    const texts = ['es', 'ca', 'en'].map((language) => reasonText(reason, language))
    assert.equal(new Set(texts).size, 3)
    for (const t of texts) assert.match(t, /^\p{Lu}.*\.$/u)
  }
  assert.equal(text(reasons.length), 'unknown')
})

test('what actions come to with all cards seen', () => {
  const match = cuatrola.newMatch({ rules: 'clasica', seed: 'solve' })
  for (let i = 0; i < 9; i++) match.apply(match.turn, match.phase === 'bid' ? 'pass' : match.legal(match.turn)[0])
  const seat = match.turn
  const { values } = cuatrola.solve({ record: match.record() })
  assert.deepEqual(Object.keys(values), match.legal(seat).sort())
  const sure = Math.max(...Object.values(values))
  const best = match.legal(seat).find((action) => values[action] === sure)
  match.apply(seat, best)
  const theirs = cuatrola.solve({ record: match.record() })
  const expected = theirs.seat % 2 === seat % 2 ? sure : -sure
  assert.equal(Math.max(...Object.values(theirs.values)), expected)
  assert.deepEqual(cuatrola.solve({ record: match.record(), hand: 0, action: 9 }), { seat, values })
  assert.deepEqual(cuatrola.solve({ record: match.record(), hand: 0, action: 3 }), { ok: false, hand: 0, action: 3, error: 'wrong_phase' })
  assert.throws(() => cuatrola.solve({ record: match.record(), action: -1 }), /action is not a whole number/)
})

test('a coach looks back on a hand', () => {
  const match = cuatrola.newMatch({ rules: { preset: 'mesa', target: 2 }, seed: 'review' })
  while (match.results.length < 1) match.apply(match.turn, match.legal(match.turn)[0])
  const record = match.record()
  const review = cuatrola.review(record, { hand: 0 })
  assert.deepEqual(review.decisions.map((d) => d.played), record.hands[0].actions)
  assert.deepEqual(cuatrola.review({ record }, { hand: 0 }), review)
  for (const d of review.decisions) {
    assert.ok(d.options.some((o) => o.action === d.best) && d.options.some((o) => o.action === d.openBest))
    assert.equal(d.forced, d.options.length === 1)
    assert.equal(d.forced, d.verdict === 'forced')
    for (const reason of d.reasons) assert.equal(reason.text, reviewText(reason, 'es'))
  }
  // Another language changes the texts alone.
  const other = cuatrola.review(record, { hand: 0, lang: 'ca' })
  const wordless = (r) => ({ ...r, decisions: r.decisions.map((d) => ({ ...d, reasons: d.reasons.map(({ text, ...rest }) => rest) })) })
  assert.deepEqual(wordless(other), wordless(review))
  assert.notDeepEqual(other, review)

  for (const seat of review.seats) {
    const of = review.decisions.filter((d) => d.seat === seat.seat && !d.forced)
    assert.deepEqual(tally(of.map((d) => ({ decisions: 1, loss: d.loss }))), { decisions: seat.decisions, loss: seat.loss, accuracy: seat.accuracy })
  }
  assert.deepEqual(tally([]), { decisions: 0, loss: 0, accuracy: 100 })
  assert.deepEqual(tally([{ decisions: 2, loss: 0.15 }, { decisions: 1, loss: 0.15 }]), { decisions: 3, loss: 0.3, accuracy: 50 })

  match.apply(match.turn, match.legal(match.turn)[0])
  assert.throws(() => cuatrola.review(match.record(), { hand: 1 }), (e) => e instanceof FormatError && /hand 1 .*hand_unfinished/.test(e.message))
  for (const hand of [-1, 2, 1e9]) assert.throws(() => cuatrola.review(match.record(), { hand }), FormatError)
  assert.throws(() => cuatrola.review({}, { hand: 0 }), FormatError)
})

test('the coach has words for every code in every language', () => {
  for (const code of reviewCodes) {
    const texts = ['es', 'ca', 'en'].map((language) => reviewText({ code, better: 'AO', points: 40, chance: 0.625 }, language))
    for (const text of texts) assert.match(text, /^[^{}]+\.$/)
    assert.equal(new Set(texts).size, 3, code)
  }
})
