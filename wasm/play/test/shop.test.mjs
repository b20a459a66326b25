import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { panel, signIn } from '../../../admin/test/harness.mjs'
import { guest } from '../../../scripts/people.mjs'
import { Stripe } from '../../../scripts/stripe.mjs'
import { fitsInEach, open, tabTo } from './economy.mjs'
import { accessible, be, desktop, GameServer, launch, settled, visit } from './harness.mjs'

const chip = (page, coins) => page.waitForSelector(`.coins-chip[data-coins="${coins}"]`)
const stage = (page, name) => page.waitForSelector(`[data-stage=${name}]`, { timeout: 60_000 })
const english = { ...desktop, language: 'en-GB' }

describe('the shop', () => {
  let stripe, server, browser
  before(async () => {
    stripe = await Stripe.start()
    server = await GameServer.start((port) => ({ ...stripe.settings, CUATROLA_PUBLIC_URL: `http://127.0.0.1:${port}` }))
    stripe.hook = server.url + '/v1/webhooks/stripe'
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
    await stripe?.stop()
  })

  /** Somebody in the shop. */
  async function shopper(name, view = english) {
    const who = await guest(server, name)
    const page = await be(await visit(browser, undefined, view), who)
    await open(page, server, '/shop')
    return { who, page, done: async () => {
      assert.deepEqual(page.faults, [], name)
      await page.context().close()
    } }
  }

  /** To Stripe's page, where the product is to be paid. */
  async function order(page, sku) {
    await page.click(`[data-sku=${sku}] [data-action=buy]`)
    await page.click('.dialog [data-action=confirm]')
    await page.waitForURL((url) => url.pathname.startsWith('/checkout/'))
  }
  const theirs = (who) => who.call('GET', '/v1/shop/orders').then(({ orders }) => orders)

  it('sells coins, which come once however often Stripe tells', async () => {
    const { who, page, done } = await shopper('Ana')
    await page.waitForSelector('[data-guest]')
    await accessible(page, 'shop')
    assert.match(await page.locator('[data-sku=coins-1000] [data-action=buy]').textContent(), /€1\.99/)
    await page.click('[data-sku=coins-1000] [data-action=buy]')
    await page.waitForSelector('.dialog [data-guest]')
    await accessible(page, 'what is about to be bought')
    await page.keyboard.press('Escape')
    await order(page, 'coins-1000')
    await page.click('button[value=pay]')
    await stage(page, 'waiting')
    assert.match(new URL(page.url()).pathname, /^\/shop\/orders\//)
    await accessible(page, 'waiting for Stripe')
    // Stripe tells behind the return, and then everything once more.
    await stripe.do('tell')
    await stage(page, 'granted')
    await chip(page, 1500)
    await stripe.do('again')
    await page.reload()
    await stage(page, 'granted')
    await settled(page)
    await chip(page, 1500)
    assert.match(await page.locator('.paper-receipt').textContent(), /1,000 coins.*€1\.99.*Delivered.*Stripe/)
    await accessible(page, 'receipt')

    await page.click('.outcome a[href="/wallet"]')
    await page.waitForSelector('[data-kind=purchase][data-amount="1000"]')
    assert.equal(await page.locator('[data-kind=purchase]').count(), 1)
    await page.click('[data-kind=purchase]')
    await page.click('.dialog a[href^="/shop/orders/"]')
    await stage(page, 'granted')
    assert.equal((await who.call('GET', '/v1/wallet')).coins, 1500)
    await done()
  })

  it('has given what Stripe told of before one is back', async () => {
    const { who, page, done } = await shopper('Bea')
    await order(page, 'starter')
    const [{ id }] = await theirs(who)
    await stripe.do('pay', id)
    await page.goto(`${server.url}/shop?order=${id}&checkout=done`)
    await stage(page, 'granted')
    await chip(page, 2000)
    assert.match(await page.locator('.outcome').textContent(), /1,500 coins and one gold booster/)
    await open(page, server, '/shop')
    assert.match(await page.locator('[data-sku=starter]').textContent(), /You have bought it/)
    assert.equal(await page.locator('[data-sku=starter] [data-action=buy]').count(), 0)
    await open(page, server, '/wallet')
    await page.waitForSelector('[data-held="1"]')
    await done()
  })

  it('says that nothing was paid to whoever comes back so, and goes on with the same order', async () => {
    const { who, page, done } = await shopper('Carla')
    await order(page, 'coins-6000')
    await page.click('a:has-text("Back to the shop")')
    await stage(page, 'left')
    assert.match(await page.locator('.outcome').textContent(), /charged nothing/)
    await accessible(page, 'not paid')
    await chip(page, 500)
    // From the shop again: it says so, and ordering once more is the same order.
    await page.click('.outcome a[href="/shop"]')
    await page.waitForSelector('[data-open-order]')
    await order(page, 'coins-6000')
    await page.goBack()
    await page.waitForSelector('[data-open-order]')
    assert.equal((await theirs(who)).length, 1)
    await page.click('[data-open-order] a')
    await stage(page, 'open')
    // By keys alone.
    await tabTo(page, '[data-action=pay]')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname.startsWith('/checkout/'))
    await page.click('button[value=pay]')
    await stripe.do('tell')
    await stage(page, 'granted')
    await chip(page, 6500)
    assert.equal((await theirs(who)).length, 1)
    // What was bought can be bought again: that is another order.
    await open(page, server, '/shop')
    await order(page, 'coins-6000')
    await page.click('a:has-text("Back to the shop")')
    await stage(page, 'left')
    const [{ id }] = await theirs(who)
    assert.equal((await theirs(who)).length, 2)
    await stripe.do('expire', id)
    await page.reload()
    await stage(page, 'expired')
    assert.equal(await page.locator('[data-action=pay]').count(), 0)
    await done()
  })

  it('is patient with money that takes days, and says when it does not come', async () => {
    const { who, page, done } = await shopper('Dora')
    await order(page, 'coins-1000')
    await page.click('button[value=later]')
    await stripe.do('tell')
    await stage(page, 'waiting')
    const [{ id }] = await theirs(who)
    await stripe.do('bounce', id)
    await stage(page, 'failed')
    await settled(page)
    await accessible(page, 'failed')
    await chip(page, 500)
    await done()
  })

  it('takes a refund back, and says what is owed', async () => {
    const { who, page, done } = await shopper('Elena')
    await order(page, 'coins-6000')
    await page.click('button[value=pay]')
    await stripe.do('tell')
    await stage(page, 'granted')
    await who.call('POST', '/v1/wallet/purchases', { item: 'vip' }, { 'Idempotency-Key': 'vip' })
    const [{ id }] = await theirs(who)
    await stripe.do('refund', id)
    await page.reload()
    await stage(page, 'reversed')
    assert.match(await page.locator('.outcome').textContent(), /€9\.99/)
    await chip(page, 0)
    await open(page, server, '/wallet')
    await page.waitForSelector('[data-debt="3500"]')
    await settled(page)
    await accessible(page, 'in debt')
    await done()
  })

  it('renews a pass until one stops it', async () => {
    const { who, page, done } = await shopper('Fina')
    await page.click('[data-sku=vip-monthly] [data-action=buy]')
    assert.match(await page.locator('.dialog [data-renews=month]').textContent(), /€3\.99 every month until you stop it/)
    await page.keyboard.press('Escape')
    await order(page, 'vip-monthly')
    await page.click('button[value=pay]')
    await stripe.do('tell')
    await stage(page, 'granted')
    await page.waitForSelector('[data-renewal=on]')
    await page.click('[data-action=stop-renewing]')
    await accessible(page, 'not to be renewed')
    await page.click('.dialog [data-action=confirm]')
    await page.waitForSelector('[data-renewal=stopped]')
    assert.equal(await page.locator('[data-action=stop-renewing]').count(), 0)
    await page.waitForSelector('[data-what=renewal_stopped]')
    await open(page, server, '/wallet')
    await page.waitForSelector('[data-vip=true]')
    await open(page, server, '/shop/orders')
    assert.equal(await page.locator('[data-order][data-status=granted]').count(), 1)
    await accessible(page, 'orders')
    await done()
    await fitsInEach(browser, server, visit, who, ['/shop', '/shop/orders', `/shop/orders/${(await theirs(who))[0].id}`])
  })

  it('is one’s own: another’s order is not there', async () => {
    const ana = await guest(server, 'Gala')
    const { order: hers } = await ana.call('POST', '/v1/shop/orders', { sku: 'coins-1000', provider: 'stripe', currency: 'EUR' }, { 'Idempotency-Key': 'hers' })
    const { page, done } = await shopper('Hugo')
    await open(page, server, `/shop/orders/${hers.id}`)
    await page.waitForSelector('[data-missing]')
    await open(page, server, '/shop/orders')
    await page.waitForSelector('.empty')
    await accessible(page, 'no orders')
    await done()
  })

  it('says in the house’s words that it is closed, also to whoever has it open', async () => {
    const { page, done } = await shopper('Inma')
    const desk = await visit(browser, undefined, english)
    const owner = await signIn(desk, server, 'owner')
    await panel(desk, server, owner, 'PUT', '/admin/v1/switches/shop', {
      stopped: true, version: 0, reason: 'An outage.', until: new Date(Date.now() + 3_600_000).toISOString(),
      text: { es: 'La tienda vuelve en una hora.', ca: 'La botiga torna d’aquí a una hora.', en: 'The shop is back in an hour.' },
    })
    await desk.context().close()
    await page.click('[data-sku=coins-1000] [data-action=buy]')
    await page.click('.dialog [data-action=confirm]')
    await page.waitForSelector('.dialog [data-problem=stopped]:has-text("The shop is back in an hour.")')
    await page.keyboard.press('Escape')
    await open(page, server, '/shop')
    await page.waitForSelector('[data-stopped]:has-text("The shop is back in an hour.")')
    assert.equal(await page.locator('[data-action=buy]').count(), 0)
    assert.equal(await page.locator('[data-item=booster] [data-action=spend]').count(), 1) // coins are not money
    await accessible(page, 'closed')
    await done()
  })
})

describe('a server that sells nothing for money', () => {
  it('sells for coins', async () => {
    const server = await GameServer.start()
    const browser = await launch()
    try {
      const page = await be(await visit(browser, undefined, english), await guest(server, 'Ana'))
      await open(page, server, '/shop')
      await page.waitForSelector('[data-item=booster]')
      assert.equal(await page.locator('[data-sku]').count(), 0)
      assert.match(await page.locator('main').textContent(), /sells nothing for money/)
      assert.deepEqual(page.faults, [])
    } finally {
      await browser.close()
      await server.stop()
    }
  })
})
