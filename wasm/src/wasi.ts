// The ten functions that a Go reactor imports. The rules need neither clock nor randomness nor files: what is here is what
// the runtime asks for while it starts, and the way out for a panic's text. A test holds the list against the module.

import type { Imports } from './instance.js'
import { textOf } from './utf8.js'

const success = 0
const monotonic = 1
/** A number of 64 bits crosses in two halves: not every engine has BigInt. */
const half = 2 ** 32

/** How the module ends itself after a panic. */
class Exit extends Error {}

export interface Host {
  imports: Imports
  /** Set once the module is there. */
  memory: { readonly buffer: ArrayBuffer } | undefined
  /** What the module has printed: a panic's text. */
  printed: string
}

export function newHost(): Host {
  const view = () => new DataView(host.memory!.buffer)

  function noStrings(count: number, size: number) {
    view().setUint32(count, 0, true)
    view().setUint32(size, 0, true)
    return success
  }

  const wasi = {
    sched_yield: () => success,
    proc_exit: (status: number): number => {
      throw new Exit(`the module ended with status ${status}`)
    },
    args_sizes_get: noStrings,
    args_get: () => success,
    environ_sizes_get: noStrings,
    environ_get: () => success,
    clock_time_get: (clock: number, _precision: unknown, result: number) => {
      // The wall clock may be set back; what a bot may take is measured by the other one.
      const ms = clock === monotonic && typeof performance !== 'undefined' ? performance.now() : Date.now()
      // In nanoseconds, which are more than a double holds: the microseconds' two halves, each by a thousand.
      const us = Math.floor(ms * 1000)
      const low = (us % half) * 1000
      const memory = view()
      memory.setUint32(result, low % half, true)
      memory.setUint32(result + 4, Math.floor(us / half) * 1000 + Math.floor(low / half), true)
      return success
    },
    // Seeds the runtime's hash tables and scheduler, on which nothing here may depend: so it is the same every time.
    random_get: (start: number, length: number) => {
      new Uint8Array(host.memory!.buffer, start, length).fill(0x5a)
      return success
    },
    fd_write: (_file: number, vectors: number, count: number, result: number) => {
      const memory = view()
      let written = 0
      for (let i = 0; i < count; i++) {
        const start = memory.getUint32(vectors + 8 * i, true)
        const length = memory.getUint32(vectors + 8 * i + 4, true)
        // Enough for the panic and the functions that led to it.
        if (host.printed.length < 10_000) host.printed += textOf(new Uint8Array(memory.buffer, start, length))
        written += length
      }
      memory.setUint32(result, written, true)
      return success
    },
    // The runtime only waits for its own threads, of which there is one: every wait is over at once.
    poll_oneoff: (subscriptions: number, events: number, count: number, result: number) => {
      const memory = view()
      for (let i = 0; i < count; i++) {
        const subscription = subscriptions + 48 * i
        const event = events + 32 * i
        new Uint8Array(memory.buffer, event, 32).fill(0)
        for (const at of [0, 4]) memory.setUint32(event + at, memory.getUint32(subscription + at, true), true)
        memory.setUint8(event + 10, memory.getUint8(subscription + 8))
      }
      memory.setUint32(result, count, true)
      return success
    },
  }

  const host: Host = { imports: { wasi_snapshot_preview1: wasi }, memory: undefined, printed: '' }
  return host
}
