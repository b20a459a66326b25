// What the build adds to the page: the service worker with its lists of files, the font's preload, and each file packed.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import type { Plugin, Rollup } from 'vite'

const here = (path: string) => new URL(path, import.meta.url)

/** Pages that are kept from the first start on; the others when there is time. */
const firstPages = /\/(bots\/page|home\/rules|table\/offlinePage)\.tsx$/
const isFirst = (name: string) => /\.wasm$|\/worker-[\w-]+\.js$|inter-latin-wght[\w-]+\.woff2$/.test(name)

/** Everything that a chunk needs before it runs: itself, what it imports, their styles. */
function needs(bundle: Rollup.OutputBundle, name: string, all = new Set<string>()): Set<string> {
  const chunk = bundle[name]
  if (all.has(name) || chunk?.type !== 'chunk') return all
  all.add(name)
  for (const css of chunk.viteMetadata?.importedCss ?? []) all.add(css)
  for (const other of chunk.imports) needs(bundle, other, all)
  return all
}

/**
 * Writes sw.js, the service worker that lets the page open with no server. Its lists of files and its version come from
 * what was built, so that a new build replaces the old one whole.
 */
export function serviceWorker(): Plugin {
  return {
    name: 'cuatrola-service-worker',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const names = Object.keys(bundle).filter((name) => name !== 'index.html').sort()
        const chunks = Object.values(bundle).filter((part) => part.type === 'chunk')
        const entry = chunks.find((chunk) => chunk.isEntry)!
        const first = new Set(names.filter(isFirst))
        for (const chunk of chunks) {
          if (chunk === entry || firstPages.test(chunk.facadeModuleId ?? '')) needs(bundle, chunk.fileName, first)
        }
        const hash = createHash('sha256')
        for (const name of [...names, 'index.html']) {
          const part = bundle[name]
          if (part) hash.update(name).update(part.type === 'chunk' ? part.code : part.source)
        }
        const still = readdirSync(here('public')).filter((name) => !name.startsWith('.')).sort()
        // What a system shows among its apps, it asks for itself.
        const shown = still.filter((name) => !name.endsWith('.png'))
        for (const name of still) hash.update(name).update(readFileSync(here('public/' + name)))
        const source = readFileSync(here('src/sw.js'), 'utf8')
          .replace('cuatrola-VERSION', 'cuatrola-' + hash.digest('hex').slice(0, 12))
          .replace("'ENTRY'", JSON.stringify('/' + entry.fileName))
          .replace("['FIRST']", JSON.stringify([...shown, ...[...first].sort()].map((name) => '/' + name)))
          .replace("['LATER']", JSON.stringify(names.filter((name) => !first.has(name)).map((name) => '/' + name)))
        this.emitFile({ type: 'asset', fileName: 'sw.js', source })
      },
    },
  }
}

/** Asks for the letters at once: they are the first thing that is seen, and styles would tell of them late. */
export function fontPreload(): Plugin {
  return {
    name: 'cuatrola-font-preload',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle }) {
        const font = Object.keys(bundle ?? {}).find((name) => /inter-latin-wght[\w-]+\.woff2$/.test(name))
        return font ? [{ tag: 'link', attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: '/' + font, crossorigin: true }, injectTo: 'head' }] : []
      },
    },
  }
}

/** Puts beside each file of text or code the same packed with brotli, as tightly as it goes: for a server that would take seconds to. */
export function packed(): Plugin {
  let folder: string
  return {
    name: 'cuatrola-packed',
    apply: 'build',
    configResolved: (config) => {
      folder = join(config.root, config.build.outDir)
    },
    closeBundle: () => {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(css|html|js|svg|wasm|webmanifest)$/.test(name)) continue
        const file = readFileSync(join(folder, name))
        if (file.length >= 1024) writeFileSync(join(folder, name + '.br'), brotliCompressSync(file))
      }
    },
  }
}
