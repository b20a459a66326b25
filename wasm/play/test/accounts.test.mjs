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

  it('begin as a guest, are kept by an address, and come in from another device', async () => {
    const mails = (await readdir(join(server.dir, 'mail')).catch(() => [])).filter((name) => name.endsWith('.txt')).length
    const page = await visit(browser, server.url + '/account')
    await page.click('[data-action=enter]')
    await page.waitForSelector('[data-name]')
    await page.click('[data-action=rename]')
    await page.fill('dialog input[name=name]', 'Remei')
    await page.click('dialog [data-action=confirm]')
    await page.waitForSelector('[data-name=Remei]')
    await page.click('[data-action=avatar]')
    await page.click('dialog [data-card=CE]')
    // A guest is told what leaving means.
    await page.click('[data-action=sign-out]')
    assert.match(await page.textContent('dialog'), /se pierden para siempre/)
    await page.keyboard.press('Escape')
    await page.click('[data-action=link-email]')
    await page.fill('dialog input[name=email]', 'remei@example.org')
    await page.fill('dialog input[name=password]', 'les quaranta')
    await page.click('dialog [data-action=confirm]')
    await page.waitForSelector('dialog [data-sent]')
    await page.click('dialog [data-action=confirm]')
    await page.goto(server.url + '/account' + (await link(mails + 1)))
    await page.click('dialog [data-action=confirm]')
    await page.click('dialog [data-action=close]')
    await page.waitForSelector('[data-way-in=email]')

    const other = await visit(browser, server.url + '/sign-in')
    await other.fill('input[name=email]', 'remei@example.org')
    await other.fill('input[name=password]', 'not this one')
    await other.click('[data-action=sign-in]')
    await other.waitForSelector('[data-problem=invalid_credentials]')
    await other.fill('input[name=password]', 'les quaranta')
    await other.click('[data-action=sign-in]')
    await other.waitForSelector('[data-name=Remei]')
    // The first device sees the second, and ends it.
    await page.reload()
    await page.click('[data-action=end-session]')
    await page.waitForSelector('[data-action=end-session]', { state: 'detached' })
    await other.reload()
    await other.waitForSelector('[data-action=enter]')
    assert.deepEqual([...page.faults, ...other.faults], [])
    await other.context().close()
    await page.context().close()
  })

  it('take their data along, and can be deleted and kept after all', async () => {
    const page = await visit(browser, server.url + '/account')
    await page.click('[data-action=enter]')
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('[data-action=export]')])
    assert.equal(file.suggestedFilename(), 'cuatrola.zip')
    assert.equal((await readFile(await file.path())).subarray(0, 2).toString(), 'PK')
    await page.click('[data-action=delete]')
    await page.click('dialog [data-action=confirm]')
    await page.click('[data-deletes] [data-action=restore]')
    await page.waitForSelector('[data-deletes]', { state: 'detached' })
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('show support whose they are, and are told when the house keeps them out', async () => {
    const page = await visit(browser, server.url + '/account', { language: 'en-GB' })
    await page.click('[data-action=enter]')
    await page.click('[data-action=help-code]')
    await page.waitForFunction(() => /^[2-9A-Z]{4}-[2-9A-Z]{4}$/.test(document.querySelector('.help-code output').textContent))
    await page.route('**/v1/sessions**', (route) => route.fulfill({
      status: 403, contentType: 'application/problem+json',
      body: JSON.stringify({ code: 'suspended', detail: 'x', suspension: { why: 'harassment', until: '2031-04-04T20:00:00Z' } }),
    }))
    await page.goto(server.url)
    await page.waitForFunction(() => /until.*2031.*harassment/.test(document.querySelector('.note.bad')?.textContent))
    await page.goto(server.url + '/account')
    await page.waitForFunction(() => /until.*2031.*harassment/.test(document.querySelector('.note.bad')?.textContent))
    await page.context().close()
  })
})
