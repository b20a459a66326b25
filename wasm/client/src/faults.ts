import { persist } from './again.js'
import type { components } from './schema.gen.js'

type Schemas = components['schemas']

/** Something that is wrong with this client's own program, see `POST /v1/client-faults`. */
export type Fault = Omit<Schemas['ClientFault'], 'client'>

/** No more than the server takes in an hour, whatever goes wrong how often. */
const most = 20
const longest = 500

/** Tells the operator what is wrong, each thing once, as well as it can. */
export class Faults {
  readonly #told = new Set<string>()
  readonly #send: (fault: Fault) => Promise<unknown>

  constructor(send: (fault: Fault) => Promise<unknown>) {
    this.#send = send
  }

  report(fault: Fault): void {
    const { message, ...rest } = fault
    const cut = message === undefined ? rest : { ...rest, message: message.slice(0, longest) }
    const key = JSON.stringify(cut)
    if (this.#told.has(key) || this.#told.size >= most) return
    this.#told.add(key)
    // Whoever plays does not wait for it, and need not hear that it failed.
    persist(() => this.#send(cut)).catch(() => undefined)
  }
}
