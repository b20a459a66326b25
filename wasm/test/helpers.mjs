import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const cli = fileURLToPath(new URL('../cli.mjs', import.meta.url))
export const presets = ['clasica', 'mesa', 'mesa-quintola', 'liga']

/** A folder that is gone when the process ends. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'cuatrola-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

let binary
/** The native command, built from this tree. */
export function native() {
  if (!binary) {
    binary = join(temporaryFolder(), 'cuatrola')
    execFileSync('go', ['build', '-o', binary, './server/cmd/cuatrola'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  return binary
}

/** Runs a command to its end with that input. */
export async function run(command, args, input = '', options = {}) {
  const child = spawn(command, args, { ...options, stdio: 'pipe' })
  const out = []
  const err = []
  child.stdout.on('data', (chunk) => out.push(chunk))
  child.stderr.on('data', (chunk) => err.push(chunk))
  child.stdin.on('error', () => {}) // it need not read to the end
  child.stdin.end(input)
  const status = await new Promise((resolve) => child.on('close', resolve))
  return { status, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }
}

export const runModule = (args, input) => run(process.execPath, [cli, ...args], input)

/** A number under n, the same sequence for the same seed. */
export function dice(seed) {
  let state = seed >>> 0
  return (n) => {
    state = (state + 0x9e3779b9) >>> 0
    let z = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35)
    return ((z ^ (z >>> 16)) >>> 0) % n
  }
}

/**
 * Plays matches of every preset and some house rules at random, and shows each state; before each action also whose and which
 * it will be.
 */
export function eachState(cuatrola, visit, matches = 2) {
  const house = [
    { preset: 'liga', target: 5, undertrump: 'forced', partnerExempt: true },
    { preset: 'mesa', target: 3, cantes: 'declare', fortyFirst: false, maxCantes: 1 },
    { preset: 'clasica', target: 6, bidderLeads: true, raising: false, end: 'hands' },
  ]
  const roll = dice(9)
  for (const rules of [...presets, ...house]) {
    for (let i = 0; i < matches; i++) {
      const match = cuatrola.newMatch({ rules, seed: `${i}` })
      while (!match.over) {
        const legal = match.legal(match.turn)
        const action = legal[roll(legal.length)]
        visit(match, match.turn, action)
        assert.equal(match.apply(match.turn, action), null)
      }
      visit(match)
    }
  }
}
