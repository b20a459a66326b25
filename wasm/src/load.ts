// Finding and compiling the module, in a browser, a worker or Node.
//
// The types say what is looked at, not the classes: so they hold without the DOM's library, and what another frame or a test
// runner's sandbox made is known all the same.

/** A `WebAssembly.Module`, if the compiler knows of WebAssembly. */
export type Compiled = typeof globalThis extends { WebAssembly: { Module: new (...args: never) => infer M } } ? M : object

/** A `Response`, as far as it is looked at. */
export interface Fetched {
  readonly ok: boolean
  readonly status: number
  readonly url: string
  readonly headers: { get(name: string): string | null }
  arrayBuffer(): Promise<ArrayBuffer>
}

/**
 * Where the module comes from: the URL of `cuatrola.wasm`, a `Response` with it or the promise of one, its bytes, or a
 * `WebAssembly.Module` that is already compiled, also by another thread.
 */
export type Source = string | { readonly href: string } | Fetched | PromiseLike<Fetched> | ArrayBuffer | ArrayBufferView | Compiled

/** The module's file, which lies beside this one. Bundlers know this expression and bring the file along. */
const beside = () => new URL('./cuatrola.wasm', import.meta.url)

/**
 * Compiles the module, from the file beside this one or from where `source` says, to hand it to `init` here and, by
 * postMessage, in workers. Rejects as `init` does.
 */
export async function compile(source: Source = beside()): Promise<Compiled> {
  if (isCompiled(source)) return source as WebAssembly.Module
  if (isBytes(source)) return WebAssembly.compile(source)
  if (typeof source === 'string' || 'href' in source) {
    const url = new URL(typeof source === 'string' ? source : source.href, import.meta.url)
    if (url.protocol === 'file:') return WebAssembly.compile(await readFile(url))
    return arriving(await fetch(url))
  }
  return arriving((await source) as Response)
}

/** @internal The same without waiting. */
export function compileSync(source: ArrayBuffer | ArrayBufferView | Compiled): WebAssembly.Module {
  return isCompiled(source) ? (source as WebAssembly.Module) : new WebAssembly.Module(source as BufferSource)
}

const tagOf = (value: unknown) => Object.prototype.toString.call(value)

// Not a guard of types: where that of a module has no members, everything would be one.
const isCompiled = (source: Source): boolean => tagOf(source) === '[object WebAssembly.Module]'

const isBytes = (source: Source): source is BufferSource => ArrayBuffer.isView(source) || tagOf(source) === '[object ArrayBuffer]'

async function arriving(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw new Error(`cannot load the rules' module: ${response.status} from ${response.url}`)
  const type = response.headers.get('Content-Type') ?? ''
  // What a server answers that sends its page for whatever it does not find.
  if (type.startsWith('text/html')) {
    throw new Error(`cannot load the rules' module: ${response.url} is a page. Give init() the URL of cuatrola.wasm`)
  }
  // Compiling while it arrives needs the right media type, which not every server sends.
  if (type === 'application/wasm' && 'compileStreaming' in WebAssembly) return WebAssembly.compileStreaming(response)
  return WebAssembly.compile(await response.arrayBuffer())
}

async function readFile(url: URL): Promise<BufferSource> {
  // Out of sight of bundlers: browsers never come here, and fetch reads no files in Node.
  const fs = 'node:fs/promises'
  const { readFile } = (await import(/* @vite-ignore */ fs)) as { readFile(url: URL): Promise<Uint8Array<ArrayBuffer>> }
  return readFile(url)
}
