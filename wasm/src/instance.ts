// What passes between this package and an app that brings the module's instance itself.

/** What the module imports: functions under the name of each module. Hand it on as it is. */
export type Imports = { wasi_snapshot_preview1: { [name: string]: (...args: never[]) => number } }

/** An instance of the module, not started yet: a `WebAssembly.Instance`, or what stands for one. */
export interface Instance {
  /** The functions, and the memory, whose `buffer` can be read and written. */
  readonly exports: object
}

/** What instantiating gives: the instance, or it beside its module, as `WebAssembly.instantiate` has it for bytes. */
export type Instantiated = Instance | { readonly instance: Instance }

/**
 * Makes a new instance of the module with these imports, at once or later. It is called at the start, and again after a
 * breakdown, each time with imports of its own.
 */
export type Instantiate = (imports: Imports) => Instantiated | PromiseLike<Instantiated>
