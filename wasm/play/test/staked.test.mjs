import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessible, fits, GameServer, languages, launch, movedOn, nextDemand, phone, visit } from './harness.mjs'
import { as, at, atTable, close, key, person, tune } from './lobby.mjs'

describe('staked tables', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  const coins = (page, n) => page.waitForSelector(`.coins-chip[data-coins="${n}"]`)

  it('four people sit down, pay, and play for the pot', async () => {
    const pages = await Promise.all([1, 2, 3, 4].map(() => visit(browser, server.url + '/queue?stake')))
    const [first, second, ...rest] = pages
    // Nobody is somebody yet: a guest is made with the search, and has the welcome grant to pay with.
    const sit = async (page) => {
      await page.waitForSelector('input[name=stake][value="100"]:checked', { state: 'attached' })
      await page.click('[data-action=search]')
    }
    await sit(first)
    await first.waitForSelector('[data-pot="100"]')
    await coins(first, 400)
    await sit(second)
    await first.waitForSelector('[data-pot="200"]')
    await first.waitForFunction(() => [...document.querySelectorAll('[role=status]')].some((e) => e.textContent.includes('se sienta')))
    // A reload in the middle, and another page of the same player: both lead back.
    await first.reload()
    await first.waitForSelector('[data-pot="200"]')
    await first.click('.navigation [data-area=friends]')
    await first.waitForSelector('.engaged[data-engaged=table]')
    await sit(rest[0])
    await second.waitForSelector('[data-pot="300"]')
    assert.equal(await second.locator('[data-place=nobody]').count(), 1)
    await sit(rest[1])
    await Promise.all(pages.map(atTable))
    assert.equal(new Set(pages.map(at)).size, 1)
    // Everybody speaks in turn.
    await Promise.all(pages.map(async (page) => {
      const { actions, seq } = await nextDemand(page)
      await page.click(`.actions [data-action="${actions[0]}"]`)
      await movedOn(page, seq)
    }))
    await first.goto(server.url)
    await coins(first, 400)
    await close(...pages)
  })

  it('one that does not fill is cancelled: the entry is back, and that is said, also after a reload', async () => {
    await tune(server, (document) => { document.queue.tableFillSeconds = 10 })
    const page = await visit(browser, server.url + '/queue?stake=250')
    await page.waitForSelector('input[name=stake][value="250"]:checked', { state: 'attached' })
    await page.click('[data-action=search]')
    await page.waitForSelector('[data-pot="250"]')
    await coins(page, 250)
    await accessible(page, 'table')
    await page.waitForSelector('[data-ended=cancelled]', { timeout: 60_000 })
    assert.match(await page.textContent('[data-ended=cancelled]'), /no se llenó a tiempo.*devuelto tus 250 monedas/)
    await coins(page, 500)
    await accessible(page, 'cancelled')
    await page.reload()
    await page.waitForSelector('[data-ended=cancelled]')
    await page.click('[data-action=heard]')
    await page.waitForSelector('[data-ended]', { state: 'detached' })
    await page.reload()
    await page.waitForSelector('[data-action=search]')
    assert.equal(await page.locator('[data-ended]').count(), 0)
    await close(page)
  })

  it('tells of a cancelled table to whoever looks elsewhere, or was away', async () => {
    await tune(server, (document) => { document.queue.tableFillSeconds = 10 })
    const [here, gone] = await Promise.all([person(server), person(server)])
    // Different rules: they are not to meet.
    await here.call('POST', '/v1/queue', { stake: 100, rules: 'liga' }, key())
    await gone.call('POST', '/v1/queue', { stake: 100, rules: 'clasica' }, key())
    const [watching, leaving] = await Promise.all([as(browser, server, here, '/friends'), as(browser, server, gone, '/queue')])
    await watching.waitForSelector('.engaged[data-engaged=table]')
    await leaving.waitForSelector('[data-pot]')
    await leaving.goto(server.url + '/v1/status')
    await watching.waitForFunction(() => document.querySelector('.toasts').textContent.includes('devuelto tus 100 monedas'), undefined, { timeout: 60_000 })
    for (;;) if ((await gone.call('GET', '/v1/me/engagement')).kind === 'none') break
    await leaving.goto(server.url + '/queue')
    await leaving.waitForSelector('[data-ended=cancelled]')
    await close(watching, leaving)
  })

  it('gives the entry back to whoever stands up', async () => {
    const page = await visit(browser, server.url + '/queue?stake=500')
    await page.waitForSelector('input[name=stake][value="500"]:checked', { state: 'attached' })
    await page.click('[data-action=search]')
    await page.waitForSelector('[data-pot="500"]')
    await coins(page, 0)
    await page.click('[data-action=stand-up]')
    await page.waitForSelector('[data-action=search]')
    await coins(page, 500)
    assert.equal(await page.locator('[data-ended]').count(), 0, 'one’s own doing needs no telling')
    await close(page)
  })

  it('refuses kindly whoever cannot pay, and shows the way to coins', async () => {
    const [poor, debtor] = await Promise.all([person(server), person(server)])
    const page = await as(browser, server, poor, '/queue?stake=1000')
    await page.waitForSelector('[data-short=few]')
    assert.match(await page.textContent('[data-short=few]'), /te faltan 500 monedas/)
    assert.equal(await page.getAttribute('[data-action=search]', 'aria-disabled'), 'true')
    await page.click('[data-action=daily]')
    await page.waitForFunction(() => document.querySelector('[data-short=few]').textContent.includes('te faltan 450'))
    await accessible(page, 'too few')
    // A wish that can be paid goes through.
    await page.locator('input[name=stake][value="500"]').check({ force: true })
    await page.waitForSelector('[data-action=search][aria-disabled=false]')
    await close(page)
    // A debt comes of a refund of what has been spent; here it is enough that the wallet tells of one.
    const owing = await visit(browser, server.url)
    await owing.route('**/v1/wallet', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, json: { ...(await answer.json()), coins: 0, debt: 300 } })
    })
    await owing.evaluate((kept) => localStorage.setItem('cuatrola.device', kept), JSON.stringify(debtor.kept))
    await owing.goto(server.url + '/queue?stake=100')
    await owing.waitForSelector('[data-short=debt]')
    assert.match(await owing.textContent('[data-short=debt]'), /Debes 300/)
    await close(owing)
  })

  it('is for everybody: on a phone, in three languages', async () => {
    const who = await person(server)
    await tune(server, (document) => { document.queue.tableFillSeconds = 600 })
    await who.call('POST', '/v1/queue', { stake: 100, rules: 'mesa-quintola' }, key())
    const free = await person(server)
    for (const language of languages) {
      for (const [one, path, wait] of [[who, '/queue', '[data-pot]'], [free, '/queue?stake', '[data-action=search]'], [free, '/queue?stake=1000', '[data-short]']]) {
        const page = await as(browser, server, one, path, { ...phone, language })
        await page.waitForSelector(wait)
        await fits(page, `${path}, ${language}`)
        await close(page)
      }
    }
  })
})
