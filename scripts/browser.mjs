// What the browser tests of the page and of the panel share: the real binary on a free port with a folder of its own, and a
// real browser.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const binary = fileURLToPath(new URL('../build/cuatrola', import.meta.url))
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
  #settings

  /** Starts one. `settings` are environment variables beside the defaults; a function is given the server's port. */
  static async start(settings = {}) {
    const server = new GameServer()
    server.dir = await mkdtemp(join(tmpdir(), 'cuatrola-browser-'))
    server.port = await freePort()
    server.url = `http://127.0.0.1:${server.port}`
    server.#settings = typeof settings === 'function' ? settings(server.port) : settings
    await server.up()
    return server
  }

  #run(args, stdin) {
    return spawn(binary, args, {
      cwd: this.dir,
      stdio: [stdin, 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: this.dir, ...this.#settings },
    })
  }

  async up() {
    const child = this.#run(['serve', '--listen', `127.0.0.1:${this.port}`, '--data-dir', this.dir], 'ignore')
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

  /** Runs a command of the same binary on the same data, and returns what it printed; throws if it fails. */
  async command(args, input = '') {
    const child = this.#run([...args, '--data-dir', this.dir], 'pipe')
    child.stdin.end(input)
    let out = ''
    let complaint = ''
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => (complaint += chunk))
    const code = await new Promise((resolve) => child.once('close', resolve))
    if (code !== 0) throw new Error(`cuatrola ${args.join(' ')} ended with ${code}:\n${out}${complaint}`)
    return out
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

/** A page of a new visitor, with nothing kept. `page.faults` are the errors that the page itself makes. */
export async function visit(browser, url, { language = 'es-ES', viewport = { width: 1280, height: 800 }, theme = 'light', phone = false } = {}) {
  const context = await browser.newContext({
    locale: language, viewport, colorScheme: theme, reducedMotion: 'reduce', hasTouch: phone, isMobile: phone, acceptDownloads: true,
  })
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
