/**
 * The rules of Cuatrola for JavaScript: the server's own code, as a WebAssembly module.
 *
 *     const cuatrola = await init()
 *     const match = cuatrola.newMatch({ rules: 'liga', seed: 'a seed' })
 *     while (!match.over) match.apply(match.turn, cuatrola.bot(match.view(match.turn), 1))
 *     cuatrola.replay(match.record())
 *
 * Nothing here waits: after init every call answers at once.
 *
 * @packageDocumentation
 */

import { Cuatrola } from './cuatrola.js'
import type { Instantiate } from './instance.js'
import { compile, compileSync, type Compiled, type Source } from './load.js'
import { Module } from './module.js'

export * from './api.js'
export { compile, type Compiled, type Fetched, type Source } from './load.js'

/**
 * Loads the module: from the file beside this one, or from where `source` says. Each call starts an instance of its own.
 *
 * Rejects with an Error if the module cannot be fetched, a TypeError if there is no connection, or a
 * `WebAssembly.CompileError` for what is no module.
 */
export async function init(source?: Source): Promise<Cuatrola> {
  const compiled = await compile(source)
  // At first without blocking; after a breakdown at once, so that not even the next call is lost.
  const module = new Module(startingWith(compiled, (imports) => WebAssembly.instantiate(compiled, imports)))
  await module.ready()
  return new Cuatrola(module)
}

/**
 * The same without waiting, from bytes or a compiled module. On a page's main thread older Chromes refuse it (a RangeError),
 * since it blocks: this is for workers and Node.
 */
export function initSync(source: ArrayBuffer | ArrayBufferView | Compiled): Cuatrola {
  const compiled = compileSync(source)
  return new Cuatrola(new Module(startingWith(compiled, (imports) => new WebAssembly.Instance(compiled, imports))))
}

/** Makes the first instance in one way, and those after a breakdown at once if the host lets it. */
function startingWith(compiled: WebAssembly.Module, first: Instantiate): Instantiate {
  let started = false
  return (imports) => {
    if (!started) {
      started = true
      return first(imports)
    }
    try {
      return new WebAssembly.Instance(compiled, imports)
    } catch (e) {
      // Older Chromes make none of this size at once on a page's main thread.
      if (e instanceof RangeError) return WebAssembly.instantiate(compiled, imports)
      throw e
    }
  }
}
