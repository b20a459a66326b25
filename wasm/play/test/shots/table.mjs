// The table: what players look at most.
import { as } from '../lobby.mjs'
import { moments, seated, sit } from '../table.mjs'

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

// Names are unique on a server, and a picture is taken in more than one size.
const names = ['Amparo', 'Lluís', 'Nuria', 'Toni', 'Mercè', 'Paco', 'Elisenda', 'Quim']

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
      const people = await seated(server, names.splice(0, 4))
      const page = await as(browser, server, people.me, `/matches/${people.id}`, view)
      await page.waitForSelector('.own-card.legal')
      await page.waitForSelector('.seat .avatar svg')
      return page
    },
  },
]
