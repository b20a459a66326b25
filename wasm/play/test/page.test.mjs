import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fits, GameServer, launch, nextDemand, play, startMatch, visit } from './harness.mjs'

describe('the page', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  /** Chooses something in the settings, which are open. */
  const choose = (page, name, value) => page.locator(`dialog input[name=${name}][value=${value}]`).check({ force: true })

  it('speaks the browser’s language, and keeps the one chosen', async () => {
    const action = { 'es-ES': 'Jugar ya', 'ca-ES': 'Jugar ara', 'en-GB': 'Play now', 'fr-FR': 'Jugar ya' }
    const said = (page) => page.textContent('[data-action=play-now]')
    for (const [language, text] of Object.entries(action)) {
      const page = await visit(browser, server.url, { language })
      assert.equal(await said(page), text, language)
      await page.context().close()
    }
    const page = await visit(browser, server.url, { language: 'es-ES' })
    await page.click('[data-action=settings]')
    await choose(page, 'language', 'ca')
    await page.click('dialog footer [data-action=close]')
    assert.equal(await said(page), action['ca-ES'])
    await page.reload()
    assert.equal(await said(page), action['ca-ES'])
    assert.equal(await page.getAttribute('html', 'lang'), 'ca')

    // In mid-match as well, with nothing lost.
    await startMatch(page, { where: 'offline' })
    await nextDemand(page)
    const seq = await page.getAttribute('.game', 'data-seq')
    await page.click('[data-action=settings]')
    await choose(page, 'language', 'en')
    await page.click('dialog footer [data-action=close]')
    assert.match(await page.textContent('.status'), /Your turn/)
    assert.equal(await page.getAttribute('.game', 'data-seq'), seq)
    await page.context().close()
  })

  it('follows the system’s theme until one is chosen', async () => {
    const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await visit(browser, server.url, { theme: 'light' })
    const dark = await visit(browser, server.url, { theme: 'dark' })
    await Promise.all([light, dark].map((page) => page.waitForSelector('[data-action=play-now]')))
    assert.notEqual(await ground(light), await ground(dark))
    await light.click('[data-action=settings]')
    await choose(light, 'theme', 'dark')
    await light.click('dialog footer [data-action=close]')
    assert.equal(await ground(light), await ground(dark))
    await light.reload()
    await light.waitForSelector('[data-action=play-now]')
    assert.equal(await ground(light), await ground(dark))
    await light.context().close()
    await dark.context().close()
  })

  it('fits a phone, upright and sideways', async () => {
    for (const viewport of [{ width: 360, height: 640 }, { width: 390, height: 844 }, { width: 844, height: 390 }]) {
      const page = await visit(browser, server.url, { viewport, phone: true })
      await page.waitForSelector('[data-action=play-now]')
      await fits(page, `start page at ${viewport.width}`)
      await startMatch(page, { where: 'offline', preset: 'clasica', length: '' })
      for (const kind of ['say', 'play']) {
        await play(page, { until: (demand) => demand.kind === kind })
        await fits(page, `table at ${viewport.width}`)
        const outside = await page.$$eval('.own-card, .actions button, .played, .status', (all) =>
          all.filter((element) => {
            const box = element.getBoundingClientRect()
            return box.left < 0 || box.right > innerWidth || box.top < 0 || box.bottom > innerHeight
          }).map((element) => element.outerHTML.slice(0, 80)))
        assert.deepEqual(outside, [], `${kind} at ${viewport.width}×${viewport.height}`)
      }
      await page.tap('.own-card.legal')
      await page.context().close()
    }
  })

  it('names every control, and runs no inline code', async () => {
    const response = await fetch(server.url)
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'self'/)
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'/)
    const page = await visit(browser, server.url)
    await startMatch(page, { where: 'offline' })
    await nextDemand(page)
    const nameless = await page.$$eval('button, select, input', (all) =>
      all.filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML))
    assert.deepEqual(nameless, [])
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })
})
