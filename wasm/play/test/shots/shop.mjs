// The shop, with the project's own Stripe behind it.
import { guest } from '../../../../scripts/people.mjs'
import { Stripe } from '../../../../scripts/stripe.mjs'
import { open } from '../economy.mjs'
import { be, GameServer, settled } from '../harness.mjs'

let stripe

/** A server that sells. */
export async function start() {
  stripe = await Stripe.start()
  const server = await GameServer.start((port) => ({ ...stripe.settings, CUATROLA_PUBLIC_URL: `http://127.0.0.1:${port}` }))
  stripe.hook = server.url + '/v1/webhooks/stripe'
  return server
}
export const stop = () => stripe.stop()

async function order(who, sku) {
  const { order } = await who.call('POST', '/v1/shop/orders', { sku, provider: 'stripe', currency: 'EUR' }, { 'Idempotency-Key': sku })
  return order
}

export const shots = [
  {
    name: 'shop',
    async open({ server, browser, visit, view }) {
      const page = await be(await visit(browser, undefined, view), await guest(server, 'Aina'))
      await open(page, server, '/shop')
      return page
    },
  },
  {
    name: 'shop-buy',
    async open({ server, browser, visit, view }) {
      const page = await be(await visit(browser, undefined, view), await guest(server, 'Aina'))
      await open(page, server, '/shop')
      await page.click('[data-sku=vip-monthly] [data-action=buy]')
      await page.waitForSelector('.dialog')
      return page
    },
  },
  {
    name: 'shop-order',
    async open({ server, browser, visit, view }) {
      const me = await guest(server, 'Aina')
      const { id } = await order(me, 'coins-6000')
      await stripe.do('pay', id)
      const page = await be(await visit(browser, undefined, view), me)
      await open(page, server, `/shop/orders/${id}`)
      return page
    },
  },
  {
    name: 'shop-orders',
    async open({ server, browser, visit, view }) {
      const me = await guest(server, 'Aina')
      for (const [sku, what] of [['coins-1000', 'pay'], ['vip-monthly', 'pay'], ['coins-6000', 'refund'], ['starter', 'expire']]) {
        const { id } = await order(me, sku)
        if (what === 'refund') await stripe.do('pay', id)
        await stripe.do(what, id)
      }
      const page = await be(await visit(browser, undefined, view), me)
      await open(page, server, '/shop/orders')
      await settled(page)
      return page
    },
  },
]
