// The page's service worker: every address of the game opens at once and without a server, in one whole version.
// The version and the lists of files are filled in by the build (build.ts).
const cache = 'cuatrola-VERSION'
// What `/` of this version loads.
const entry = 'ENTRY'
// What a start and a match against bots take.
const first = ['FIRST']
// The other pages: kept when there is time, or when they are opened.
const later = ['LATER']

addEventListener('install', (event) => event.waitUntil(keepFirst()))

async function keepFirst() {
  const kept = await caches.open(cache)
  const page = await fetch('/', { cache: 'no-store' })
  // While a new version is being put in place, two of them may answer.
  if (!page.ok || !(await page.clone().text()).includes(entry)) throw new Error('another version')
  await kept.addAll(first)
  // Last: a version that has it is whole.
  await kept.put('/', page)
}

// A version that has come waits: nothing changes below a page that is open. Whoever starts anew gets the newest, and says that
// its worker may take over.
addEventListener('message', (event) => {
  if (event.data === 'take') event.waitUntil(skipWaiting())
  if (event.data === 'idle') event.waitUntil(keepLater())
})

async function keepLater() {
  const kept = await caches.open(cache)
  for (const url of later) {
    if (!(await kept.match(url))) await kept.add(url).catch(() => undefined)
  }
}

addEventListener('activate', (event) => event.waitUntil(takeOver()))

async function takeOver() {
  const names = await ours()
  // A page of the version before may still be open, in the middle of a match: what it has not loaded yet stays for it.
  const before = names.filter((name) => name !== cache).at(-1)
  await Promise.all(names.filter((name) => name !== cache && name !== before).map((name) => caches.delete(name)))
  await clients.claim()
}

addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== location.origin) return
  // The panel, the documents and the interface are not this page's.
  if (/^\/(admin|docs|v1)(\/|$)/.test(url.pathname)) return
  // Every address of the game is the one page; files of their own have an ending.
  if (request.mode === 'navigate') {
    if (!/\.\w+$/.test(url.pathname)) event.respondWith(newest().then((page) => page ?? fetch(request)))
  } else if (url.pathname.startsWith('/assets/')) event.respondWith(asset(request))
  else if (first.includes(url.pathname)) event.respondWith(caches.match(url.pathname).then((kept) => kept ?? fetch(request)))
})

/** The page of the newest version that is here as a whole. */
async function newest() {
  for (const name of (await ours()).reverse()) {
    const page = await (await caches.open(name)).match('/')
    if (page) return page
  }
}

/** The versions that are here, in the order in which they came. */
const ours = async () => (await caches.keys()).filter((name) => name.startsWith('cuatrola-'))

/** Names of assets hold a hash of what is in them: whichever version kept it, it is the same. */
async function asset(request) {
  const kept = await caches.match(request)
  if (kept) return kept
  const answer = await fetch(request)
  if (answer.ok) {
    const copy = answer.clone()
    void caches.open(cache).then((kept) => kept.put(request, copy))
  }
  return answer
}
