import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { defineConfig, type Plugin } from 'vite'

/**
 * Writes sw.js, the service worker that lets the page open with no server. Its list of files and its name for the cache
 * come from what was built, so that a new build replaces the old one whole.
 */
function serviceWorker(): Plugin {
  return {
    name: 'cuatrola-service-worker',
    apply: 'build',
    generateBundle(_, bundle) {
      const files = Object.keys(bundle).filter((name) => name !== 'index.html').sort()
      const hash = createHash('sha256')
      for (const name of Object.keys(bundle).sort()) {
        const part = bundle[name]!
        hash.update(name).update(part.type === 'chunk' ? part.code : part.source)
      }
      const urls = ['/', '/icon.svg', '/manifest.webmanifest', ...files.map((name) => '/' + name)]
      const source = readFileSync(new URL('./src/sw.js', import.meta.url), 'utf8')
        .replace("'CACHE'", JSON.stringify('cuatrola-' + hash.digest('hex').slice(0, 12)))
        .replace("['FILES']", JSON.stringify(urls))
      this.emitFile({ type: 'asset', fileName: 'sw.js', source })
    },
  }
}

export default defineConfig({
  plugins: [serviceWorker()],
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    // The module stays a file of its own: the browser compiles it while it arrives.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/v1': { target: 'http://127.0.0.1:8080', ws: true } } },
})
