/**
 * The rules of Cuatrola for JavaScript: the server's own code, as a WebAssembly module.
 *
 *     const c = await init()
 *     const match = c.newMatch({ rules: 'liga', seed: 'a seed' })
 *     while (!match.over) match.apply(match.turn, c.bot(match.view(match.turn), 1))
 *     c.replay(match.record())
 *
 * Nothing here waits: after init every call answers at once.
 */

import { actionCode, actionTexts, fairFaults, levels, none, reasons, textsOf } from './codes.js'
import { FormatError, OptionError } from './errors.js'
import { parseFair, writeSeeds } from './fair.js'
import { load, type Source } from './load.js'
import { Match } from './match.js'
import { Module, textOf } from './module.js'
import {
  inner, maxActions, maxHands, parseLine, readResult, readTrace, readValues, sorted, writeMoment, writePosition, writeRecord,
} from './record.js'
import { addUp, readReview } from './review.js'
import { parseRules, readRules } from './rules.js'
import type { Language } from './texts.js'
import type {
  Action, BotOptions, HandReview, HouseRules, Level, MatchRecord, Moment, NewMatch, Position, Reason, Result, Rules, ServerView,
  TraceEntry, Values, Verdict, View,
} from './types.js'
import { fromServer, writeView } from './view.js'
import { Writer } from './writer.js'

export * from './types.js'
export { FormatError, ModuleError, OptionError } from './errors.js'
export { reviewText, tally } from './review.js'
export { reasonText, type Language } from './texts.js'
export type { Source } from './load.js'
export type { Match } from './match.js'

/**
 * Loads the module: from the file beside this one, or from where `source` says (a URL, a Response or the promise of one,
 * bytes, or a module that is already compiled).
 */
export async function init(source?: Source): Promise<Cuatrola> {
  return new Cuatrola(await Module.start(await load(source)))
}

/** The same without waiting, from bytes or a compiled module. Browsers forbid it for large modules on a page's main thread. */
export function initSync(source: BufferSource | WebAssembly.Module): Cuatrola {
  return new Cuatrola(new Module(source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source)))
}

/** What stands before a review: why there is none, and where. */
const reviewHeader = 5

export class Cuatrola {
  /** The module itself, for those who measure it. */
  readonly module: Module
  readonly #writer = new Writer()

  constructor(module: Module) {
    this.module = module
  }

  /** A rule set with every option filled in. Throws an OptionError that names what is refused. */
  rules(house: HouseRules): Rules {
    const bytes = this.#rules(house)
    return readRules(new DataView(bytes.buffer, bytes.byteOffset), 0)
  }

