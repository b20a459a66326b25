// What the tests and pictures of playing with people share.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { be, visit } from './harness.mjs'

export const key = () => ({ 'Idempotency-Key': randomBytes(8).toString('hex') })

/** A new guest who also speaks by the API; what their device keeps is in `kept`. */
export async function person(server, name) {
  const send = async (method, path, data, headers = {}) => {
    const response = await fetch(server.url + path, {
      method, headers: { ...headers, ...(data === undefined ? {} : { 'content-type': 'application/json' }) }, ...(data === undefined ? {} : { body: JSON.stringify(data) }),
    })
    const text = await response.text()
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
    return text ? JSON.parse(text) : undefined
  }
  const made = await send('POST', '/v1/guests', name ? { name } : {})
  return {
    id: made.player.id, name: made.player.name, kept: { deviceSecret: made.deviceSecret, player: made.player },
    call: (method, path, data, headers = {}) => send(method, path, data, { Authorization: 'Bearer ' + made.accessToken, ...headers }),
  }
}

/** A page as somebody who has been here before. */
export async function as(browser, server, who, path = '/', options = {}) {
  const page = await be(await visit(browser, undefined, options), who.kept)
  await page.goto(server.url + path)
  return page
}

export async function befriend(a, b) {
  await a.call('POST', '/v1/friends/requests', { playerId: b.id })
  await b.call('POST', `/v1/friends/requests/${a.id}/accept`)
}

/** An economy that differs from the default as `change` says, live at once. */
export async function tune(server, change) {
  const document = JSON.parse(readFileSync(new URL('../../../server/economy/default.json', import.meta.url)))
  change(document)
  await server.command(['economy', 'publish', '-', '--reason', 'For a test.', '--author', 'test'], JSON.stringify(document))
}

/** Where the page is. */
export const at = (page) => new URL(page.url()).pathname

/** Waits until one has been brought to a table. */
export async function atTable(page) {
  await page.waitForURL(/\/matches\/[0-9a-f-]{36}$/, { timeout: 60_000 })
  await page.waitForSelector('.game', { timeout: 60_000 })
}

export async function close(...pages) {
  for (const page of pages) {
    assert.deepEqual(page.faults, [])
    await page.context().close()
  }
}
