// The pictures of orders, switches and broadcasts, and what there is to see on them; see screenshots.mjs.
import { panel } from './harness.mjs'
import { buy } from './stripe.mjs'

export const operations = [
  { name: 'orders', path: '/admin/orders', seed: seedOrders },
  { name: 'order', path: () => '/admin/orders/' + bought },
  { name: 'order-refund', path: () => '/admin/orders/' + bought, prepare: (page) => page.click('[data-action=refund]') },
  { name: 'provider-events', path: '/admin/orders?tab=events' },
  { name: 'switches', path: '/admin/switches', seed: seedSwitches },
  { name: 'switch-stop', path: '/admin/switches', prepare: (page) => page.click('[data-action=stop-stakes]') },
  { name: 'broadcasts', path: '/admin/broadcasts', seed: seedBroadcasts },
  {
    name: 'broadcast-new', path: '/admin/broadcasts/new',
    prepare: async (page) => {
      for (const [name, text] of Object.entries(tournament.title)) await page.fill(`[name=title-${name}]`, text)
      for (const [name, text] of Object.entries(tournament.text)) await page.fill(`[name=text-${name}]`, text)
      await page.selectOption('[name=link]', 'league')
      await page.selectOption('[name=language]', 'ca')
      await page.waitForSelector('[data-reach="2"]')
      await page.click('[data-tab=ca]')
      await page.evaluate(() => document.activeElement.blur())
    },
  },
  {
    name: 'broadcast', path: '/admin/broadcasts',
    prepare: async (page) => {
      await page.locator('.row-link').first().click()
      await page.waitForSelector('.said-preview')
    },
  },
]

let bought

/** People buy, pay, and some of it goes back. */
async function seedOrders(server, page, owner, stripe) {
  stripe.hook = server.url + '/v1/webhooks/stripe'
  for (const [name, sku, what] of [
    ['Laia', 'coins-1000', 'pay'], ['Bruno', 'vip-monthly', 'pay'], ['Carmen', 'coins-6000', null], ['Iker', 'coins-1000', 'misfit'], ['Aina', 'coins-6000', 'pay'],
  ]) {
    const order = await buy(server, name, sku)
    if (what) await stripe.do(what, order.id)
    bought = order.id
  }
  await panel(page, server, owner, 'POST', `/admin/v1/orders/${bought}/refund`, { total: 300, reason: 'A part was bought by mistake.' })
  await stripe.do('tell')
}

/** The shop is stopped. */
async function seedSwitches(server, page, owner) {
  await panel(page, server, owner, 'PUT', '/admin/v1/switches/shop', {
    stopped: true, version: 0, reason: 'The provider has an outage.', until: new Date(Date.now() + 2 * 3600e3).toISOString(),
    text: {
      es: 'La tienda vuelve dentro de un par de horas. Lo que ya has pagado se entregará.', ca: 'La botiga torna d’aquí a un parell d’hores. El que ja has pagat es lliurarà.',
      en: 'The shop is back in a couple of hours. What you have paid for will be given.',
    },
  })
}

const tournament = {
  title: { es: 'Torneo de primavera', ca: 'Torneig de primavera', en: 'Spring tournament' },
  text: {
    es: 'El sábado a las seis empieza el torneo. Los tres primeros de cada grupo se llevan monedas.',
    ca: 'Dissabte a les sis comença el torneig. Els tres primers de cada grup s’enduen monedes.',
    en: 'The tournament begins on Saturday at six. The first three of each group win coins.',
  },
}

/** Something was told to everybody. */
async function seedBroadcasts(server, page, owner) {
  for (const [name, language] of [['Mireia', 'ca'], ['Jordi', 'ca'], ['Rocío', 'es']]) {
    await fetch(server.url + '/v1/guests', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name, language }) })
  }
  await page.context().request.post(server.url + '/admin/v1/broadcasts', {
    headers: { 'X-CSRF-Token': owner.session.csrfToken, 'Idempotency-Key': 'pictures' },
    data: { ...tournament, link: 'league', filter: {}, seen: 20, reason: 'The tournament is announced.' },
  })
}
