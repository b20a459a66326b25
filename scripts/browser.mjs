// What the browser tests of the page and of the panel share: a real browser, and the real binary.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'

export { GameServer } from './server.mjs'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

function browserPath() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM
  for (const dir of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
      if (existsSync(join(dir, name))) return join(dir, name)
    }
  }
  throw new Error('no Chromium on PATH, and CHROMIUM names none: run scripts/test-deps.sh')
}

export async function launch() {
  const options = {
    executablePath: browserPath(),
    // The browser must not talk to anybody but the server under test.
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync',
    ],
  }
  // A browser that breaks down as it starts, as one in a few hundred does on a busy machine, says nothing of what is tested.
  for (let left = 2; ; left--) {
    try {
      return await chromium.launch(options)
    } catch (err) {
      if (left === 0) throw err
      console.warn(`the browser did not start, and is started again: ${err.message.split('\n')[0]}`)
    }
  }
}

/** A page of a new visitor, with nothing kept; `more` is of Playwright's contexts. `page.faults` are the errors that the page itself makes. */
export async function visit(browser, url, { language = 'es-ES', viewport = { width: 1280, height: 800 }, theme = 'light', phone = false, ...more } = {}) {
  const context = await browser.newContext({
    locale: language, viewport, colorScheme: theme, reducedMotion: 'reduce', hasTouch: phone, isMobile: phone, acceptDownloads: true, ...more,
  })
  const page = await newTab(context)
  if (url) await page.goto(url)
  return page
}

/** Waits until what is there has been drawn, and what that sets off has begun. */
export const drawn = (page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))))

/** One more page of the same visitor. */
export async function newTab(context) {
  const page = await context.newPage()
  page.faults = []
  page.on('pageerror', (err) => page.faults.push(String(err)))
  page.on('console', (message) => {
    // A refused connection while the server is away is not the page's fault.
    if (message.type() === 'error' && !/net::ERR|WebSocket|Failed to load resource/.test(message.text())) page.faults.push(message.text())
  })
  return page
}

/** What axe finds against WCAG 2.2 A and AA, contrast included, shortened to what is wrong and where; or against its
 * rule of contrast alone. */
export async function faults(page, { contrastOnly = false } = {}) {
  await page.evaluate(axe)
  const { violations } = await page.evaluate((contrast) => globalThis.axe.run(contrast ? { runOnly: { type: 'rule', values: ['color-contrast'] } } : {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    // A card's letter is part of its drawing; its name is said in full.
    rules: { 'label-content-name-mismatch': { enabled: false } },
  }), contrastOnly)
  return violations.flatMap((v) => v.nodes.map((node) => `${v.id}: ${node.target.join(' ')}: ${node.any[0]?.message ?? v.help}`))
}
