import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { faults, GameServer, launch, play, startMatch, visit } from './harness.mjs'

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

  for (const theme of ['light', 'dark']) {
    it(`has nothing to find fault with on any screen, ${theme}`, async () => {
      const page = await visit(browser, server.url, { theme })
      await page.waitForSelector('[data-action=play-now]')
      assert.deepEqual(await faults(page), [], 'start page')
      await page.click('[data-action=settings]')
      assert.deepEqual(await faults(page), [], 'settings')
      await page.click('dialog footer [data-action=close]')
      await page.goto(`${server.url}/bots`)
      await page.waitForSelector('[data-action=start][aria-busy=false]')
      await page.click('details summary')
      assert.deepEqual(await faults(page), [], 'setup')
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
      await play(page, { until: (demand) => demand.kind === 'next' })
      assert.deepEqual(await faults(page), [], 'a hand’s result')
      await play(page)
      await page.click('[data-action=verify]')
      await page.waitForSelector('[data-verdict]')
      assert.deepEqual(await faults(page), [], 'the end')
      await page.context().close()
    })
  }
})
