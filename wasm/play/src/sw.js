// The page's service worker: keeps the built files, so that the page opens with no server at all.
// CACHE and FILES are filled in by the build (vite.config.ts).
const cache = 'CACHE'
const files = ['FILES']

addEventListener('install', (event) => {
  event.waitUntil(caches.open(cache).then((c) => c.addAll(files)).then(() => skipWaiting()))
})

addEventListener('activate', (event) => {
  event.waitUntil(
    caches.keys()
      .then((names) => Promise.all(names.filter((n) => n.startsWith('cuatrola-') && n !== cache).map((n) => caches.delete(n))))
      .then(() => clients.claim()),
  )
})

addEventListener('fetch', (event) => {
  const url = new URL(event.request.url)
  if (event.request.method !== 'GET' || url.origin !== location.origin) return
  if (event.request.mode === 'navigate') {
    // The panel and the documents are not this page's.
    if (/^\/(admin|docs|v1)(\/|$)/.test(url.pathname)) return
    // The newest page if there is a server, the kept one if not: every address of the game is the one page.
    event.respondWith(fetch(event.request).catch(() => caches.match('/')))
  } else if (files.includes(url.pathname)) {
    event.respondWith(caches.match(event.request).then((kept) => kept ?? fetch(event.request)))
  }
})
