import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  accessibleInBoth, desktop, GameServer, hostile, languages, launch, noOverflow, open, phone, settled, signIn, tabTo, unharmed, visit, worded,
} from './harness.mjs'

describe('broadcasts', () => {
  let server, browser, page
  const players = []
  before(async () => {
    server = await GameServer.start({ CUATROLA_LIMIT_SIGN_UPS: '0' })
    browser = await launch()
    page = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
    await signIn(page, server, 'economist', { name: 'Núria' })
    for (const [name, language] of [['Ana', 'ca'], ['Bea', 'ca'], ['Carla', 'es']]) {
      const response = await fetch(server.url + '/v1/guests', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name, language }) })
      players.push(await response.json())
    }
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  const notices = async (player) => {
    const response = await fetch(server.url + '/v1/notices', { headers: { authorization: 'Bearer ' + player.accessToken } })
    return (await response.json()).notices
  }
  const write = async (text) => {
    for (const what of ['title', 'text']) {
      for (const language of ['es', 'ca', 'en']) await page.fill(`[name=${what}-${language}]`, `${text} ${what} ${language}`)
    }
  }

  it('are written, looked at, sent, and counted', async () => {
    await open(page, server, '/admin/broadcasts')
    await page.waitForSelector('.empty')
    await accessibleInBoth(page, 'nothing yet')
    await page.click('[data-action=new]')
    await page.waitForSelector('[data-reach="3"]')
    await page.click('[data-action=send]') // nothing is said yet
    assert.equal(await page.locator('[role=alert]').count(), 6)
    await write(hostile[0].slice(0, 44))
    await page.selectOption('[name=link]', 'league')
    await page.selectOption('[name=language]', 'ca')
    await page.waitForSelector('[data-reach="2"]')
    await page.fill('[name=players]', 'nobody')
    await page.waitForSelector('[role=alert]:has-text("nobody")')
    await page.fill('[name=players]', '')
    await page.waitForSelector('[data-reach="2"]')
    await page.click('[data-tab=ca]')
    await page.waitForSelector('.said-preview:has-text("title ca")')
    await settled(page)
    await accessibleInBoth(page, 'written')
    await page.click('[data-action=send]')
    await page.fill('.dialog textarea', 'The tournament is on Saturday.')
    await accessibleInBoth(page, 'window')
    await page.click('.dialog [data-action=confirm]')
    await page.waitForSelector('.badge.good')
    await settled(page)
    await accessibleInBoth(page, 'sent')
    await unharmed(page, 'a notice')
    assert.equal((await notices(players[2])).length, 0)
    for (const player of players.slice(0, 2)) {
      const [one, ...more] = await notices(player)
      assert.equal(more.length, 0)
      assert.equal(one.kind, 'broadcast')
      assert.equal(one.broadcast.link, 'league')
      assert.match(one.broadcast.title.ca, /title ca/)
    }
    await fetch(server.url + '/v1/notices/read', {
      method: 'POST', headers: { authorization: 'Bearer ' + players[0].accessToken, 'Content-Type': 'application/json' }, body: JSON.stringify({ upTo: 1 }),
    })
    await open(page, server, '/admin/broadcasts')
    assert.match(await page.locator('tbody tr').textContent(), /Català.*sent.*2.*1 · 50\s?%.*Núria/)
    await accessibleInBoth(page, 'list')
  })

  it('are sent with keys alone', async () => {
    await open(page, server, '/admin/broadcasts/new')
    for (const what of ['title', 'text']) {
      for (const language of ['es', 'ca', 'en']) {
        await tabTo(page, `[name=${what}-${language}]`)
        await page.keyboard.type('Hola')
      }
    }
    await page.waitForSelector('[data-reach="3"]')
    await tabTo(page, '[data-action=send]', { key: 'Shift+Tab' })
    await page.keyboard.press('Enter')
    await page.waitForSelector('.dialog')
    await tabTo(page, '.dialog textarea')
    await page.keyboard.type('A drill.')
    await tabTo(page, '.dialog [data-action=confirm]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.badge.good')
  })

  it('are seen on a phone, in each language, and by a viewer', async () => {
    for (const language of languages) {
      const other = await visit(browser, undefined, { ...phone, language })
      await other.context().addCookies(await page.context().cookies())
      for (const path of ['/admin/broadcasts', '/admin/broadcasts/new']) {
        await open(other, server, path)
        await noOverflow(other, `${path}, ${language}`)
        await worded(other, `${path}, ${language}`)
      }
      await open(other, server, '/admin/broadcasts')
      await other.locator('.row-link').first().click()
      await other.waitForSelector('.said-preview')
      await noOverflow(other, 'sent, ' + language)
      await worded(other, 'sent, ' + language)
      await other.context().close()
    }
    const viewer = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
    await signIn(viewer, server, 'viewer')
    await open(viewer, server, '/admin/broadcasts')
    assert.equal(await viewer.locator('[data-action=new]').count(), 0)
    await viewer.context().close()
  })
})
