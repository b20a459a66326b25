import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  accessibleInBoth, desktop, GameServer, languages, launch, noOverflow, open, phone, settled, signIn, tabTo, unharmed, visit, worded,
} from './harness.mjs'
import { buy, Stripe } from './stripe.mjs'

describe('orders', () => {
  let stripe, server, browser, page, order, club
  before(async () => {
    stripe = await Stripe.start()
    server = await GameServer.start(stripe.settings)
    stripe.hook = server.url + '/v1/webhooks/stripe'
    browser = await launch()
    page = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
    await signIn(page, server, 'support', { name: 'Pau' })
    order = await buy(server, 'Ana', 'coins-1000')
    await stripe.do('pay', order.id)
    club = await buy(server, 'Bea', 'vip-monthly')
    await stripe.do('pay', club.id)
    const odd = await buy(server, 'Carla', 'coins-1000')
    await stripe.do('misfit', odd.id)
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
    await stripe?.stop()
  })

  it('are found, and given back in part and whole', async () => {
    await open(page, server, '/admin/orders')
    assert.equal(await page.locator('tbody tr').count(), 3)
    await accessibleInBoth(page, 'list')
    await page.fill('input[name=search]', 'Ana')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    await page.click('.row-link')
    await page.waitForSelector('[data-action=refund]')
    await settled(page)
    await accessibleInBoth(page, 'order')

    await page.click('[data-action=refund]')
    await page.click('.dialog label:has-text("A part")')
    await page.fill('.dialog input[name=amount]', '99')
    await page.fill('.dialog textarea', 'Half of it was a gift.')
    await page.click('.dialog [data-action=confirm]')
    await page.waitForSelector('.dialog [role=alert]:has-text("€1.99")') // more than there is
    await page.fill('.dialog input[name=amount]', '0.99')
    await accessibleInBoth(page, 'refund')
    await page.click('.dialog [data-action=confirm]')
    await page.waitForSelector('.note:has-text("has not confirmed")')
    await stripe.do('tell')
    await page.waitForSelector('.badge:has-text("partly given back")')
    const history = await page.locator('tbody').first().textContent()
    assert.match(history, /Refund asked for.*€0\.99.*Half of it was a gift\..*Pau/)
    assert.match(history, /Money given back.*€0\.99.*-49\d coins.*Stripe/)

    // The rest, with keys alone.
    await tabTo(page, '[data-action=refund]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.dialog')
    await tabTo(page, '.dialog textarea')
    await page.keyboard.type('All of it, then.')
    await tabTo(page, '.dialog [data-action=confirm]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.dialog', { state: 'detached' })
    await stripe.do('tell')
    await page.waitForSelector('.page-head .badge:has-text("given back"):not(:has-text("partly"))')
    assert.equal(await page.locator('[data-action=refund]').count(), 0)
    await unharmed(page, 'an order')
  })

  it('are not renewed any more', async () => {
    await open(page, server, '/admin/orders/' + club.id)
    await page.click('[data-action=end-renewal]')
    await page.fill('.dialog textarea', 'Asked for it by mail.')
    await page.click('.dialog [data-action=confirm]')
    await page.waitForSelector('tbody >> text=Will not be renewed')
    assert.equal(await page.locator('[data-action=end-renewal]').count(), 0)
  })

  it('have an inbox of what does not fit', async () => {
    await open(page, server, '/admin/orders?tab=events')
    await page.locator('.row-link').first().click()
    await page.waitForSelector('.dialog .code')
    await accessibleInBoth(page, 'event')
    await page.keyboard.press('Escape')
    assert.match(await page.locator('tbody').textContent(), /what was paid is not what was ordered/)
    await page.selectOption('select[name=outcome]', 'applied')
    await settled(page)
    assert.ok(await page.locator('tbody tr').count() > 2)
    await page.click('[data-action=reconcile]')
    await page.fill('.dialog textarea', 'Is anything missing?')
    await page.click('.dialog [data-action=confirm]')
    await page.waitForSelector('.toast')
  })

  it('are seen on a phone, in each language, and by a viewer', async () => {
    for (const language of languages) {
      const other = await visit(browser, undefined, { ...phone, language })
      await other.context().addCookies(await page.context().cookies())
      for (const path of ['/admin/orders', '/admin/orders?tab=events', '/admin/orders/' + order.id]) {
        await open(other, server, path)
        await noOverflow(other, `${path}, ${language}`)
        await worded(other, `${path}, ${language}`)
      }
      await other.context().close()
    }
    const viewer = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
    await signIn(viewer, server, 'viewer')
    await open(viewer, server, '/admin/orders/' + club.id)
    assert.equal(await viewer.locator('[data-action=refund], [data-action=reconcile]').count(), 0)
    await viewer.context().close()
  })
})
