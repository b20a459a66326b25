import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { faults, fits, GameServer, launch, play, startMatch, visit } from './harness.mjs'
import { guest, keep, playedHere, playedOnline, unrolled } from './matches.mjs'

const listed = (page) => page.$$eval('[data-match]', (all) => all.map((e) => e.dataset.match))

describe('history', () => {
  let server, browser, ana
  const here = [
    playedHere({ id: 'newer', endedAt: '2026-11-20T18:30:00.000Z', house: { preset: 'liga', end: 'points', target: 3 } }),
    playedHere({ id: 'older', endedAt: '2001-01-05T10:00:00.000Z' }),
  ]
  const online = []
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
    ana = await guest(server, 'Ana')
    // More than a page of them, most left open; the first is played to its end.
    online.unshift(await playedOnline(ana))
    for (let n = 0; n < 22; n++) online.unshift(await playedOnline(ana, { until: () => true }))
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function open(kept, options = {}, address = '/history') {
    const page = await visit(browser, undefined, options)
    await keep(page, kept)
    await page.goto(server.url + address)
    return page
  }

  it('lists what was played online and what was played here, page by page', async () => {
    const page = await open({ records: here, device: ana.device })
    await page.waitForSelector('[data-kept=server]')
    const first = await listed(page)
    // What is older than the page's last may have others before it, so it waits for them.
    assert.deepEqual(first.filter((id) => online.some((m) => m.id === id)), online.slice(0, 20).map((m) => m.id))
    assert.ok(!first.includes('older'))
    await page.focus('[data-action=more]')
    await page.keyboard.press('Enter')
    await page.waitForSelector(`[data-match="${online.at(-1).id}"]`)
    const all = await listed(page)
    assert.deepEqual(all.filter((id) => online.some((m) => m.id === id)), online.map((m) => m.id))
    assert.equal(all.at(-1), 'older')
    assert.ok(all.includes('newer'))
    assert.equal(await page.$('[data-action=more]'), null)

    const over = page.locator(`[data-match="${online.at(-1).id}"]`)
    const { score, winner } = online.at(-1).view
    assert.equal(await over.getAttribute('data-outcome'), winner === 0 ? 'won' : 'lost')
    assert.ok((await over.textContent()).includes(`${score[0]} – ${score[1]}`))
    assert.match(await over.textContent(), /Contra la máquina.*Clásica · 3 puntos|Clásica/)

    await page.locator('input[name=from][value=device]').check({ force: true })
    await page.waitForFunction(() => document.querySelectorAll('[data-match]').length === 2)
    assert.deepEqual(await listed(page), ['newer', 'older'])
    await page.locator('input[name=from][value=server]').check({ force: true })
    await page.waitForSelector('[data-kept=server]')
    assert.ok(!(await listed(page)).includes('newer'))
    assert.deepEqual(page.faults, [])

    // An open match leads to its table, one that is over to its page.
    assert.equal(await page.getAttribute(`[data-match="${online[0].id}"] a`, 'href'), `/matches/${online[0].id}`)
    await page.locator('input[name=from][value=device]').check({ force: true })
    await page.click('[data-match=newer] a')
    await page.waitForSelector('.replay[data-steps]')
    assert.equal(new URL(page.url()).pathname, '/history/local/newer')
    await page.context().close()
  })

  it('keeps the server’s order, however finely a time is written', async () => {
    const page = await open({ records: here, device: ana.device }, {}, '/')
    const times = ['2026-11-20T18:00:00.2Z', '2026-11-20T18:00:00.199999Z', '2026-11-20T18:00:00.15Z', '2026-11-20T18:00:00.1Z', '2026-11-20T18:00:00.099Z', '2026-11-20T18:00:00Z', '2026-11-20T17:59:59.999Z']
    await page.route('**/v1/matches?*', async (route) => {
      const response = await route.fetch()
      const body = await response.json()
      const matches = body.matches.slice(0, times.length).map((match, n) => ({ ...match, createdAt: times[n] }))
      await route.fulfill({ response, json: { ...body, matches } })
    })
    await page.goto(server.url + '/history?from=server')
    await page.waitForSelector('[data-kept=server]')
    assert.deepEqual(await listed(page), online.slice(0, times.length).map((m) => m.id))
    await page.context().close()
  })

  it('keeps a match that was played here, and deletes it when one wants', async () => {
    const page = await visit(browser, server.url)
    await startMatch(page, { where: 'offline', preset: 'liga', length: 'points:3' })
    await play(page, { until: (demand, taken) => taken >= 2 })
    await page.goto(server.url + '/history')
    await page.waitForSelector('[data-outcome=open][data-kept=device]')
    await page.click('[data-outcome=open] a')
    await page.waitForSelector('.game')
    const { demand } = await play(page)
    await page.goto(server.url + '/history')
    await page.waitForSelector(`[data-outcome=${demand.won ? 'won' : 'lost'}][data-kept=device]`)
    assert.equal((await listed(page)).length, 1)
    await page.click('[data-match] a')
    await page.waitForSelector('.replay[data-steps]')
    await page.click('[data-action=forget]')
    await page.click('[data-action=confirm]')
    await page.waitForURL('**/history')
    await page.waitForSelector('.empty')
    assert.deepEqual(await listed(page), [])
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('says what would be here while there is nothing', async () => {
    const page = await open({})
    await page.waitForSelector('.empty a[href="/bots"]')
    await page.context().close()
  })

  it('shows what is on the device while the server is away, and the rest when it is back', async () => {
    const page = await visit(browser, undefined)
    await keep(page, { records: here, device: ana.device })
    await page.goto(server.url)
    await page.evaluate(() => navigator.serviceWorker.ready)
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await page.context().setOffline(true)
    await page.goto(server.url + '/history')
    await page.waitForSelector('[data-server=away]')
    assert.deepEqual(await listed(page), ['newer', 'older'])
    await page.context().setOffline(false)
    await page.click('.note button')
    await page.waitForSelector('[data-kept=server]')
    assert.equal(await page.$('[data-server=away]'), null)
    await page.context().close()
  })

  it('shows a match of the server’s with its people, score and stake', async () => {
    const { id, view } = online.at(-1)
    const page = await open({ device: ana.device }, {}, '/history/' + id)
    await page.waitForSelector('.replay[data-steps]')
    assert.equal(await page.textContent('h1'), 'Contra la máquina')
    assert.match(await page.textContent('.match-score'), new RegExp(`^${view.score[0]} – ${view.score[1]}$`))
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('tells kindly of matches that are not to be seen', async () => {
    const { id } = online.at(-1)
    const bea = await guest(server, 'Bea')
    for (const [device, address, what] of [
      [bea.device, '/history/' + id, 'foreign'],
      [ana.device, '/history/' + online[0].id, 'not_over'],
      [ana.device, '/history/01890a5d-ac96-774b-bcce-b302099a8057', 'unknown'],
      [ana.device, '/history/whatever', 'unknown'],
      [null, '/history/' + id, 'signed_out'],
      [null, '/history/local/whatever', 'unknown'],
    ]) {
      const page = await open({ device }, {}, address)
      await page.waitForSelector(`[data-told=${what}]`)
      assert.ok(await page.isVisible('.empty a'), 'and where to go instead')
      assert.deepEqual(await faults(page), [], what)
      assert.deepEqual(page.faults, [])
      await page.context().close()
    }
  })

  for (const theme of ['light', 'dark']) {
    it(`has nothing to find fault with, and fits a phone, ${theme}`, async () => {
      const page = await open({ records: here, device: ana.device }, { theme, viewport: { width: 360, height: 740 }, phone: true })
      await page.waitForSelector('[data-kept=server]')
      await fits(page, theme)
      await unrolled(page)
      assert.deepEqual(await faults(page), [])
      await page.context().close()
    })
  }
})
