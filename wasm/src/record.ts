// Records and positions in, results and traces out: JSON on this side, bytes on the module's. server/record writes and reads
// the same JSON natively; a test compares the two byte for byte.

import { actionCode, actionTexts, cardCode, none, phases, reasons, suitOf, suitTexts, textsOf } from './codes.js'
import { FormatError } from './errors.js'
import { parseRules, type Validate } from './rules.js'
import type { Hand, HandResult, Result, TraceEntry, Values } from './types.js'
import type { Writer } from './writer.js'

type Members = Record<string, unknown>

// What the binary form has room for, and more actions than any hand has: a record with more is at fault before them.
export const maxHands = 65535
export const maxActions = 1000

/** Reads a line of JSON that is an object. */
export function parseLine(text: string): Members {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new FormatError('not JSON')
  }
  if (!serverReads(text)) throw new FormatError('not JSON')
  return requireObject(json)
}

/**
 * Whether the server reads this JSON too. It refuses a number that is too large, which JSON.parse reads as infinity, and
 * lists and objects in each other beyond a limit: also in a member that is there again, of which JSON.parse keeps the last.
 */
function serverReads(text: string): boolean {
  // Nearly every line has neither, and is too short for the one and without what makes the other.
  if (text.length <= 2 * maxDepth && !/\d[eE]\+?\d|\d{300}/.test(text)) return true
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if (c === '"') {
      while (text[++i] !== '"') if (text[i] === '\\') i++
    } else if (c === '[' || c === '{') {
      if (++depth > maxDepth) return false
    } else if (c === ']' || c === '}') {
      depth--
    } else if (c >= '0' && c <= '9') {
      number.lastIndex = i
      if (!Number.isFinite(Number(number.exec(text)![0]))) return false
      i = number.lastIndex - 1
    }
  }
  return true
}

const maxDepth = 10_000
const number = /[\d.eE+-]+/y

/** The object itself, or the one that it holds under a name. */
export function inner(object: unknown, under: string): Members {
  const json = requireObject(object)
  if (!Object.hasOwn(json, under)) return json
  const held = json[under]
  if (!isObject(held)) throw new FormatError(`${under} is not a JSON object`)
  return held
}

function requireObject(json: unknown): Members {
  if (!isObject(json)) throw new FormatError('not a JSON object')
  return json
}

