// The package in a real browser: bundled and not, on the page and in workers, as its README shows it.

import assert from 'node:assert/strict'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { extname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { build, createServer as createViteServer } from 'vite'
import { launch } from '../../scripts/browser.mjs'
import { examples, pack, project } from './packed.mjs'

const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' }
const pageOf = (script) => `<!doctype html><meta charset="utf-8"><body><script type="module" src="/${script}"></script>`

let browser, fresh, shown
const closing = []
before(async () => {
  const starting = launch()
  fresh = await project((await pack()).path)
  shown = examples(readFileSync(join(fresh.installed, 'README.md'), 'utf8'))
  browser = await starting
})
after(async () => {
  await Promise.all(closing.map((close) => close()))
  await browser?.close()
})

/** Serves a folder of the fresh project as any web server would. Gives its address. */
async function serve(folder) {
  const server = createHttpServer((request, answer) => {
    const file = join(fresh.folder, folder, new URL(request.url, 'http://x').pathname)
    if (!existsSync(file)) return answer.writeHead(404).end()
    answer.setHeader('Content-Type', types[extname(file)] ?? 'application/octet-stream')
    createReadStream(file).pipe(answer)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => new Promise((resolve) => {
    server.close(resolve)
    server.closeAllConnections()
  }))
  return `http://127.0.0.1:${server.address().port}/`
}

/** Opens a page and waits until its title says how the match ended. */
async function opens(url, title = /^\d+,\d+$/) {
  const page = await browser.newPage()
  const faults = []
  let fail
  const failed = new Promise((_, reject) => (fail = reject))
  page.on('pageerror', (e) => {
    faults.push(`${e}`)
    fail(e)
  })
  page.on('console', (message) => {
    // A page without an icon is no fault.
    if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico')) faults.push(message.text())
  })
  await page.goto(url)
  await Promise.race([failed, page.waitForFunction((source) => new RegExp(source).test(document.title), title.source, { timeout: 60_000 })])
  assert.deepEqual(faults, [])
  return page
}

test('a page without a bundler', async () => {
  fresh.write({ 'index.html': shown['index.html'] })
  const page = await opens(await serve('.') + 'index.html')
  // On a page's main thread too, a breakdown costs no more than the call.
  const [message, before, after] = await page.evaluate(async () => {
    const { init, ModuleError } = await import('@cuatrola/rules')
    const cuatrola = await init()
    const match = cuatrola.newMatch({ rules: 'liga', seed: 's' })
    match.apply(match.turn, 'pass')
    const before = match.view(0)
    try {
      cuatrola.module.call((e) => e.legal(99)) // no such slot
    } catch (e) {
      return [e instanceof ModuleError && e.message, before, match.view(0)]
    }
  })
  assert.match(message, /index out of range/)
  assert.deepEqual(after, before)
})

test('a worker without a bundler, with the module that the page compiled', async () => {
  const map = shown['index.html'].match(/<script type="importmap">.*<\/script>/)[0]
  fresh.write({
    'unbundled/index.html': pageOf('unbundled/page.js').replace('<body>', map),
    'unbundled/page.js': shown['page.js'],
    'unbundled/worker.js': shown['worker.js'].replace("'@cuatrola/rules'", "'/node_modules/@cuatrola/rules/dist/index.js'"),
  })
  await opens(await serve('.') + 'unbundled/index.html')
})

test('a page and a worker from a bundler', async () => {
  const names = ['main', 'url', 'page']
  fresh.write({
    ...Object.fromEntries(names.map((name) => [`${name}.html`, pageOf(`${name}.js`)])),
    ...Object.fromEntries([...names, 'worker'].map((name) => [`${name}.js`, shown[`${name}.js`]])),
  })
  await build({
    root: fresh.folder, configFile: false, logLevel: 'error',
    build: { outDir: 'built', target: 'es2022', minify: false, rolldownOptions: { input: names.map((name) => join(fresh.folder, `${name}.html`)) } },
  })
  const site = await serve('built')
  const page = await opens(site + 'main.html')
  assert.equal(await page.textContent('body'), 'Ahora no se puede hacer eso.')
  await opens(site + 'page.html')
  await opens(site + 'url.html', /^liga$/)
})

test('a development server', async () => {
  fresh.write(Object.fromEntries(['main', 'url'].flatMap((name) => [[`${name}.html`, pageOf(`${name}.js`)], [`${name}.js`, shown[`${name}.js`]]])))
  const server = await createViteServer({
    root: fresh.folder, configFile: false, logLevel: 'error', cacheDir: join(fresh.folder, '.vite'),
    server: { port: 0, host: '127.0.0.1', watch: null, hmr: false },
  })
  closing.push(() => server.close())
  await server.listen()
  const site = `http://127.0.0.1:${server.httpServer.address().port}/`
  await opens(site + 'main.html')
  await opens(site + 'url.html', /^liga$/)
})
