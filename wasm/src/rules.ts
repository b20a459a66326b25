// Rule sets: a preset's name or house rules in, the module's sixteen bytes out, and back. server/record/ruleset.go reads the
// same JSON: what one accepts the other does, and both name the same option when they refuse.

import { FormatError, OptionError } from './errors.js'
import { presets } from './names.js'
import type { BidTerms, Options, Preset, Rules } from './types.js'

/** A rule set's length in binary form. */
export const rulesSize = 16

type Kind = 'flag' | 'uint8' | 'int8orNull' | 'int16orNull' | readonly string[]

/** Every option but the preset: the kind of its value and its place in the binary form. */
const options: { readonly [name in keyof Options]: { kind: Kind; at: number } } = {
  end: { kind: ['points', 'hands'], at: 1 },
  target: { kind: 'uint8', at: 2 },
  exactTarget: { kind: 'flag', at: 3 },
  bonusAbove: { kind: 'int16orNull', at: 4 },
  tie: { kind: ['mano', 'lastTrick'], at: 6 },
  cantes: { kind: ['declare', 'auto'], at: 7 },
  maxCantes: { kind: 'int8orNull', at: 8 },
  fortyFirst: { kind: 'flag', at: 9 },
  beat: { kind: ['best', 'led'], at: 10 },
  stopWhenLost: { kind: 'flag', at: 11 },
  undertrump: { kind: ['free', 'forced'], at: 12 },
  partnerExempt: { kind: 'flag', at: 13 },
  raising: { kind: 'flag', at: 14 },
  bidderLeads: { kind: 'flag', at: 15 },
}

const base: Options = {
  end: 'points',
  target: 11,
  exactTarget: false,
  bonusAbove: null,
  tie: 'mano',
  cantes: 'declare',
  maxCantes: null,
  fortyFirst: false,
  beat: 'best',
  stopWhenLost: false,
  undertrump: 'free',
  partnerExempt: false,
  raising: true,
  bidderLeads: false,
}

const presetOptions: { readonly [preset in Preset]: Options } = {
  clasica: { ...base, exactTarget: true, beat: 'led' },
  mesa: { ...base, end: 'hands', cantes: 'auto', fortyFirst: true },
  'mesa-quintola': { ...base, end: 'hands', cantes: 'auto', fortyFirst: true },
  liga: {
    ...base, target: 21, exactTarget: true, bonusAbove: 100, tie: 'lastTrick', maxCantes: 2, fortyFirst: true, stopWhenLost: true,
  },
}

const presetBids: { readonly [preset in Preset]: readonly BidTerms[] } = {
  clasica: bids([null, 2], [4, 4], [5, 5]),
  mesa: bids([null, 2], [5, 4]),
  'mesa-quintola': bids([null, 2], [4, 4], [5, 5]),
  liga: bids([3, 2], [4, 4], [5, 5]),
}

function bids(...terms: [needs: number | null, value: number][]): BidTerms[] {
  const names = ['solo', 'cuatrola', 'quintola'] as const
  return terms.map(([needs, value], i) => ({ name: names[i]!, needs, value }))
}

/** Says which option of a rule set in binary form is outside its range, if any: the module's own answer. */
export type Validate = (rules: Uint8Array) => string | null

/**
 * Reads a rule set from decoded JSON. `full` also takes what views hold: a rule set with its bids written out.
 * Throws an OptionError for the first option, by name, that does not exist or has a value it cannot take.
 */
export function parseRules(json: unknown, validate: Validate, full = false): Uint8Array {
  if (json === undefined || json === null) throw new FormatError('rules are missing')
  if (typeof json === 'string') return presetBytes(json)
  if (typeof json !== 'object' || Array.isArray(json)) {
    throw new FormatError("rules are neither a preset's name nor an object")
  }
  const members = json as Record<string, unknown>
  const bytes = presetBytes(Object.hasOwn(members, 'preset') ? members['preset'] : undefined)
  for (const name of Object.keys(members).sort(byCodePoint)) {
    if (name === 'preset' || (full && name === 'bids')) continue
    const option = Object.hasOwn(options, name) ? options[name as keyof Options] : undefined
    if (!option || !put(bytes, option, members[name])) throw new OptionError(name)
    // Ranges are the module's business. Asking after each number makes it name the same option as the server does.
    if (typeof members[name] === 'number' && validate(bytes) !== null) throw new OptionError(name)
  }
  return bytes
}

/** The server's order of texts. JavaScript's own is of UTF-16, where a character of two units comes too early. */
function byCodePoint(a: string, b: string): number {
  for (let i = 0; ; i++) {
    const x = a.codePointAt(i) ?? -1
    const y = b.codePointAt(i) ?? -1
    if (x !== y || x < 0) return x - y
  }
}

function presetBytes(name: unknown): Uint8Array {
  if (typeof name !== 'string' || !Object.hasOwn(presetOptions, name)) throw new OptionError('preset')
  const bytes = new Uint8Array(rulesSize)
  bytes[0] = presets.indexOf(name as Preset)
  for (const [option, value] of Object.entries(presetOptions[name as Preset])) put(bytes, options[option as keyof Options], value)
  return bytes
}

/** Writes an option's value. False if it is not of its type, or a number that does not fit. */
function put(bytes: Uint8Array, { kind, at }: { kind: Kind; at: number }, value: unknown): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  switch (kind) {
    case 'flag':
      if (typeof value !== 'boolean') return false
      bytes[at] = value ? 1 : 0
      return true
    case 'uint8':
      if (!fits(value, 255)) return false
      bytes[at] = value
      return true
    case 'int8orNull':
      if (value !== null && !fits(value, 127)) return false
      view.setInt8(at, value ?? -1)
      return true
    case 'int16orNull':
      if (value !== null && !fits(value, 32767)) return false
      view.setInt16(at, value ?? -1, true)
      return true
    default: {
      const i = kind.indexOf(value as string)
      if (i < 0) return false
      bytes[at] = i
      return true
    }
  }
}

function fits(value: unknown, highest: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= highest
}

/** The rule set at a place in the module's answer, with every option filled in. */
export function readRules(view: DataView, start: number): Rules {
  const preset = presets[view.getUint8(start)]!
  const rules: Record<string, unknown> = { preset, bids: presetBids[preset].map((bid) => ({ ...bid })) }
  for (const [name, { kind, at }] of Object.entries(options)) {
    const place = start + at
    let value: unknown
    if (kind === 'flag') value = view.getUint8(place) === 1
    else if (kind === 'uint8') value = view.getUint8(place)
    else if (kind === 'int8orNull') value = orNull(view.getInt8(place))
    else if (kind === 'int16orNull') value = orNull(view.getInt16(place, true))
    else value = kind[view.getUint8(place)]
    rules[name] = value
  }
  return rules as unknown as Rules
}

function orNull(v: number): number | null {
  return v === -1 ? null : v
}

/** A rule set as short as it can be said: the preset's name, or an object of what differs from it. */
export function shortRules(rules: Rules): unknown {
  const preset = presetOptions[rules.preset]
  const different = Object.keys(options).filter((name) => rules[name as keyof Options] !== preset[name as keyof Options])
  if (different.length === 0) return rules.preset
  return Object.fromEntries([['preset', rules.preset], ...different.map((name) => [name, rules[name as keyof Options]])])
}
