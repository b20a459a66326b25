import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  accessibleInBoth, desktop, GameServer, languages, launch, noOverflow, open, phone, settled, signIn, tabTo, unharmed, visit, worded,
} from './harness.mjs'
import { guest, past, playMatch, waits } from './seeing.mjs'

describe('overview, tables and league', () => {
  let server, browser, token, over
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
    await past(server)
    await past(server, 'broken')
    token = await guest(server, 'Ángela')
    over = await playMatch(server, token)
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function inside(role, options = {}) {
    const page = await visit(browser, undefined, { language: 'en-GB', ...options })
    await signIn(page, server, role)
    return page
  }
  /** Every page of the areas that one can come to. */
  const everywhere = async (page) => {
    await open(page, server, '/admin/league')
    const week = new URL(await page.locator('.row-link').first().getAttribute('href'), server.url).pathname
    return [
      '/admin/overview', '/admin/overview?tab=money', '/admin/overview?tab=faults', '/admin/tables', '/admin/tables?status=over', `/admin/tables/${over}`,
      '/admin/league', week, `${week}/bronze/1`,
    ]
  }

  it('are worded in every language, accessible in both themes, and fit a phone', async () => {
    const wide = await inside('owner')
    const pages = await everywhere(wide)
    for (const path of pages) {
      await open(wide, server, path)
      await accessibleInBoth(wide, path)
    }
    await unharmed(wide, 'wide')
    await wide.context().close()
    for (const language of languages) {
      const narrow = await inside('owner', { ...phone, language })
      for (const path of pages) {
        await open(narrow, server, path)
        await noOverflow(narrow, `${path}, ${language}`)
        await worded(narrow, `${path}, ${language}`)
      }
      await unharmed(narrow, language)
      await narrow.context().close()
    }
  })

  it('shows how things are, and checks the ledger', async () => {
    const page = await inside('economist', desktop)
    await page.goto(server.url + '/admin')
    await page.waitForURL('**/admin/overview') // the panel's home
    await settled(page)
    await page.waitForSelector('.uplot')
    assert.equal(await page.locator('.stat').count(), 8)
    assert.ok((await page.locator('.uplot').count()) >= 5)
    // A drawing's numbers are one key away; the coins in the world are those of the tile.
    const first = page.locator('.chart details').first()
    await first.locator('summary').focus()
    await page.keyboard.press('Enter')
    const players = await first.locator('tbody tr').last().locator('td').first().textContent()
    assert.match(await page.locator('.stat', { hasText: 'Coins in the world' }).locator('.value').textContent(), new RegExp(players.replaceAll(',', ',?')))
    await page.check('input[name=range][value=hours]', { force: true })
    await page.waitForURL('**range=hours')
    await page.waitForFunction(() => document.querySelectorAll('.chart details')[0].querySelectorAll('tbody tr').length === 24)

    // By keyboard alone: to the faults, and a check of the ledger.
    await tabTo(page, '[data-tab=now]', { key: 'Shift+Tab', most: 120 })
    await page.keyboard.press('End')
    await page.waitForURL('**tab=faults')
    await settled(page)
    const before = await page.locator('section', { hasText: 'Check of the ledger' }).locator('time').getAttribute('datetime')
    await tabTo(page, '[data-action=check-ledger]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.toast')
    await page.waitForFunction((at) => document.querySelector('.facts time')?.dateTime > at, before)
    await page.waitForFunction(() => document.querySelector('.facts .badge.good'))
    await page.context().close()
    const viewer = await inside('viewer')
    await open(viewer, server, '/admin/overview?tab=faults')
    assert.equal(await viewer.locator('[data-action=check-ledger]').count(), 0)
    await viewer.context().close()
  })

  it('watches a match without a hand, and gives it up with a reason, by keyboard', async () => {
    const id = await playMatch(server, token, { target: 3, done: waits })
    const page = await inside('support')
    await open(page, server, '/admin/tables')
    assert.equal(await page.locator(`[data-row="${id}"]`).count(), 1)
    await tabTo(page, `[data-row="${id}"] .row-link`)
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-turn]')
    assert.equal(await page.getAttribute('[data-turn]', 'data-seat'), '0')
    assert.equal(await page.locator('[data-held]').count(), 0, 'nobody’s cards are shown')
    const heard = await page.locator('.tables-events li').count()
    assert.ok(heard > 4)
    await accessibleInBoth(page, 'live')
    // What happens is seen without a hand on the page.
    const view = await (await fetch(`${server.url}/v1/matches/${id}`, { headers: { Authorization: `Bearer ${token}` } })).json()
    await fetch(`${server.url}/v1/matches/${id}/actions`, {
      method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }, body: JSON.stringify({ seq: view.seq, action: view.legal[0] }),
    })
    await page.waitForFunction((n) => document.querySelectorAll('.tables-events li').length > n, heard)
    await tabTo(page, '[data-action=void]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.dialog')
    await page.keyboard.press('Tab')
    await tabTo(page, '[name=reason]')
    await page.keyboard.type('<img src=x onerror="window.harmed=1"> cannot act')
    await tabTo(page, '[data-action=confirm]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.dialog', { state: 'detached' })
    await page.waitForSelector('.note.warn')
    assert.match(await page.locator('.note.warn').textContent(), /<img src=x/)
    await open(page, server, '/admin/tables?status=over')
    assert.match(await page.locator(`[data-row="${id}"]`).textContent(), /Given up/)
    await unharmed(page, 'given up')
    await page.context().close()
    const viewer = await inside('viewer')
    await open(viewer, server, `/admin/tables/${await playMatch(server, token, { target: 3, done: waits })}`)
    assert.equal(await viewer.locator('[data-action=void]').count(), 0)
    await viewer.context().close()
  })

  it('plays a match back card by card, and verifies it', async () => {
    const page = await inside('viewer')
    await open(page, server, `/admin/tables/${over}`)
    await page.waitForSelector('[data-replay]')
    assert.equal(await page.locator('[data-held]').count(), 20, 'all cards are open')
    // By keyboard: the first of the steps to the last, each with the cards that are left.
    await tabTo(page, '.replay-slider input')
    let held = 20
    const steps = Number(await page.getAttribute('.replay-slider input', 'max'))
    for (let step = 1; step <= steps; step++) {
      await page.keyboard.press('ArrowRight')
      await page.waitForFunction((n) => document.querySelector('.replay-slider input').value === String(n) && document.querySelector('.replay-slider span').textContent.includes(String(n + 1)), step)
      const now = await page.locator('[data-held]').count()
      assert.ok(now === held || now === held - 1, `step ${step}: ${now} cards after ${held}`)
      held = now
      if (step === 6) await accessibleInBoth(page, 'replay')
    }
    assert.ok((await page.locator('[data-card]').count()) >= 3, 'the last trick lies there')
    const score = await page.locator('.felt-score b').allTextContents()
    assert.equal(await page.locator('.facts .tables-score').textContent(), score.join(' – '))
    await page.click('[data-action=verify]')
    await page.waitForSelector('[data-verdict=good]')
    await page.click('[data-action=first]')
    await page.click('[data-action=play]')
    await page.waitForFunction(() => document.querySelector('.replay-slider input').value === '2')
    await page.click('[data-action=play]')
    await unharmed(page, 'replay')
    await page.context().close()
  })

  it('shows why a week is not closed, and closes it', async () => {
    const page = await inside('economist')
    await open(page, server, '/admin/league')
    // The night's close fails, since there is no such economy; so does the one that is asked for.
    await page.waitForSelector('.note.bad', { timeout: 90_000 })
    await tabTo(page, '[data-action=close-league]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.dialog')
    await tabTo(page, '[name=reason]')
    await page.keyboard.type('It has failed all night.')
    await page.keyboard.press('Tab')
    await tabTo(page, '[data-action=confirm]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.dialog', { state: 'detached' })
    await page.waitForSelector('.toast')
    await past(server, 'mended')
    const due = page.locator('tr', { hasText: 'Due' })
    const id = await due.getAttribute('data-row')
    await page.goto(`${server.url}/admin/league/${id}`)
    await settled(page)
    if (await page.locator('[data-action=close-league]').count()) {
      await page.click('[data-action=close-league]')
      await page.fill('[name=reason]', 'It can be closed now.')
      await page.click('[data-action=confirm]')
    }
    await page.waitForFunction(() => document.querySelector('.page-head .badge')?.textContent === 'Closed', undefined, { timeout: 90_000 })
    await settled(page)
    assert.match(await page.locator('.stat', { hasText: 'Prizes paid' }).textContent(), /3/)
    await page.locator('.row-link').first().click()
    await page.waitForURL('**/bronze/1')
    await settled(page)
    assert.equal(await page.locator('tbody tr').count(), 8)
    assert.match(await page.locator('tbody tr').first().textContent(), /1.*300.*Silver/s)
    await unharmed(page, 'league')
    await page.context().close()
  })
})
