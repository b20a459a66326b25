// What the tests and pictures of overview, tables and league share.
import { spawn } from 'node:child_process'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

async function run(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  assert.equal(await new Promise((resolve) => child.once('close', resolve)), 0, `${command} ${args.join(' ')}`)
}

let built = null
/** Gives the server's database weeks of play; see the program's own words. */
export async function past(server, ...what) {
  await (built ??= run('go', ['build', '-o', 'build/past', './server/internal/store/storetest/past']))
  await run('build/past', [join(server.dir, 'cuatrola.sqlite'), ...what])
}

async function call(server, method, path, token, body) {
  const response = await fetch(server.url + path, {
    method, headers: { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) }, ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
  return text ? JSON.parse(text) : undefined
}

/** A guest with a name. */
export async function guest(server, name) {
  const { accessToken } = await call(server, 'POST', '/v1/guests', null, {})
  await call(server, 'PATCH', '/v1/me', accessToken, { name })
  return accessToken
}

/** A match of a guest against the machine, dealt; the guest plays until `done` says so, or to the end. */
export async function playMatch(server, token, { target = 1, done = () => false } = {}) {
  const made = await call(server, 'POST', '/v1/matches', token, { rules: { preset: 'mesa', end: 'hands', target }, botPauseMs: 0, turnSeconds: 300, seat: 0 })
  const id = made.matchId
  let view = await call(server, 'POST', `/v1/matches/${id}/seed`, token, { seed: 'a seed' })
  while (view.phase !== 'over' && !done(view)) {
    view = view.legal.length > 0
      ? await call(server, 'POST', `/v1/matches/${id}/actions`, token, { seq: view.seq, action: view.legal[0] })
      : await call(server, 'GET', `/v1/matches/${id}`, token)
  }
  return id
}

/** Whether some cards have been played and the guest is to play the next. */
export const waits = (view) => view.phase === 'play' && view.tricks.length >= 1 && view.legal.length > 0
