// The module's instance, its buffers, and what happens when it breaks.

import { FormatError, ModuleError, OptionError } from './errors.js'
import type { Instantiate, Instantiated } from './instance.js'
import { textOf } from './utf8.js'
import { newHost, type Host } from './wasi.js'

/** What main.go exports; its comments say what each does. */
export interface Exports {
  memory: { readonly buffer: ArrayBuffer }
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
  viewAfter(action: number): number
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

interface Running {
  exports: Exports
  host: Host
}

export class Module {
  readonly #instantiate: Instantiate
  #running: Running | null = null
  /** While an instance is on its way that is not there at once. */
  #coming: Promise<void> | null = null
  #tenants: (Tenant | undefined)[] = []
  #nextSlot = 0

  /** Starts at once, unless instances only come later: then `ready` tells when. */
  constructor(instantiate: Instantiate) {
    this.#instantiate = instantiate
    this.#start()
  }

  /** Settled when calls are answered; rejected if no instance can be had. At once but for a while after a breakdown. */
  async ready(): Promise<void> {
    if (!this.#running && !this.#coming) this.#start()
    await this.#coming
  }

  /** The instance's exports, until it breaks: prefer call. */
  get exports(): Exports {
    return this.#require().exports
  }

  #start() {
    const host = newHost()
    const made = this.#instantiate(host.imports)
    if (!('then' in made)) {
      this.#running = begin(made, host)
      return
    }
    this.#coming = Promise.resolve(made)
      .then((instance) => {
        this.#running = begin(instance, host)
      })
      .finally(() => {
        this.#coming = null
      })
    this.#coming.catch(() => {}) // for whoever asks ready; without, the next call tries again
  }

  #require(): Running {
    if (!this.#running && !this.#coming) {
      try {
        this.#start()
      } catch (cause) {
        throw new ModuleError(`the rules' module cannot be started anew: ${cause}`, { cause })
      }
    }
    if (!this.#running) throw new ModuleError("the rules' module is being started anew: ready() tells when it is there")
    return this.#running
  }

  /**
   * Calls the module. After a trap the instance is in no defined state, so it is thrown away and a new one takes its place;
   * matches fold themselves anew from their logs.
   */
  call<T>(body: (exports: Exports) => T): T {
    const running = this.#running ?? this.#require()
    try {
      return body(running.exports)
    } catch (cause) {
      this.#running = null
      this.#tenants = []
      const broken = new ModuleError(`the rules' module broke down: ${running.host.printed.trim() || cause}`, { cause })
      try {
        this.#start()
      } catch {
        // The next call tries again, and says why not.
      }
      throw broken
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

  /** Takes a match out of its slot, so that it folds itself anew before it is asked anything. */
  evict(tenant: Tenant) {
    this.#tenants = this.#tenants.map((held) => (held === tenant ? undefined : held))
  }

  /** Puts bytes into the module's input. */
  send(bytes: Uint8Array) {
    const at = this.call((e) => e.input(bytes.length)) >>> 0
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes)
  }

  /** The module's answer of that length, as a view of its memory that the next call may change. */
  answer(length: number): DataView {
    const { memory, output } = this.exports
    return new DataView(memory.buffer, output() >>> 0, length)
  }

  /** The module's answer of that length as bytes of one's own. */
  bytes(length: number): Uint8Array {
    const { buffer, byteOffset } = this.answer(length)
    return new Uint8Array(buffer, byteOffset, length).slice()
  }

  /** The SHA-256 of some bytes. */
  digest(bytes: Uint8Array): Uint8Array {
    this.send(bytes)
    return this.bytes(this.call((e) => e.digest()))
  }

  /** Throws if an answer says that a rule set's option was refused. */
  requireOption(length: number) {
    if (length < 0) throw new FormatError('the module cannot read what it was sent')
    if (length > 0) throw new OptionError(textOf(this.bytes(length)))
  }

  /** Throws for the negative answers of exports that read a rule set along with other things. */
  require(answer: number): number {
    if (answer < 0) this.requireOption(answer === -1 ? -1 : -1 - answer)
    return answer
  }
}

function begin(made: Instantiated, host: Host): Running {
  const exports = ('instance' in made ? made.instance : made).exports as Exports
  host.memory = exports.memory
  try {
    exports._initialize()
  } catch (cause) {
    throw new ModuleError(`the rules' module does not start: ${host.printed.trim() || cause}`, { cause })
  }
  return { exports, host }
}
