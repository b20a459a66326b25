// What the browser tests share: the real binary on a free port with a folder of its own, and a real browser.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const binary = fileURLToPath(new URL('../../../build/cuatrola', import.meta.url))

function browserPath() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM
  for (const dir of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
      if (existsSync(join(dir, name))) return join(dir, name)
    }
  }
  throw new Error('no Chromium on PATH, and CHROMIUM names none: run scripts/test-deps.sh')
}

export function launch() {
  return chromium.launch({
    executablePath: browserPath(),
    // The browser must not talk to anybody but the server under test.
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync',
    ],
  })
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

/** A server whose process can die and come back with the same port and data. */
export class GameServer {
  #child
  #log = ''

  static async start() {
    const server = new GameServer()
    server.dir = await mkdtemp(join(tmpdir(), 'cuatrola-page-'))
    server.port = await freePort()
    server.url = `http://127.0.0.1:${server.port}`
    await server.up()
    return server
  }

  async up() {
    const child = spawn(binary, ['serve', '--listen', `127.0.0.1:${this.port}`, '--data-dir', this.dir], {
      cwd: this.dir,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: this.dir },
    })
    this.#child = child
    const keep = (chunk) => (this.#log += chunk)
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    let exited
    child.once('exit', (code, signal) => (exited = `${code ?? signal}`))
    for (;;) {
      if (exited !== undefined) throw new Error(`the server ended with ${exited}:\n${this.#log}`)
      const ready = await fetch(this.url + '/readyz').then((r) => r.ok, () => false)
      if (ready) return
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Ends the process the hard way and waits until it is gone. */
  async kill() {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGKILL')
    await gone
  }

  async stop() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = new Promise((resolve) => this.#child.once('exit', resolve))
      this.#child.kill('SIGTERM')
      await gone
    }
    await rm(this.dir, { recursive: true, force: true })
  }

  get log() {
    return this.#log
  }
}

/** A page of a new visitor. Bots do not pretend to think, errors of the page fail the test at its end. */
export async function visit(browser, url, { language = 'es-ES', viewport = { width: 1280, height: 800 }, theme = 'light', pace = 0, phone = false } = {}) {
  const context = await browser.newContext({
    locale: language, viewport, colorScheme: theme, reducedMotion: 'reduce', hasTouch: phone, isMobile: phone, acceptDownloads: true,
  })
  await context.addInitScript((value) => localStorage.setItem('cuatrola.pace', value), String(pace))
  const page = await context.newPage()
  page.faults = []
  page.on('pageerror', (err) => page.faults.push(String(err)))
  page.on('console', (message) => {
    // A refused connection while the server is away is not the page's fault.
    if (message.type() === 'error' && !/net::ERR|WebSocket|Failed to load resource/.test(message.text())) page.faults.push(message.text())
  })
  if (url) await page.goto(url)
  return page
}

export async function startMatch(page, { where, preset = 'clasica', length = 'points:3', options = {} }) {
  await page.waitForSelector('[data-action=start]:enabled')
  await page.locator(`input[name=where][value=${where}]`).check({ force: true })
  await page.selectOption('select[name=preset]', preset)
  if (length) await page.selectOption('select[name=length]', length)
  if (Object.keys(options).length > 0) {
    await page.click('details summary')
    for (const [name, value] of Object.entries(options)) await page.selectOption(`select[name=${name}]`, value)
  }
  await page.click('[data-action=start]')
  await page.waitForSelector('.table')
}

/** Waits until the table wants something of the player, and says what. */
export async function nextDemand(page) {
  const handle = await page.waitForFunction(() => {
    const table = document.querySelector('.table')
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
    const table = document.querySelector('.table')
    return table && (table.dataset.seq !== before || table.querySelector('[data-action=next], [data-end]'))
  }, seq, { timeout: 60_000, polling: 20 })
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
      if (keyboard) await page.keyboard.press('Enter')
      else await page.click('[data-action=next]')
      await page.waitForFunction(() => !document.querySelector('[data-action=next]'))
      continue
    }
    if (demand.kind === 'say') {
      const action = bid(demand.actions)
      if (keyboard && action === 'pass') await page.keyboard.press('p')
      else if (keyboard) {
        await page.focus(`.actions [data-action="${action}"]`)
        await page.keyboard.press('Enter')
      } else await page.click(`.actions [data-action="${action}"]`)
    } else {
      const card = demand.cards[0]
      if (keyboard) {
        // The digit takes the place in the hand; Enter plays it.
        const place = await page.$$eval('.own-card', (all, name) => all.findIndex((b) => b.dataset.card === name) + 1, card)
        await page.keyboard.press(String(place))
        await page.keyboard.press('Enter')
      } else await page.click(`.own-card[data-card="${card}"]`)
    }
    taken++
    await movedOn(page, demand.seq)
  }
}
