// People who play through the players' own API, for what the pages show of them.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'

/** A new guest; `call` speaks as them, and answers what the server did. With `deviceSecret` one is the same on another device. */
export async function guest(server, name, deviceName) {
  const made = await send(server, 'POST', '/v1/guests', { ...(name ? { name } : {}), ...(deviceName ? { deviceName } : {}) }, {})
  return speaker(server, made, made.deviceSecret)
}

/** Somebody who has been there before, by the secret of their device. */
export async function again(server, deviceSecret) {
  return speaker(server, await send(server, 'POST', '/v1/sessions', { deviceSecret }, {}), deviceSecret)
}

function speaker(server, { player, accessToken }, deviceSecret) {
  const call = (method, path, data, headers = {}) => send(server, method, path, data, { authorization: 'Bearer ' + accessToken, ...headers })
  return { id: player.id, name: player.name, player, call, accessToken, deviceSecret }
}

async function send(server, method, path, data, headers) {
  const response = await fetch(server.url + path, {
    method, headers: { ...headers, ...(data === undefined ? {} : { 'content-type': 'application/json' }) }, ...(data === undefined ? {} : { body: JSON.stringify(data) }),
  })
  const text = await response.text()
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
  return text ? JSON.parse(text) : undefined
}

export async function befriend(a, b) {
  await a.call('POST', '/v1/friends/requests', { playerId: b.id })
  await b.call('POST', `/v1/friends/requests/${a.id}/accept`)
}

/**
 * Has four people play an online match to its end, as fast as they can; for a stake, and with some of them as a party, if that
 * is said. `choose` picks an action out of what is legal. Returns the match's id.
 */
export async function match(players, { ticket = () => ({}), choose = (_, legal) => legal[0] } = {}) {
  for (const p of players) await p.call('POST', '/v1/queue', ticket(p), { 'idempotency-key': randomBytes(8).toString('hex') })
  let id = null
  while (id === null) {
    const at = await players[0].call('GET', '/v1/me/engagement')
    if (at.kind === 'match') id = at.id
  }
  for (const p of players) await p.call('POST', `/v1/matches/${id}/seed`, { seed: randomBytes(16).toString('hex') })
  const seats = []
  let view
  for (const p of players) {
    view = await p.call('GET', `/v1/matches/${id}`)
    seats[view.you] = p
  }
  for (let seat = view.turn ?? 0; ; ) {
    view = await seats[seat].call('GET', `/v1/matches/${id}`)
    while (view.legal.length > 0) view = await seats[seat].call('POST', `/v1/matches/${id}/actions`, { seq: view.seq, action: choose(seats[seat], view.legal) })
    if (view.phase === 'over') return id
    // Whose answer to a cante is waited for, nobody else is told.
    seat = view.turn !== null && view.turn !== seat ? view.turn : (seat + 1) % 4
  }
}
