import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { GameServer, launch, startMatch, visit } from './harness.mjs'

describe('accounts', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  const post = (path, body, token) =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: 'Bearer ' + token }) },
      body: JSON.stringify(body),
    })
  const signIn = async (password) => (await post('/v1/sessions', { email: 'ana@example.org', password })).status

  /** The part behind the # of the newest mail's link, once there are n mails. */
  async function link(n) {
    const folder = join(server.dir, 'mail')
    for (;;) {
      const mails = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.txt')).sort()
      if (mails.length >= n) return /#\S+/.exec(await readFile(join(folder, mails.at(-1)), 'utf8'))[0]
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  it('follow the links in mails, once each', async () => {
    const guest = await (await post('/v1/guests', {})).json()
    const first = 'quien va a la derecha'
    assert.equal((await post('/v1/me/identities/email', { email: 'ana@example.org', password: first }, guest.accessToken)).status, 202)
    const hash = await link(1)
    const page = await visit(browser, `${server.url}/${hash}`)
    await page.waitForSelector('[data-mail=verify]')
    assert.equal(new URL(page.url()).hash, '')
    assert.equal(await signIn(first), 401) // looking at it does not follow it
    await page.click('dialog [data-action=confirm]')
    await page.waitForSelector('[data-mail-done]')
    assert.equal(await signIn(first), 201)
    await page.click('[data-action=close]')
    await page.waitForSelector('dialog', { state: 'detached' })

    // In the same tab, a link that was used.
    await page.evaluate((used) => { location.hash = used }, hash)
    await page.waitForSelector('[data-mail=verify]')
    await page.click('dialog [data-action=confirm]')
    await page.waitForSelector('dialog [data-problem=link_invalid]')
    assert.match(await page.textContent('dialog [role=alert]'), /ya se usó/)
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })

    await post('/v1/email/reset-request', { email: 'ANA@example.org' })
    await page.goto(`${server.url}/${await link(2)}`)
    await page.waitForSelector('[data-mail=reset]')
    await page.fill('input[name=password]', 'mano y a callar')
    await page.click('dialog [data-action=confirm]')
    await page.waitForSelector('[data-mail-done]')
    assert.deepEqual([await signIn(first), await signIn('mano y a callar')], [401, 201])
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('open a second link however soon after the first', async () => {
    const page = await visit(browser, `${server.url}/#verify=x`)
    await page.waitForSelector('[data-mail=verify]')
    // The events come in both orders: the address changes before the page hears that the dialog was closed.
    await page.evaluate(() => {
      history.replaceState(null, '', '#reset=y')
      dispatchEvent(new HashChangeEvent('hashchange'))
      document.querySelector('dialog > header button').click()
    })
    await page.waitForSelector('dialog[open] [data-mail=reset]')
    await page.evaluate(() => {
      document.querySelector('dialog > header button').click()
      location.hash = '#verify=z'
    })
    await page.waitForSelector('dialog[open] [data-mail=verify]')
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('go on with their session after a reload', async () => {
    const page = await visit(browser, server.url)
    const kept = () => page.evaluate(() => JSON.parse(localStorage.getItem('cuatrola.device')))
    await startMatch(page, { where: 'online' })
    const first = await kept()
    assert.ok(first.deviceSecret && first.refreshToken)
    const refreshed = page.waitForResponse((response) => response.url().endsWith('/v1/sessions/refresh'))
    await page.reload()
    assert.equal((await refreshed).status(), 200)
    await page.waitForSelector('.game')
    const second = await kept()
    assert.equal(second.deviceSecret, first.deviceSecret)
    assert.notEqual(second.refreshToken, first.refreshToken)
    // Signed out everywhere, the device's secret lets the page in again.
    const { accessToken } = await (await post('/v1/sessions', { deviceSecret: first.deviceSecret })).json()
    await fetch(server.url + '/v1/sessions', { method: 'DELETE', headers: { Authorization: 'Bearer ' + accessToken } })
    await page.reload()
    await page.waitForSelector('.game')
    assert.equal((await kept()).deviceSecret, first.deviceSecret)
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })
})
