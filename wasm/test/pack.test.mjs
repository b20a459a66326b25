// The package as its users have it: packed, installed into a fresh project, typed, and used in Node and in an engine that has
// next to nothing. test/browser.test.mjs is about pages and workers.

import assert from 'node:assert/strict'
import { readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { before, test } from 'node:test'
import vm from 'node:vm'
import ts from 'typescript'
import { build } from 'vite'
import { root, run } from './helpers.mjs'
import { examples, filesIn, pack, project } from './packed.mjs'

let packed, fresh, readme, shown
before(async () => {
  packed = await pack()
  fresh = await project(packed.path)
  readme = readFileSync(join(fresh.installed, 'README.md'), 'utf8')
  shown = examples(readme)
})

const node = (...args) => run(process.execPath, args, '', { cwd: fresh.folder })

async function says(...args) {
  const { status, out, err } = await node(...args)
  assert.equal(status, 0, err)
  return out
}

test('the tarball holds what is used, and nothing else', () => {
  const files = filesIn(packed.path)
  // What the entries lead to, from file to file.
  const reached = new Set(['package.json', 'README.md', 'LICENSE', 'cli.mjs', 'dist/cuatrola.wasm'])
  const follow = (file, suffix) => {
    if (reached.has(file)) return
    reached.add(file)
    const text = readFileSync(join(fresh.installed, file), 'utf8')
    for (const [, path] of text.matchAll(/(?:from|import\() ?'\.\/([^']+)\.js'/g)) follow(`dist/${path}${suffix}`, suffix)
  }
  for (const entry of ['index', 'manual']) for (const suffix of ['.js', '.d.ts']) follow(`dist/${entry}${suffix}`, suffix)
  assert.deepEqual([...files.keys()].sort(), [...reached].sort())

  // npm counts in thousands, and compresses less than the brotli of module.test.mjs.
  assert.ok(packed.size < 600_000, `${packed.size} bytes`)
  const code = [...files].filter(([name]) => name.endsWith('.js')).reduce((sum, [, size]) => sum + size, 0)
  assert.ok(code < 100_000, `${code} bytes of JavaScript`)
})

test('the tarball says what it is', () => {
  const manifest = JSON.parse(readFileSync(join(fresh.installed, 'package.json'), 'utf8'))
  assert.deepEqual(
    [manifest.name, manifest.type, manifest.sideEffects, manifest.license, manifest.dependencies],
    ['@cuatrola/rules', 'module', false, 'Apache-2.0', undefined],
  )
  for (const entry of ['.', './manual']) {
    for (const file of Object.values(manifest.exports[entry])) assert.ok(readFileSync(join(fresh.installed, file), 'utf8').length > 0)
  }
  assert.equal(readFileSync(join(fresh.installed, 'LICENSE'), 'utf8'), readFileSync(join(root, 'LICENSE'), 'utf8'))
  // What leads out of the page leads nowhere on npm's.
  assert.doesNotMatch(readme, /\]\((?!https:|#)/)
  assert.equal(readme.split('```').length % 2, 1)
})

test('Node plays a match, as the README shows it', async () => {
  fresh.write({ 'node.mjs': shown['node.mjs'] })
  assert.match(await says('node.mjs'), /^\[ \d+, \d+ \] [01] ok true\n$/)
})

test('the other calls that the README shows', async () => {
  fresh.write({ 'calls.mjs': shown['calls.mjs'] })
  const [score, solved, decision, accuracy] = (await says('calls.mjs')).trimEnd().split('\n')
  assert.match(score, /^\[ \d+, \d+ \]$/)
  assert.match(solved, /^\{ seat: [0-3], values: \{ .+ \} \}$/)
  assert.match(decision, /^[a-z]+ \p{Lu}.+\.$/u)
  assert.ok(Number(accuracy) >= 0 && Number(accuracy) <= 100)
})

test('a move against a server, as the README shows it', async () => {
  fresh.write({
    'online.mjs': shown['online.mjs'],
    'try.mjs': `
      import { init } from '@cuatrola/rules'
      import { choose } from './online.mjs'
      const cuatrola = await init()
      const view = cuatrola.newMatch({ rules: 'mesa', seed: 's' }).view(4)
      const { viewer, table, hand, handsFinished, bids, ...same } = view
      const turn = view.turn
      const own = cuatrola.newMatch({ rules: 'mesa', seed: 's' }).view(turn)
      const sent = { ...same, ...hand, you: turn, rules: 'mesa', cards: own.cards, legal: own.legal, seq: 7, bids: [], scores: [], lastHand: null,
        trick: { lead: table.lead, cards: [] }, winner: null }
      const log = []
      const shows = (action) => choose(cuatrola, sent, action, (text) => log.push(text), (body) => log.push(body)).bids
      console.log(JSON.stringify([shows('AO'), shows('solo'), log]))
    `,
  })
  assert.deepEqual(JSON.parse(await says('try.mjs')), [[], ['solo'], ['Ara no es pot fer això.', { seq: 7, action: 'solo' }]])
})

test('an older project may require it', async () => {
  fresh.write({ 'old.cjs': "console.log(typeof require('@cuatrola/rules').init, typeof require('@cuatrola/rules/manual').instantiate)" })
  assert.equal(await says('--no-warnings', 'old.cjs'), 'function function\n')
})

test('its command runs where it is installed', async () => {
  const line = '{"format":"cuatrola-record/1","rules":"mesa","hands":[]}'
  const { status, out } = await run(join(fresh.folder, 'node_modules/.bin/cuatrola-rules'), ['replay'], line)
  assert.deepEqual([status, out], [0, '{"ok":true,"hands":[],"score":[0,0],"winner":null}\n'])
})

const program = `
import {
  compile, FormatError, init, initSync, levels, ModuleError, OptionError, presets, reasonText, reviewText, tally,
  type Action, type Cuatrola, type Deal, type HandReview, type Match, type MatchRecord, type Reason, type Source, type View,
} from '@cuatrola/rules'
import { instantiate, type Imports, type Instance, type Instantiate } from '@cuatrola/rules/manual'

export async function play(source: Source, make: Instantiate): Promise<[number, number]> {
  const cuatrola: Cuatrola = await init(source)
  const other: Cuatrola = await instantiate(make)
  const deal: Deal = cuatrola.dealFrom('seed', 0)
  const match: Match = cuatrola.newMatch({ rules: { preset: presets[0]!, maxCantes: null }, deal })
  other.newMatch({ rules: 'liga', seed: 'seed', id: 'id' })
  while (!match.over) {
    const turn = match.turn!
    const view: View = match.view(turn)
    const action: Action | null = cuatrola.bot(view, { seed: 1, level: levels[0]!, ms: 5 })
    const reason: Reason | null = match.apply(turn, action!)
    if (reason) throw new Error(reasonText(reason, 'ca'))
    const after: View | null = cuatrola.viewAfter(view, view.legal[0]!)
    const dimmed = Object.entries(match.reasons(turn)).filter(([, why]) => why !== null)
    console.log(after?.hand.points[0].toFixed(), dimmed.length)
  }
  const record: MatchRecord = match.record()
  const result = cuatrola.replay(record)
  if (result.ok) console.log(result.score)
  else console.log(result.error satisfies Reason, result.action)
  const review: HandReview = cuatrola.review(record, { hand: 0 })
  console.log(review.decisions.map((decision) => decision.reasons.map((reason) => reviewText(reason, 'es'))), tally(review.seats).accuracy)
  // @ts-expect-error there is no such preset
  cuatrola.rules('tute')
  // @ts-expect-error a match has a seed or a deal
  cuatrola.newMatch({ rules: 'liga' })
  // @ts-expect-error internals are nobody's business
  cuatrola.module
  try {
    cuatrola.rules({ preset: 'mesa', target: 1000 })
  } catch (e) {
    if (e instanceof OptionError) console.log(e.option.length, e instanceof FormatError, e instanceof ModuleError)
  }
  return match.score
}
export const imports = (all: Imports): string[] => Object.keys(all.wasi_snapshot_preview1)
export const instance: Instance = { exports: {} }
export const sync = (bytes: Uint8Array) => initSync(bytes)
export const both = async () => init(await compile())
`
const browser = `
import { compile, init, type Cuatrola } from '@cuatrola/rules'
import { instantiate } from '@cuatrola/rules/manual'
import type { View } from './schema.gen.js'

export const all = async (module: WebAssembly.Module, bytes: ArrayBuffer): Promise<Cuatrola[]> => [
  await init(), await init('/cuatrola.wasm'), await init(new URL('https://example.org/')), await init(fetch('/')), await init(await fetch('/')),
  await init(bytes), await init(new Uint8Array(bytes)), await init(module), await init(await compile()),
  await instantiate((imports) => new WebAssembly.Instance(module, imports)),
  await instantiate((imports) => WebAssembly.instantiate(module, imports)),
  await instantiate((imports) => WebAssembly.instantiate(bytes, imports)),
]
/** What openapi-typescript makes of the contract's View goes in as it is. */
export const read = (cuatrola: Cuatrola, view: View) => cuatrola.viewFromServer(view)
`
// openapi.yaml's View, as openapi-typescript writes it; lists by pair lose their length.
const schema = `
export interface View {
  matchId: string; seq: number; you: number | null; rules: 'liga' | { preset: 'liga'; target?: number; tie?: 'mano' | 'lastTrick' }
  phase: 'seeds' | 'bid' | 'play' | 'sing' | 'over' | 'void'; turn: number | null; deadline: string | null; legal: string[]; hand: number
  dealer: number | null; trump: string | null; out: number | null; cards: string[]; bids: { seat: number; bid: 'pass' | 'solo' }[]
  bid: 'pass' | 'solo'; bidder: number | null; trick: { lead: number | null; cards: { seat: number; card: string }[] }
  tricks: { lead: number; cards: string[]; winner: number }[]; cantes: { seat: number; suit: 'O' | 'C'; points: number; trick: number }[]
  points: number[]; tricksWon: number[]; score: number[]; scores: number[][]
  lastHand: { winner: number; value: number; bid: string } | null; winner: number | null
}
`

test('a strict program compiles against its types, in every way that modules are found', () => {
  fresh.write({ 'src/program.ts': program, 'src/browser.ts': browser, 'src/schema.gen.ts': schema })
  const strict = {
    strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, verbatimModuleSyntax: true, noEmit: true, types: [],
    skipDefaultLibCheck: true, target: ts.ScriptTarget.ES2022, noUnusedLocals: true, isolatedModules: true,
  }
  const bundler = { ...strict, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }
  const nodeNext = { ...strict, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext }
  const dom = ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts']
  const compiles = (files, options) => {
    const program = ts.createProgram(files.map((file) => join(fresh.folder, 'src', file)), options)
    const faults = ts.getPreEmitDiagnostics(program)
    assert.equal(ts.formatDiagnostics(faults, { getCanonicalFileName: (f) => f, getCurrentDirectory: () => fresh.folder, getNewLine: () => '\n' }), '')
  }
  compiles(['program.ts', 'browser.ts'], { ...bundler, lib: dom })
  // Without the DOM's library, as in Node and in React Native; console is all that is missing then.
  fresh.write({ 'src/console.d.ts': 'declare const console: { log(...values: unknown[]): void }' })
  compiles(['program.ts', 'console.d.ts'], { ...nodeNext, lib: ['lib.es2022.d.ts'] })
})

test('everything public says what it is', () => {
  const entries = ['index', 'manual'].map((entry) => join(realpathSync(fresh.installed), `dist/${entry}.d.ts`))
  const program = ts.createProgram(entries, { strict: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, types: [], lib: ['lib.es2022.d.ts'] })
  const checker = program.getTypeChecker()
  const silent = new Set()
  let documented = 0
  const look = (symbol, path) => {
    const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    if (own.getDocumentationComment(checker).length === 0) silent.add(path)
    else documented++
    for (const member of own.members?.values() ?? []) {
      // What is a fact of the language, or of a record's other members.
      if (/^(__|#|prototype$)/.test(member.name) || member.flags & ts.SymbolFlags.TypeParameter) continue
      look(member, `${path}.${member.name}`)
    }
  }
  for (const entry of entries) {
    for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)))) look(symbol, symbol.name)
  }
  // Names that say it all, where a comment would only repeat them.
  const plain = /\.(name|seat|phase|rules|ok|status|url|headers|arrayBuffer)$/
  assert.deepEqual([...silent].filter((path) => !plain.test(path)), [])
  assert.ok(documented > 200, `${documented} comments`)
})

/** Bundles a module for an engine without modules: a script that leaves what it exports in a global. */
async function script(file) {
  const [{ output }] = await build({
    root: fresh.folder, configFile: false, logLevel: 'error',
    build: { write: false, minify: false, target: 'es2022', lib: { entry: join(fresh.folder, file), formats: ['iife'], name: 'app' } },
  })
  return output.map((part) => part.code).join('\n')
}

test('an engine that has next to nothing plays a match with an instance from outside', async () => {
  fresh.write({ 'native.js': shown['native.js'] })
  const code = await script('native.js')
  // What the language itself brings, less what React Native's engine has not or had not for long.
  const engine = vm.createContext(Object.create(null))
  const missing = ['WebAssembly', 'BigInt', 'BigInt64Array', 'BigUint64Array', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry', 'Intl', 'console']
  for (const name of missing) vm.runInContext(`delete globalThis.${name}`, engine)
  for (const name of [...missing, 'fetch', 'URL', 'TextEncoder', 'TextDecoder', 'performance', 'crypto', 'structuredClone', 'setTimeout', 'Response']) {
    assert.equal(vm.runInContext(`typeof ${name}`, engine), 'undefined', name)
  }
  // A WebAssembly of the app's own: it makes instances, and nothing else is asked of it.
  const compiled = new WebAssembly.Module(readFileSync(join(fresh.installed, 'dist/cuatrola.wasm')))
  let instances = 0
  vm.runInContext('globalThis.WebAssembly = {}', engine).Instance = class {
    constructor(...args) {
      instances++
      return new WebAssembly.Instance(...args)
    }
  }
  vm.runInContext(code, engine)
  const record = JSON.parse(JSON.stringify(await vm.runInContext('app.play', engine)(compiled)))
  assert.equal(instances, 1)
  const { init } = await import(join(fresh.installed, 'dist/index.js'))
  const verdict = (await init(compiled)).verifyFair(record)
  assert.deepEqual(verdict, { fair: 'ok', hand: 0, hands: record.hands.length, valid: true })
  assert.ok(record.hands.length >= 11)
})

test('the entry for such engines brings the same along as the other', async () => {
  const { default: _, ...main } = await import(createRequire(join(fresh.folder, 'x.js')).resolve('@cuatrola/rules'))
  const manual = await import(createRequire(join(fresh.folder, 'x.js')).resolve('@cuatrola/rules/manual'))
  const { init, initSync, compile, ...shared } = main
  const { instantiate, ...same } = manual
  assert.deepEqual({ ...same }, shared)
  assert.ok([init, initSync, compile, instantiate].every((f) => typeof f === 'function'))
})
