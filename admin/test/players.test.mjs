// Players and their reports, in a real browser against the real server.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  accessibleInBoth, desktop, GameServer, hostile, languages, launch, noOverflow, open, panel, phone, settled, signIn, tabTo, unharmed, visit, worded,
} from './harness.mjs'

describe('players and reports', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  /** A player of the game, signed up as an app would. */
  const guest = async (name) => {
    const post = async (path, body, token) => {
      const response = await fetch(server.url + path, {
        method: 'POST', headers: { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) }, body: JSON.stringify(body),
      })
      const text = await response.text()
      assert.ok(response.ok, `${path}: ${response.status} ${text}`)
      return text ? JSON.parse(text) : undefined
    }
    const made = await post('/v1/guests', { name, deviceName: hostile[2].slice(0, 40) })
    const token = made.accessToken
    await fetch(server.url + '/v1/wallet', { headers: { Authorization: `Bearer ${token}` } })
    return {
      ...made, id: made.player.id,
      report: (playerId, reason, text) => post('/v1/reports', { playerId, reason, text }, token),
      /** Has an address from now on, by the link in its mail. */
      link: async (email) => {
        await post('/v1/me/identities/email', { email, password: 'quien reparte no elige' }, token)
        for (;;) {
          const mails = (await readdir(join(server.dir, 'mail')).catch(() => [])).filter((file) => file.endsWith('.txt')).sort()
          const found = mails.length > 0 && /#verify=(\S+)/.exec(await readFile(join(server.dir, 'mail', mails.at(-1)), 'utf8'))
          if (found) return post('/v1/email/verify', { token: found[1] })
          await new Promise((resolve) => setImmediate(resolve))
        }
      },
      code: async () => (await post('/v1/me/support-code', undefined, token)).code,
      signIn: () => fetch(server.url + '/v1/sessions', {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ deviceSecret: made.deviceSecret }),
      }),
    }
  }
  const confirm = async (page, reason) => {
    await page.fill('.dialog [name=reason]', reason)
    await page.click('[data-action=confirm]')
    await page.waitForSelector('.dialog', { state: 'detached' })
    await settled(page)
  }

  it('finds somebody, gives coins, writes, suspends and lets in again', async () => {
    const page = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
    await signIn(page, server, 'support', { name: 'Eva' })
    const rude = await guest('<img src=x>')
    await guest('Imma')
    await open(page, server, '/admin/players')
    await page.fill('[name=q]', '<im')
    await page.waitForSelector(`[data-row="${rude.id}"]`)
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 2)
    await accessibleInBoth(page, 'players')
    await page.fill('[name=q]', rude.id)
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    await page.click('.row-link')
    await page.waitForSelector('[role=tab]')
    await settled(page)
    await accessibleInBoth(page, 'file')

    await page.click('[data-action=give]')
    await page.click('[data-action=confirm]')
    assert.equal(await page.locator('.dialog .fault').count(), 2, 'how many and why are needed')
    await page.fill('.dialog [name=coins]', '120')
    await accessibleInBoth(page, 'give')
    await confirm(page, hostile[0])
    await page.waitForSelector('.toast')
    await page.click('[data-tab=statement]')
    await page.waitForSelector(`td:has-text("onerror")`)
    await page.click('[data-tab=notes]')
    await page.fill('[name=note]', hostile[1])
    await page.click('[data-action=write]')
    await page.waitForSelector('td:has-text("script")')
    await unharmed(page, 'a note')
    for (const tab of ['matches', 'orders', 'reports', 'notices', 'sessions']) {
      await page.click(`[data-tab=${tab}]`)
      await settled(page)
      await worded(page, tab)
    }

    await page.click('[data-action=suspend]')
    await accessibleInBoth(page, 'suspend')
    await page.check('.dialog input[value=week]', { force: true })
    await page.fill('.dialog [name=text]', 'We have talked about this.')
    await confirm(page, 'Three reports in a week.')
    await page.waitForSelector('.badge.bad')
    const refused = await rude.signIn()
    const problem = await refused.json()
    assert.equal(refused.status, 403)
    assert.equal(problem.code, 'suspended')
    assert.equal(problem.detail, 'We have talked about this.')
    await page.click('[data-tab=sanctions]')
    await page.waitForSelector('td:has-text("Three reports")')
    await page.click('[data-action=lift]')
    await confirm(page, 'It was his brother.')
    await page.waitForSelector('[data-action=suspend]')
    assert.equal((await rude.signIn()).status, 201)

    await page.locator('.page-head button[aria-haspopup=menu]').click()
    await page.click('[role=menuitem]:has-text("Take the name away")')
    await confirm(page, 'It is no name.')
    await page.waitForSelector('h1:has-text("Guest-")')
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('takes reports in hand and answers them', async () => {
    const page = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
    await signIn(page, server, 'support', { name: 'Ona' })
    const [loud, one, two] = [await guest('Loud'), await guest('One'), await guest('Two')]
    await one.report(loud.id, 'harassment', hostile[0])
    await two.report(loud.id, 'name', 'That name!')
    await open(page, server, '/admin/reports')
    await accessibleInBoth(page, 'cases')
    await page.click(`[data-row="${loud.id}"] .row-link`)
    await page.waitForSelector('.evidence')
    await unharmed(page, 'a report')
    await accessibleInBoth(page, 'case')
    await page.click('[data-action=claim]')
    await page.waitForSelector('[data-action=release]')

    const other = await visit(browser, undefined, { language: 'en-GB' })
    await signIn(other, server, 'owner')
    await open(other, server, `/admin/reports/${loud.id}`)
    assert.equal(await other.locator('[data-action=answer]').count(), 0, 'it is in other hands')
    await other.context().close()

    await page.click('[data-action=answer]')
    await page.check('.dialog input[value=warned]', { force: true })
    await page.waitForSelector('.dialog [name=about]')
    await accessibleInBoth(page, 'answer')
    await confirm(page, 'Shouts at everybody.')
    await page.waitForFunction(() => document.querySelectorAll('.evidence li').length === 2 && document.querySelector('.evidence').textContent.includes('Shouts'))
    await open(page, server, '/admin/reports')
    assert.equal(await page.locator(`[data-row="${loud.id}"]`).count(), 0)
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('merges a guest by two codes', async () => {
    const page = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
    await signIn(page, server, 'support')
    const [small, big] = [await guest('Small'), await guest('Big')]
    await open(page, server, '/admin/players')
    await page.click('[data-action=merge]')
    await page.fill('[name=guestCode]', 'ABCD-EFGH')
    await page.fill('[name=accountCode]', await big.code())
    await page.click('[data-action=confirm]')
    await page.waitForSelector('[data-problem=support_code_invalid]')
    await page.fill('[name=guestCode]', await small.code())
    await page.click('[data-action=confirm]')
    await page.waitForSelector('.merging')
    await accessibleInBoth(page, 'merge')
    // The second is a guest too: the server says so, and nothing has happened.
    await page.fill('.dialog [name=reason]', 'Lost the old phone.')
    await page.click('[data-action=confirm]')
    await page.waitForSelector('[data-problem=cannot_merge]')
    await big.link('big@example.org')
    await page.click('[data-action=confirm]')
    await page.waitForSelector('.toast')
    await page.waitForSelector('.dialog', { state: 'detached' })
    await open(page, server, `/admin/players/${big.id}`)
    await page.waitForSelector(`[data-row="${small.id}"]`)
    await page.waitForSelector('td:has-text("big@example.org")')
    assert.equal((await (await small.signIn()).json()).player.id, big.id)
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('is worked with by keys, on a phone and in each language', async () => {
    const page = await visit(browser, undefined, { ...phone, language: 'en-GB' })
    const me = await signIn(page, server, 'owner')
    const key = await guest('Key')
    await panel(page, server, me, 'POST', `/admin/v1/players/${key.id}/notes`, { text: 'x'.repeat(300) })
    await (await guest('Teller')).report(key.id, 'cheating', 'W'.repeat(200))
    await open(page, server, '/admin/players')
    await noOverflow(page, 'players')
    await tabTo(page, '[name=q]')
    await page.keyboard.type('key')
    await page.waitForSelector(`[data-row="${key.id}"]`)
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    await tabTo(page, '.row-link')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=tab]')
    await settled(page)
    await tabTo(page, '[data-action=suspend]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.dialog')
    await noOverflow(page, 'suspend')
    await tabTo(page, '[name=reason]')
    await page.keyboard.type('By keys.')
    await tabTo(page, '[data-action=confirm]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-action=lift]')
    const cookies = await page.context().cookies()
    await page.context().close()
    for (const language of languages) {
      const other = await visit(browser, undefined, { ...phone, language })
      await other.context().addCookies(cookies)
      for (const path of [`/admin/players/${key.id}`, `/admin/players/${key.id}?tab=notes`, '/admin/reports', `/admin/reports/${key.id}`]) {
        await open(other, server, path)
        await worded(other, `${path}, ${language}`)
        await noOverflow(other, `${path}, ${language}`)
      }
      await other.context().close()
    }
  })
})
