import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  accessibleInBoth, desktop, GameServer, hostile, languages, launch, noOverflow, open, password, phone, settled, signIn, tabTo, unharmed, visit, worded,
} from './harness.mjs'

/** A device that keeps passkeys, in the page's browser. */
async function device(page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  })
  return {
    passkeys: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    /** Whether its owner lets it sign. */
    willing: (isUserVerified) => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

describe('one’s own security', () => {
  let server, browser
  before(async () => {
    // Browsers keep passkeys for names, and not for addresses.
    server = await GameServer.start((port) => ({ CUATROLA_PUBLIC_URL: `http://localhost:${port}` }))
    server.url = `http://localhost:${server.port}`
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  it('makes a passkey, comes in with it, and takes it away', async () => {
    const page = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
    const keys = await device(page)
    await signIn(page, server, 'viewer')
    await open(page, server, '/admin/security')
    await accessibleInBoth(page, 'without passkeys')
    await page.click('[data-action=add-passkey]')
    await page.click('[data-action=confirm]')
    assert.equal(await page.locator('.dialog .fault').count(), 2)
    await page.fill('.dialog [name=name]', hostile[0])
    await page.fill('.dialog [name=password]', 'not the password')
    await page.click('[data-action=confirm]')
    await page.waitForSelector('[data-problem=password_wrong]')
    assert.equal((await keys.passkeys()).length, 0)
    await page.fill('.dialog [name=password]', password)
    await page.click('[data-action=confirm]')
    await page.waitForSelector('.toast')
    await page.waitForSelector('[data-action=remove-passkey]')
    assert.equal((await keys.passkeys()).length, 1)
    await unharmed(page, 'a name')
    await accessibleInBoth(page, 'with a passkey')

    // The same device makes no second one.
    await page.click('[data-action=add-passkey]')
    await page.fill('.dialog [name=name]', 'Again')
    await page.fill('.dialog [name=password]', password)
    await page.click('[data-action=confirm]')
    await page.waitForSelector('[data-problem=passkey_known]')
    await page.keyboard.press('Escape')

    await page.click('[data-action=account]')
    await page.click('[data-action=sign-out]')
    await page.waitForSelector('[data-action=passkey]')
    await keys.willing(false)
    await page.click('[data-action=passkey]')
    await page.waitForSelector('[data-problem=passkey_not_given]')
    await keys.willing(true)
    await tabTo(page, '[data-action=passkey]', { key: 'Shift+Tab' })
    await page.keyboard.press('Enter')
    await page.waitForSelector('h1:has-text("My security")')

    await settled(page)
    await page.click('[data-action=remove-passkey]')
    await page.click('[data-action=confirm]')
    await page.waitForSelector('[data-action=remove-passkey]', { state: 'detached' })
    await page.click('[data-action=account]')
    await page.click('[data-action=sign-out]')
    await page.click('[data-action=passkey]')
    await page.waitForSelector('[data-problem=passkey_unknown]')
    await accessibleInBoth(page, 'sign in')
    await page.context().close()
  })

  it('changes the password and the recovery codes, and leaves elsewhere', async () => {
    const page = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
    const me = await signIn(page, server, 'support')
    const elsewhere = await visit(browser, undefined, { language: 'en-GB' })
    await elsewhere.goto(server.url + '/admin')
    const enter = async (word, code) => {
      await elsewhere.fill('[name=email]', me.email)
      await elsewhere.fill('[name=password]', word)
      await elsewhere.fill('[name=code]', code)
      await elsewhere.click('[data-action=sign-in]')
    }
    await enter(password, me.recoveryCodes[0])
    await elsewhere.waitForSelector('.sidebar')

    await open(page, server, '/admin/security')
    assert.equal(await page.locator('[data-row]').count(), 2)
    await page.click('[data-action=end-others]')
    await page.click('[data-action=confirm]')
    await page.waitForFunction(() => document.querySelectorAll('[data-row]').length === 1)
    await elsewhere.reload()
    await elsewhere.waitForSelector('[data-page=sign-in]')

    const next = 'quien elige no reparte'
    await page.click('[data-action=password]')
    await accessibleInBoth(page, 'password')
    await page.fill('[name=current]', 'not the password')
    await page.fill('[name=next]', next)
    await page.fill('[name=again]', 'another')
    await page.click('[data-action=confirm]')
    assert.equal(await page.locator('.dialog .fault').count(), 1)
    await page.fill('[name=again]', next)
    await page.click('[data-action=confirm]')
    await page.waitForSelector('[data-problem=password_wrong]')
    await page.fill('[name=current]', password)
    await page.click('[data-action=confirm]')
    await page.waitForSelector('.dialog', { state: 'detached' })

    await page.click('[data-action=recovery]')
    await page.fill('.dialog [name=password]', next)
    await page.click('[data-action=confirm]')
    await page.waitForSelector('.codes')
    const codes = await page.locator('.codes li').allTextContents()
    await accessibleInBoth(page, 'recovery codes')
    await page.click('[data-action=kept]')
    await page.waitForSelector('.dialog', { state: 'detached' })
    await enter(next, me.recoveryCodes[1])
    await elsewhere.waitForSelector('[data-problem=invalid_credentials]')
    await enter(next, codes[0])
    await elsewhere.waitForSelector('.sidebar')
    assert.deepEqual(page.faults, [])
    await page.context().close()
    await elsewhere.context().close()
  })

  it('is worked with by keys, on a phone and in each language', async () => {
    const page = await visit(browser, undefined, phone)
    await device(page)
    await signIn(page, server, 'viewer')
    await open(page, server, '/admin/security')
    await tabTo(page, '[data-action=add-passkey]')
    await page.keyboard.press('Enter')
    await tabTo(page, '.dialog [name=name]')
    await page.keyboard.type('Teléfono')
    await page.keyboard.press('Tab')
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-action=remove-passkey]')
    const cookies = await page.context().cookies()
    await page.context().close()
    for (const language of languages) {
      const other = await visit(browser, undefined, { ...phone, language })
      await other.context().addCookies(cookies)
      await open(other, server, '/admin/security')
      await worded(other, language)
      await noOverflow(other, language)
      for (const action of ['add-passkey', 'password', 'recovery', 'end-others']) {
        await other.click(`[data-action=${action}]`)
        await worded(other, `${language}, ${action}`)
        await noOverflow(other, `${language}, ${action}`)
        await other.keyboard.press('Escape')
        await other.waitForSelector('.dialog', { state: 'detached' })
      }
      if (language === 'ca-ES') await accessibleInBoth(other, 'on a phone')
      await other.context().close()
    }
  })
})
