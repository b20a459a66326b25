// The package against the real server, with a network between them that breaks anywhere.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, test } from 'node:test'
import { ask, Client, persist, Problem, randomKey } from '../dist/index.js'
import { GameServer } from '../../../scripts/server.mjs'
import { Network } from './network.mjs'
import { seeded } from './wire.mjs'

const seed = Number(process.env.CUATROLA_SEED ?? randomInt(2 ** 31))
// A broken way is tried for as long as the test lasts.
const always = { patience: 120_000 }

let server
before(async () => (server = await GameServer.start({ CUATROLA_LIMIT_ADDRESS: '0', CUATROLA_LIMIT_ACCOUNT: '0' })))
after(() => server.stop())

/** Somebody with a bad connection. */
async function somebody(name, random) {
  const network = await Network.to(server.port, random)
  const client = new Client({ url: network.url, patience: 700, silence: 500 })
  const joined = () => persist(() => client.guest({ name }), always)
  const [player, again] = await Promise.all([joined(), joined()])
  assert.equal(player.id, again.id)
  // Had a first one been made and lost, the name would be taken, and this one have digits behind it.
  assert.equal(player.name, name)
  return { name, client, network, random, player }
}

/** Four people come together in a room and begin. Answers the match. */
async function gather([host, ...guests], rules) {
  const { api } = host.client
  const key = { params: { header: { 'Idempotency-Key': randomKey() } } }
  const room = await persist(() => ask(api.POST('/v1/rooms', { ...key, body: { rules, turnSeconds: 300 } })), always)
  const path = { roomId: room.id }
  for (const { client } of guests) {
    await persist(() => ask(client.api.POST('/v1/rooms/join', { body: { code: room.code } })), always)
    await persist(() => ask(client.api.PUT('/v1/rooms/{roomId}/ready', { params: { path }, body: { ready: true } })), always)
  }
  const start = { params: { path, header: { 'Idempotency-Key': randomKey() } } }
  const { matchId } = await persist(() => ask(api.POST('/v1/rooms/{roomId}/start', start)), always)
  return matchId
}

/** What one is taken up with says which match it is, whatever was missed on the way there. */
function matchOf({ client }) {
  return new Promise((resolve, reject) => {
    const stop = client.stream.follow('engagement', {
      frame({ engagement }) {
        if (engagement.kind !== 'match') return
        stop()
        resolve(engagement.id)
      },
      refused: reject,
    })
  })
}

/** Plays one seat to the end, at random. Answers all that was heard and done. */
async function play(person, matchId, acted) {
  const { client, random } = person
  const events = []
  const views = []
  const done = []
  let wake = () => {}
  let refused = null
  const hear = () => wake()
  const match = client.followMatch(matchId, {
    event: (event) => hear(events.push(event)),
    view: (view) => hear(views.push(view.seq)),
    refused: (problem) => hear((refused = problem)),
  })
  await match.seed(randomKey(), always)
  for (;;) {
    if (refused) throw refused
    const { view } = match
    if (view.phase === 'over' && events.length === view.seq) break
    if (view.legal.length > 0) {
      // High bids at random would end a match with its first hand.
      const action = view.phase === 'bid' && random() < 0.9 ? 'pass' : view.legal[Math.floor(random() * view.legal.length)]
      try {
        await match.act(action, always)
        done.push({ seq: view.seq, action })
      } catch (err) {
        // Asked to sing, or past it: the view is of before.
        if (!(err instanceof Problem) || err.code !== 'stale_sequence') throw err
        await match.look(always)
      }
      await acted()
      continue
    }
    await new Promise((resolve) => (wake = resolve))
  }
  match.close()
  return { view: match.view, events, views, done }
}

test('whole matches over a network that breaks anywhere, and a server that is killed', { timeout: 120_000 }, async (t) => {
  t.diagnostic(`CUATROLA_SEED=${seed}`)
  const random = seeded(seed)
  const tables = [
    { preset: 'mesa', end: 'points', target: 3 },
    { preset: 'liga', end: 'points', target: 3 },
  ].map((rules, table) => ({ rules, names: ['Ana', 'Ben', 'Eva', 'Pau'].map((name) => `${name} ${table}`) }))
  let actions = 0
  let killing = null
  const acted = async () => {
    actions++
    // Twice the server dies in the middle of it.
    if (actions === 15 || actions === 45) killing = server.kill().then(() => server.up())
    await killing
  }
  const people = []
  await Promise.all(tables.map(async ({ rules, names }) => {
    const table = await Promise.all(names.map((name, i) => somebody(name, seeded(seed + names.length * i + name.length + random() * 1000))))
    people.push(...table)
    const matches = table.map((person) => matchOf(person))
    const matchId = await gather(table, rules)
    assert.deepEqual(await Promise.all(matches), table.map(() => matchId))
    const heard = await Promise.all(table.map((person) => play(person, matchId, acted)))

    for (const { network } of table) network.calm()
    for (const [seat, { view, events, views, done }] of heard.entries()) {
      const { client } = table[seat]
      assert.equal(view.you, seat)
      // Each event once and in order.
      assert.deepEqual(events.map((event) => event.seq), Array.from({ length: view.seq }, (_, i) => i + 1))
      // Never back.
      assert.deepEqual(views, [...views].sort((a, b) => a - b))
      // What it ended with is what there is.
      assert.deepEqual(view, await persist(() => ask(client.api.GET('/v1/matches/{matchId}', { params: { path: { matchId } } })), always))
      // What was acknowledged is there, once, as it was done.
      const own = events.filter((event) => event.kind === 'act' && event.seat === seat)
      assert.deepEqual(own.map(({ seq, action, by }) => ({ seq: seq - 1, action, by })), done.map((one) => ({ ...one, by: 'player' })))
      // And it is the record's: every action of the table, but for silences, which are each seat's own affair.
      const record = await persist(() => ask(client.api.GET('/v1/matches/{matchId}/record', { params: { path: { matchId } } })), always)
      const loud = (all) => all.filter((action) => action !== 'silent')
      assert.deepEqual(loud(events.filter((event) => event.kind === 'act').map((event) => event.action)), loud(record.hands.flatMap((hand) => hand.actions)))
    }
  }))
  const cuts = people.reduce((sum, { network }) => sum + network.cuts, 0)
  t.diagnostic(`${actions} actions, ${cuts} connections broken`)
  assert.ok(cuts > 20, `only ${cuts} connections were broken`)
  for (const { client, network } of people) {
    client.close()
    network.stop()
  }
})
