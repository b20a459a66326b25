import { defineConfig } from 'vite'
import { fontPreload, packed, serviceWorker } from './build.ts'

export default defineConfig({
  plugins: [fontPreload(), serviceWorker(), packed()],
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    // The module stays a file of its own: the browser compiles it while it arrives.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/v1': { target: 'http://127.0.0.1:8080', ws: true } } },
})
