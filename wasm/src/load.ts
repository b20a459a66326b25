// Finding and compiling the module, in a browser, a worker or Node.

/** Where the module comes from. */
export type Source = URL | string | Response | PromiseLike<Response> | BufferSource | WebAssembly.Module

/** The module's file, which lies beside this one. Bundlers know this expression and bring the file along. */
const beside = () => new URL('./cuatrola.wasm', import.meta.url)

export async function load(source: Source = beside()): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source)
  if (source instanceof URL || typeof source === 'string') {
    const url = new URL(source, import.meta.url)
    if (url.protocol === 'file:') return WebAssembly.compile(await readFile(url))
    return compile(await fetch(url))
  }
  return compile(await source)
}

async function compile(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw new Error(`cannot load the rules' module: ${response.status} from ${response.url}`)
  // Compiling while it arrives needs the right media type, which not every server sends.
  if (response.headers.get('Content-Type') === 'application/wasm' && 'compileStreaming' in WebAssembly) {
    return WebAssembly.compileStreaming(response)
  }
  return WebAssembly.compile(await response.arrayBuffer())
}

async function readFile(url: URL): Promise<BufferSource> {
  // Out of sight of bundlers: browsers never come here, and fetch reads no files in Node.
  const fs = 'node:fs/promises'
  const { readFile } = (await import(/* @vite-ignore */ fs)) as { readFile(url: URL): Promise<Uint8Array<ArrayBuffer>> }
  return readFile(url)
}
