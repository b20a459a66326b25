// Matches with given deals, and what a breakdown of the module does to matches in progress.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { FormatError, init, ModuleError } from '../dist/index.js'
import { instantiate } from '../dist/manual.js'
import { dice, presets } from './helpers.mjs'

const cuatrola = await init()

test('a match of given deals is the match that the same deals give elsewhere', () => {
  for (const rules of [...presets, { preset: 'mesa', target: 4 }]) {
    const drawn = cuatrola.newMatch({ rules, seed: 'deals' })
    const roll = dice(3)
    while (!drawn.over) {
      const legal = drawn.legal(drawn.turn)
      drawn.apply(drawn.turn, legal[roll(legal.length)])
    }
    const { hands, fair, ...rest } = drawn.record()
    const match = cuatrola.newMatch({ rules, deal: hands[0] })
    for (const [i, hand] of hands.entries()) {
      if (i > 0) {
        assert.deepEqual([match.phase, match.turn, match.over, match.legal(0)], ['deal', null, false, []])
        assert.equal(match.check(0, 'pass'), 'hand_over')
        assert.equal(match.apply(hand.dealer, hand.actions[0]), 'hand_over')
        assert.equal(match.deal({ ...hand, dealer: (hand.dealer + 1) % 4 }), 'bad_dealer')
        assert.equal(match.deal({ ...hand, trump: hand.deal[(hand.dealer + 1) % 4][0] }), 'bad_deal')
        assert.equal(match.deal({ ...hand, deal: hand.deal.slice(1) }), 'bad_deal')
        assert.throws(() => match.deal({ ...hand, deal: 'AO' }), FormatError)
        assert.throws(() => match.deal(null), FormatError)
        // Taken up again between two hands.
        assert.deepEqual(cuatrola.resume(match.record()).view(1), match.view(1))
        assert.equal(match.deal(hand), null)
      }
      assert.equal(match.deal(hand), 'hand_unfinished')
      for (const action of hand.actions) assert.equal(match.apply(match.turn, action), null)
    }
    assert.equal(match.deal(hands[0]), 'match_over')
    assert.deepEqual(match.record(), { ...rest, hands })
    assert.deepEqual(match.results, drawn.results)
    assert.deepEqual([match.score, match.winner], [drawn.score, drawn.winner])
    assert.deepEqual(cuatrola.verifyFair(match.record()).fair, 'no_proof')
    assert.deepEqual(cuatrola.resume(JSON.parse(JSON.stringify(match.record()))).record(), match.record())
  }
})

test('a first deal that is none is refused with its reason', () => {
  const deal = cuatrola.dealFrom('any', 2)
  assert.deepEqual([deal.dealer, new Set(deal.deal.flat()).size, deal.deal[2].includes(deal.trump)], [2, 20, true])
  assert.deepEqual(cuatrola.dealFrom('any', 2), deal)
  assert.notDeepEqual(cuatrola.dealFrom('other', 2).deal, deal.deal)
  for (const dealer of [4, -1, null, undefined, 'x']) {
    if (dealer !== null) assert.throws(() => cuatrola.dealFrom('any', dealer), RangeError)
  }
  assert.equal(cuatrola.newMatch({ rules: 'liga', deal, id: 'lesson 3' }).record().id, 'lesson 3')
  const refuses = (odd, why) => assert.throws(() => cuatrola.newMatch({ rules: 'liga', deal: odd }), (e) => e instanceof FormatError && why.test(e.message))
  refuses({ ...deal, dealer: 4 }, /bad_dealer/)
  refuses({ ...deal, trump: 'XX' }, /bad_deal/)
  refuses({ ...deal, deal: [...deal.deal.slice(0, 3), deal.deal[0]] }, /bad_deal/)
  refuses({ ...deal, deal: undefined }, /bad_deal/)
  refuses({ ...deal, dealer: 'x' }, /dealer is not a number/)
  refuses(undefined, /not a JSON object/)
  assert.equal(cuatrola.newMatch({ rules: 'liga', deal }).view(0).hand.winner, null)
})

/** Makes the module trap at its n-th call from now, counted from 1, as a fault of its own would. */
function breakAt(module, n) {
  const call = Object.getPrototypeOf(module).call
  module.call = (body) => {
    if (--n > 0) return call.call(module, body)
    delete module.call
    return call.call(module, (e) => {
      body(e)
      return e.legal(99) // no such slot
    })
  }
  return () => {
    const reached = !Object.hasOwn(module, 'call')
    delete module.call
    return reached
  }
}

