import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { GameServer, launch, nextDemand, play, startMatch, visit } from './harness.mjs'

describe('offline', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  it('opens and plays a whole match with no server and no network', async () => {
    const page = await visit(browser, server.url)
    await page.evaluate(() => navigator.serviceWorker.ready)
    await server.kill()
    await page.context().setOffline(true)
    await page.goto(server.url + '/bots')
    await page.waitForSelector('[data-server=away]')
    assert.equal(await page.isChecked('input[name=where][value=offline]'), true, 'there is no other place to play')

    await startMatch(page, { where: 'offline', preset: 'clasica', length: 'points:3' })
    await play(page, { until: (demand, taken) => demand.kind === 'play' && taken >= 2 })
    const cards = () => page.$$eval('.own-card', (all) => all.map((c) => c.dataset.card))
    const held = await cards()
    await page.reload()
    await nextDemand(page)
    assert.deepEqual(await cards(), held, 'a reload comes back to the same cards')

    const { demand } = await play(page)
    assert.equal(demand.kind, 'end')
    await page.click('[data-action=verify]')
    await page.waitForSelector('[data-verdict=ok][data-valid=true]')
    assert.deepEqual(page.faults, [])
    await page.context().close()
    await server.up()
  })

  for (const preset of ['mesa', 'mesa-quintola', 'liga']) {
    it(`plays ${preset} to its end by keyboard`, async () => {
      const page = await visit(browser, server.url)
      await startMatch(page, { where: 'offline', preset, length: 'points:3' })
      // The highest bid each time brings every way to play into the match.
      const { demand } = await play(page, { keyboard: true, bid: (actions) => actions.at(-1) })
      assert.equal(demand.kind, 'end')
      await page.keyboard.press('Tab')
      assert.deepEqual(page.faults, [])
      await page.context().close()
    })
  }
})
