// The table: what players look at most.
import { as, key, person } from '../lobby.mjs'
import { moments, sit } from '../table.mjs'

/** A picture of a match on this device at a moment; `then` does what brings it to what is shown. */
const shot = (name, moment, then = async () => {}, options = {}) => ({
  name: `table-${name}`,
  async open({ server, browser, view }) {
    const page = await sit(browser, server, moments[moment](), { ...view, ...options })
    await page.waitForSelector('.own-card')
    await then(page)
    return page
  },
})

const playOn = async (page) => {
  await page.click('.own-card.legal')
  await page.waitForSelector('[data-action=next], [data-end]')
}
const finish = async (page) => {
  await playOn(page)
  await page.click('[data-action=next]')
  await page.waitForSelector('[data-end]')
}
const clear = { kept: { ways: { cards: 'clear' } } }

export const shots = [
  shot('bids', 'bids'),
  shot('trick', 'trick'),
  shot('refused', 'solo', (page) => page.click('.own-card.illegal', { force: true })),
  shot('cante', 'cante'),
  shot('hand', 'hand', playOn),
  shot('end', 'end', finish),
  shot('clear', 'solo', undefined, clear),
  shot('dark', 'trick', undefined, { theme: 'dark' }),
  {
    name: 'table-people',
    async open({ server, browser, view }) {
      const people = await seated(server)
      const page = await as(browser, server, people.me, `/matches/${people.id}`, view)
      await page.waitForSelector('.own-card.legal')
      await page.waitForSelector('.seat .avatar svg')
      return page
    },
  },
]

// Names are unique on a server, and a picture is taken in more than one size.
const names = ['Amparo', 'Lluís', 'Nuria', 'Toni', 'Mercè', 'Paco', 'Elisenda', 'Quim']

/** Four people at a staked table, in the middle of a trick, the next card one's own. */
async function seated(server) {
  const people = await Promise.all(names.splice(0, 4).map((name) => person(server, name)))
  await Promise.all(people.map((one, i) => one.call('PATCH', '/v1/me', { avatar: ['RO', 'CE', 'SC', 'AB'][i] })))
  for (const one of people) await one.call('POST', '/v1/queue', { stake: 250 }, key())
  let at
  do at = await people[0].call('GET', '/v1/me/engagement')
  while (at.kind !== 'match')
  const { id } = at
  const bySeat = []
  for (const [i, one] of people.entries()) bySeat[(await one.call('POST', `/v1/matches/${id}/seed`, { seed: `seed ${i}` })).you] = one
  for (;;) {
    for (const one of bySeat) {
      const view = await one.call('GET', `/v1/matches/${id}`)
      if (view.legal.length === 0) continue
      if (view.phase === 'play' && view.trick.cards.length >= 2 && view.tricks.length >= 1) return { id, me: one }
      await one.call('POST', `/v1/matches/${id}/actions`, { seq: view.seq, action: view.legal[0] })
    }
  }
}
