// Where one arrives.
import { guest } from '../../../../scripts/people.mjs'
import { be } from '../harness.mjs'

export const shots = [
  {
    name: 'home',
    async open({ server, browser, visit, view }) {
      const page = await be(await visit(browser, undefined, view), await guest(server, 'Vicent'))
      await page.goto(server.url)
      await page.waitForSelector('[data-tile=league]')
      return page
    },
  },
  {
    name: 'home-dark',
    async open({ server, browser, visit, view }) {
      const page = await visit(browser, server.url, { ...view, theme: 'dark' })
      await page.waitForSelector('[data-action=play-now]')
      return page
    },
  },
]
