import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { allKept, be, desktop, drawn, GameServer, launch, nextDemand, phone, settled, visit } from './harness.mjs'
import { person } from './lobby.mjs'
import { Wire } from './wire.mjs'

const KB = 1024
const budget = 300 * KB

describe('what the page costs', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  const pathOf = (url) => url.replace(server.url, '')
  const isModule = ({ url }) => url.endsWith('.wasm')

  it('deals the first hand for at most 300 KB beside the module, which comes once, and asks nobody but the server', async (t) => {
    for (const how of [phone, desktop]) {
      const wire = await Wire.open()
      // What a later start takes is not of the first hand, and comes when it may.
      const page = await visit(browser, server.url, { ...how, proxy: wire.proxy, serviceWorkers: 'block' })
      await page.click('[data-action=play-now]')
      await nextDemand(page)
      const rest = wire.requests.filter((request) => !isModule(request))
      const bytes = rest.reduce((sum, request) => sum + request.bytes, 0)
      t.diagnostic(`${Math.round(bytes / KB)} KB in ${rest.length} requests, beside the module's ${Math.round((wire.bytes - bytes) / KB)} KB`)
      assert.ok(bytes > 0 && bytes <= budget, `${bytes} bytes: ${rest.map((r) => `${pathOf(r.url)} ${r.bytes}`).join(', ')}`)
      assert.equal(wire.requests.filter(isModule).length, 1)
      assert.deepEqual(wire.requests.filter(({ url }) => !url.startsWith(server.url + '/')), [])
      assert.deepEqual(page.faults, [])
      await page.context().close()
      await wire.close()
    }
  })

  it('takes every file once, whoever in the browser wants it, and nothing of it at the next visit', async (t) => {
    const wire = await Wire.open()
    const page = await visit(browser, server.url, { ...phone, proxy: wire.proxy })
    await page.click('[data-action=play-now]')
    await nextDemand(page)
    await allKept(page, server.url)
    const came = wire.requests.filter(({ url, status }) => status === 200 && /\/assets\//.test(url)).map(({ url }) => pathOf(url))
    assert.deepEqual(came.filter((path, i) => came.indexOf(path) !== i), [], 'came twice')
    t.diagnostic(`all pages kept: ${Math.round(wire.bytes / KB)} KB`)

    wire.requests.length = 0
    await page.goto(server.url)
    await page.click('[data-action=play-now]')
    await nextDemand(page)
    await page.goto(server.url + '/rules')
    await settled(page)
    // Whether something is new is asked, and answered with nothing.
    const files = wire.requests.filter(({ url, status }) => status !== 304 && !pathOf(url).startsWith('/v1/'))
    assert.deepEqual(files, [])
    assert.deepEqual(wire.requests.filter(({ url }) => !url.startsWith(server.url + '/')), [])
    assert.deepEqual(page.faults, [])
    await page.context().close()
    await wire.close()
  })

  it('stays where it is when its letters and the server’s answers come late', async (t) => {
    const known = await person(server, 'Remedios')
    const letters = /\.woff2$/
    const answers = /\/v1\//
    // How much may have moved that nobody has moved, as browsers add it up; they call 0.1 good. At the table what one may say
    // comes up when it is one's turn.
    for (const [path, there, most, ...lates] of [
      ['/', '[data-action=play-now]', 0.01, letters, answers], ['/rules', 'main h1', 0.01, letters], ['/bots', '[data-action=start]', 0.01, letters],
      ['/table?new', '.own-card', 0.05, letters],
    ]) {
      for (const late of lates) {
        for (const how of [phone, desktop]) {
          const where = `${path} at ${how.viewport.width}, ${late} late`
          const wire = await Wire.open()
          const release = wire.hold(late)
          const page = await be(await visit(browser, undefined, { ...how, proxy: wire.proxy, serviceWorkers: 'block' }), known.kept)
          await page.addInitScript(() => {
            globalThis.shifts = []
            globalThis.watching = new PerformanceObserver((list) => globalThis.shifts.push(...list.getEntries()))
            globalThis.watching.observe({ type: 'layout-shift', buffered: true })
          })
          await page.goto(server.url + path, { waitUntil: 'commit' })
          await page.waitForSelector(there)
          await drawn(page)
          release()
          await page.evaluate(() => document.fonts.ready)
          // The table stands alone; around the others there is what the server says of who plays.
          if (path !== '/table?new') await page.waitForSelector('.coins-chip')
          if (path === '/') await page.waitForFunction(() => [...document.querySelectorAll('.today small')].every((text) => text.textContent.trim()))
          await drawn(page)
          const shift = await page.evaluate(() => [...globalThis.shifts, ...globalThis.watching.takeRecords()].reduce((sum, { value }) => sum + value, 0))
          t.diagnostic(`${where}: ${shift.toFixed(4)}`)
          assert.ok(shift <= most, `${where}: ${shift}`)
          await page.context().close()
          await wire.close()
        }
      }
    }
  })
})
