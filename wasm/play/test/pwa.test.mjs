import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { addresses, allKept, GameServer, launch, nextDemand, play, startMatch, until, visit } from './harness.mjs'

/** Stands before a server and lets it look as if it were of another build. */
async function frontOf(server) {
  const front = { version: 1 }
  const http = createServer(async (asked, answer) => {
    const changed = asked.url === '/sw.js' || asked.headers['sec-fetch-dest'] === 'document' || asked.url === '/'
    const headers = { ...asked.headers, ...(changed && { 'accept-encoding': 'identity', 'if-none-match': '' }) }
    const onward = request({ host: '127.0.0.1', port: server.port, path: asked.url, method: asked.method, headers }, async (given) => {
      if (!changed) return given.pipe(answer.writeHead(given.statusCode, given.headers))
      let text = ''
      for await (const chunk of given) text += chunk
      text = text.replace("'cuatrola-", `'cuatrola-v${front.version}-`).replace('<head>', `<head><meta name="version" content="${front.version}">`)
      answer.writeHead(given.statusCode, { ...given.headers, 'content-length': Buffer.byteLength(text), etag: `"${front.version}"` }).end(text)
    })
    onward.on('error', () => answer.destroy())
    asked.pipe(onward)
  })
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve))
  front.url = `http://127.0.0.1:${http.address().port}`
  front.stop = () => {
    http.closeAllConnections()
    return new Promise((resolve) => http.close(resolve))
  }
  return front
}

describe('the page as an app', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  it('says of itself all that a system asks', async () => {
    const manifest = await (await fetch(server.url + '/manifest.webmanifest')).json()
    assert.deepEqual([manifest.name, manifest.start_url, manifest.scope, manifest.display], ['Cuatrola', '/', '/', 'standalone'])
    const drawn = await Promise.all(manifest.icons.filter((icon) => icon.type === 'image/png').map(async ({ src, sizes, purpose }) => {
      const picture = Buffer.from(await (await fetch(server.url + src)).arrayBuffer())
      assert.equal(`${picture.readUInt32BE(16)}x${picture.readUInt32BE(20)}`, sizes, src)
      return `${sizes} ${purpose ?? 'any'}`
    }))
    assert.deepEqual(drawn.sort(), ['192x192 any', '512x512 any', '512x512 maskable'])
    for (const { url } of manifest.shortcuts) assert.ok(addresses.includes(new URL(url, server.url).pathname), url)
    const page = await visit(browser, server.url)
    const touch = await page.getAttribute('link[rel=apple-touch-icon]', 'href')
    assert.equal((await fetch(server.url + touch)).headers.get('content-type'), 'image/png')
    await page.context().close()
  })

  it('opens every address without a server, once it was there', async () => {
    const page = await visit(browser, server.url)
    await allKept(page, server.url)
    await server.kill()
    try {
      for (const address of addresses) {
        const path = address.replace(/:\w+/g, 'ABCDEF')
        await page.goto(server.url + path)
        // Its own heading, or the table; and not that it could not be opened.
        await page.waitForSelector('h1, .game')
        assert.equal(await page.locator('[data-failed]').count(), 0, path)
      }
      await page.goto(server.url + '/no/such/address')
      await page.waitForSelector('h1')
      assert.equal(await page.getAttribute('[data-away]', 'data-away'), 'true')
      await page.goto(server.url)
      await page.click('[data-action=play-now]')
      await nextDemand(page)
      assert.deepEqual(page.faults, [])
    } finally {
      await page.context().close()
      await server.up()
    }
  })

  it('tells of a new version, and takes it when one says so or at the next start, never in a match', async () => {
    const front = await frontOf(server)
    const page = await visit(browser, front.url)
    const version = () => page.getAttribute('meta[name=version]', 'content')
    /** Another build is put in place, and the browser notices. */
    const release = async () => {
      front.version++
      await page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready
        await registration.update()
      })
      await until(page, async () => (await navigator.serviceWorker.getRegistration()).waiting !== null)
    }
    await page.evaluate(() => navigator.serviceWorker.ready)
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)

    await startMatch(page, { where: 'offline' })
    await play(page, { until: (demand, taken) => taken >= 1 })
    await release()
    const { demand } = await play(page, { until: (demand, taken) => taken >= 2 || demand.kind === 'next' })
    assert.notEqual(demand.kind, 'end')
    assert.equal(await page.locator('[data-action=update]').count(), 0)
    assert.equal(await version(), '1')

    await page.click('[data-action=leave]')
    await page.waitForSelector('[data-action=resume]')
    await page.click('[data-action=update]')
    await page.waitForSelector('meta[name=version][content="2"]', { state: 'attached' })
    await page.waitForSelector('[data-action=resume]')
    assert.equal(await page.locator('[data-action=update]').count(), 0)

    await release()
    await page.waitForSelector('[data-action=update]')
    await page.reload()
    await page.waitForSelector('meta[name=version][content="3"]', { state: 'attached' })
    // The match that was left is still there.
    await page.click('[data-action=resume]')
    await nextDemand(page)
    assert.deepEqual(page.faults, [])
    await page.context().close()
    await front.stop()
  })

  it('offers to be installed without being in the way', async () => {
    const page = await visit(browser, server.url)
    await page.waitForSelector('[data-action=play-now]')
    assert.equal(await page.locator('[data-tile=install]').count(), 0)
    await page.evaluate(() => {
      const event = new Event('beforeinstallprompt', { cancelable: true })
      event.prompt = () => Promise.resolve((globalThis.prompted = true))
      globalThis.quiet = !dispatchEvent(event)
    })
    await page.click('[data-tile=install]')
    await page.waitForSelector('[data-tile=install]', { state: 'detached' })
    assert.deepEqual(await page.evaluate(() => [globalThis.quiet, globalThis.prompted]), [true, true])
    await page.context().close()
  })
})
