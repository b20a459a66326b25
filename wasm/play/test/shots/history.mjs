// Matches that are over: the list, a replay, the coach, the check of honest and of altered deals.
import { guest, match } from '../../../../scripts/people.mjs'
import { keep, playedHere } from '../matches.mjs'

const whole = { preset: 'liga', end: 'points', target: 11 }
const one = () => playedHere({ id: 'shown', seed: 'a fine evening', house: whole, careless: true, level: 'veterano' })

/** The page of somebody with matches behind them, here and with people. */
async function life({ server, browser, visit, view }, address, kept = {}) {
  const page = await visit(browser, undefined, view)
  await keep(page, { records: [one(), playedHere({ id: 'won', seed: 'luck', endedAt: '2026-11-28T21:10:00.000Z' })], ...kept })
  await page.addInitScript((look) => localStorage.setItem('cuatrola.replay', look), JSON.stringify({ open: true, all: false }))
  await page.goto(server.url + address)
  return page
}

const reviewed = (page) => page.waitForFunction(() => {
  const shown = document.querySelector('[data-reviewed]')
  return shown && shown.dataset.reviewed === shown.dataset.of
}, undefined, { timeout: 240_000, polling: 200 })

let people
/** Four people's match with one another, of which the first is shown. */
const played = (server) => (people ??= (async () => {
  const four = await Promise.all(['Amparo', 'Lluís', 'Nuria', 'Toni'].map((name) => guest(server, name)))
  return { ...four[0], match: await match(four) }
})())

export const shots = [
  {
    name: 'history',
    async open(given) {
      const { deviceSecret, player } = await played(given.server)
      const page = await life(given, '/history', { device: { deviceSecret, player } })
      await page.waitForSelector('[data-kept=server]')
      return page
    },
  },
  {
    name: 'replay',
    async open(given) {
      const page = await life(given, '/history/local/shown?hand=2&step=13')
      await page.waitForSelector('.replay[data-steps]')
      await page.waitForSelector('[aria-current=step]')
      return page
    },
  },
  {
    name: 'review',
    async open(given) {
      const page = await life(given, '/history/local/shown?view=review')
      await reviewed(page)
      await page.click('[data-action=next-mistake]')
      await page.click('[data-action=next-mistake]')
      // On a phone, table and coach in one sight.
      await page.$eval('.replay', (replay) => innerWidth < 700 && scrollTo(0, replay.getBoundingClientRect().top + scrollY - 8))
      return page
    },
  },
  {
    name: 'review-match',
    async open(given) {
      const page = await life(given, '/history/local/shown?view=review')
      await reviewed(page)
      await page.$eval('.coach-accuracy', (part) => scrollTo(0, part.getBoundingClientRect().top + scrollY - 70))
      return page
    },
  },
  {
    name: 'check',
    async open(given) {
      const { deviceSecret, player, match: id } = await played(given.server)
      const page = await life(given, `/history/${id}?view=check`, { device: { deviceSecret, player } })
      await page.waitForSelector('[data-report=good]')
      return page
    },
  },
  {
    name: 'check-altered',
    async open(given) {
      const page = await life(given, '/check')
      const record = one()
      const { deal } = record.hands[1]
      ;[deal[0][0], deal[2][3]] = [deal[2][3], deal[0][0]]
      await page.setInputFiles('#record-file', { name: 'match.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(record)) })
      await page.waitForSelector('[data-report=bad]')
      return page
    },
  },
]
