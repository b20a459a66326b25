// What the tests of the history share: matches that are over, played in a moment by the module or against the real server.
import { Client, ask } from '@cuatrola/client'
import { init } from '@cuatrola/rules'

export const rules = await init()

const levels = ['', 'tabernero', 'tabernero', 'tabernero']
export const players = levels.map((level) => ({ name: level, bot: level !== '' }))

/**
 * A match of bots to its end, as a device keeps the ones that were played on it alone. The same seed gives the same match.
 * `careless`: who sits in seat 0 plays whatever comes first.
 */
export function playedHere({ id = 'here1', seed = id, house = { preset: 'clasica', end: 'points', target: 3 }, endedAt = '2026-11-20T18:30:00.000Z', level = 'aprendiz', careless = false } = {}) {
  const match = rules.newMatch({ rules: house, seed, id })
  for (let n = 0; !match.over; n++) {
    const view = match.view(match.turn)
    match.apply(match.turn, careless && match.turn === 0 ? view.legal[0] : rules.bot(view, n, level))
  }
  return { ...match.record(), players, startedAt: endedAt.replace(/T\d\d/, 'T17'), endedAt }
}

/** Puts matches on the visitor's device, as if they had been played on it, and whoever is signed in there. */
export async function keep(page, { records = [], device = null, promises = [] }) {
  const finished = records.map((record) => {
    const { hands, score, winner } = rules.replay(record)
    return { id: record.id, rules: record.rules, players: record.players, startedAt: record.startedAt, endedAt: record.endedAt, score, winner, hands: hands.length }
  })
  const kept = { finished, promises, ...(device && { device }), ...Object.fromEntries(records.map((record) => ['finished.' + record.id, record])) }
  await page.addInitScript((all) => {
    // Once: what the page does with it later stays.
    if (localStorage.getItem('cuatrola.promises')) return
    for (const [name, value] of Object.entries(all)) localStorage.setItem('cuatrola.' + name, JSON.stringify(value))
  }, kept)
}

/** A guest on the server, as a device keeps one, and a way to play for them. */
export async function guest(server, name) {
  const kept = { value: null }
  const client = new Client({ url: server.url, store: { read: () => kept.value, write: (next) => void (kept.value = next) } })
  const player = await client.guest({ name })
  return { client, player, get device() { return kept.value } }
}

/** A match of that guest's against bots, to its end; what was promised before it, and its record. */
export async function playedOnline({ client }, { house = { preset: 'clasica', end: 'points', target: 3 }, seed = 'a seed of my own', until = () => false } = {}) {
  let view = await ask(client.api.POST('/v1/matches', { params: { header: { 'Idempotency-Key': crypto.randomUUID() } }, body: { rules: house, botPauseMs: 0 } }))
  const path = { matchId: view.matchId }
  const promised = { id: view.matchId, commitment: view.fair.commitment, seat: view.you, seed }
  view = await ask(client.api.POST('/v1/matches/{matchId}/seed', { params: { path }, body: { seed } }))
  while (view.phase !== 'over' && !until(view)) {
    if (view.legal.length > 0) view = await ask(client.api.POST('/v1/matches/{matchId}/actions', { params: { path }, body: { seq: view.seq, action: view.legal[0] } }))
    else view = await ask(client.api.GET('/v1/matches/{matchId}', { params: { path } }))
  }
  const record = view.phase === 'over' ? await ask(client.api.GET('/v1/matches/{matchId}/record', { params: { path } })) : null
  return { id: view.matchId, view, record, promised }
}

export const clone = (record) => structuredClone(record)

/** A phone's page at its full length: what is fixed below hides nothing of it, which axe would find fault with. */
export const unrolled = (page) => page.setViewportSize({ width: 360, height: 4000 })
