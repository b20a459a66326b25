import { actionCode, actionTexts, none, phases, reasons, reasonsOf, textsOf } from './codes.js'
import { dealOf, drawn } from './deal.js'
import { FormatError } from './errors.js'
import { fairProof, writeSeeds, type Seeds } from './fair.js'
import { readHandResult, writeCards } from './record.js'
import { readRules, shortRules } from './rules.js'
import type { Module } from './module.js'
import type { Action, Deal, HandRecord, HandResult, MatchRecord, Pair, Phase, Reason, Reasons, Rules, Seat, View } from './types.js'
import { readView } from './view.js'
import { Writer } from './writer.js'

interface DealtHand {
  /** The dealer, the cards of seats 0 to 3, and the card shown. */
  cards: Uint8Array
  actions: number[]
}

/**
 * A match that is played here, by the module alone. The next hand is dealt as soon as one ends, if the match has a seed; else
 * it waits in phase `deal` for `deal`. The match keeps its own log, which is the match: a call that throws a ModuleError has
 * changed nothing, and the next one is answered.
 */
export class Match {
  readonly #module: Module
  readonly #rules: Uint8Array
  /** Null where the deals are given. */
  readonly #seeds: Seeds | null
  readonly #members: Partial<MatchRecord>
  readonly #hands: DealtHand[] = []
  readonly #results: HandResult[] = []
  #slot = 0

  /** @internal Use Cuatrola.newMatch or Cuatrola.resume. */
  constructor(module: Module, rules: Uint8Array, seeds: Seeds | null, members: Partial<MatchRecord>) {
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

  /** The seat to act, null at the end and while a deal is due. */
  get turn(): Seat | null {
    const seat = this.#scalar('turn')
    return seat === none ? null : seat
  }

  /** What the match waits for. */
  get phase(): Phase {
    return phases[this.#scalar('phase')]!
  }

  /** Whether the match has its winner. */
  get over(): boolean {
    return this.phase === 'over'
  }

  /** The pair that won the match, null while it is open. */
  get winner(): Pair | null {
    return this.view(4).winner
  }

  /** Match points by pair, after the last finished hand. */
  get score(): [number, number] {
    return [...(this.#results.at(-1)?.score ?? [0, 0])] as [number, number]
  }

  /** The finished hands. */
  get results(): readonly HandResult[] {
    return this.#results
  }

  /** What a seat, or a spectator (4), may know, and nothing else. Throws a RangeError for any other number. */
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

  /** What the seat whose turn it is may do, as a set of action codes (a bit each, in the order of `reasons`): the fast way. */
  legalMask(): number {
    return this.#scalar('legal') >>> 0
  }

  /** Why a seat's action would be refused, null if it may be done. */
  check(seat: Seat, action: Action): Reason | null {
    const slot = this.#fill()
    return reasons[this.#module.call((e) => e.check(slot, seatCode(seat), actionCode(action)))] ?? null
  }

  /** The same of every action that there is, all cards included. */
  reasons(seat: Seat): Reasons {
    const slot = this.#fill()
    return reasonsOf(this.#module.call((e) => actionCodes.map((code) => e.check(slot, seatCode(seat), code))))
  }

  /**
   * Does a seat's action, and deals the next hand if it was the hand's last and the match has a seed. Says why not, null if it
   * was done. What is refused changes nothing.
   */
  apply(seat: Seat, action: Action): Reason | null {
    return reasons[this.#apply(seatCode(seat), actionCode(action))] ?? null
  }

  /**
   * Deals the next hand of a match whose deals are given, once its phase is `deal`. Says why not, null if it was done:
   * `bad_deal`, `bad_dealer`, `hand_unfinished` or `match_over`. Throws a FormatError for what is no deal at all.
   */
  deal(deal: Deal): Reason | null {
    const w = new Writer()
    writeCards(w, deal)
    const hand = { cards: w.done().slice(), actions: [] }
    const reason = this.#deal(this.#fill(), hand)
    if (reason === 0) this.#hands.push(hand)
    return reasons[reason] ?? null
  }

  /** The match as it is written down, finished or not. `Cuatrola.resume` goes on with it. */
  record(): MatchRecord {
    const record: MatchRecord = {
      format: 'cuatrola-record/1',
      rules: shortRules(this.rules) as MatchRecord['rules'],
      hands: this.#hands.map(recordOf),
      ...this.#members,
    }
    if (this.#seeds) record.fair = fairProof(this.#seeds, this.#module.digest(this.#seeds.serverSeed))
    return record
  }

  #scalar(name: 'legal' | 'turn' | 'phase'): number {
    const slot = this.#fill()
    return this.#module.call((e) => e[name](slot))
  }

  /** The seat and the code are the module's: 255 for the seat whose turn it is. */
  #apply(seat: number, code: number): number {
    const slot = this.#fill()
    const reason = this.#module.call((e) => e.apply(slot, seat, code))
    if (reason !== 0) return reason
    const hands = this.#hands.length
    const finished = this.#results.length
    this.#hands[hands - 1]!.actions.push(code)
    try {
      const phase = this.phase
      if (phase === 'deal' || phase === 'over') {
        const length = this.#module.call((e) => e.lastHand(slot))
        this.#results.push(readHandResult(this.#module.answer(length), 0))
        this.#dealIfDue()
      }
    } catch (e) {
      // The log is the match: without this action, it has not been.
      this.#hands.length = hands
      this.#hands[hands - 1]!.actions.pop()
      this.#results.length = finished
      this.#module.evict(this)
      throw e
    }
    return 0
  }

  #dealIfDue() {
    if (!this.#seeds || this.phase !== 'deal') return
    const w = new Writer()
    writeSeeds(w, this.#seeds)
    this.#module.send(w.done())
    const index = this.#hands.length
    const dealer = index === 0 ? this.#module.call((e) => e.fairDealer()) : (this.#hands[index - 1]!.cards[0]! + 1) % 4
    const hand = { cards: drawn(this.#module, index, dealer), actions: [] }
    const reason = this.#deal(this.#fill(), hand)
    if (reason !== 0) throw new Error(`the module refuses its own deal: ${reasons[reason]}`)
    this.#hands.push(hand)
  }

  #deal(slot: number, hand: DealtHand): number {
    this.#module.send(hand.cards)
    return this.#module.call((e) => e.dealHand(slot))
  }

  #fill(): number {
    return (this.#slot = this.#module.slotOf(this, this.#slot))
  }

  /** @internal Folds the match's log into a slot of the module. */
  fold(slot: number) {
    this.#module.send(this.#rules)
    this.#module.requireOption(this.#module.call((e) => e.newMatch(slot)))
    for (const hand of this.#hands) {
      this.#deal(slot, hand)
      for (const action of hand.actions) this.#module.call((e) => e.apply(slot, none, action))
    }
  }

  /** @internal Plays the hands of a record. With seeds, its deals must be those that follow from them. */
  replay(hands: readonly HandRecord[]) {
    for (const [i, hand] of hands.entries()) {
      if (!this.#seeds) {
        const reason = this.deal(hand)
        if (reason) throw new FormatError(`hands[${i}] holds a deal that is refused: ${reason}`)
      }
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

const recordOf = (hand: DealtHand): HandRecord => ({ ...dealOf(hand.cards), actions: hand.actions.map((a) => actionTexts[a]!) })

/** A seat as the module has it: one that does not exist must not be taken for whose turn it is. */
const seatCode = (seat: Seat) => (seat >= 0 && seat < none ? seat : none - 1)

const actionCodes = actionTexts.map((_, code) => code)
