// The module and the native command give the same bytes.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { cli, native, presets, run, runModule } from './helpers.mjs'

const matches = 20_000

/** Feeds what one command writes to two others as it comes, and gives the digest and number of lines of what each answers. */
async function compare(source, commands) {
  const from = spawn(source[0], source.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })
  const answers = commands.map(([command, ...args]) => {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    from.stdout.pipe(child.stdin)
    const hash = createHash('sha256')
    let lines = 0
    child.stdout.on('data', (chunk) => {
      hash.update(chunk)
      for (let at = -1; (at = chunk.indexOf(10, at + 1)) >= 0; ) lines++
    })
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (status) => resolve({ status, lines, digest: hash.digest('hex') }))
    })
  })
  return Promise.all(answers)
}

for (const preset of presets) {
  test(`${preset}: ${matches} random matches, results and traces`, async () => {
    const [theirs, ours] = await compare(
      [native(), 'bots', '--random', '--rules', preset, '--matches', `${matches}`, '--seed', '20'],
      [[native(), 'replay', '--trace'], [process.execPath, cli, 'replay', '--trace']],
    )
    assert.deepEqual(theirs, { status: 0, lines: matches, digest: theirs.digest })
    assert.deepEqual(ours, theirs)
  })

  test(`${preset}: 2000 random matches with a fault`, async () => {
    const [theirs, ours] = await compare(
      [native(), 'bots', '--random', '--illegal', '--rules', preset, '--matches', '2000', '--seed', '21'],
      [[native(), 'replay'], [process.execPath, cli, 'replay']],
    )
    assert.deepEqual(theirs, { status: 0, lines: 2000, digest: theirs.digest })
    assert.deepEqual(ours, theirs)
  })
}

test('the coach says the same of records of every rule set, in every language', async () => {
  const hands = (line) => {
    const record = JSON.parse(line).record
    return { ...record, hands: record.hands.slice(0, 2) }
  }
  const some = ['matches', 'house'].flatMap((name) => {
    const file = readFileSync(new URL(`testdata/${name}.jsonl`, import.meta.url), 'utf8').trimEnd().split('\n')
    return file.slice(0, 10).map(hands)
  })
  const cut = { ...some[0], hands: [some[0].hands[0], { ...some[0].hands[1], actions: some[0].hands[1].actions.slice(0, 7) }] }
  const ill = { ...some[0], hands: [some[0].hands[0], { ...some[0].hands[1], actions: ['sing:O'] }] }
  for (const [i, lang] of ['es', 'ca', 'en'].entries()) {
    const records = [...some.filter((_, n) => n % 3 === i), ...(i === 0 ? [cut, ill] : [])]
    const input = records.map((record) => JSON.stringify(record)).join('\n')
    const theirs = await run(native(), ['review', '--json', '--lang', lang], input)
    const ours = await runModule(['review', '--lang', lang], input)
    assert.equal(ours.out, theirs.out)
    assert.equal(ours.status, 0, ours.err)
    assert.equal(theirs.status, 0, theirs.err)
    assert.equal(theirs.out.trimEnd().split('\n').length, records.length)
    assert.match(theirs.out, /"verdict":"best"/)
    if (i === 0) assert.match(theirs.out, /"ok":false,"hand":1,"action":0,"error":"wrong_phase","seats"/)
  }
})

