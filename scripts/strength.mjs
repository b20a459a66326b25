// How well the levels play, as the tables of docs/benchmarks.md, each row with the command that makes it.
//
//   node scripts/strength.mjs [--scale 0.1] [--seed 1] [--only PART] [--keep FOLDER] [--list]
//
// Whatever the machine, the same seed and scale give the same shares; only times differ. --scale takes fewer deals, --only the
// tables whose title has PART in it, --list prints the commands and plays nothing. With --keep, results are left in a folder, and
// what is there already is not played again: for a run that may be interrupted.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values: flags } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    keep: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
})

const presets = ['clasica', 'mesa', 'mesa-quintola', 'liga']
const each = (rows) => presets.flatMap((rules) => rows.map((row) => ({ ...row, rules, deals: row[rules] ?? row.deals })))

const tables = [
  {
    title: 'Each level against the one below',
    columns: ['rules', 'players', 'of matches', 'match points a hand'],
    rows: each([
      { players: 'tabernero aprendiz', mode: 'matches', deals: 500 },
      { players: 'veterano tabernero', mode: 'matches', deals: 200 },
      { players: 'maestro veterano', mode: 'matches', deals: 250, clasica: 400 },
    ]),
    cells: (r) => [r.rules, pair(r), share(r.wins), signed(r.matchPoints)],
  },
  {
    title: 'Cards alone',
    columns: ['rules', 'players', 'of hands', 'points a hand'],
    rows: [
      ...each([
        { players: 'cheater greedy', mode: 'hands', deals: 10_000 },
        { players: 'maestro greedy', mode: 'hands', deals: 3_000 },
      ]),
      { rules: 'clasica', players: 'veterano greedy', mode: 'hands', deals: 3_000 },
      { rules: 'clasica', players: 'pimc200 greedy', mode: 'hands', deals: 3_000 },
      { rules: 'clasica', players: 'maestro pimc200', mode: 'hands', deals: 20_000 },
      { rules: 'clasica', players: 'cheater maestro', mode: 'hands', deals: 2_000 },
    ],
    cells: (r) => [r.rules, pair(r), share(r.wins), signed(r.points)],
  },
  {
    title: 'Cards and bids',
    columns: ['rules', 'players', 'of matches', 'match points a hand'],
    rows: [
      ...each([
        { players: 'maestro greedy/maestro', mode: 'matches', deals: 600, mesa: 1_500, liga: 1_200 },
        { players: 'maestro greedy/never', mode: 'matches', deals: 300, 'mesa-quintola': 250, liga: 250 },
      ]),
      { rules: 'clasica', players: 'maestro pimc200', mode: 'matches', deals: 800 },
      { rules: 'liga', players: 'maestro pimc200', mode: 'matches', deals: 100 },
      { rules: 'clasica', players: 'maestro maestro/pimc200', mode: 'matches', deals: 150 },
      { rules: 'clasica', players: 'cheater maestro', mode: 'matches', deals: 60 },
    ],
    cells: (r) => [r.rules, pair(r), share(r.wins), signed(r.matchPoints)],
  },
  {
    title: 'How far from seeing all cards',
    columns: ['rules', 'played for', 'hands', 'cheater with the same bids wins', 'points a hand'],
    rows: each([{ players: 'cheater/maestro maestro', mode: 'bids', deals: 600 }]),
    lines: (r) =>
      r.contracts.map((c) => [r.rules, c.bid === 'pass' ? 'nobody bid' : c.bid, c.hands.n, share(c.hands), c.points.n > 0 ? signed(c.points) : '']),
  },
]

const number = (x, digits) => x.toFixed(digits).replace('-', '−')
const share = (e) => `${number(100 * e.mean, 1)} % (${number(100 * e.low, 1)} to ${number(100 * e.high, 1)})`
const plus = (x) => (x < 0 ? '' : '+') + number(x, 2)
const signed = (e) => `${plus(e.mean)} ± ${number(e.high - e.mean, 2)}`
const pair = (r) => `${r.a} against ${r.b}`

/** What a command prints, or printed when it was kept. */
function reportOf(args) {
  const file = flags.keep && join(flags.keep, `${args.join('_').replace(/[^\w-]/g, '+')}.json`)
  if (file && existsSync(file)) return JSON.parse(readFileSync(file))
  const played = spawnSync(binary, ['bots', 'match', ...args, '--json'], { stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 24 })
  if (played.status !== 0) process.exit(1)
  if (file) {
    mkdirSync(flags.keep, { recursive: true })
    writeFileSync(file, played.stdout)
  }
  return JSON.parse(played.stdout)
}

const folder = mkdtempSync(join(tmpdir(), 'cuatrola-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const binary = join(folder, 'cuatrola')
if (!flags.list) execFileSync('go', ['build', '-o', binary, './server/cmd/cuatrola'], { stdio: ['ignore', 'ignore', 'inherit'] })

const times = new Map()

for (const table of tables) {
  if (!table.title.toLowerCase().includes(flags.only.toLowerCase())) continue
  const columns = [...table.columns, 'of `cuatrola bots match`']
  console.log(`\n### ${table.title}\n\n| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}`)
  for (const row of table.rows) {
    const deals = Math.max(2, Math.round(row.deals * Number(flags.scale)))
    const args = [...row.players.split(' '), '--rules', row.rules, '--mode', row.mode, '--deals', `${deals}`]
    if (flags.seed !== '1') args.push('--seed', flags.seed)
    const command = `\`${args.join(' ')}\``
    if (flags.list) {
      console.log(`| ${command} |`)
      continue
    }
    const report = reportOf(args)
    for (const cells of table.lines ? table.lines(report) : [table.cells(report)]) console.log(`| ${[...cells, command].join(' | ')} |`)
    for (const [i, name] of [report.a, report.b].entries()) {
      for (const kind of ['bids', 'cards']) {
        const t = report.times[i][kind]
        const key = `${name}, ${kind}`
        if (!name.includes('/') && t.decisions > (times.get(key)?.decisions ?? 0)) times.set(key, t)
      }
    }
  }
}

if (!flags.list) {
  console.log('\n### Time for a decision with a choice, µs of processor time\n')
  console.log(`| who | decisions | a second | mean | p50 | p99 | max |\n|${'---|'.repeat(7)}`)
  for (const [key, t] of [...times].sort()) {
    const micros = [t.meanMicros, t.p50Micros, t.p99Micros, t.maxMicros].map((x) => x.toFixed(x < 10 ? 1 : 0))
    console.log(`| ${[key, t.decisions, Math.round(t.perSecond), ...micros].join(' | ')} |`)
  }
}
