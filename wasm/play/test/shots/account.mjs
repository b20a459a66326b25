// Who one is.
import { guest } from '../../../../scripts/people.mjs'
import { be } from '../harness.mjs'

export const shots = [
  {
    name: 'account',
    async open({ server, browser, visit, view }) {
      const page = await be(await visit(browser, undefined, view), await guest(server, 'Consol'))
      await page.goto(server.url + '/account')
      await page.waitForSelector('[data-session]')
      return page
    },
  },
  {
    name: 'sign-in',
    async open({ server, browser, visit, view }) {
      const page = await visit(browser, server.url + '/sign-in', view)
      await page.waitForSelector('[data-action=sign-in]')
      return page
    },
  },
]
