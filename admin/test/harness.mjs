// What the panel's tests share: the real binary, a real browser, and members of staff who come in as people do.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { drawn, faults, GameServer, launch, visit } from '../../scripts/browser.mjs'

export { GameServer, launch, visit }

export const roles = ['owner', 'economist', 'support', 'viewer']
export const languages = ['es-ES', 'ca-ES', 'en-GB']
export const desktop = { viewport: { width: 1280, height: 800 } }
export const phone = { viewport: { width: 360, height: 740 }, phone: true }

/** The six digits that an authenticator shows for a base-32 secret: RFC 6238 with SHA-1 and half a minute. */
export function totp(secret, at = Date.now()) {
  const bits = [...secret].map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)))
  const sum = createHmac('sha1', key).update(counter).digest()
  return String((sum.readUInt32BE(sum[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

export const password = 'quien reparte no elige'
let count = 0

/** A link to the panel for somebody new, made on the command line. */
export async function invite(server, role, email = `${role}-${++count}@example.org`) {
  const out = await server.command([
    'admin', 'create', email, '--role', role, '--public-url', server.url, '--reason', 'Joins the staff.', '--author', 'operations',
  ])
  const url = out.match(/\S+#\S+/)[0]
  return { url, token: decodeURIComponent(url.split('#')[1]), email }
}

/**
 * A new member of staff with that role, signed in within the page's context as the page itself would do it. The answer has
 * the session, the second factor's secret and the recovery codes.
 */
export async function signIn(page, server, role, { name = role[0].toUpperCase() + role.slice(1), email } = {}) {
  const link = await invite(server, role, email)
  const request = page.context().request
  const post = async (path, data) => {
    const response = await request.post(server.url + path, { data })
    assert.ok(response.ok(), `${path}: ${response.status()} ${await response.text()}`)
    return response.json()
  }
  const { totpSecret } = await post('/admin/v1/invitation', { token: link.token })
  const { session, recoveryCodes } = await post('/admin/v1/invitation/accept', { token: link.token, name, password, code: totp(totpSecret) })
  return { email: link.email, secret: totpSecret, session, recoveryCodes }
}

/** A call of the panel's API as whoever is signed in there; asserts that it is taken, and returns the answer. */
export async function panel(page, server, member, method, path, data) {
  const response = await page.context().request.fetch(server.url + path, {
    method, headers: { 'X-CSRF-Token': member.session.csrfToken }, ...(data === undefined ? {} : { data }),
  })
  assert.ok(response.ok(), `${method} ${path}: ${response.status()} ${await response.text()}`)
  return response.status() === 204 ? undefined : response.json()
}

/** Opens a page of the panel and waits until nothing is loading any more. */
export async function open(page, server, path) {
  await page.goto(server.url + path)
  await settled(page)
}

/** Waits until the page shows what it was asked for: neither where something will be, nor an old list. */
export async function settled(page) {
  // By then, what was chosen a moment ago has been asked for.
  await drawn(page)
  await page.waitForFunction(() => document.querySelector('main :is(h1, .empty)') && !document.querySelector('.skeleton, .stale, [aria-busy=true]'), undefined, { polling: 20 })
}

/** Nothing that axe finds fault with. */
export async function accessible(page, where, options) {
  assert.deepEqual(await faults(page, options), [], where)
}

/** The same in both themes, between which nothing differs but colours. */
export async function accessibleInBoth(page, where) {
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await accessible(page, `${where}, dark`, { contrastOnly: true })
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await accessible(page, `${where}, light`)
}

/** Nothing sticks out at the sides. */
export async function noOverflow(page, where) {
  const out = await page.evaluate(() => {
    const width = document.documentElement.clientWidth
    if (document.documentElement.scrollWidth <= width) return []
    const scrolls = (e) => e && e !== document.body && (/auto|scroll|hidden/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement))
    return [...document.querySelectorAll('body *')]
      .filter((e) => e.getBoundingClientRect().right > width + 1 && !scrolls(e.parentElement))
      .map((e) => `${e.tagName.toLowerCase()}.${e.className.baseVal ?? e.className}`)
  })
  assert.deepEqual(out, [], where)
}

/** No text of the page is a bare key, or has a place that was not filled in. */
export async function worded(page, where) {
  const bare = await page.evaluate(() => {
    const found = []
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node; (node = walk.nextNode()); ) {
      const text = node.data.trim()
      if (!node.parentElement.closest('code, pre, .code, .diff, [data-raw]') && (/^[a-z]+(_[a-z]+)+$/.test(text) || /\{\w+\}|undefined|\bNaN\b|\[object/.test(text))) found.push(text)
    }
    return found
  })
  assert.deepEqual(bare, [], where)
}

/** Goes on with Tab until what the selector names has the focus. */
export async function tabTo(page, selector, { most = 80, key = 'Tab' } = {}) {
  for (let i = 0; i < most; i++) {
    await page.keyboard.press(key)
    if (await page.evaluate((s) => document.activeElement?.matches(s), selector)) return
  }
  const at = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200))
  assert.fail(`${selector} is not reached with ${most} times ${key}; the focus is on ${at}`)
}

/** What a player might write to do harm; each is to show as it stands. */
export const hostile = [
  '<img src=x onerror="window.harmed=1">',
  '"><script>window.harmed=1</script>',
  "javascript:window.harmed=1//'",
]

/** Nothing that was written by somebody has run, and nothing went wrong in the page. */
export async function unharmed(page, where) {
  assert.equal(await page.evaluate(() => window.harmed), undefined, where)
  assert.deepEqual(page.faults, [], where)
}
