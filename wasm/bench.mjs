// What the module costs: its size, its start, and each call beside an empty call across the same boundary and beside the
// same work natively, all in one run. Times a call are the best of 15 rounds: what else the machine does can only add.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { brotliCompressSync, constants } from 'node:zlib'
import { init } from './dist/index.js'

const file = new URL('dist/cuatrola.wasm', import.meta.url)
const bytes = readFileSync(file)

const best = (numbers) => Math.min(...numbers)

let sum = 0

/**
 * Nanoseconds a call, of several calls measured in turns so that whatever else the machine does befalls all of them. Each has
 * a loop of its own: in a shared one the compiler would have to guess which is called.
 */
function measureTogether(calls, functions) {
  const loops = functions.map((call) => {
    const loop = new Function('call', 'n', 'let sum = 0; for (let i = 0; i < n; i++) sum += call(i); return sum')
    return { run: () => (sum += loop(call, calls)), rounds: [] } // the sum keeps the calls from being thought away
  })
  for (const { run } of loops) run() // until the compiler has done its best
  for (let round = 0; round < 15; round++) {
    for (const { run, rounds } of loops) {
      const start = process.hrtime.bigint()
      run()
      rounds.push(Number(process.hrtime.bigint() - start) / calls)
    }
  }
  return loops.map(({ rounds }) => best(rounds))
}

const measure = (call, calls) => measureTogether(calls, [call])[0]

/** Nanoseconds an operation of a Go benchmark. */
function native(pkg, name) {
  const out = execFileSync('go', ['test', '-run', '^$', '-bench', `^${name}$`, '-count', '5', pkg], {
    cwd: new URL('..', import.meta.url),
    encoding: 'utf8',
  })
  const figures = [...out.matchAll(/^Benchmark\S+\s+\d+\s+([\d.]+) ns\/op/gm)].map((m) => Number(m[1]))
  if (figures.length === 0) throw new Error(`no figure for ${name} in:\n${out}`)
  return best(figures)
}

const presets = ['clasica', 'mesa', 'mesa-quintola', 'liga']

const rows = []
function row(what, figure, goal = '') {
  rows.push([what, figure, goal])
}
const met = (ok) => (ok ? 'met' : 'MISSED')
const ns = (n) => (n < 1e3 ? `${n.toFixed(1)} ns` : n < 1e7 ? `${(n / 1e3).toFixed(2)} µs` : `${(n / 1e6).toFixed(0)} ms`)

const brotli = brotliCompressSync(bytes, {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
}).length
row('size', `${(bytes.length / 1000).toFixed(0)} KB`)
row('size, brotli 11', `${(brotli / 1000).toFixed(1)} KB`, `≤ 380 KB: ${met(brotli <= 380_000)}`)

const starts = { compile: [], instantiate: [] }
for (let i = 0; i < 9; i++) {
  const t0 = performance.now()
  const compiled = await WebAssembly.compile(bytes)
  const t1 = performance.now()
  await init(compiled)
  starts.compile.push(t1 - t0)
  starts.instantiate.push(performance.now() - t1)
}
row('start: compile', `${best(starts.compile).toFixed(1)} ms`)
row('start: instantiate', `${best(starts.instantiate).toFixed(1)} ms`)

const cuatrola = await init()
const e = cuatrola.module.exports

// A match in the middle of a hand of four players, in the first slot.
function midHand() {
  for (let i = 0; ; i++) {
    const match = cuatrola.newMatch({ rules: 'liga', seed: `bench ${i}` })
    for (let n = 0; n < 10; n++) {
      const legal = match.legal(match.turn)
      match.apply(match.turn, n < 4 ? 'pass' : legal[0])
    }
    const hand = match.record().hands[0]
    if (match.phase === 'play' && match.legal(match.turn).length > 1 && hand.actions.length === 10) return match
  }
}
const match = midHand()
match.legalMask()
const slot = [...Array(16).keys()].find((s) => e.turn(s) === match.turn && e.legal(s) >>> 0 === match.legalMask())
const turn = match.turn
const [empty, legal] = measureTogether(2_000_000, [() => e.empty(slot), () => e.legal(slot)])
row('empty call', ns(empty))
row('legal', ns(legal), `≤ 4 × empty (${(legal / empty).toFixed(2)} ×): ${met(legal <= 4 * empty)}`)
row('check', ns(measure((i) => e.check(slot, turn, i % 20), 1_000_000)))
row('view, bytes', ns(measure(() => e.matchView(slot, 0), 300_000)))
row('view, object', ns(measure(() => match.view(0).seq, 20_000)))

// A whole hand that nobody bid: four passes and twenty cards.
function wholeHand() {
  for (let i = 0; ; i++) {
    const m = cuatrola.newMatch({ rules: 'liga', seed: `bench ${i}` })
    while (m.results.length === 0) m.apply(m.turn, m.phase === 'bid' ? 'pass' : m.legal(m.turn)[0])
    const record = m.record()
    record.hands.length = 1
    if (record.hands[0].actions.length === 24) return record
  }
}
const record = wholeHand()
const whole = measure(() => cuatrola.replay(record).hands.length, 5_000) // leaves its bytes in the module's input
const replay = measure(() => e.replay(0), 200_000)
const rules = native('./shared/rules', 'BenchmarkReplayHand/liga')
const wire = native('./shared/rules/wire', 'BenchmarkReplayHand')
row('hand of 20 cards, native: rules alone', ns(rules))
row('hand of 20 cards, native: with the codec', ns(wire))
row('hand of 20 cards, module: with the codec', ns(replay), `≤ 5 × native (${(replay / rules).toFixed(2)} ×): ${met(replay <= 5 * rules)}`)
row('hand of 20 cards, module: objects in and out', ns(whole))

