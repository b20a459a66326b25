import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessible, fits, GameServer, languages, launch, phone, play, visit } from './harness.mjs'
import { as, at, atTable, befriend, close, key, person, tune } from './lobby.mjs'

describe('quick match', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  it('nobody presses one button, waits, and plays with the machine where no people came', async () => {
    await tune(server, (document) => { document.botFillSeconds = 8 })
    const page = await visit(browser, server.url)
    await page.click('[data-way=quick]')
    await page.waitForSelector('[data-action=search]')
    await page.locator('input[name=rules][value=liga]').check({ force: true })
    await page.focus('[data-action=search]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-bots]')
    assert.match(await page.textContent('.felt-table'), /Liga/)
    // The heading has the focus, since the page has become another.
    assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1')
    await page.reload()
    await page.waitForSelector('[data-bots]')
    await atTable(page)
    const { taken } = await play(page, { until: (_, n) => n >= 2 })
    assert.equal(taken, 2)
    // Dropped and come back: the page leads to the same table.
    const table = at(page)
    await page.goto(server.url + '/queue')
    await atTable(page)
    assert.equal(at(page), table)
    await close(page)
  })

  it('can be given up, by keyboard too', async () => {
    await tune(server, (document) => { document.botFillSeconds = 280 })
    const page = await visit(browser, server.url + '/queue')
    await page.click('[data-action=search]')
    await page.waitForSelector('[data-action=cancel]')
    await accessible(page, 'waiting')
    await page.click('.navigation [data-area=home]')
    await page.click('.engaged[data-engaged=ticket] a')
    await page.focus('[data-action=cancel]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-action=search]')
    assert.equal(await page.locator('.engaged').count(), 0)
    await accessible(page, 'choosing')
    await close(page)
  })

  it('two friends play as a pair: one asks, the other says yes where they are', async () => {
    await tune(server, (document) => { document.botFillSeconds = 5 })
    const [ana, ben] = await Promise.all([person(server, 'Anabel'), person(server, 'Benjamín')])
    await befriend(ana, ben)
    const [first, second] = await Promise.all([as(browser, server, ana, '/friends'), as(browser, server, ben, '/')])
    await second.waitForSelector('.bell')
    await first.click('[data-person=Benjamín] [data-action=pair]')
    await first.waitForFunction((id) => document.querySelector('select[name=partner]')?.value === id, ben.id)
    await first.locator('input[name=rules][value=mesa-quintola]').check({ force: true })
    await first.click('[data-action=search]')
    await first.waitForFunction(() => document.querySelector('#content h1').textContent === 'Esperando a tu pareja')
    await second.waitForSelector('[data-arrival=party_invite]')
    await accessible(second, 'invitation')
    await second.click('[data-arrival=party_invite] [data-action=yes]')
    await second.waitForSelector('[data-place=partner]')
    await first.waitForSelector('[data-place=partner]')
    assert.match(await first.textContent('[data-place=partner]'), /Benjamín/)
    await Promise.all([atTable(first), atTable(second)])
    assert.equal(at(first), at(second))
    const match = at(first).split('/').at(-1)
    const [mine, theirs] = await Promise.all([ana, ben].map((who) => who.call('GET', `/v1/matches/${match}`)))
    assert.equal((mine.you + 2) % 4, theirs.you)
    await close(first, second)
  })

  it('shows an invitation on the page too, and says when nobody came in time', async () => {
    await tune(server, (document) => {
      document.botFillSeconds = 8
      document.queue.maxWaitSeconds = 10
    })
    const [ana, ben] = await Promise.all([person(server, 'Amaya'), person(server, 'Bernat')])
    await befriend(ana, ben)
    await ana.call('POST', '/v1/queue', { rules: 'clasica', partnerId: ben.id }, key())
    const [waits, invited] = await Promise.all([as(browser, server, ana, '/queue'), as(browser, server, ben, '/queue')])
    await invited.waitForSelector('[data-invitation=Amaya]')
    assert.match(await invited.textContent('[data-invitation=Amaya]'), /Clásica/)
    await waits.waitForSelector('[data-ended=expired]', { timeout: 60_000 })
    assert.match(await waits.textContent('[data-ended=expired]'), /se ha dejado de buscar/)
    await accessible(waits, 'expired')
    await close(waits, invited)
  })

  it('tells that the house has stopped it', async () => {
    const page = await visit(browser, server.url)
    await page.route('**/v1/status', (route) => route.fulfill({
      json: { stopped: [{ part: 'queue', until: null, text: { es: 'Paramos un rato.', ca: 'Parem una estona.', en: 'We stop for a while.' } }] },
    }))
    await page.goto(server.url + '/queue')
    await page.waitForSelector('[data-stopped=queue]')
    assert.match(await page.textContent('[data-stopped=queue]'), /Paramos un rato/)
    await page.waitForSelector('[data-action=search][aria-disabled=true]')
    await close(page)
  })

  it('is for everybody: on a phone, in three languages', async () => {
    await tune(server, (document) => { document.botFillSeconds = 280 })
    const [waits, free] = await Promise.all([person(server), person(server)])
    await waits.call('POST', '/v1/queue', {}, key())
    for (const language of languages) {
      for (const [who, path, wait] of [[waits, '/queue', '[data-bots]'], [free, '/queue', '[data-action=search]'], [waits, '/rooms', '[data-action=back]']]) {
        const page = await as(browser, server, who, path, { ...phone, language })
        await page.waitForSelector(wait)
        await fits(page, `${path}, ${language}`)
        await close(page)
      }
    }
  })
})
