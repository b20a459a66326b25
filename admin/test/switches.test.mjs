import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  accessible, accessibleInBoth, desktop, GameServer, hostile, languages, launch, noOverflow, open, phone, settled, signIn, tabTo, unharmed, visit, worded,
} from './harness.mjs'

describe('switches', () => {
  let server, browser, page
  const status = async () => (await (await fetch(server.url + '/v1/status')).json()).stopped
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
    page = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
    await signIn(page, server, 'support', { name: 'Pau' })
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  it('stop a part with words to players, and let it go on', async () => {
    await open(page, server, '/admin/switches')
    assert.equal(await page.locator('[data-switch]').count(), 5)
    await accessibleInBoth(page, 'all runs')
    await page.click('[data-action=stop-shop]')
    await page.click('.dialog [data-action=confirm]')
    assert.equal(await page.locator('.dialog [role=alert]').count(), 4) // three texts and the reason
    await page.fill('[name=text-es]', 'Volvemos a las ocho.')
    await page.fill('[name=text-ca]', 'Tornem a les vuit.')
    await page.fill('[name=text-en]', 'Back at eight. ' + hostile[0])
    await page.fill('[name=until]', '2099-01-01T20:00')
    await page.fill('[name=reason]', 'The provider has an outage.')
    await accessibleInBoth(page, 'window')
    await page.click('.dialog [data-action=confirm]')
    await page.waitForSelector('[data-switch=shop][data-stopped=true] blockquote')
    const [stopped] = await status()
    assert.equal(stopped.part, 'shop')
    assert.equal(stopped.text.ca, 'Tornem a les vuit.')
    await accessibleInBoth(page, 'stopped')
    await unharmed(page, 'a message')

    // Somebody else has switched it meanwhile.
    const other = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
    await other.context().addCookies(await page.context().cookies())
    await open(other, server, '/admin/switches')
    await other.click('[data-action=change-shop]')
    await page.click('[data-action=go-on-shop]')
    await page.fill('.dialog textarea', 'They are back.')
    await page.click('.dialog [data-action=confirm]')
    await page.waitForSelector('[data-switch=shop][data-stopped=false]')
    assert.deepEqual(await status(), [])
    await other.fill('[name=reason]', 'Once more.')
    await other.click('.dialog [data-action=confirm]')
    await other.waitForSelector('[data-problem=switched_meanwhile]')
    await other.context().close()
  })

  it('work with keys alone', async () => {
    await open(page, server, '/admin/switches')
    await tabTo(page, '[data-action=stop-queue]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.dialog')
    for (const [name, text] of [['text-es', 'Pausa.'], ['text-ca', 'Pausa.'], ['text-en', 'A pause.'], ['reason', 'A drill.']]) {
      await tabTo(page, `[name=${name}]`)
      await page.keyboard.type(text)
    }
    await tabTo(page, '.dialog [data-action=confirm]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-switch=queue][data-stopped=true]')
    assert.equal((await status())[0].part, 'queue')
    // The players' page says so.
    const player = await visit(browser, undefined, { ...phone, language: 'ca-ES' })
    await player.goto(server.url)
    await player.waitForSelector('[data-stopped=queue]:has-text("Pausa.")')
    await accessible(player, 'start page')
    await player.context().close()
  })

  it('are seen on a phone, in each language, and by a viewer', async () => {
    for (const language of languages) {
      const other = await visit(browser, undefined, { ...phone, language })
      await other.context().addCookies(await page.context().cookies())
      await open(other, server, '/admin/switches')
      await noOverflow(other, language)
      await worded(other, language)
      await other.click('[data-action=stop-shop]')
      await settled(other)
      await noOverflow(other, 'window, ' + language)
      await worded(other, 'window, ' + language)
      await other.context().close()
    }
    const viewer = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
    await signIn(viewer, server, 'viewer')
    await open(viewer, server, '/admin/switches')
    assert.equal(await viewer.locator('[data-action^=stop], [data-action^=go-on]').count(), 0)
    await viewer.context().close()
  })
})