const view = cuatrola.newMatch({ rules: 'liga', seed: 'bench' })
const bidding = view.view(view.turn)
row('checkView', ns(measure(() => (cuatrola.checkView(bidding, 'pass') === null ? 1 : 0), 5_000)))

// How long each level thinks, over all decisions of a match by each preset in which there is something to choose; natively
// the same is measured over other matches. Here it is single decisions that count, so no best of rounds.
const decisions = []
for (const rules of ['clasica', 'mesa', 'mesa-quintola', 'liga']) {
  const m = cuatrola.newMatch({ rules, seed: 'decisions' })
  while (!m.over) {
    const v = m.view(m.turn)
    if (v.legal.length > 1) decisions.push(v)
    m.apply(m.turn, cuatrola.bot(v, 1))
  }
}
const figures = execFileSync('go', ['test', '-run', '^$', '-bench', '^BenchmarkDecisions$', './shared/bot'], {
  cwd: new URL('..', import.meta.url),
  encoding: 'utf8',
})
const goals = { maestro: [5_000, 30_000] } // microseconds, natively and here
const us = (n) => (n < 1000 ? `${n.toFixed(1)} µs` : `${(n / 1000).toFixed(2)} ms`)
for (const level of ['aprendiz', 'tabernero', 'veterano', 'maestro']) {
  for (const v of decisions.slice(0, 40)) cuatrola.bot(v, 0, level)
  const times = []
  for (let round = 1; round <= 3; round++) {
    for (const v of decisions) {
      const start = process.hrtime.bigint()
      sum += cuatrola.bot(v, round, level).length
      times.push(Number(process.hrtime.bigint() - start) / 1000)
    }
  }
  times.sort((a, b) => a - b)
  const at = (share) => times[Math.min(Math.floor(times.length * share), times.length - 1)]
  const line = new RegExp(`^BenchmarkDecisions/${level}\\S*\\s.*$`, 'm').exec(figures)[0]
  const nativeAt = (unit) => Number(new RegExp(`([\\d.e+]+) ${unit}`).exec(line)[1])
  for (const [share, unit] of [[0.5, 'p50-µs'], [0.99, 'p99-µs']]) {
    const [there, here] = share > 0.9 ? (goals[level] ?? []) : []
    const goal = (figure, limit) => (limit === undefined ? '' : `≤ ${limit / 1000} ms: ${met(figure <= limit)}`)
    row(`${level}, p${share * 100}, native`, us(nativeAt(unit)), goal(nativeAt(unit), there))
    row(`${level}, p${share * 100}, module`, us(at(share)), goal(at(share), here))
  }
}

// Hands that nobody bid, before the first lead.
const unbid = Array.from({ length: 200 }, (_, i) => {
  const m = cuatrola.newMatch({ rules: 'clasica', seed: `bench ${i}` })
  for (let n = 0; n < 4; n++) m.apply(m.turn, 'pass')
  return m.record()
})
const leads = measure((i) => cuatrola.solve({ record: unbid[i % unbid.length] }).seat + 1, 400)
const leadsNative = native('./shared/bot/solve', 'BenchmarkSolve/four/points/moves')
row('solve, every lead of a hand of 20 cards, native', ns(leadsNative))
row('solve, every lead of a hand of 20 cards, module', ns(leads), `${(leads / leadsNative).toFixed(1)} × native`)

// A hand of 20 cards through the coach: each of some hands once, since hands differ more than rounds.
const reviews = []
for (let i = 0; reviews.length < 24; i++) {
  const m = cuatrola.newMatch({ rules: presets[i % presets.length], seed: `review ${i}` })
  while (m.results.length === 0) m.apply(m.turn, m.phase === 'bid' ? 'pass' : cuatrola.bot(m.view(m.turn), i))
  const record = m.record()
  record.hands.length = 1
  const start = performance.now()
  sum += cuatrola.review(record, { hand: 0 }).decisions.length
  reviews.push(performance.now() - start)
}
reviews.sort((a, b) => a - b)
row('review of a hand, median', ns(reviews[reviews.length / 2] * 1e6))
row('review of a hand, slowest of 24', ns(reviews.at(-1) * 1e6), `≤ 400 ms: ${met(reviews.at(-1) <= 400)}`)

const width = Math.max(...rows.map(([what]) => what.length))
console.log(`Node.js ${process.version}, ${process.arch}, ${cpus().length} cores; best of 15 rounds`)
for (const [what, figure, goal] of rows) console.log(`${what.padEnd(width)}  ${figure.padStart(10)}  ${goal}`.trimEnd())
if (sum === 0) throw new Error('nothing was measured')
