// The module's instance, its buffers, and what happens when it breaks.

import { FormatError, ModuleError, OptionError } from './errors.js'
import { newHost } from './wasi.js'

/** What main.go exports; its comments say what each does. */
export interface Exports {
  memory: WebAssembly.Memory
  _initialize(): void
  input(size: number): number
  output(): number
  empty(slot: number): number
  checkRules(): number
  replay(trace: number): number
  positionLegal(): number
  solveRecord(hand: number, action: number): number
  newMatch(slot: number): number
  dealHand(slot: number): number
  legal(slot: number): number
  turn(slot: number): number
  phase(slot: number): number
  check(slot: number, seat: number, action: number): number
  apply(slot: number, seat: number, action: number): number
  matchView(slot: number, viewer: number): number
  lastHand(slot: number): number
  viewLegal(): number
  viewCheck(action: number): number
  choose(level: number, seedLow: number, seedHigh: number, nodes: number, ms: number): number
  wait(seedLow: number, seedHigh: number): number
  review(hand: number): number
  digest(): number
  fairDealer(): number
  fairDeal(hand: number, dealer: number): number
  fairVerify(): number
  reasonCode(reason: number): number
}

/** Of the matches that the module holds at a time: main.go's own number. */
const slots = 16

/** A match that can be put into a slot again after it had to leave it. */
export interface Tenant {
  fold(slot: number): void
}

export class Module {
  readonly #compiled: WebAssembly.Module
  #host = newHost()
  #exports!: Exports
  #tenants: (Tenant | undefined)[] = []
  #nextSlot = 0

  constructor(compiled: WebAssembly.Module, instance?: { instance: WebAssembly.Instance; host: ReturnType<typeof newHost> }) {
    this.#compiled = compiled
    if (instance) this.#adopt(instance.instance, instance.host)
    else this.#start()
  }

  /** The asynchronous way to start, for pages that must not compile on their main thread. */
  static async start(compiled: WebAssembly.Module): Promise<Module> {
    const host = newHost()
    return new Module(compiled, { instance: await WebAssembly.instantiate(compiled, host.imports), host })
  }

  /** The instance's exports, until it breaks: prefer call. */
  get exports(): Exports {
    return this.#exports
  }

  #start() {
    const host = newHost()
    this.#adopt(new WebAssembly.Instance(this.#compiled, host.imports), host)
  }

  #adopt(instance: WebAssembly.Instance, host: ReturnType<typeof newHost>) {
    this.#host = host
    this.#exports = instance.exports as unknown as Exports
    host.memory = this.#exports.memory
    this.#tenants = []
    try {
      this.#exports._initialize()
    } catch (cause) {
      throw new ModuleError(`the rules' module does not start: ${host.printed.trim() || cause}`, { cause })
    }
  }

  /**
   * Calls the module. After a trap the instance is in no defined state, so it is thrown away and a new one takes its place;
   * matches fold themselves anew from their logs.
   */
  call<T>(body: (exports: Exports) => T): T {
    try {
      return body(this.#exports)
    } catch (cause) {
      if (cause instanceof FormatError) throw cause
      const printed = this.#host.printed.trim()
      this.#start()
      throw new ModuleError(`the rules' module broke down: ${printed || cause}`, { cause })
    }
  }

  /** The slot that a match is in, after putting it there if it is in none. */
  slotOf(tenant: Tenant, slot: number): number {
    if (this.#tenants[slot] === tenant) return slot
    const free = this.#nextSlot
    this.#nextSlot = (free + 1) % slots
    this.#tenants[free] = undefined
    tenant.fold(free)
    this.#tenants[free] = tenant
    return free
  }

  /** Puts bytes into the module's input. */
  send(bytes: Uint8Array) {
    const at = this.call((e) => e.input(bytes.length)) >>> 0
    new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes)
  }

  /** The module's answer of that length, as a view of its memory that the next call may change. */
  answer(length: number): DataView {
    return new DataView(this.#exports.memory.buffer, this.#exports.output() >>> 0, length)
  }

  /** The SHA-256 of some bytes. */
  digest(bytes: Uint8Array): Uint8Array {
    this.send(bytes)
    const answer = this.answer(this.call((e) => e.digest()))
    return new Uint8Array(answer.buffer, answer.byteOffset, answer.byteLength).slice()
  }

  /** Throws if an answer says that a rule set's option was refused. */
  requireOption(length: number) {
    if (length < 0) throw new FormatError('the module cannot read what it was sent')
    if (length > 0) throw new OptionError(textOf(this.answer(length)))
  }

  /** Throws for the negative answers of exports that read a rule set along with other things. */
  require(answer: number): number {
    if (answer < 0) this.requireOption(answer === -1 ? -1 : -1 - answer)
    return answer
  }
}

export function textOf(bytes: DataView): string {
  return new TextDecoder().decode(bytes)
}
