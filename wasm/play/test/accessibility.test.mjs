import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { after, before, describe, it } from 'node:test'
import { GameServer, launch, play, startMatch, visit } from './harness.mjs'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds against WCAG 2.2 A and AA, contrast included, shortened to what is wrong and where. */
async function faults(page) {
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() => globalThis.axe.run({
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    // A card's letter is part of its drawing; its name is said in full.
    rules: { 'label-content-name-mismatch': { enabled: false } },
  }))
  return violations.flatMap((v) => v.nodes.map((node) => `${v.id}: ${node.target.join(' ')}: ${node.any[0]?.message ?? v.help}`))
}

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
      await page.waitForSelector('[data-action=start]:enabled')
      await page.click('details summary')
      assert.deepEqual(await faults(page), [], 'start page')
      await page.click('[data-action=settings]')
      assert.deepEqual(await faults(page), [], 'settings')
      await page.click('[data-action=close]')
      for (const kind of ['verify', 'reset']) {
        await page.goto(`${server.url}/#${kind}=x`)
        await page.waitForSelector(`[data-mail=${kind}]`)
        assert.deepEqual(await faults(page), [], `a link to ${kind}`)
        await page.click(`[data-mail=${kind}] [data-action=close]`)
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