function isObject(json: unknown): json is Members {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

/** A member, undefined where there is none: what is inherited is not JSON. */
function member(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

/** Writes a record in the form that wire.Record reads. */
export function writeRecord(w: Writer, record: Members, validate: Validate) {
  if (member(record, 'format') !== 'cuatrola-record/1') throw new FormatError('format is not "cuatrola-record/1"')
  w.bytes(parseRules(member(record, 'rules'), validate))
  const hands = member(record, 'hands')
  if (!Array.isArray(hands)) throw new FormatError('hands is not a list')
  w.uint16(Math.min(hands.length, maxHands))
  hands.forEach((hand, i) => {
    const start = w.length
    try {
      writeHand(w, hand)
    } catch (e) {
      if (e instanceof FormatError) throw new FormatError(`hands[${i}]: ${e.message}`)
      throw e
    }
    if (i >= maxHands) w.length = start
  })
}

function writeHand(w: Writer, hand: unknown) {
  writeCards(w, hand)
  const actions = member(hand as Members, 'actions')
  if (!Array.isArray(actions)) throw new FormatError('actions is not a list')
  w.uint16(Math.min(actions.length, maxActions))
  for (let i = 0; i < actions.length; i++) {
    const action: unknown = actions[i]
    if (typeof action !== 'string') throw new FormatError(`actions[${i}] is not a text`)
    if (i < maxActions) w.uint8(actionCode(action))
  }
}

/** Writes a hand's deal in the form that dealHand takes: the dealer, the cards of seats 0 to 3 and the card shown. */
export function writeCards(w: Writer, hand: unknown) {
  if (!isObject(hand)) throw new FormatError('not a JSON object')
  const dealer = member(hand, 'dealer') ?? none
  if (typeof dealer !== 'number') throw new FormatError('dealer is not a number')
  w.uint8(isSeat(dealer) ? dealer : none)
  writeDeal(w, member(hand, 'deal'))
  const trump = member(hand, 'trump') ?? ''
  if (typeof trump !== 'string') throw new FormatError('trump is not a text')
  w.uint8(cardCode(trump))
}

/** Writes the cards of seats 0 to 3; what is missing or no card is 255, which a replay calls a bad deal. */
function writeDeal(w: Writer, deal: unknown) {
  const cards = new Uint8Array(20).fill(none)
  if (deal !== undefined && deal !== null) {
    if (!Array.isArray(deal)) throw new FormatError('deal is not a list')
    let malformed = deal.length !== 4
    for (let s = 0; s < deal.length; s++) {
      const list: unknown = deal[s]
      if (!Array.isArray(list)) throw new FormatError(`deal[${s}] is not a list`)
      malformed ||= list.length !== 5
      for (let i = 0; i < list.length; i++) {
        const card: unknown = list[i]
        if (typeof card !== 'string') throw new FormatError(`deal[${s}][${i}] is not a text`)
        if (s < 4 && i < 5) cards[5 * s + i] = cardCode(card)
      }
    }
    if (malformed) cards[0] = none
  }
  w.bytes(cards)
}

function isSeat(n: unknown): n is number {
  return n === 0 || n === 1 || n === 2 || n === 3
}

/** Writes a position in the form that wire.ReadPosition reads. */
export function writePosition(w: Writer, position: Members, validate: Validate) {
  w.bytes(parseRules(member(position, 'rules'), validate))
  const trump = suitTexts.indexOf(member(position, 'trump') as string)
  if (trump < 0) throw new FormatError('trump is not a suit')
  w.uint8(trump)
  const seat = member(position, 'seat')
  if (!isSeat(seat)) throw new FormatError('seat is not 0, 1, 2 or 3')
  w.uint8(seat)
  const trick = member(position, 'trick')
  if (!Array.isArray(trick) || trick.length > 3) throw new FormatError('trick is not a list of at most three cards')
  let cards = 0
  let spoken = 1 << seat
  const newCard = (text: unknown): number => {
    const card = typeof text === 'string' ? cardCode(text) : none
    if (card === none || (cards >> card) & 1) return none
    cards |= 1 << card
    return card
  }
  const table = trick.map((played: unknown, i) => {
    const by = isObject(played) ? member(played, 'seat') : undefined
    if (!isSeat(by) || (spoken >> by) & 1) throw new FormatError(`trick[${i}]: seat is not another one of the table`)
    const card = newCard(member(played as Members, 'card'))
    if (card === none) throw new FormatError(`trick[${i}]: card is not one of the pack, or is there twice`)
    spoken |= 1 << by
    return [by, card] as const
  })
  const hand = member(position, 'hand')
  if (!Array.isArray(hand) || hand.length > 5) throw new FormatError('hand is not a list of at most five cards')
  let held = 0
  hand.forEach((text: unknown, i) => {
    const card = newCard(text)
    if (card === none) throw new FormatError(`hand[${i}] is not a card of the pack, or is there twice`)
    held |= 1 << card
  })
  w.uint32(held)
  w.uint8(table.length)
  for (const [by, card] of table) {
    w.uint8(by)
    w.uint8(card)
  }
}

/**
 * Writes the record of a moment in the form that wire.Record reads, and says which hand and action are meant. They are null
 * where the record does not say.
 */
export function writeMoment(w: Writer, moment: Members, validate: Validate): { hand: number; action: number | null; found: boolean } {
  const record = inner(moment, 'record')
  writeRecord(w, record, validate)
  const hands = member(record, 'hands') as Members[]
  const hand = index(moment, 'hand') ?? Math.max(hands.length - 1, 0)
  const end = hand < hands.length ? (member(hands[hand]!, 'actions') as unknown[]).length : null
  const action = index(moment, 'action') ?? end
  return { hand, action, found: end !== null && action! <= end }
}

function index(members: Members, name: string): number | null {
  const value = member(members, name) ?? null
  if (value === null || isIndex(value)) return value
  throw new FormatError(`${name} is not a whole number from 0 to 65535`)
}

function isIndex(n: unknown): n is number {
  return typeof n === 'number' && Number.isInteger(n) && n >= 0 && n <= 65535
}

/** The values that the module has written. */
export function readValues(view: DataView): Values {
  const error = reasons[view.getUint8(0)]
  if (error) {
    const action = view.getUint16(4, true)
    return { ok: false, hand: view.getUint16(2, true), action: action === noAction ? null : action, error }
  }
  const order = textsOf(view.getUint32(6, true))
  const values = order.map((text, i) => [text, view.getInt16(10 + 2 * i, true)] as const)
  return { seat: view.getUint8(1), values: Object.fromEntries(values.sort(([a], [b]) => (a < b ? -1 : 1))) }
}

// Lengths of wire's parts.
const resultHeader = 16
const trickSize = 8
export const handSize = 4 + 5 * trickSize + 4 * 4 + 12
const traceSize = 10
const noAction = 0xffff

const nobody = (code: number) => (code === none ? null : code)

/** The trick at a place. */
export function readTrick(view: DataView, at: number) {
  const cards: string[] = []
  for (let i = 0; i < view.getUint8(at + 3); i++) cards.push(actionTexts[view.getUint8(at + 4 + i)]!)
  return { lead: nobody(view.getUint8(at)) ?? 0, cards, winner: nobody(view.getUint8(at + 1)) }
}

/** The hand at a place. */
export function readHand(view: DataView, at: number): Hand {
  const tricks = []
  for (let i = 0; i < view.getUint8(at + 2); i++) tricks.push(readTrick(view, at + 4 + i * trickSize))
  const cantes = []
  for (let i = 0; i < view.getUint8(at + 3); i++) {
    const cante = at + 4 + 5 * trickSize + 4 * i
    cantes.push({
      seat: view.getUint8(cante),
      suit: suitTexts[view.getUint8(cante + 1)]!,
      points: view.getUint8(cante + 2),
      trick: view.getUint8(cante + 3),
    })
  }
  const end = at + handSize - 12
  return {
    bid: actionTexts[view.getUint8(at)]!,
    bidder: nobody(view.getUint8(at + 1)),
    tricks,
    cantes,
    points: [view.getUint16(end, true), view.getUint16(end + 2, true)],
    tricksWon: [view.getUint8(end + 4), view.getUint8(end + 5)],
    winner: nobody(view.getUint8(end + 6)) as Hand['winner'],
    value: view.getUint8(end + 7),
  }
}

export function readHandResult(view: DataView, at: number): HandResult {
  const end = at + handSize - 4
  return { ...(readHand(view, at) as HandResult), score: [view.getUint16(end, true), view.getUint16(end + 2, true)] }
}

/** The result that the module has written. Its members stand in the order of the rules' page. */
export function readResult(view: DataView): Result {
  const hands: HandResult[] = []
  const count = view.getUint16(6, true)
  for (let i = 0; i < count; i++) hands.push(readHandResult(view, resultHeader + i * handSize))
  const error = reasons[view.getUint8(0)]
  if (error) {
    const action = view.getUint16(4, true)
    return { ok: false, hand: view.getUint16(2, true), action: action === noAction ? null : action, error, hands }
  }
  return {
    ok: true,
    hands,
    score: [view.getUint16(8, true), view.getUint16(10, true)],
    winner: nobody(view.getUint8(1)) as Hand['winner'],
  }
}

/** The trace that stands behind a result. */
export function readTrace(view: DataView): TraceEntry[] {
  const trace: TraceEntry[] = []
  const count = view.getUint32(12, true)
  let at = view.byteLength - count * traceSize
  for (let i = 0; i < count; i++, at += traceSize) {
    trace.push({
      hand: view.getUint16(at, true),
      i: view.getUint16(at + 2, true),
      phase: phases[view.getUint8(at + 4)]!,
      seat: view.getUint8(at + 5),
      legal: sorted(view.getUint32(at + 6, true)),
    })
  }
  return trace
}

const sortedSets = new Map<number, string[]>()

/** The texts of a set of actions in the order of texts. Sets recur, so each is sorted once. */
export function sorted(set: number): string[] {
  let texts = sortedSets.get(set)
  if (!texts) {
    texts = textsOf(set).sort()
    if (sortedSets.size < 10_000) sortedSets.set(set, texts)
  }
  return [...texts]
}

/** The card that is winning a trick so far, by the rules' own order; 255 while nothing is played. */
export function bestOf(cards: readonly number[], trump: number): number {
  return cards.reduce((best, card) => {
    const same = suitOf(card) === suitOf(best)
    return best === none || (same && card > best) || (!same && suitOf(card) === trump) ? card : best
  }, none)
}
