// How soon the page is there and how soon one plays, for somebody who was never here, in a real browser: as fast as this machine
// is, with the processor slowed down, and over slow connections as well; beside a page of the same server that holds one word.
// Each figure is the median of several loads, taken in turns, so that whatever else the machine does befalls all alike.
//
//   node test/interactive.mjs [loads]
import { cpus } from 'node:os'
import { GameServer, launch, phone, visit } from './harness.mjs'

const loads = Number(process.argv[2] ?? 7)

/** Connections as the browser's own tools slow them down: round trip in milliseconds, and bytes a second. */
const slow4g = { latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 }
const fast4g = { latency: 165, downloadThroughput: 1_012_500, uploadThroughput: 168_750 }
const conditions = [
  { name: 'this machine', cpu: 1 },
  { name: 'CPU ÷ 4', cpu: 4 },
  { name: 'CPU ÷ 4, fast 4G', cpu: 4, network: fast4g },
  { name: 'CPU ÷ 4, slow 4G', cpu: 4, network: slow4g },
]

/** Runs in the page, before anything else does: what is painted, what blocks, and when one could play. */
function watch() {
  const seen = (globalThis.seen = { fcp: 0, lcp: 0, blocks: [], usable: 0, tapped: 0, dealt: 0 })
  const observe = (type, each) => new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true })
  observe('paint', (entry) => entry.name === 'first-contentful-paint' && (seen.fcp = entry.startTime))
  observe('largest-contentful-paint', (entry) => (seen.lcp = entry.startTime))
  observe('longtask', (entry) => seen.blocks.push([entry.startTime, entry.duration]))
  /** Once it is there, drawn, and the page has time to answer. */
  const when = (selector, then) => {
    const look = new MutationObserver(() => {
      if (!document.querySelector(selector)) return
      look.disconnect()
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => then(performance.now())
        port2.postMessage(0)
      })
    })
    look.observe(document, { childList: true, subtree: true })
  }
  when('[data-action=play-now]', (now) => (seen.usable = now))
  addEventListener('click', (event) => {
    seen.tapped = event.timeStamp
    when('.own-card', (now) => (seen.dealt = now))
  }, { capture: true, once: true })
}

async function load(browser, url, { cpu, network }, tap) {
  const page = await visit(browser, undefined, { ...phone })
  const tools = await page.context().newCDPSession(page)
  await page.addInitScript(watch)
  await tools.send('Network.enable')
  if (network) await tools.send('Network.emulateNetworkConditions', { offline: false, ...network })
  await tools.send('Emulation.setCPUThrottlingRate', { rate: cpu })
  await page.goto(url, { waitUntil: 'commit' })
  if (tap) {
    await page.waitForFunction(() => globalThis.seen.usable)
    // All that a later start takes is there, and the module with it; or nothing is waited for.
    if (tap === 'later') await page.evaluate(() => navigator.serviceWorker.ready)
    await page.tap('[data-action=play-now]')
    await page.waitForFunction(() => globalThis.seen.dealt)
  } else await page.waitForFunction(() => globalThis.seen.fcp)
  const { fcp, lcp, blocks, usable, tapped, dealt } = await page.evaluate(() => globalThis.seen)
  await page.context().close()
  const blocked = blocks.filter(([start]) => start >= fcp && start < tapped).reduce((sum, [, duration]) => sum + Math.max(0, duration - 50), 0)
  return { fcp, lcp, usable, blocked, hand: dealt - tapped, opened: dealt }
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]

const server = await GameServer.start({ CUATROLA_LIMIT_ADDRESS: '0' })
const browser = await launch()
try {
  const runs = conditions.map(() => ({ empty: [], quiet: [], hasty: [] }))
  for (let i = 0; i < loads; i++) {
    for (const [at, condition] of conditions.entries()) {
      runs[at].empty.push(await load(browser, server.url + '/readyz', condition))
      runs[at].quiet.push(await load(browser, server.url, condition, 'later'))
      runs[at].hasty.push(await load(browser, server.url, condition, 'at once'))
    }
  }
  const row = (what, figure) => console.log(`| ${[what, ...runs.map((run) => Math.round(median(figure(run)))).map((ms) => `${ms} ms`)].join(' | ')} |`)
  console.log(`${cpus().length} × ${cpus()[0].model}; medians of ${loads} loads`)
  console.log(`| what | ${conditions.map(({ name }) => name).join(' | ')} |\n|---|${conditions.map(() => '---').join('|')}|`)
  row('a page of one word: first paint', ({ empty }) => empty.map(({ fcp }) => fcp))
  row('first contentful paint', ({ quiet, hasty }) => [...quiet, ...hasty].map(({ fcp }) => fcp))
  row('largest contentful paint', ({ quiet }) => quiet.map(({ lcp }) => lcp))
  row('one can play (interactive)', ({ quiet, hasty }) => [...quiet, ...hasty].map(({ usable }) => usable))
  row('blocked in all, until everything is kept', ({ quiet }) => quiet.map(({ blocked }) => blocked))
  row('from the tap to the hand', ({ quiet }) => quiet.map(({ hand }) => hand))
  row('… of who taps at once', ({ hasty }) => hasty.map(({ hand }) => hand))
  row('… from opening the page to the hand', ({ hasty }) => hasty.map(({ opened }) => opened))
} finally {
  await browser.close()
  await server.stop()
}
