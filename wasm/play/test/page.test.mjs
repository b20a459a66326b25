import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { GameServer, launch, nextDemand, play, startMatch, visit } from './harness.mjs'

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

  it('speaks the browser’s language, and keeps the one chosen', async () => {
    const heading = { 'es-ES': 'Jugar contra la máquina', 'ca-ES': 'Juga contra la màquina', 'en-GB': 'Play against the machine', 'fr-FR': 'Jugar contra la máquina' }
    for (const [language, text] of Object.entries(heading)) {
      const page = await visit(browser, server.url, { language })
      assert.equal(await page.textContent('form h2'), text, language)
      await page.context().close()
    }
    const page = await visit(browser, server.url, { language: 'es-ES' })
    await page.click('[data-action=settings]')
    await page.selectOption('select[name=language]', 'ca')
    await page.click('[data-action=close]')
    assert.equal(await page.textContent('form h2'), heading['ca-ES'])
    await page.reload()
    assert.equal(await page.textContent('form h2'), heading['ca-ES'])
    assert.equal(await page.getAttribute('html', 'lang'), 'ca')

    // In mid-match as well, with nothing lost.
    await startMatch(page, { where: 'offline' })
    await nextDemand(page)
    const seq = await page.getAttribute('.table', 'data-seq')
    await page.click('[data-action=settings]')
    await page.selectOption('select[name=language]', 'en')
    await page.click('[data-action=close]')
    assert.match(await page.textContent('.status'), /Your turn/)
    assert.equal(await page.getAttribute('.table', 'data-seq'), seq)
    await page.context().close()
  })

  it('shows support whose account it is, and says when the house keeps one out', async () => {
    const page = await visit(browser, server.url, { language: 'en-GB' })
    await page.click('[data-action=settings]')
    await page.click('[data-action=help-code]')
    await page.waitForFunction(() => /^[2-9A-Z]{4}-[2-9A-Z]{4}$/.test(document.querySelector('.help-code output').textContent))
    await page.click('[data-action=close]')
    await page.route('**/v1/sessions**', (route) => route.fulfill({
      status: 403, contentType: 'application/problem+json',
      body: JSON.stringify({ code: 'suspended', detail: 'x', suspension: { why: 'harassment', until: '2031-04-04T20:00:00Z' } }),
    }))
    await page.reload()
    await page.click('[data-action=settings]')
    await page.click('[data-action=help-code]')
    await page.waitForFunction(() => /until.*2031.*harassment/.test(document.querySelector('.help-code output').textContent))
    await page.context().close()
  })

  it('follows the system’s theme until one is chosen', async () => {
    const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await visit(browser, server.url, { theme: 'light' })
    const dark = await visit(browser, server.url, { theme: 'dark' })
    await Promise.all([light, dark].map((page) => page.waitForSelector('form')))
    assert.notEqual(await ground(light), await ground(dark))
    await light.click('[data-action=settings]')
    await light.selectOption('select[name=theme]', 'dark')
    await light.click('[data-action=close]')
    assert.equal(await ground(light), await ground(dark))
    await light.reload()
    await light.waitForSelector('form')
    assert.equal(await ground(light), await ground(dark))
    await light.context().close()
    await dark.context().close()
  })

  it('fits a phone, upright and sideways', async () => {
    for (const viewport of [{ width: 360, height: 640 }, { width: 390, height: 844 }, { width: 844, height: 390 }]) {
      const page = await visit(browser, server.url, { viewport, phone: true })
      const noSideScroll = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
      await page.waitForSelector('form')
      assert.ok(await noSideScroll(), `start page at ${viewport.width}`)
      await startMatch(page, { where: 'offline', preset: 'clasica', length: '' })
      for (const kind of ['say', 'play']) {
        await play(page, { until: (demand) => demand.kind === kind })
        assert.ok(await noSideScroll(), `table at ${viewport.width}`)
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
