import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import {
  accessibleInBoth, desktop, GameServer, hostile, languages, launch, noOverflow, open, panel, phone, settled, signIn, tabTo, unharmed, visit, worded,
} from './harness.mjs'

describe('the audit', () => {
  let server, browser, page, owner, pau
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
    page = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
    owner = await signIn(page, server, 'owner', { name: 'Marta' })
    const other = await visit(browser)
    pau = await signIn(other, server, 'support', { name: 'Pau' })
    await other.context().close()
    const path = `/admin/v1/staff/${pau.session.member.id}`
    await panel(page, server, owner, 'PATCH', path, { role: 'economist', reason: hostile.join(' ') })
    await panel(page, server, owner, 'PATCH', path, { role: 'viewer', reason: 'The season is over.' })
    for (let i = 0; i < 22; i++) await panel(page, server, owner, 'DELETE', `${path}/sessions`, { reason: `Drill ${i}.` })
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  it('is searched, read page by page, and shows how things were', async () => {
    await open(page, server, '/admin/audit')
    assert.equal(await page.locator('tbody tr').count(), 20)
    await accessibleInBoth(page, 'list')
    const first = await page.locator('tbody tr').first().getAttribute('data-row')
    await page.click('[data-action=next]')
    await page.waitForSelector('text=Page 2')
    await settled(page)
    await unharmed(page, 'a reason')
    assert.ok((await page.locator('tbody').textContent()).includes(hostile[1]))
    await page.click('[data-action=previous]')
    await page.waitForSelector(`[data-row="${first}"]`)

    await page.fill('input[name=search]', 'season IS over')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    assert.match(page.url(), /text=season/)
    await page.click('.row-link')
    await page.waitForSelector('.dialog [data-path=role]')
    assert.deepEqual(await page.locator('.dialog [data-path=role] td').allTextContents(), ['economist', 'viewer'])
    await accessibleInBoth(page, 'entry')
    await page.keyboard.press('Escape')

    await page.fill('input[name=search]', 'nobody wrote this')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.empty')
    await page.click('.search button')
    await settled(page)
    await page.selectOption('select[name=actor]', { label: 'Pau' })
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    await page.selectOption('select[name=actor]', '')
    await page.selectOption('select[name=action]', 'audit')
    await page.waitForSelector('.empty')
  })

  it('goes out as a file, of what is looked for', async () => {
    await open(page, server, '/admin/audit?action=staff.sign-out')
    for (const [action, lines, begins] of [['csv', 23, 'id,at,actor_id'], ['jsonl', 22, '{"']]) {
      const [download] = await Promise.all([page.waitForEvent('download'), page.click(`[data-action=${action}]`)])
      const text = await readFile(await download.path(), 'utf8')
      assert.equal(text.trim().split('\n').length, lines)
      assert.ok(text.startsWith(begins))
    }
    // That it went out stands in it too.
    await open(page, server, '/admin/audit?action=audit')
    assert.equal(await page.locator('tbody tr').count(), 2)
  })

  it('is read by keys, on a phone and in each language', async () => {
    for (const language of languages) {
      const other = await visit(browser, undefined, { ...phone, language })
      await other.context().addCookies(await page.context().cookies())
      await open(other, server, `/admin/audit?subjectKind=staff&subjectId=${pau.session.member.id}`)
      await worded(other, language)
      await noOverflow(other, language)
      if (language === 'en-GB') {
        await accessibleInBoth(other, 'on a phone')
        await tabTo(other, '.row-link')
        await other.keyboard.press('Enter')
        await other.waitForSelector('.dialog')
        await noOverflow(other, 'entry')
        await tabTo(other, '[role=tab][aria-selected=true]')
        await other.keyboard.press('ArrowRight')
        await other.waitForSelector('.dialog .code')
        await noOverflow(other, 'entry as JSON')
        await other.keyboard.press('Escape')
        await other.waitForSelector('.dialog', { state: 'detached' })
        assert.ok(await other.evaluate(() => document.activeElement.matches('.row-link')))
      }
      await unharmed(other, language)
      await other.context().close()
    }
  })
})
