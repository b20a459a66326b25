// What the tests and pictures of league, shop and wallet share.
import assert from 'node:assert/strict'
import { be, fits, languages, phone, settled } from './harness.mjs'

/** Opens an address and waits until nothing is loading any more. */
export async function open(page, server, path) {
  await page.goto(server.url + path)
  await settled(page)
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
