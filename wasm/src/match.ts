import { actionCode, actionTexts, none, phases, reasons, textsOf } from './codes.js'
import { FormatError } from './errors.js'
import { fairProof, writeSeeds, type Seeds } from './fair.js'
import { readHandResult } from './record.js'
import { readRules, shortRules } from './rules.js'
import type { Module, Tenant } from './module.js'
import type { Action, HandRecord, HandResult, MatchRecord, Pair, Phase, Reason, Rules, Seat, View } from './types.js'
import { readView } from './view.js'
import { Writer } from './writer.js'

interface DealtHand {
  dealer: number
  /** The cards of seats 0 to 3, then the card shown. */
  cards: Uint8Array
  actions: number[]
}

/**
 * A match that is played here, by the module alone: everything dealt follows from its seeds. The next hand is dealt as soon
 * as one ends. The match keeps its own log, which is the match; what the module holds of it can be folded again at any time.
 */
export class Match implements Tenant {
  readonly #module: Module
  readonly #rules: Uint8Array
  readonly #seeds: Seeds
  readonly #members: Partial<MatchRecord>
  readonly #hands: DealtHand[] = []
  readonly #results: HandResult[] = []
  #slot = 0

  /** Use Cuatrola.newMatch or Cuatrola.resume. */
  constructor(module: Module, rules: Uint8Array, seeds: Seeds, members: Partial<MatchRecord>) {
    this.#module = module
    this.#rules = rules
    this.#seeds = seeds
    this.#members = members
    this.#dealIfDue()
  }

  /** The rule set with every option filled in. */
  get rules(): Rules {
    return readRules(new DataView(this.#rules.buffer, this.#rules.byteOffset), 0)
  }

  /** The seat to act, null at the end. */
  get turn(): Seat | null {
    const seat = this.#scalar('turn')
    return seat === none ? null : seat
  }

  get phase(): Phase {
    return phases[this.#scalar('phase')]!
  }

  get over(): boolean {
    return this.phase === 'over'
  }

  get winner(): Pair | null {
    return this.view(4).winner
  }

  get score(): [number, number] {
    return this.#results.at(-1)?.score ?? [0, 0]
  }

  /** The finished hands. */
  get results(): readonly HandResult[] {
    return this.#results
  }

  /** What a seat, or a spectator (4), may know. */
  view(viewer: Seat): View {
    const slot = this.#fill()
    const length = this.#module.call((e) => e.matchView(slot, viewer))
    if (length < 0) throw new RangeError(`no seat ${viewer}`)
    return readView(this.#module.answer(length))
  }

  /** What a seat may do now, in the rules' order; nothing unless it is its turn. */
  legal(seat: Seat): Action[] {
    return this.turn === seat ? textsOf(this.legalMask()) : []
  }

  /** What the seat whose turn it is may do, as a set of action codes: the fast way. */
  legalMask(): number {
    return this.#scalar('legal') >>> 0
  }

  /** Why the action would be refused, null if it may be done. */
  check(seat: Seat, action: Action): Reason | null {
    const slot = this.#fill()
    return reasons[this.#module.call((e) => e.check(slot, seat, actionCode(action)))] ?? null
  }

  /** Does the action, and deals the next hand if it was the hand's last. Says why not, null if it was done. */
  apply(seat: Seat, action: Action): Reason | null {
    const code = actionCode(action)
    const reason = this.#apply(seat, code)
    return reasons[reason] ?? null
  }

  /** The match as it is written down, finished or not. */
  record(): MatchRecord {
    return {
      format: 'cuatrola-record/1',
      rules: shortRules(this.rules) as MatchRecord['rules'],
      hands: this.#hands.map(recordOf),
      ...this.#members,
      fair: fairProof(this.#seeds, this.#module.digest(this.#seeds.serverSeed)),
    }
  }

  #scalar(name: 'legal' | 'turn' | 'phase'): number {
    const slot = this.#fill()
    return this.#module.call((e) => e[name](slot))
  }

  #apply(seat: number, code: number): number {
    const slot = this.#fill()
    const finished = this.#results.length
    const reason = this.#module.call((e) => e.apply(slot, seat, code))
    if (reason !== 0) return reason
    this.#hands.at(-1)!.actions.push(code)
    const phase = this.phase
    if (phase === 'deal' || phase === 'over') {
      const length = this.#module.call((e) => e.lastHand(slot))
      this.#results[finished] = readHandResult(this.#module.answer(length), 0)
      this.#dealIfDue()
    }
    return 0
  }

  #dealIfDue() {
    if (this.phase !== 'deal') return
    const w = new Writer()
    writeSeeds(w, this.#seeds)
    this.#module.send(w.done())
    const index = this.#hands.length
    const dealer = index === 0 ? this.#module.call((e) => e.fairDealer()) : (this.#hands[index - 1]!.dealer + 1) % 4
    const length = this.#module.call((e) => e.fairDeal(index, dealer))
    const answer = this.#module.answer(length)
    const cards = new Uint8Array(answer.buffer, answer.byteOffset, length).slice()
    const slot = this.#fill()
    this.#deal(slot, { dealer, cards, actions: [] })
    this.#hands.push({ dealer, cards, actions: [] })
  }

  #deal(slot: number, hand: DealtHand) {
    const bytes = new Uint8Array(22)
    bytes[0] = hand.dealer
    bytes.set(hand.cards, 1)
    this.#module.send(bytes)
    const reason = this.#module.call((e) => e.dealHand(slot))
    if (reason !== 0) throw new Error(`the module refuses its own deal: ${reasons[reason]}`)
  }

  #fill(): number {
    return (this.#slot = this.#module.slotOf(this, this.#slot))
  }

  /** Folds the match's log into a slot of the module. For the module's use. */
  fold(slot: number) {
    this.#module.send(this.#rules)
    this.#module.requireOption(this.#module.call((e) => e.newMatch(slot)))
    for (const hand of this.#hands) {
      this.#deal(slot, hand)
      for (const action of hand.actions) this.#module.call((e) => e.apply(slot, none, action))
    }
  }

  /** Plays the actions of a record that was written of this match. */
  replay(hands: readonly HandRecord[]) {
    for (const [i, hand] of hands.entries()) {
      const mine = this.#hands[i]
      if (!mine || JSON.stringify(recordOf(mine).deal) !== JSON.stringify(hand.deal)) {
        throw new FormatError(`hands[${i}] does not follow from the record's seeds`)
      }
      for (const action of hand.actions) {
        const reason = this.#apply(none, actionCode(action))
        if (reason !== 0) throw new FormatError(`hands[${i}] holds an action that is refused: ${reasons[reason]}`)
      }
    }
  }
}

function recordOf(hand: DealtHand): HandRecord {
  const texts = Array.from(hand.cards, (c) => actionTexts[c]!)
  return {
    dealer: hand.dealer,
    deal: [0, 1, 2, 3].map((s) => texts.slice(5 * s, 5 * s + 5)),
    trump: texts[20]!,
    actions: hand.actions.map((a) => actionTexts[a]!),
  }
}
