// What the tests and pictures of league, shop and wallet share.
import assert from 'node:assert/strict'
import { faults } from './harness.mjs'

export const desktop = { viewport: { width: 1280, height: 800 } }
export const phone = { viewport: { width: 360, height: 740 }, phone: true }
export const languages = ['es-ES', 'ca-ES', 'en-GB']

/** The page as somebody who has an account already, as if they had made it on this device. */
export async function be(page, { deviceSecret, player }) {
  await page.addInitScript((kept) => {
    if (!localStorage.getItem('cuatrola.device')) localStorage.setItem('cuatrola.device', kept)
  }, JSON.stringify({ deviceSecret, player }))
  return page
}

/** Opens an address and waits until nothing is loading any more. */
export async function open(page, server, path) {
  await page.goto(server.url + path)
  await settled(page)
}

export async function settled(page) {
  await page.waitForFunction(() => document.querySelector('main h1') && !document.querySelector('main :is(.skeleton, [aria-busy=true])'), undefined, { polling: 20 })
}

/** Nothing that axe finds fault with, in both themes, between which nothing differs but colours. */
export async function accessibleInBoth(page, where) {
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  assert.deepEqual(await faults(page, { contrastOnly: true }), [], `${where}, dark`)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  assert.deepEqual(await faults(page), [], `${where}, light`)
}

/** On a phone nothing sticks out at the sides; no text is a bare key, or has a place that was not filled in. */
export async function fits(page, where) {
  const wrong = await page.evaluate(() => {
    const found = []
    const width = document.documentElement.clientWidth
    if (document.documentElement.scrollWidth > width) found.push(`scrolls to ${document.documentElement.scrollWidth}`)
    for (const e of document.querySelectorAll('main *')) {
      const scrolls = (at) => at && (/auto|scroll|hidden/.test(getComputedStyle(at).overflowX) || scrolls(at.parentElement))
      if (e.getBoundingClientRect().right > width + 1 && !scrolls(e.parentElement)) found.push(e.outerHTML.slice(0, 120))
    }
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node; (node = walk.nextNode()); ) {
      const text = node.data.trim()
      if (!node.parentElement.closest('[data-raw]') && (/^[a-z]+(_[a-z]+)+$/.test(text) || /\{\w+\}|undefined|\bNaN\b|\[object/.test(text))) found.push(text)
    }
    return found
  })
  assert.deepEqual(wrong, [], where)
}

/** Each page on a phone, in each language. */
export async function fitsInEach(browser, server, visit, who, paths) {
  for (const language of languages) {
    const page = await be(await visit(browser, undefined, { ...phone, language }), who)
    for (const path of paths) {
      await open(page, server, path)
      await fits(page, `${path}, ${language}`)
    }
    assert.deepEqual(page.faults, [])
    await page.context().close()
  }
}

/** Goes on with Tab until what the selector names has the focus. */
export async function tabTo(page, selector, { most = 80, key = 'Tab' } = {}) {
  for (let i = 0; i < most; i++) {
    await page.keyboard.press(key)
    if (await page.evaluate((s) => document.activeElement?.matches(s), selector)) return
  }
  assert.fail(`${selector} is not reached with ${most} times ${key}; the focus is on ${await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200))}`)
}
