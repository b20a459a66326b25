import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessibleInBoth, GameServer, launch, noOverflow, open, phone, settled, signIn, tabTo, visit, worded } from './harness.mjs'

describe('what stands around every page', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function inside(options = {}, role = 'owner') {
    const page = await visit(browser, undefined, options)
    await signIn(page, server, role)
    await open(page, server, '/admin/security')
    return page
  }

  it('shows the sections of the role, and where one is', async () => {
    const page = await inside()
    const sections = (of) => of.$$eval('.sidebar [data-area]', (all) => all.map((a) => a.dataset.area))
    for (const id of ['staff', 'audit', 'security']) assert.ok((await sections(page)).includes(id), id)
    const viewer = await inside({}, 'viewer')
    for (const id of ['staff', 'audit']) assert.ok(!(await sections(viewer)).includes(id), id)
    await viewer.goto(server.url + '/admin/staff')
    await viewer.waitForSelector('.empty')
    await viewer.context().close()
    assert.equal(await page.getAttribute('.sidebar [aria-current=page]', 'data-area'), 'security')
    await accessibleInBoth(page, 'shell')
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('speaks three languages and keeps the choice and the theme', async () => {
    const page = await inside({ language: 'fr-FR' })
    assert.equal(await page.getAttribute('html', 'lang'), 'es')
    for (const [language, word] of [['ca', 'Seccions'], ['en', 'Sections'], ['es', 'Secciones']]) {
      await page.click('[data-action=account]')
      await page.check(`input[name=language][value=${language}]`, { force: true })
      assert.equal(await page.getAttribute('.sidebar nav', 'aria-label'), word)
      await worded(page, language)
      await page.keyboard.press('Escape')
    }
    await page.click('[data-action=account]')
    await page.check('input[name=theme][value=dark]', { force: true })
    await page.check('input[name=language][value=ca]', { force: true })
    await page.reload()
    await settled(page)
    assert.deepEqual(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset.theme]), ['ca', 'dark'])
    await page.context().close()
  })

  it('opens the sections on a phone, by keyboard too', async () => {
    const page = await inside(phone)
    await noOverflow(page, 'closed')
    await tabTo(page, '[data-action=menu]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.drawer[open]')
    await accessibleInBoth(page, 'drawer')
    await noOverflow(page, 'open')
    await page.keyboard.press('Escape')
    await page.waitForSelector('.drawer', { state: 'detached' })
    assert.equal(await page.evaluate(() => document.activeElement.dataset.action), 'menu')
    await page.keyboard.press('Enter')
    await tabTo(page, '.drawer [data-area=audit]')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/admin/audit')
    await page.waitForSelector('.drawer', { state: 'detached' })
    await page.context().close()
  })

  it('says so where there is nothing', async () => {
    const page = await inside()
    await page.goto(server.url + '/admin/nothing/here')
    await page.waitForSelector('.empty')
    await page.click('.empty a')
    await page.waitForURL((url) => url.pathname !== '/admin/nothing/here' && url.pathname !== '/admin')
    await page.context().close()
  })
})
