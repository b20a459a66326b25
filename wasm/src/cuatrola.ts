import { actionCode, actionTexts, fairFaults, none, reasons, reasonsOf, textsOf } from './codes.js'
import { dealOf, drawn } from './deal.js'
import { FormatError, OptionError } from './errors.js'
import { parseFair, requireId, writeSeeds, type Seeds } from './fair.js'
import { Match } from './match.js'
import type { Module } from './module.js'
import { levels } from './names.js'
import {
  inner, maxActions, maxHands, parseLine, readResult, readTrace, readValues, sorted, writeMoment, writePosition, writeRecord,
} from './record.js'
import { addUp, readReview } from './review.js'
import { parseRules, readRules } from './rules.js'
import type { Language } from './texts.js'
import type {
  Action, BotOptions, Deal, FairProof, HandReview, HouseRules, Level, MatchRecord, Moment, NewMatch, PauseOptions, Position, Promised, Reason, Reasons,
  Result, ReviewOptions, Rules, Seat, ServerView, TraceEntry, Values, Verdict, View,
} from './types.js'
import { bytesOf, textOf } from './utf8.js'
import { fromServer, readView, writeView } from './view.js'
import { Writer } from './writer.js'

/** What stands before a review: why there is none, and where. */
const reviewHeader = 5

/**
 * The rules, as one instance of the module has them. Every call answers at once.
 *
 * A call that throws a ModuleError, which no input should bring about, has changed nothing: a new instance answers the next
 * one, and matches go on. What cannot be read throws a FormatError.
 */
export class Cuatrola {
  /** @internal The module itself, for those who measure it. */
  readonly module: Module
  readonly #writer = new Writer()

  /** @internal Use init or instantiate. */
  constructor(module: Module) {
    this.module = module
  }

  /**
   * Settled when calls are answered: at once, but for a while after a breakdown where instances can only be made later (see
   * `instantiate`). Rejects if none can be had.
   */
  ready(): Promise<void> {
    return this.module.ready()
  }

  /**
   * A rule set with every option filled in. Throws an OptionError that names the first option, by name, that there is not or
   * that has a value it cannot take; a FormatError for what is neither a preset's name nor an object.
   */
  rules(house: HouseRules): Rules {
    const bytes = this.#rules(house)
    return readRules(new DataView(bytes.buffer, bytes.byteOffset), 0)
  }

