import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { guest } from '../../../scripts/people.mjs'
import { addresses, be, faults, GameServer, launch, misfits, play, startMatch, visit } from './harness.mjs'

describe('accessibility', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  /** The address with something in the place of its parameters: what is not there is said by a page as well. */
  const filled = (address) => address.replace(':season', '2026-03-23').replace(':code', 'ABCDEF').replace(/:\w+/g, '01890a5d-ac96-774b-bcce-b302099a8057')

  for (const theme of ['light', 'dark']) {
    for (const who of ['nobody', 'somebody']) {
      // The list is the page's own: a page that comes cannot be forgotten.
      it(`has nothing to find fault with at any address, ${theme}, ${who}`, async () => {
        const page = await visit(browser, undefined, { theme })
        if (who === 'somebody') await be(page, await guest(server, `Carme ${theme}`))
        const found = []
        for (const address of addresses) {
          await page.goto(server.url + filled(address))
          // The page and what it asks for are there.
          await page.waitForSelector('h1, .game')
          await page.waitForFunction(() => !document.querySelector('.skeleton, [aria-busy=true]'))
          for (const fault of await faults(page)) found.push(`${address}: ${fault}`)
          await page.setViewportSize({ width: 360, height: 740 })
          for (const fault of await misfits(page)) found.push(`${address} on a phone: ${fault}`)
          await page.setViewportSize({ width: 1280, height: 800 })
        }
        assert.deepEqual(found, [])
        await page.context().close()
      })
    }

    it(`has nothing to find fault with in dialogs and at the table, ${theme}`, async () => {
      const page = await visit(browser, server.url, { theme })
      await page.click('[data-action=settings]')
      assert.deepEqual(await faults(page), [], 'settings')
      await page.click('dialog footer [data-action=close]')
      for (const kind of ['verify', 'reset']) {
        await page.goto(`${server.url}/#${kind}=x`)
        await page.waitForSelector(`[data-mail=${kind}]`)
        assert.deepEqual(await faults(page), [], `a link to ${kind}`)
        await page.keyboard.press('Escape')
      }
      await startMatch(page, { where: 'offline', preset: 'clasica', length: 'points:3' })
      await play(page, { until: (demand) => demand.kind === 'say' })
      assert.deepEqual(await faults(page), [], 'bidding')
      await play(page, { until: (demand) => demand.kind === 'play' && demand.illegal.length > 0 || demand.kind === 'next' })
      assert.deepEqual(await faults(page), [], 'play')
      await play(page, { until: (demand) => demand.kind === 'next' || demand.kind === 'end' })
      assert.deepEqual(await faults(page), [], 'a hand’s result')
      await page.context().close()
    })
  }
})