test('fair deals', async () => {
  const { out } = await run(native(), ['bots', '--random', '--rules', 'liga', '--matches', '60'])
  const honest = out.trimEnd().split('\n')
  const input = honest
    .flatMap((line) => [
      line,
      line.replace('seat 1', 'seat 9'),
      line.replace(/"commitment":"../, '"commitment":"00'),
      line.replace(/"serverSeed":"../, '"serverSeed":"'),
      line.replace(/"trump":"../, '"trump":"??'),
      line.replace('"scheme"', '"schema"'),
      line.replace('cuatrola-fair/1', 'cuatrola-fair/2'),
      line.replace(/"clientSeeds":\["/, `"clientSeeds":["${'é'.repeat(40)}`),
      line.replace(/,"fair":.*/, '}'),
    ])
    .join('\n')
  const theirs = await run(native(), ['fair', 'verify'], input)
  const ours = await runModule(['fair', 'verify'], input)
  assert.equal(ours.out, theirs.out)
  assert.equal(ours.status, theirs.status)
  assert.deepEqual(linesOf(ours.err), linesOf(theirs.err))
  assert.match(ours.out, /"ok":true/)
  assert.match(ours.out, /commitment_mismatch/)
  assert.match(ours.out, /deal_mismatch/)
})

/** The messages about lines; a command may add one about itself. */
const linesOf = (err) => err.split('\n').filter((line) => line.startsWith('line '))

// A thousand ways of being no record, no position, or one with something odd in it.
const odd = [undefined, null, 1, 1.5, -1, 7, 300, 1e300, 'x', '', true, [], {}, [null], ['AO'], [[], [], [], []]]

function* changed(base, paths, values = odd) {
  for (const path of paths) {
    for (const value of values) {
      const copy = structuredClone(base)
      let at = copy
      for (const name of path.slice(0, -1)) at = at[name]
      at[path.at(-1)] = value
      yield JSON.stringify(copy)
    }
  }
}

async function recordsToTry() {
  const { out } = await run(native(), ['bots', '--random', '--rules', 'liga', '--matches', '1', '--seed', '5'])
  const whole = JSON.parse(out)
  const base = { ...whole, hands: whole.hands.slice(0, 2) }
  const first = base.hands[0].actions
  const lines = [
    ...changed(base, [
      ['format'], ['rules'], ['hands'], ['hands', 0], ['hands', 1, 'dealer'], ['hands', 0, 'dealer'], ['hands', 0, 'deal'],
      ['hands', 0, 'deal', 2], ['hands', 0, 'deal', 2, 3], ['hands', 0, 'trump'], ['hands', 1, 'actions'],
      ['hands', 0, 'actions', 5], ['hands', 0, 'actions', 0], ['fair'], ['id'], ['players'],
    ]),
    ...changed(
      base,
      first.map((_, i) => ['hands', 0, 'actions', i]),
      ['ZZ', 'sing:X', 'sing:', 'sing:O', 'sing:E', 'silent', 'pass', 'quintola', 'SING:O', '3O ', 'ao', 'AO', '3B'],
    ),
    ...changed(base, [['hands', 0, 'actions']], [[], first.slice(0, 9), [...first, 'pass'], Array(70_000).fill('AO')]),
    ...changed(base, [['hands']], [[], whole.hands, [...whole.hands, whole.hands[0]], Array(900).fill(whole.hands[0])]),
  ]
  const options = {
    end: ['points', 'hands', 'x', 1, null],
    target: [0, 1, 99, 100, 1.5, -1, 255, 256, '11', null, true],
    exactTarget: [true, 0, null, 'true'],
    bonusAbove: [null, 0, 250, 251, -1, 1.5, 40_000, '1'],
    tie: ['mano', 'lastTrick', 'led'],
    cantes: ['auto', 'declare', false],
    maxCantes: [null, 0, 4, 5, -1, 127, 128, '2'],
    fortyFirst: [false, 1],
    beat: ['best', 'led', 0],
    stopWhenLost: [null, false],
    undertrump: ['free', 'forced', 'x'],
    partnerExempt: [true, 'x'],
    raising: [false, 2],
    bidderLeads: [true, []],
    bids: [[], {}],
    nope: [1],
    constructor: [1],
    toString: [null],
  }
  for (const [name, values] of Object.entries(options)) {
    for (const value of values) {
      lines.push(...changed(base, [['rules']], [{ preset: 'mesa', [name]: value }]))
      // Of several options at fault both sides name the same.
      lines.push(...changed(base, [['rules']], [{ preset: 'liga', target: 500, zeta: 1, [name]: value }]))
    }
  }
  const names = ['mesa', 'x', null, 1, [], '__proto__', 'constructor', '']
  lines.push(...changed(base, [['rules']], [...names, ...names.map((preset) => ({ preset })), {}]))

  const text = JSON.stringify(base)
  const dealer = `"dealer":${base.hands[0].dealer}`
  lines.push(
    '', '  ', '\t', '\u00a0', '{', '[]', 'null', '1', '"x"', '{}', '{"record":null}', '{"record":[]}', '{"record":{}}',
    `{"record":${text}}`, `{"record":1,"record":${text}}`, '\ufeff' + text, text + 'x', text + '  \r', '[1,2', '{"format":NaN}',
    text.replace('"pass"', '"p\\u0061ss"'), text.replace('liga', 'lig\\u0061'),
    ...['.0', 'e0', 'E+0', 'e999', '0', '.'].map((end) => text.replace(dealer, dealer + end)),
    text.replace(dealer, '"dealer":9,' + dealer), text.replace('"dealer"', '"Dealer"'),
    ...['1e999', '-1e-999', '"1e999"', '"\\ud800"', '"\u0001"', '"\t"', '[1e400]', '1'.repeat(400)].map((value) =>
      text.replace('"format"', `"x":${value},"format"`),
    ),
    text.replace('"format"', '"__proto__":{"rules":1},"format"'),
    // The server's reader has a limit for lists in lists, and meets what a later member of the same name replaces.
    ...[9_998, 9_999, 10_000, 100_000].flatMap((depth) => {
      const deep = '['.repeat(depth) + ']'.repeat(depth)
      return [`"x":${deep},`, `"x":1e5,"y":${deep},`, `"x":${deep},"x":1,`, `"x":"${deep}\\"${deep}",`].map((members) =>
        text.replace('"format"', members + '"format"'),
      )
    }),
    text.replace('"format"', '"x":1e999,"x":1,"format"'),
    ...['\ud83d\ude00', 'a\nline 1: b', '\u001b[2J\u0085\u0000'].map((name) =>
      JSON.stringify({ ...base, rules: { preset: 'liga', [name]: 1, '\uffff': 2 } }),
    ),
    ...[9, 8, 7].map((less) => `{"x":"${'a'.repeat((1 << 20) - less)}"}`),
    `{"x":"${'a'.repeat((1 << 20) - 8)}"}\r`, `{"x":"${'a'.repeat((1 << 20) - 7)}"}\r`,
  )
  return Buffer.concat([Buffer.from(lines.join('\n') + '\n'), Buffer.from([0xff, 0xfe, 10]), Buffer.from('{"format":1}')])
}

async function positionsToTry() {
  const card = { seat: 0, card: 'SO' }
  const base = { rules: 'liga', trump: 'B', seat: 2, trick: [card, { seat: 1, card: 'RO' }], hand: ['CO', '3O', 'AC', 'SB'] }
  const values = [...odd, 'O', 'AO', 'SO', 0, 2, 3, ['AO', 'AO'], ['SO'], [card], [card, card], Array(4).fill(card)]
  const lines = [
    ...changed(base, [
      ['rules'], ['trump'], ['seat'], ['trick'], ['trick', 0], ['trick', 0, 'seat'], ['trick', 1, 'card'], ['hand'], ['hand', 0],
    ], values),
  ]
  return [...lines, ...lines.map((line) => `{"position":${line}}`), '{}', '{"position":1}', '[]', 'x'].join('\n')
}

async function momentsToTry() {
  const { out } = await run(native(), ['bots', '--random', '--rules', 'liga', '--matches', '1', '--seed', '6'])
  const whole = JSON.parse(out)
  const record = { ...whole, hands: whole.hands.slice(0, 3) }
  const base = { record, hand: 1, action: 7 }
  const indices = [0, 1, 2, 3, 4, 6, 8, 20, 40, 65_535, 65_536, 70_000, -0.5, '1', 1e21, ...odd]
  const long = (hands) => JSON.stringify({ record: { ...record, hands }, hand: hands.length - 1 })
  const lines = [
    ...changed(base, [['hand'], ['action'], ['record'], ['record', 'rules'], ['record', 'hands'], ['record', 'hands', 0]], indices),
    ...changed({ record }, [['hand'], ['action']], indices),
    ...changed(record, [['hand'], ['action']], indices),
    ...changed(base, [['record', 'hands', 0, 'actions', 4], ['record', 'hands', 1, 'actions', 6], ['record', 'hands', 2, 'actions', 0]], ['ZZ', 'silent']),
    ...changed(base, [['record', 'hands', 1, 'deal', 2, 3], ['record', 'hands', 1, 'dealer'], ['record', 'hands', 1, 'trump']]),
    ...[0, 1, 6, 7, 1000, 1001, 1002].flatMap((action) =>
      changed({ ...base, action }, [['record', 'hands', 1, 'actions']], [[], record.hands[1].actions, Array(1001).fill('AO')]),
    ),
    ...[-1, 0, 1].flatMap((more) => [
      JSON.stringify({ record: whole, hand: whole.hands.length + more }),
      JSON.stringify({ record: { ...record, hands: [...whole.hands, whole.hands[0]] }, hand: whole.hands.length + more, action: 4 }),
    ]),
    long(Array(40_000).fill({ dealer: 0, actions: [] })), long(Array(70_000).fill({ actions: [] })),
    JSON.stringify(base).replace('"hand"', '"hand":0,"hand"'), JSON.stringify(base).replace('"hand":1', '"hand":1.0'),
    JSON.stringify(base).replace('"hand":1', '"hand":-0'), JSON.stringify(base).replace('"hand":1', '"Hand":0,"hand":10e-1'),
    '{}', 'x', '[]', '1',
  ]
  return lines.join('\n')
}

/** Lines that ask for every point of the first two hands of some records. */
function* everyMoment(records) {
  for (const text of records) {
    const whole = JSON.parse(text)
    const record = { ...whole, hands: whole.hands.slice(0, 2), fair: undefined }
    for (const [hand, { actions }] of record.hands.entries()) {
      for (let action = 0; action <= actions.length; action++) yield JSON.stringify({ record, hand, action })
    }
  }
}

test('values of 500 points of random matches of each preset, and of house rules', async () => {
  const house = '{"preset":"clasica","maxCantes":1,"fortyFirst":true,"undertrump":"forced","partnerExempt":true,"bidderLeads":true}'
  for (const rules of [...presets, house]) {
    const { out } = await run(native(), ['bots', '--random', '--rules', rules, '--matches', '60', '--seed', '22'])
    const input = [...everyMoment(out.trimEnd().split('\n'))].join('\n')
    const theirs = await run(native(), ['solve'], input)
    const ours = await runModule(['solve'], input)
    assert.deepEqual(ours, theirs)
    assert.equal(ours.status, 0)
    assert.ok(ours.out.split('\n').filter((line) => line.startsWith('{"seat"')).length >= 500, rules)
  }
})

test('a last line without its end, of any length', async () => {
  for (const length of [100, 1 << 12, (1 << 16) - 1, 1 << 16, 3 << 16, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 17 << 16]) {
    for (const end of ['', '\r']) {
      const line = '{"format":"cuatrola-record/1","rules":"mesa","hands":[],"v":"'
      const input = line + 'x'.repeat(length - line.length - 2) + '"}' + end
      const theirs = await run(native(), ['replay'], input)
      const ours = await runModule(['replay'], input)
      assert.deepEqual({ ...ours, err: linesOf(ours.err) }, { ...theirs, err: linesOf(theirs.err) }, `${length} ${JSON.stringify(end)}`)
    }
  }
})

for (const [what, args, make] of [
  ['records', ['replay'], recordsToTry],
  ['records, traced', ['replay', '--trace'], recordsToTry],
  ['positions', ['legal'], positionsToTry],
  ['points of records', ['solve'], momentsToTry],
]) {
  test(`odd ${what}: the same answers, and the same lines refused`, async () => {
    const input = await make()
    const theirs = await run(native(), args, input)
    const ours = await runModule(args, input)
    assert.equal(ours.out, theirs.out)
    assert.deepEqual(linesOf(ours.err), linesOf(theirs.err))
    assert.match(ours.err, /^(line \d+: .+\n)+$/)
    assert.equal(ours.status, 1)
    assert.equal(theirs.status, 1)
  })
}
