// Views: what wire.AppendView writes becomes plain objects, and what a server sent as JSON becomes what wire.ReadView reads.

import { actionCode, actionTexts, cardCode, none, phases, suitOf, suitTexts, textsOf } from './codes.js'
import { FormatError, ModuleError } from './errors.js'
import { bestOf, readHand, readTrick } from './record.js'
import { parseRules, readRules, rulesSize, type Validate } from './rules.js'
import type { Hand, Pair, Rules, ServerView, Trick, View } from './types.js'
import type { Writer } from './writer.js'

const nobody = (code: number) => (code === none ? null : code)

/** The view that the module has written. */
export function readView(b: DataView): View {
  const at = rulesSize
  const bids: string[] = []
  for (let i = 0; i < b.getUint8(at + 17); i++) bids.push(actionTexts[b.getUint8(at + 26 + i)]!)
  const trump = b.getUint8(at + 15)
  return {
    rules: readRules(b, 0),
    viewer: b.getUint8(at),
    phase: phases[b.getUint8(at + 1)]!,
    turn: nobody(b.getUint8(at + 2)),
    winner: nobody(b.getUint8(at + 3)) as Pair | null,
    seq: b.getUint32(at + 4, true),
    handsFinished: b.getUint16(at + 8, true),
    score: [b.getUint16(at + 10, true), b.getUint16(at + 12, true)],
    dealer: nobody(b.getUint8(at + 14)),
    trump: trump === none ? null : actionTexts[trump]!,
    out: nobody(b.getUint8(at + 16)),
    cards: textsOf(b.getUint32(at + 18, true)),
    legal: textsOf(b.getUint32(at + 22, true)),
    bids,
    table: readTrick(b, at + 30),
    hand: readHand(b, at + 38),
  }
}

const pair = (n: readonly number[]): [number, number] => [n[0]!, n[1]!]

/**
 * A server's view as the module has it. While the seats' seeds are missing no hand is dealt; a match that was given up is over
 * and has no winner.
 */
export function fromServer(from: ServerView, rules: Rules): View {
  const cards = from.trick.cards.map((played) => played.card)
  const best = from.trump === null ? none : bestOf(cards.map(cardCode), suitOf(cardCode(from.trump)))
  const ended = from.phase === 'over' ? from.lastHand : null
  return {
    rules,
    viewer: from.you ?? 4,
    phase: from.phase === 'seeds' ? 'deal' : from.phase === 'void' ? 'over' : from.phase,
    turn: from.turn,
    winner: from.winner as Pair | null,
    seq: from.seq,
    handsFinished: from.scores.length,
    score: pair(from.score),
    dealer: from.dealer,
    trump: from.trump,
    out: from.out,
    cards: [...from.cards],
    legal: [...from.legal],
    bids: from.bids.map((said) => said.bid),
    table: { lead: from.trick.lead ?? 0, cards, winner: from.trick.cards.find((played) => cardCode(played.card) === best)?.seat ?? null },
    hand: {
      bid: from.bid,
      bidder: from.bidder,
      tricks: from.tricks.map((trick) => ({ ...trick, cards: [...trick.cards] })),
      cantes: from.cantes.map((cante) => ({ ...cante })),
      points: pair(from.points),
      tricksWon: pair(from.tricksWon),
      winner: (ended?.winner ?? null) as Pair | null,
      value: ended?.value ?? 0,
    },
  }
}

/**
 * Writes a view for the module. Views come from servers, so anything odd is refused, by the module at the latest; a phase
 * that the rules do not know (the server's wait for seeds) is one in which nothing can be done.
 */
export function writeView(w: Writer, view: View, validate: Validate) {
  try {
    put(w, view, validate)
  } catch (cause) {
    if (cause instanceof FormatError || cause instanceof ModuleError) throw cause
    throw new FormatError('not a view', { cause }) // a member that should be there is not
  }
}

function put(w: Writer, view: View, validate: Validate) {
  const trump = view.trump === null ? none : cardCode(view.trump)
  const suit = trump === none ? none : suitOf(trump)
  w.bytes(parseRules(view.rules, validate, true))
  w.uint8(view.viewer)
  w.uint8(Math.max(0, phases.indexOf(view.phase)))
  w.uint8(view.turn ?? none)
  w.uint8(view.winner ?? none)
  w.uint32(view.seq)
  w.uint16(view.handsFinished)
  w.uint16(view.score[0])
  w.uint16(view.score[1])
  w.uint8(view.dealer ?? none)
  w.uint8(trump)
  w.uint8(view.out ?? none)
  w.uint8(view.bids.length)
  w.uint32(setOf(view.cards))
  w.uint32(setOf(view.legal))
  for (let i = 0; i < 4; i++) w.uint8(i < view.bids.length ? actionCode(view.bids[i]!) : 0)
  putTrick(w, view.table, suit)
  putHand(w, view.hand, view.score, suit)
}

function putTrick(w: Writer, trick: Trick | undefined, trump: number) {
  const cards = (trick?.cards ?? []).map(cardCode)
  w.uint8(trick?.lead ?? none)
  w.uint8(trick?.winner ?? none)
  w.uint8(bestOf(cards, trump))
  w.uint8(cards.length)
  for (let i = 0; i < 4; i++) w.uint8(cards[i] ?? none)
}

function putHand(w: Writer, hand: Hand, score: readonly number[], trump: number) {
  w.uint8(actionCode(hand.bid))
  w.uint8(hand.bidder ?? none)
  w.uint8(hand.tricks.length)
  w.uint8(hand.cantes.length)
  for (let i = 0; i < 5; i++) putTrick(w, hand.tricks[i], trump)
  for (let i = 0; i < 4; i++) {
    const cante = hand.cantes[i]
    w.uint8(cante?.seat ?? 0)
    w.uint8(cante ? suitTexts.indexOf(cante.suit) : 0)
    w.uint8(cante?.points ?? 0)
    w.uint8(cante?.trick ?? 0)
  }
  w.uint16(hand.points[0])
  w.uint16(hand.points[1])
  w.uint8(hand.tricksWon[0])
  w.uint8(hand.tricksWon[1])
  w.uint8(hand.winner ?? none)
  w.uint8(hand.value)
  w.uint16(score[0]!)
  w.uint16(score[1]!)
}

function setOf(texts: readonly string[]): number {
  return texts.reduce((set, text) => {
    const code = actionCode(text)
    if (code >= 32) throw new FormatError(`a view cannot hold ${JSON.stringify(text)}`)
    return set | (1 << code)
  }, 0)
}
