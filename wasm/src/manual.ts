/**
 * The same for engines where the app itself brings the instance, such as React Native's: needs neither `WebAssembly`, `fetch`,
 * `URL`, `TextDecoder`, `BigInt` nor `import.meta`.
 *
 *     const cuatrola = await instantiate((imports) => new WebAssembly.Instance(compiled, imports))
 *
 * @packageDocumentation
 */

import { Cuatrola } from './cuatrola.js'
import type { Instantiate } from './instance.js'
import { Module } from './module.js'

export * from './api.js'
export type { Imports, Instance, Instantiate, Instantiated } from './instance.js'

/**
 * Starts the module as `make` instantiates it, at once or later. Rejects as `make` does, or with a ModuleError for what is
 * not this package's module.
 *
 * `make` is called again after a breakdown. If it gives instances at once, not even the next call is lost; if they come
 * later, calls throw a ModuleError until then, and `Cuatrola.ready` tells when.
 */
export async function instantiate(make: Instantiate): Promise<Cuatrola> {
  const module = new Module(make)
  await module.ready()
  return new Cuatrola(module)
}
