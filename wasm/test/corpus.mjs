// Writes testdata anew with the native command: `node wasm/test/corpus.mjs`. What is committed is what the native command
// said when it was written, so that a change of either side shows.

import { writeFileSync } from 'node:fs'
import { dice, native, presets, run } from './helpers.mjs'

const roll = dice(3)
const oneOf = (list) => list[roll(list.length)]

async function lines(args, input) {
  const { status, out, err } = await run(native(), args, input)
  if (status !== 0) throw new Error(err)
  return out.trimEnd().split('\n')
}

/** Records with what replaying them gives; with traces if asked. */
async function answered(records, trace) {
  const answers = await lines(trace ? ['replay', '--trace'] : ['replay'], records.join('\n'))
  return records.map((record, i) => `{"record":${record},${trace ? answers[i].slice(1, -1) : `"result":${answers[i]}`}}`)
}

const bots = (rules, seed, ...more) => lines(['bots', '--random', '--rules', rules, '--seed', `${seed}`, ...more])

function houseRules() {
  const all = {
    end: ['points', 'hands'], target: [1, 3, 5, 20], exactTarget: [true, false], bonusAbove: [null, 0, 70, 250],
    tie: ['mano', 'lastTrick'], cantes: ['declare', 'auto'], maxCantes: [null, 0, 1, 4], fortyFirst: [true, false],
    beat: ['led', 'best'], stopWhenLost: [true, false], undertrump: ['free', 'forced'], partnerExempt: [true, false],
    raising: [true, false], bidderLeads: [true, false],
  }
  const rules = { preset: oneOf(presets), target: oneOf(all.target) }
  for (const name of Object.keys(all)) if (roll(3) === 0) rules[name] = oneOf(all[name])
  return JSON.stringify(rules)
}

function position() {
  const deck = ['O', 'C', 'E', 'B'].flatMap((s) => ['S', 'C', 'R', '3', 'A'].map((r) => r + s))
  for (let i = deck.length - 1; i > 0; i--) {
    const j = roll(i + 1)
    ;[deck[i], deck[j]] = [deck[j], deck[i]]
  }
  const seat = roll(4)
  const played = roll(4)
  const trick = deck.slice(0, played).map((card, i) => ({ seat: (seat + 4 - played + i) % 4, card }))
  const hand = deck.slice(4, 4 + 1 + roll(5))
  return JSON.stringify({ rules: roll(2) ? oneOf(presets) : JSON.parse(houseRules()), trump: oneOf([...'OCEB']), seat, trick, hand })
}

const write = (name, content) => writeFileSync(new URL(`testdata/${name}.jsonl`, import.meta.url), content.join('\n') + '\n')

const whole = []
for (const preset of presets) whole.push(...(await bots(preset, 1)))
write('matches', await answered(whole, true))

const house = []
for (let i = 0; i < 24; i++) house.push(...(await bots(houseRules(), i)))
write('house', await answered(house.filter((record) => record.length < 3500), true))

const illegal = []
for (const preset of presets) illegal.push(...(await bots(preset, 2, '--illegal', '--matches', '12')))
write('illegal', await answered(illegal.filter((record) => record.length < 2500), false))

const positions = Array.from({ length: 120 }, position)
const legal = await lines(['legal'], positions.join('\n'))
write('positions', positions.map((p, i) => `{"position":${p},${legal[i].slice(1)}`))