test('wherever the module breaks down, the call has changed nothing and the match goes on', async () => {
  const own = await init()
  const start = () => own.newMatch({ rules: { preset: 'mesa', target: 2 }, seed: 'breakdown' })
  const whole = start()
  const actions = []
  while (!whole.over) {
    actions.push([whole.turn, whole.legal(whole.turn)[0]])
    whole.apply(...actions.at(-1))
  }
  const stateOf = (match) => ({ record: match.record(), results: [...match.results], views: [0, 1, 2, 3, 4].map((seat) => match.view(seat)) })
  let breakdowns = 0
  for (let n = 1, reached = true; reached; n++) {
    // The same match, with the n-th call of every action broken once; another beside it, which is only looked at.
    const match = start()
    const beside = start()
    beside.apply(beside.turn, 'pass')
    const besideBefore = stateOf(beside)
    reached = false
    for (const action of actions) {
      const before = stateOf(match)
      const stop = breakAt(own.module, n)
      try {
        assert.equal(match.apply(...action), null)
        assert.equal(stop(), false)
      } catch (e) {
        assert.ok(e instanceof ModuleError, e.stack)
        assert.match(e.message, /index out of range/)
        assert.ok(stop())
        reached = true
        breakdowns++
        assert.deepEqual(stateOf(match), before)
        assert.deepEqual(stateOf(beside), besideBefore)
        assert.equal(match.apply(...action), null)
      }
    }
    assert.deepEqual(stateOf(match), stateOf(whole))
    assert.equal(beside.apply(beside.turn, 'pass'), null)
  }
  assert.ok(breakdowns > actions.length * 2, `${breakdowns} breakdowns`)
})

test('no call of any kind is lost to a breakdown before it', async () => {
  const own = await init()
  const match = own.newMatch({ rules: 'clasica', seed: 'calls' })
  for (let i = 0; i < 30; i++) match.apply(match.turn, match.phase === 'bid' ? 'pass' : match.legal(match.turn)[0])
  const record = match.record()
  const view = match.view(match.turn)
  const calls = {
    rules: () => own.rules('liga'),
    newMatch: () => own.newMatch({ rules: 'mesa', seed: 's' }).record(),
    resume: () => own.resume(record).record(),
    dealFrom: () => own.dealFrom('s', 1),
    legalFromView: () => own.legalFromView(view),
    checkView: () => own.checkView(view, 'AO'),
    reasonsFromView: () => own.reasonsFromView(view),
    viewAfter: () => own.viewAfter(view, view.legal[0]),
    bot: () => own.bot(view, 1),
    pause: () => own.pause(view, { seed: 1 }),
    replay: () => own.replay(record),
    trace: () => own.trace(record),
    legal: () => own.legal({ rules: 'mesa', trump: 'O', seat: 0, trick: [], hand: ['AO'] }),
    solve: () => own.solve({ record }),
    verifyFair: () => own.verifyFair(record),
    review: () => own.review(record, { hand: 0 }),
    view: () => match.view(0),
    reasons: () => match.reasons(match.turn),
    record: () => match.record(),
    state: () => [match.turn, match.phase, match.over, match.winner, match.score, match.legal(match.turn), match.check(0, 'AO')],
  }
  for (const [name, call] of Object.entries(calls)) {
    const before = call()
    const stop = breakAt(own.module, 1)
    assert.throws(call, ModuleError, name)
    assert.ok(stop())
    assert.deepEqual(call(), before, name)
  }
})

test('an instance that only comes later is waited for', async () => {
  const compiled = new WebAssembly.Module(readFileSync(new URL('../dist/cuatrola.wasm', import.meta.url)))
  let made = 0
  let fails = false
  const own = await instantiate(async (imports) => {
    made++
    if (fails) throw new Error('no memory')
    return { instance: await WebAssembly.instantiate(compiled, imports) }
  })
  const match = own.newMatch({ rules: 'liga', seed: 's' })
  match.apply(match.turn, 'pass')
  const before = match.view(0)
  const breakdown = () => own.module.call((e) => e.legal(99))
  assert.throws(breakdown, /index out of range/)
  assert.throws(() => match.view(0), (e) => e instanceof ModuleError && /being started anew/.test(e.message))
  await own.ready()
  assert.deepEqual(match.view(0), before)
  await own.ready()
  assert.equal(made, 2)
  // One that does not come is asked for again.
  fails = true
  assert.throws(breakdown, /index out of range/)
  await assert.rejects(own.ready(), /no memory/)
  fails = false
  assert.throws(() => match.view(0), ModuleError)
  await own.ready()
  assert.deepEqual(match.view(0), before)
  assert.equal(made, 4)
})

test('an instance that cannot be made at once is asked for again at the next call', async () => {
  const compiled = new WebAssembly.Module(readFileSync(new URL('../dist/cuatrola.wasm', import.meta.url)))
  let fails = false
  const own = await instantiate((imports) => {
    if (fails) throw new Error('no memory')
    return new WebAssembly.Instance(compiled, imports)
  })
  const rules = own.rules('liga')
  fails = true
  assert.throws(() => own.module.call((e) => e.legal(99)), /index out of range/)
  assert.throws(() => own.rules('liga'), (e) => e instanceof ModuleError && /no memory/.test(e.message))
  await assert.rejects(own.ready(), /no memory/)
  fails = false
  assert.deepEqual(own.rules('liga'), rules)
  await assert.rejects(instantiate(() => { throw new Error('no module') }), /no module/)
  await assert.rejects(instantiate(() => ({ exports: { memory: { buffer: new ArrayBuffer(1) }, _initialize() { throw new Error('odd') } } })), ModuleError)
})
