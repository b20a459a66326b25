import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessibleInBoth, GameServer, hostile, languages, launch, noOverflow, open, panel, phone, settled, signIn, tabTo, unharmed, visit, worded } from './harness.mjs'

const at = '/admin/v1/economy'

describe('the economy', () => {
  let server, browser, page, owner, other, economist
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
    page = await visit(browser, undefined, { language: 'en-GB' })
    owner = await signIn(page, server, 'owner', { name: 'Marta' })
    other = await visit(browser, undefined, { language: 'en-GB' })
    economist = await signIn(other, server, 'economist', { name: 'Biel' })
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  /** A draft of what is live, changed by replacing texts. */
  async function draft(name, ...pairs) {
    const made = await panel(page, server, owner, 'POST', `${at}/drafts`, { name, from: 'live' })
    const document = pairs.reduce((text, [from, to]) => text.replace(from, to), made.document)
    return panel(page, server, owner, 'PATCH', `${at}/drafts/${made.id}`, { revision: 1, document })
  }
  const documentOf = async (id) => JSON.parse((await panel(page, server, owner, 'GET', `${at}/drafts/${id}`)).document)
  const saved = (of = page) => of.waitForSelector('[data-saved=saved]')
  const field = (path) => page.locator(`[data-path="${path}"]`)
  /** Waits until a field has a value. */
  const has = (path, value, of = page) => of.waitForFunction(([p, v]) => document.querySelector(`[data-path="${p}"]`)?.value === v, [path, value], { polling: 20 })
  const fault = (path) => page.locator('.field', { has: field(path) }).locator('.fault')

  it('is worked on in a form and in its text, which say the same', async () => {
    await open(page, server, '/admin/economy')
    await page.click('[data-action=begin]')
    await page.click('[data-action=confirm]')
    await page.waitForSelector('.dialog .fault')
    await page.fill('[name=name]', 'Easter')
    await page.click('[data-action=confirm]')
    await page.waitForURL(/\/drafts\//)
    const id = page.url().split('/').at(-1)
    await field('/welcome').waitFor()

    // What is wrong is said beside the field, by the schema at once and by the server.
    await field('/welcome').fill('-1')
    await fault('/welcome').getByText('At least 0.').waitFor()
    await field('/matches/online/coins/0').fill('10')
    await page.getByText('The winners may not get less than the others.').waitFor()
    await page.click('[data-tab=tables]')
    await page.waitForSelector('[data-tab=rewards] .badge.bad')
    await page.click('[data-tab=rewards]')

    // Back, and forward again.
    await page.locator('h1').focus()
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await has('/welcome', '500')
    await page.click('[data-action=redo]')
    await has('/welcome', '-1')
    await field('/welcome').fill('600')
    await saved()
    assert.equal((await documentOf(id)).welcome, 600)
    assert.match(await page.locator('.field', { has: field('/welcome') }).textContent(), /Live: 500/)

    // The text beside it: what is typed there is in the form, and the other way round.
    await page.click('[name=view][value=both]', { force: true })
    const line = page.locator('.cm-line', { hasText: '"welcome"' })
    await line.click()
    assert.match(await line.textContent(), /600/)
    await page.keyboard.press('End')
    for (const key of ['ArrowLeft', 'Backspace', 'Backspace', 'Backspace']) await page.keyboard.press(key)
    await page.keyboard.type('650')
    await has('/welcome', '650')
    await field('/welcome').fill('700')
    await page.locator('.cm-line', { hasText: '"welcome": 700' }).waitFor()
    // What is no JSON is said with its line, the form waits, and nothing is lost.
    await line.click()
    await page.keyboard.press('End')
    await page.keyboard.type('x')
    await page.getByText('Not JSON from line 4, column 18 on').first().waitFor()
    await page.waitForSelector('[data-path="/welcome"]:disabled')
    await saved()
    await page.keyboard.press('Control+z')
    await page.waitForSelector('[data-path="/welcome"]:enabled')
    await saved()
    assert.equal((await documentOf(id)).welcome, 700)

    // Lists: a product more, with its texts.
    await page.click('[data-tab=catalogue]')
    await page.click('[data-add="/catalogue"]')
    await field('/catalogue/5/sku').fill('coins-20000')
    await page.getByRole('group', { name: /^Title/ }).getByRole('button', { name: 'Add' }).click()
    for (const [language, title] of [['es', '20.000 monedas'], ['ca', '20.000 monedes'], ['en', '20,000 coins']]) await field(`/catalogue/5/title/${language}`).fill(title)
    await field('/catalogue/5/grants/coins').fill('20000')
    await field('/catalogue/5/prices/EUR').fill('2999')
    await page.getByText('Can be published').waitFor()
    await saved()
    assert.deepEqual((await documentOf(id)).catalogue[5], {
      sku: 'coins-20000', title: { es: '20.000 monedas', ca: '20.000 monedes', en: '20,000 coins' }, grants: { coins: 20000 }, prices: { EUR: 2999 },
    })
    await accessibleInBoth(page, 'form and text')
    assert.deepEqual(page.faults, [])
  })

  it('takes a second person where issuance may move, and one to go back', async () => {
    const { id } = await draft('More', ['"welcome": 500', '"welcome": 800'])
    await open(page, server, `/admin/economy/drafts/${id}`)
    await page.click('[data-action=publish]')
    await page.waitForSelector('.dialog [data-path="/welcome"]')
    await accessibleInBoth(page, 'publish')
    await page.click('[data-action=confirm]')
    await page.waitForSelector('.dialog .fault')
    await page.fill('[name=reason]', 'A warmer welcome.')
    await page.click('[data-action=confirm]')
    await page.waitForURL(/\/proposals\//)
    await settled(page)
    assert.equal(await page.locator('[data-action=approve]').count(), 0)

    await open(other, server, '/admin/economy?tab=proposals')
    await other.click('.row-link')
    await other.click('[data-action=approve]')
    await other.fill('[name=reason]', 'Looks right.')
    await other.click('[data-action=confirm]')
    await other.waitForURL(/\/versions\/2/)
    await settled(other)
    assert.match(await other.locator('main').textContent(), /Marta.*Biel/s)

    await open(other, server, '/admin/economy')
    await other.click('[data-action=back]')
    await other.waitForSelector('.dialog .note.good')
    await other.fill('[name=reason]', 'That was too much.')
    await other.click('[data-action=confirm]')
    await other.waitForURL(/\/versions\/3/)
    assert.equal((await panel(page, server, owner, 'GET', `${at}/versions`)).live, 3)

    // Refused, and taken back.
    for (const [who, action, state] of [[other, 'refuse', 'refused'], [page, 'take-back', 'taken_back']]) {
      const one = await draft('Again', ['"welcome": 500', '"welcome": 900'])
      const { proposal } = await panel(page, server, owner, 'POST', `${at}/drafts/${one.id}/publish`, { revision: one.revision, base: 3, reason: 'Again.' })
      await open(who, server, `/admin/economy/proposals/${proposal.id}`)
      await who.click(`[data-action=${action}]`)
      await who.fill('[name=reason]', 'Not now.')
      await who.click('[data-action=confirm]')
      await who.waitForSelector('.dialog', { state: 'detached' })
      assert.equal((await panel(page, server, owner, 'GET', `${at}/proposals/${proposal.id}`)).state, state)
    }
  })

  it('is published at a time and withdrawn, with the keyboard alone', async () => {
    await open(page, server, '/admin/economy')
    await tabTo(page, '[data-action=begin]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[name=name]')
    if (!(await page.evaluate(() => document.activeElement.matches('[name=name]')))) await tabTo(page, '[name=name]')
    await page.keyboard.type('Levels')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/drafts\//)
    await page.waitForSelector('[data-tab=rewards]')
    await tabTo(page, '[data-tab=rewards]')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await tabTo(page, '[data-path="/levels/growth"]')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('60')
    await saved()
    await tabTo(page, '[data-action=publish]', { key: 'Shift+Tab' })
    await page.keyboard.press('Enter')
    await page.waitForSelector('.dialog [name=when]')
    await tabTo(page, '[name=when]')
    await page.keyboard.press('ArrowRight')
    await tabTo(page, '[name=from]')
    await page.keyboard.type('01012999') // day, month, year
    await page.keyboard.press('ArrowRight')
    await page.keyboard.type('0600AM') // where the browser has no such part, the letters do nothing
    await tabTo(page, '[name=reason]')
    await page.keyboard.type('From the new year on.')
    await tabTo(page, '[data-action=confirm]')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/versions\/\d+/)
    await page.waitForSelector('[data-action=withdraw]')
    await tabTo(page, '[data-action=withdraw]')
    await page.keyboard.press('Enter')
    await tabTo(page, '[name=reason]')
    await page.keyboard.type('Not yet.')
    await tabTo(page, '[data-action=confirm]')
    await page.keyboard.press('Enter')
    await page.getByText('Withdrawn', { exact: true }).first().waitFor()
    assert.deepEqual(page.faults, [])
  })

  it('loses nothing when two work on one draft', async () => {
    const one = await draft('Shared')
    await open(page, server, `/admin/economy/drafts/${one.id}`)
    await panel(other, server, economist, 'PATCH', `${at}/drafts/${one.id}`, { revision: one.revision, document: JSON.stringify({ ...(await documentOf(one.id)), welcome: 1 }) })
    await field('/welcome').fill('2')
    await page.waitForSelector('[data-saved=failed]')
    await page.click('[data-action=mine]')
    await page.waitForURL((url) => !url.pathname.endsWith(one.id))
    await field('/welcome').waitFor()
    await has('/welcome', '2')
    assert.equal((await documentOf(one.id)).welcome, 1)
  })

  it('shows to who may only look, in every language, on a phone, and harms nobody', async () => {
    const [name, reason, description] = hostile
    const shown = await draft(name, ['"en": "To begin with"', `"en": ${JSON.stringify(hostile[1])}`])
    await panel(page, server, owner, 'PATCH', `${at}/drafts/${shown.id}`, { revision: shown.revision, description })
    const title = await draft('Title', ['"es": "Para empezar"', `"es": ${JSON.stringify(hostile[0])}`])
    const { newest } = await panel(page, server, owner, 'GET', `${at}/versions`)
    const { version } = await panel(page, server, owner, 'POST', `${at}/drafts/${title.id}/publish`, { revision: title.revision, base: newest, reason })
    const pages = [
      '/admin/economy', `/admin/economy/versions/${version.number}`, `/admin/economy/compare?before=version:1&after=draft:${shown.id}`,
      `/admin/economy/drafts/${shown.id}?section=catalogue&view=both`,
    ]
    const more = ['/admin/economy?tab=proposals', '/admin/economy?tab=history', `/admin/economy/compare?before=version:1&after=draft:${shown.id}&show=all`]
    for (const language of languages) {
      const viewer = await visit(browser, undefined, { ...phone, language })
      await signIn(viewer, server, 'viewer')
      for (const path of language === 'ca-ES' ? [...pages, ...more] : pages) {
        await open(viewer, server, path)
        await noOverflow(viewer, `${path}, ${language}`)
        await worded(viewer, `${path}, ${language}`)
        if (language === 'ca-ES') await accessibleInBoth(viewer, path)
      }
      assert.ok((await viewer.locator('main').textContent()).includes(name))
      assert.equal(await viewer.locator('[data-action=publish], [data-action=undo], [data-add]').count(), 0)
      await unharmed(viewer, language)
      await viewer.context().close()
    }
    // The parts of the form, each with its fields.
    await page.setViewportSize({ width: 360, height: 740 })
    for (const section of ['rewards', 'multipliers', 'levels', 'league', 'tables', 'catalogue', 'rules']) {
      await open(page, server, `/admin/economy/drafts/${shown.id}?section=${section}`)
      const entry = page.locator('.entry-name').last()
      if (await entry.count()) await entry.click()
      await noOverflow(page, section)
      await worded(page, section)
    }
    await unharmed(page, 'the form')
  })
})