  /**
   * Starts a match that is played here, with its first hand dealt: drawn from a seed, as all that follow, or given. Throws an
   * OptionError as `rules` does, and a FormatError for an `id` that is too long or a deal that is refused.
   */
  newMatch(options: NewMatch): Match {
    const { rules, id = 'local' } = options
    const members = id === 'local' ? {} : { id: requireId(id, 'id') }
    if ('seed' in options) return new Match(this.module, this.#rules(rules), this.#seeds(options.seed, id), members)
    const match = new Match(this.module, this.#rules(rules), null, members)
    const reason = match.deal(options.deal)
    if (reason) throw new FormatError(`the deal is refused: ${reason}`)
    return match
  }

  /**
   * Goes on with a match from what its `record` gave: one that was drawn from a seed draws on, one whose deals were given waits
   * for the next. Throws a FormatError for what is no record, or one that does not follow from its seeds or the rules.
   */
  resume(record: MatchRecord): Match {
    writeRecord(this.#writer.reset(), inner(record, 'record'), this.#validate) // what is no record is refused as such
    const { format: _, rules, hands, fair, ...members } = inner(record, 'record') as unknown as MatchRecord
    const match = new Match(this.module, this.#rules(rules), fair === undefined ? null : parseFair(fair), members)
    match.replay(hands)
    return match
  }

  /** A deal that follows from a seed: for `DealtMatch.deal` and `Match.deal`. */
  dealFrom(seed: string, dealer: Seat): Deal {
    if (!(dealer >= 0 && dealer < 4)) throw new RangeError(`no seat ${dealer}`)
    const w = this.#writer.reset()
    writeSeeds(w, this.#seeds(seed, 'deal'))
    this.module.send(w.done())
    return dealOf(drawn(this.module, 0, dealer))
  }

  /**
   * A server's view in the form that the module's own views have: what all the calls below take. `seeds` becomes phase `deal`
   * with nothing dealt, `void` becomes `over` with no winner. Throws as `rules` does.
   */
  viewFromServer(view: ServerView): View {
    return fromServer(view, this.rules(view.rules))
  }

  /** What the viewer of a view may do, worked out here from what it shows, in the rules' order. Throws a FormatError for no view. */
  legalFromView(view: View): Action[] {
    return textsOf(this.#onView(view, (m) => m.viewLegal()))
  }

  /** Why the viewer's action would be refused, null if it may be done: the rules' answer from what a seat can see. */
  checkView(view: View, action: Action): Reason | null {
    const code = actionCode(action)
    return reasons[this.#onView(view, (m) => m.viewCheck(code))] ?? null
  }

  /** The same of every action that there is, all cards included: what a table dims, and why. */
  reasonsFromView(view: View): Reasons {
    let codes: number[] = []
    this.#onView(view, (m) => {
      codes = actionTexts.map((_, code) => m.viewCheck(code))
      return codes[0]!
    })
    return reasonsOf(codes)
  }

  /**
   * What the viewer sees once it has done an action, as far as its view tells: for showing one's own move before the server
   * has answered. Null if the action would be refused; `checkView` says why.
   *
   * Bids, cards, tricks, the hand's result and the match's are as they will be. What hangs on others and on hidden cards is
   * left open: nobody else sings, nor does anybody under `cantes: 'auto'`, and after a hand's end the next one is not dealt
   * (phase `deal`, with the hand that ended). So whose turn it is after a trick of one's own pair is a guess, and so are its
   * points where cantes are possible; the server's view has the last word.
   */
  viewAfter(view: View, action: Action): View | null {
    const code = actionCode(action)
    const length = this.#askView(view, (m) => m.viewAfter(code))
    if (length === -1) throw new FormatError('not a view')
    return length < 0 ? null : readView(this.module.answer(length))
  }

  /**
   * What a bot does in the viewer's place. Null if it is not the viewer's turn. The same view, level, seed and nodes give the
   * same action on every machine, unless `ms` cuts the thinking short. A seed alone stands for its options. Throws a RangeError
   * for a level that there is not, a FormatError for no view.
   */
  bot(view: View, options: number | BotOptions, level?: Level): Action | null {
    const o = typeof options === 'number' ? { seed: options, level } : options
    const l = levels.indexOf(o.level ?? 'tabernero')
    if (l < 0) throw new RangeError(`there is no level ${o.level}`)
    const [low, high] = halves(o.seed)
    const action = this.#onView(view, (m) => m.choose(l, low, high, amount(o.nodes), amount(o.ms)))
    return action === none ? null : actionTexts[action]!
  }

  /**
   * Milliseconds that a bot seems to think which is to act: longer for a bid and a lead, shorter for its last card, and never
   * twice the same. `ms` is an ordinary wait. It follows from nothing but what everybody sees, so that any seat's view, and a
   * spectator's, gives the same; do not let it depend on anything else, or people will read cards out of it.
   */
  pause(view: View, { seed, ms = 800 }: PauseOptions): number {
    const [low, high] = halves(seed)
    return Math.round((this.#onView(view, (m) => m.wait(low, high)) * ms) / 1000)
  }

  /** What playing a record gives. Throws a FormatError for what is no record. */
  replay(record: MatchRecord): Result {
    return readResult(this.#replay(inner(record, 'record'), false))
  }

  /** The same, and what the seat to act could have done before each action. */
  trace(record: MatchRecord): { result: Result; trace: TraceEntry[] } {
    const answer = this.#replay(inner(record, 'record'), true)
    return { result: readResult(answer), trace: readTrace(answer) }
  }

  /** The cards that may be played in a position, sorted. Throws a FormatError for what is none. */
  legal(position: Position): Action[] {
    return this.#legal(inner(position, 'position'))
  }

  /** What each action comes to at a point of a record, if all cards are seen. Throws a FormatError for what is no record. */
  solve(moment: Moment): Values {
    return this.#solve(moment as unknown as Record<string, unknown>)
  }

  /**
   * Checks that a record's deals follow from the seeds that it reveals, and that its actions are legal. That the seeds are
   * those that were promised before the first card only the player can know, so give what was: without it, a server could
   * show seeds that it chose afterwards. Throws a FormatError for what is no record, or a proof that cannot be read.
   */
  verifyFair(record: MatchRecord, promised?: Promised | null): Verdict {
    const members = inner(record, 'record')
    const valid = this.replay(record).ok
    const hands = (members['hands'] as unknown[]).length
    if (members['fair'] === undefined) return { fair: 'no_proof', hand: 0, hands, valid }
    const verdict = { ...this.#verify(members), hands, valid }
    if (verdict.fair !== 'ok' || !promised) return verdict
    return { ...verdict, fair: keeps(members['fair'] as FairProof, promised) ? 'ok' : 'broken_promise' }
  }

  /**
   * A coach's look at one of a record's finished hands, counted from 0, with its texts in a language. It takes some 200 ms:
   * a page asks for hand after hand, best of all in a worker. `tally` adds up what several hands give. Throws a FormatError
   * for what is no record, or for a hand that is not there, not finished or not legal.
   */
  review(record: MatchRecord, { hand, lang = 'es' }: ReviewOptions): HandReview {
    const answer = this.#review(inner(record, 'record'), hand)
    const fault = reasons[answer.getUint8(0)]
    if (fault) throw new FormatError(`hand ${hand} cannot be reviewed: ${fault}`)
    return readReview(answer, reviewHeader, hand, lang)
  }

  /** @internal Answers a line of JSON that holds a record with the result's line, byte for byte as `cuatrola replay`. */
  replayLine(line: string, trace: boolean): string {
    const answer = this.#replay(inner(parseLine(line), 'record'), trace)
    const result = readResult(answer)
    return JSON.stringify(trace ? { result, trace: readTrace(answer) } : result)
  }

  /** @internal Answers a line of JSON that holds a position, byte for byte as `cuatrola legal`. */
  legalLine(line: string): string {
    return JSON.stringify({ legal: this.#legal(inner(parseLine(line), 'position')) })
  }

  /** @internal Answers a line of JSON that holds a record and a point of it, byte for byte as `cuatrola solve`. */
  solveLine(line: string): string {
    return JSON.stringify(this.#solve(parseLine(line)))
  }

  /** @internal Answers a line of JSON that holds a record with whether its deals are honest, byte for byte as `cuatrola fair verify`. */
  fairLine(line: string): { text: string; honest: boolean } {
    const record = inner(parseLine(line), 'record')
    writeRecord(this.#writer.reset(), record, this.#validate) // what is no record is refused as such
    if (!Object.hasOwn(record, 'fair')) throw new FormatError('fair is missing')
    const { fair, hand } = this.#verify(record)
    const honest = fair === 'ok'
    const answer = honest ? { ok: true, hands: (record['hands'] as unknown[]).length } : { ok: false, error: fair, hand }
    return { text: JSON.stringify(answer), honest }
  }

  /** @internal Answers a line of JSON that holds a record with the reviews of its hands, byte for byte as `cuatrola review --json`. */
  reviewLine(line: string, lang: Language): string {
    const record = inner(parseLine(line), 'record')
    const result = readResult(this.#replay(record, false))
    const hands = result.hands.map((_, hand) => readReview(this.#review(record, hand), reviewHeader, hand, lang))
    const { ok, ...fault } = result.ok ? { ok: true } : { ok: false, hand: result.hand, action: result.action, error: result.error }
    return JSON.stringify({ ok, ...fault, seats: addUp(hands), hands })
  }

  #review(record: object, hand: number): DataView {
    const w = this.#writer.reset()
    writeRecord(w, record as Record<string, unknown>, this.#validate)
    this.module.send(w.done())
    return this.module.answer(this.module.require(this.module.call((e) => e.review(hand))))
  }

  #replay(record: object, trace: boolean): DataView {
    const w = this.#writer.reset()
    writeRecord(w, record as Record<string, unknown>, this.#validate)
    this.module.send(w.done())
    return this.module.answer(this.module.require(this.module.call((e) => e.replay(trace ? 1 : 0))))
  }

  #legal(position: object): string[] {
    const w = this.#writer.reset()
    writePosition(w, position as Record<string, unknown>, this.#validate)
    this.module.send(w.done())
    return sorted(this.module.require(this.module.call((e) => e.positionLegal())))
  }

  #solve(moment: Record<string, unknown>): Values {
    const w = this.#writer.reset()
    const { hand, action, found } = writeMoment(w, moment, this.#validate)
    if (!found) return { ok: false, hand, action, error: 'no_such_moment' }
    this.module.send(w.done())
    // Of hands and actions beyond what crosses, an earlier one is at fault.
    const length = this.module.call((e) => e.solveRecord(Math.min(hand, maxHands - 1), Math.min(action!, maxActions)))
    return readValues(this.module.answer(this.module.require(length)))
  }

  #verify(record: Record<string, unknown>): { fair: (typeof fairFaults)[number]; hand: number } {
    const w = this.#writer.reset()
    const proof = parseFair(record['fair'])
    w.bytes(proof.commitment)
    writeSeeds(w, proof)
    writeRecord(w, record, this.#validate)
    this.module.send(w.done())
    const answer = this.module.require(this.module.call((e) => e.fairVerify()))
    return { fair: fairFaults[answer & 0xff]!, hand: answer >>> 8 }
  }

  #onView(view: View, ask: (exports: Module['exports']) => number): number {
    const answer = this.#askView(view, ask)
    if (answer < 0) throw new FormatError('not a view')
    return answer
  }

  #askView(view: View, ask: (exports: Module['exports']) => number): number {
    const w = this.#writer.reset()
    writeView(w, view, this.#validate)
    this.module.send(w.done())
    return this.module.call(ask)
  }

  /** What is drawn from a seed of any length: the server's part alone, since nobody else brings one. */
  #seeds(seed: string, matchId: string): Seeds {
    return { serverSeed: this.module.digest(bytesOf(seed)), matchId, clientSeeds: [0, 1, 2, 3].map(() => new Uint8Array()) }
  }

  #rules(house: HouseRules): Uint8Array {
    const bytes = parseRules(house, this.#validate)
    const refused = this.#validate(bytes)
    if (refused !== null) throw new OptionError(refused)
    return bytes
  }

  #validate = (rules: Uint8Array): string | null => {
    this.module.send(rules)
    const length = this.module.call((e) => e.checkRules())
    return length > 0 ? textOf(this.module.bytes(length)) : null
  }
}

/** Whether a proof is of what was promised. */
function keeps(proof: FairProof, { matchId, commitment, seat, seed }: Promised): boolean {
  const own = seat === null || proof.clientSeeds[seat] === seed
  return own && proof.matchId === matchId && proof.commitment.toLowerCase() === commitment.toLowerCase()
}

/** A seed in two halves of 32 bits. */
const halves = (seed: number): [number, number] => [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0]

/** A budget as the module takes it: 0 for none, and what is less than one is one. */
const amount = (n: number | undefined) => (n === undefined ? 0 : Math.min(Math.max(Math.ceil(n), 1), 0xffffffff))
