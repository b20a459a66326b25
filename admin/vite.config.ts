import { defineConfig } from 'vite'

export default defineConfig({
  base: '/admin/',
  build: {
    target: 'es2022',
    // The page's policy lets nothing be inlined but pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/admin/v1': { target: 'http://127.0.0.1:8080' } } },
})