  /** Starts a match that is played here, with its first hand dealt. */
  newMatch({ rules, seed, id = 'local' }: NewMatch): Match {
    const utf8 = new TextEncoder()
    const seeds = { serverSeed: this.module.digest(utf8.encode(seed)), matchId: id, clientSeeds: [0, 1, 2, 3].map(() => new Uint8Array()) }
    return new Match(this.module, this.#rules(rules), seeds, id === 'local' ? {} : { id })
  }

  /** Goes on with a match that was played here, from what its `record` gave. */
  resume(record: MatchRecord): Match {
    const { format: _, rules, hands, fair, ...members } = record
    const match = new Match(this.module, this.#rules(rules), parseFair(fair), members)
    match.replay(hands)
    return match
  }

  /** A server's view in the form that the module's own views have. */
  viewFromServer(view: ServerView): View {
    return fromServer(view, this.rules(view.rules))
  }

  /** What the viewer of a view may do, worked out here from what it shows, in the rules' order. */
  legalFromView(view: View): Action[] {
    return textsOf(this.#onView(view, (m) => m.viewLegal()))
  }

  /** Why the viewer's action would be refused, null if it may be done: the rules' answer from what a seat can see. */
  checkView(view: View, action: Action): Reason | null {
    const code = actionCode(action)
    return reasons[this.#onView(view, (m) => m.viewCheck(code))] ?? null
  }

  /**
   * What a bot does in the viewer's place. Null if it is not the viewer's turn. The same view, level, seed and nodes give the
   * same action on every machine, unless `ms` cuts the thinking short. A seed alone stands for its options.
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
  pause(view: View, { seed, ms = 800 }: { seed: number; ms?: number }): number {
    const [low, high] = halves(seed)
    return Math.round((this.#onView(view, (m) => m.wait(low, high)) * ms) / 1000)
  }

  /** What playing a record gives. Throws a FormatError for what is no record. */
  replay(record: MatchRecord): Result {
    return readResult(this.#replay(inner(record, 'record'), false))
  }

  /** The same, and what each seat could have done before each action. */
  trace(record: MatchRecord): { result: Result; trace: TraceEntry[] } {
    const answer = this.#replay(inner(record, 'record'), true)
    return { result: readResult(answer), trace: readTrace(answer) }
  }

  /** The cards that may be played in a position, sorted. */
  legal(position: Position): Action[] {
    return this.#legal(inner(position, 'position'))
  }

  /** What each action comes to at a point of a record, if all cards are seen. */
  solve(moment: Moment): Values {
    return this.#solve(moment as unknown as Record<string, unknown>)
  }

  /** Checks that a record's deals follow from the seeds that it reveals, and that its actions are legal. */
  verifyFair(record: MatchRecord): Verdict {
    const members = inner(record, 'record')
    const valid = this.replay(record).ok
    const hands = (members['hands'] as unknown[]).length
    if (members['fair'] === undefined) return { fair: 'no_proof', hand: 0, hands, valid }
    return { ...this.#verify(members), hands, valid }
  }

  /**
   * A coach's look at one of a record's finished hands, counted from 0, with its texts in a language. It takes some 200 ms:
   * a page asks for hand after hand, best of all in a worker. Throws a FormatError for what is no record, or for a hand that
   * is not there, not finished or not legal.
   */
  review(record: MatchRecord, { hand, lang = 'es' }: { hand: number; lang?: Language }): HandReview {
    const answer = this.#review(inner(record, 'record'), hand)
    const fault = reasons[answer.getUint8(0)]
    if (fault) throw new FormatError(`hand ${hand} cannot be reviewed: ${fault}`)
    return readReview(answer, reviewHeader, hand, lang)
  }

  /** Answers a line of JSON that holds a record with the result's line, byte for byte as `cuatrola replay`. */
  replayLine(line: string, trace: boolean): string {
    const answer = this.#replay(inner(parseLine(line), 'record'), trace)
    const result = readResult(answer)
    return JSON.stringify(trace ? { result, trace: readTrace(answer) } : result)
  }

  /** Answers a line of JSON that holds a position, byte for byte as `cuatrola legal`. */
  legalLine(line: string): string {
    return JSON.stringify({ legal: this.#legal(inner(parseLine(line), 'position')) })
  }

  /** Answers a line of JSON that holds a record and a point of it, byte for byte as `cuatrola solve`. */
  solveLine(line: string): string {
    return JSON.stringify(this.#solve(parseLine(line)))
  }

  /** Answers a line of JSON that holds a record with whether its deals are honest, byte for byte as `cuatrola fair verify`. */
  fairLine(line: string): { text: string; honest: boolean } {
    const record = inner(parseLine(line), 'record')
    writeRecord(this.#writer.reset(), record, this.#validate) // what is no record is refused as such
    if (!Object.hasOwn(record, 'fair')) throw new FormatError('fair is missing')
    const { fair, hand } = this.#verify(record)
    const honest = fair === 'ok'
    const answer = honest ? { ok: true, hands: (record['hands'] as unknown[]).length } : { ok: false, error: fair, hand }
    return { text: JSON.stringify(answer), honest }
  }

  /** Answers a line of JSON that holds a record with the reviews of its hands, byte for byte as `cuatrola review --json`. */
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
    const w = this.#writer.reset()
    writeView(w, view, this.#validate)
    this.module.send(w.done())
    const answer = this.module.call(ask)
    if (answer < 0) throw new FormatError('not a view')
    return answer
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
    return length > 0 ? textOf(this.module.answer(length)) : null
  }
}

/** A seed in two halves of 32 bits. */
const halves = (seed: number): [number, number] => [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0]

/** A budget as the module takes it: 0 for none, and what is less than one is one. */
const amount = (n: number | undefined) => (n === undefined ? 0 : Math.min(Math.max(Math.ceil(n), 1), 0xffffffff))
