// What the page's tests share: a visitor, and how one plays.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { faults, visit as visitAs } from '../../../scripts/browser.mjs'

export { drawn, faults, GameServer, launch, newTab } from '../../../scripts/browser.mjs'

/** A page of a new visitor. Bots do not pretend to think. */
export async function visit(browser, url, { pace = 0, ...options } = {}) {
  const page = await visitAs(browser, undefined, options)
  await page.addInitScript((value) => localStorage.setItem('cuatrola.pace', value), String(pace))
  if (url) await page.goto(url)
  return page
}

export async function startMatch(page, { where, preset = 'clasica', length = 'points:3', level, options = {} }) {
  await page.goto(new URL('/bots', page.url()).href)
  await page.waitForSelector('[data-action=start][aria-busy=false]')
  await page.locator(`input[name=where][value=${where}]`).check({ force: true })
  await page.selectOption('select[name=preset]', preset)
  if (level) await page.selectOption('select[name=level]', level)
  if (length) await page.selectOption('select[name=length]', length)
  if (Object.keys(options).length > 0) {
    await page.click('details summary')
    for (const [name, value] of Object.entries(options)) await page.selectOption(`select[name=${name}]`, value)
  }
  await page.click('[data-action=start]')
  await page.waitForSelector('.game')
}

/** Waits until the table wants something of the player, and says what. */
export async function nextDemand(page) {
  const handle = await page.waitForFunction(() => {
    const table = document.querySelector('.game')
    if (!table) return null
    const end = table.querySelector('[data-end]')
    if (end) return { kind: 'end', won: end.dataset.end === 'won' }
    if (table.querySelector('[data-action=next]')) return { kind: 'next' }
    const actions = [...table.querySelectorAll('.actions [data-action]:not([aria-disabled=true])')].map((b) => b.dataset.action)
    if (actions.length > 0) return { kind: 'say', actions, seq: table.dataset.seq }
    const cards = [...table.querySelectorAll('.own-card.legal')].map((b) => b.dataset.card)
    if (cards.length > 0) return { kind: 'play', cards, illegal: [...table.querySelectorAll('.own-card.illegal')].map((b) => b.dataset.card), seq: table.dataset.seq }
    return null
  }, undefined, { timeout: 60_000, polling: 20 })
  return handle.jsonValue()
}

/** Waits until an action has been taken: the table's number of it moves on. */
export async function movedOn(page, seq) {
  await page.waitForFunction((before) => {
    const table = document.querySelector('.game')
    return table && (table.dataset.seq !== before || table.querySelector('[data-action=next], [data-end]'))
  }, seq, { timeout: 60_000, polling: 20 })
}

/** From a hand's result to the next hand. */
export async function goOn(page, keyboard) {
  if (keyboard) await page.keyboard.press('Enter')
  else await page.click('[data-action=next]')
  await page.waitForFunction(() => !document.querySelector('[data-action=next]'))
}

export async function say(page, action, keyboard) {
  const button = `.actions [data-action="${action}"]`
  if (keyboard && action === 'pass') await page.keyboard.press('p')
  else if (keyboard) {
    await page.focus(button)
    await page.keyboard.press('Enter')
  } else await page.click(button)
}

/** Plays a card, or tries to: one that may not be played says of itself that it is disabled, and is forced. */
export async function lay(page, card, keyboard, force = false) {
  if (!keyboard) return page.click(`.own-card[data-card="${card}"]`, { force })
  // The digit takes the place in the hand; Enter plays it.
  const place = await page.$$eval('.own-card', (all, name) => all.findIndex((b) => b.dataset.card === name) + 1, card)
  await page.keyboard.press(String(place))
  await page.keyboard.press('Enter')
}

/**
 * Plays the player's seat until `until` says stop or the match is over; by keys or by clicks.
 * Returns how many of its own actions were taken, and the last demand.
 */
export async function play(page, { keyboard = false, until = () => false, bid = (actions) => actions[0], onDemand = async () => {} } = {}) {
  let taken = 0
  for (;;) {
    const demand = await nextDemand(page)
    await onDemand(demand)
    if (demand.kind === 'end' || until(demand, taken)) return { taken, demand }
    if (demand.kind === 'next') {
      await goOn(page, keyboard)
      continue
    }
    if (demand.kind === 'say') await say(page, bid(demand.actions), keyboard)
    else await lay(page, demand.cards[0], keyboard)
    taken++
    await movedOn(page, demand.seq)
  }
}

const areas = await readFile(new URL('../src/areas.ts', import.meta.url), 'utf8')
/** Every address of the page, as areas.ts lists them. */
export const addresses = ['/', ...[...areas.matchAll(/^ {2}'(\/[^']*)': \{ area/gm)].map((found) => found[1])]

/** The files that the service worker keeps, at the first start and later. */
export async function keptFiles(url) {
  const worker = await (await fetch(url + '/sw.js')).text()
  const list = (name) => JSON.parse(new RegExp(`const ${name} = (\\[.*\\])`).exec(worker)[1])
  return { first: list('first'), later: list('later') }
}

/** Waits until what the page is asked for comes true; unlike waitForFunction, it awaits the answer. */
export async function until(page, asked, given) {
  while (!(await page.evaluate(asked, given)));
}

/** Waits until this visitor's browser can do without the server on every page. */
export async function allKept(page, url) {
  const { first, later } = await keptFiles(url)
  await page.evaluate(() => navigator.serviceWorker.ready)
  await until(page, async (files) => (await Promise.all(files.map((file) => caches.match(file)))).every(Boolean), ['/', ...first, ...later])
}

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

/** Waits until nothing is loading any more. */
export async function settled(page) {
  await page.waitForFunction(() => document.querySelector('main h1') && !document.querySelector('main :is(.skeleton, [aria-busy=true])'), undefined, { polling: 20 })
}

/** Nothing that axe finds fault with, in both themes, between which nothing differs but colours. */
export async function accessible(page, where) {
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  assert.deepEqual(await faults(page, { contrastOnly: true }), [], `${where}, dark`)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  assert.deepEqual(await faults(page), [], `${where}, light`)
}

/**
 * What does not fit the page: what sticks out at the sides, choices beside one another that take two lines, and texts that are
 * a bare key or have a place that was not filled in.
 */
export const misfits = (page) => page.evaluate(() => {
  const found = []
  const width = document.documentElement.clientWidth
  if (document.documentElement.scrollWidth > width) found.push(`scrolls to ${document.documentElement.scrollWidth}`)
  const scrolls = (at) => at && (/auto|scroll|hidden/.test(getComputedStyle(at).overflowX) || scrolls(at.parentElement))
  for (const e of document.querySelectorAll('main *')) {
    if (e.getBoundingClientRect().right > width + 1 && !e.closest('.hidden') && !scrolls(e.parentElement)) found.push(e.outerHTML.slice(0, 120))
  }
  for (const e of document.querySelectorAll('main .choices:not(.tall) span')) {
    const words = document.createRange()
    words.selectNodeContents(e)
    if (new Set([...words.getClientRects()].map(({ top }) => top)).size > 1) found.push(`on two lines: ${e.textContent}`)
  }
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node; (node = walk.nextNode()); ) {
    const text = node.data.trim()
    if (!node.parentElement.closest('[data-raw]') && (/^[a-z]+(_[a-z]+)+$/.test(text) || /\{\w+\}|undefined|\bNaN\b|\[object/.test(text))) found.push(text)
  }
  return found
})

export const fits = async (page, where) => assert.deepEqual(await misfits(page), [], where)
