import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { accessibleInBoth, desktop, GameServer, hostile, languages, launch, noOverflow, open, panel, phone, settled, signIn, tabTo, unharmed, visit, worded } from './harness.mjs'
import { guest, match } from '../../scripts/people.mjs'

describe('the fairness watch', () => {
  let server, browser, page, support, people, id
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
    // So few actions are enough here.
    const document = JSON.parse(readFileSync(new URL('../../server/economy/default.json', import.meta.url)))
    document.fairness.speed.minActions = 20
    await server.command(['economy', 'publish', '-', '--reason', 'For a test.', '--author', 'test'], JSON.stringify(document))
    people = []
    for (const name of ['Marisol', 'Anselmo', 'Remedios', 'Benito']) people.push(await guest(server, name))
    await match(people)
    page = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
    support = await signIn(page, server, 'support', { name: 'Pau' })
    // A new server makes the day's search at once; what comes of it depends on when.
    for (;;) {
      const { searches } = await panel(page, server, support, 'GET', '/admin/v1/fairness/searches')
      if (searches.length > 0 && searches.every((s) => s.endedAt)) break
    }
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  it('searches when asked, and lists what it finds', async () => {
    await open(page, server, '/admin/fairness')
    await Promise.all([page.waitForResponse((r) => r.url().endsWith('/searches') && r.request().method() === 'POST'), page.click('[data-action=search]')])
    await page.waitForSelector('[data-search=asked], [data-search=running], [data-search=done]')
    await page.waitForSelector('[data-search=done]')
    await page.waitForSelector('[data-row]')
    await settled(page)
    assert.equal(await page.locator('[data-row]').count(), 4)
    assert.match(await page.textContent('[data-row]'), /Speed/)
    await accessibleInBoth(page, 'list')
    await worded(page, 'list')
    await page.selectOption('select[name=kind]', 'pair')
    await page.waitForSelector('.empty')
    await accessibleInBoth(page, 'nothing')
    await page.selectOption('select[name=kind]', '')
    await page.waitForSelector('[data-row]')
    await settled(page)
    id = await page.getAttribute('[data-row]', 'data-row')
  })

  it('shows a case with its evidence, and what is decided about it', async () => {
    await page.click('[data-row] .row-link')
    await page.waitForURL('**/admin/fairness/*')
    await settled(page)
    assert.equal(new URL(page.url()).pathname, '/admin/fairness/' + id)
    await page.waitForSelector('.uplot canvas')
    await page.waitForSelector('[data-player]')
    await accessibleInBoth(page, 'case')
    await page.click('[data-action=dismiss]')
    await page.click('[data-action=confirm]')
    await page.waitForSelector('.field.wrong')
    await accessibleInBoth(page, 'reason is missing')
    const reason = hostile.join(' ')
    await page.fill('textarea[name=reason]', reason)
    await page.click('[data-action=confirm]')
    await page.waitForSelector('[data-action=reopen]')
    assert.equal(await page.textContent('blockquote'), reason)
    await unharmed(page, 'case')
    await open(page, server, '/admin/fairness')
    assert.equal(await page.locator('[data-row]').count(), 3)
    await page.click('[data-tab=dismissed]')
    await page.waitForSelector(`[data-row="${id}"]`)
  })

  it('is decided by keyboard alone', async () => {
    await open(page, server, '/admin/fairness')
    await tabTo(page, '[data-row] .row-link')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/admin/fairness/*')
    await settled(page)
    await tabTo(page, '[data-action=watch]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.dialog')
    await tabTo(page, 'textarea[name=reason]')
    await page.keyboard.type('Let us see how it goes on.')
    await tabTo(page, '[data-action=confirm]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('blockquote')
    assert.equal(await page.evaluate(() => document.querySelector('dialog[open]')), null)
    await open(page, server, '/admin/fairness?state=watching')
    assert.equal(await page.locator('[data-row]').count(), 1)
  })

  it('fits on a phone, in every language', async () => {
    for (const language of languages) {
      const small = await visit(browser, undefined, { ...phone, language })
      await signIn(small, server, 'viewer')
      for (const path of ['/admin/fairness', '/admin/fairness/' + id]) {
        await open(small, server, path)
        await noOverflow(small, `${path} ${language}`)
        await worded(small, `${path} ${language}`)
        // Who may only look has nothing to press.
        assert.equal(await small.locator('[data-action=search], [data-action=dismiss], [data-action=reopen]').count(), 0)
      }
      assert.deepEqual(small.faults, [])
      await small.context().close()
    }
  })

  it('leads from a player to their cases', async () => {
    const found = await panel(page, server, support, 'GET', '/admin/v1/fairness/cases?player=' + people[0].id)
    assert.equal(found.cases.length, 1)
    await open(page, server, '/admin/fairness?player=' + people[0].id + '&state=' + found.cases[0].state)
    assert.equal(await page.locator('[data-row]').count(), 1)
  })
})
