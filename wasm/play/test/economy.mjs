// What the tests and pictures of league, shop and wallet share.
import assert from 'node:assert/strict'
import { be, languages, phone, settled } from './harness.mjs'

/** Opens an address and waits until nothing is loading any more. */
export async function open(page, server, path) {
  await page.goto(server.url + path)
  await settled(page)
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
