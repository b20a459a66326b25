// What becomes of a request: against the real server where it has a say, and a made-up one where it has not.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ask, Client, garbled, persist, Problem, problemOf, randomKey, unreachable } from '../dist/index.js'
import { GameServer } from '../../../scripts/server.mjs'

let server
before(async () => (server = await GameServer.start()))
after(() => server.stop())

const json = (status, body, headers = {}) => new Response(body === undefined ? null : JSON.stringify(body), { status, headers })
/** A client of a made-up server. */
const against = (fetch, options = {}) => new Client({ url: 'http://play.example.org', fetch, ...options })

/** A way on which the first answers of such requests are lost, `n` of them. */
function deaf(n, wanted) {
  return async (request, init) => {
    const response = await fetch(request, init)
    if (!wanted(request) || n-- <= 0) return response
    await response.text()
    throw new TypeError('the answer is lost')
  }
}

describe('what is sent again until it is answered', () => {
  test('a match is made once', async () => {
    const client = new Client({ url: server.url, fetch: deaf(2, (request) => request.method === 'POST' && request.url.endsWith('/matches')) })
    await client.guest()
    const view = await client.createMatch({ rules: 'mesa' })
    const { matches } = await ask(client.api.GET('/v1/matches'))
    assert.deepEqual(matches.map((match) => match.matchId), [view.matchId])
    // By its name, it is that one after a restart too.
    const key = randomKey()
    const one = await client.createMatch({ rules: 'liga' }, { key })
    assert.equal((await client.createMatch({ rules: 'liga' }, { key })).matchId, one.matchId)
    await assert.rejects(client.createMatch({ rules: 'mesa' }, { key }), { code: 'idempotency_conflict' })
  })

  test('a seed and an action are given once, and what the rules refuse is refused', async () => {
    const client = new Client({ url: server.url, fetch: deaf(4, (request) => /seed|actions/.test(request.url)) })
    await client.guest()
    const { matchId } = await client.createMatch({ rules: 'mesa', botPauseMs: 0 })
    let view = await client.seed(matchId, 'mine')
    assert.equal((await client.seed(matchId, 'mine')).matchId, matchId)
    await assert.rejects(client.seed(matchId, 'another'), { code: 'seed_conflict' })
    const match = client.followMatch(matchId, {})
    while (view.legal.length === 0) view = await match.look()
    const { seq } = view
    const behind = await client.act(matchId, seq, 'pass')
    assert.ok(behind.seq > seq)
    assert.equal((await client.act(matchId, seq, 'pass')).matchId, matchId)
    await assert.rejects(client.act(matchId, seq, 'solo'), { code: 'stale_sequence', status: 409 })
    match.close()
    client.close()
  })

  test('only what passes is tried again, as late as the server says, and not for ever', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 })
    const pass = async (ms) => {
      for (let i = 0; i < ms; i += 50) {
        t.mock.timers.tick(50)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const at = []
    const tries = (problems) => async () => {
      at.push(Date.now())
      const problem = problems.shift()
      if (problem) throw problem
      return 'done'
    }
    const lost = () => new Problem(unreachable, 0, '')
    let answer = persist(tries([lost(), new Problem('unavailable', 503, ''), new Problem(garbled, 502, '')]))
    await pass(3000)
    assert.equal(await answer, 'done')
    assert.equal(at.length, 4)

    at.length = 0
    answer = persist(tries([problemOf(429, { code: 'rate_limited' }, new Headers({ 'Retry-After': '7' }))]))
    await pass(6950)
    assert.equal(at.length, 1)
    await pass(100)
    assert.equal(await answer, 'done')

    for (const problem of [new Problem('stopped', 503, ''), new Problem('not_found', 404, ''), new Problem('storage', 0, '')]) {
      await assert.rejects(persist(tries([problem])), problem)
    }
    at.length = 0
    answer = persist(tries(Array.from({ length: 100 }, lost)), { patience: 10_000 })
    answer.catch(() => undefined)
    await pass(11_000)
    await assert.rejects(answer, { code: unreachable })
    assert.ok(at.length > 3 && at.length < 12, `${at.length} tries`)

    const end = new AbortController()
    answer = persist(tries([lost(), lost()]), { signal: end.signal })
    answer.catch(() => undefined)
    await pass(50)
    end.abort(new Error('enough'))
    await assert.rejects(answer, { message: 'enough' })
    await assert.rejects(persist(() => assert.fail('tried'), { signal: end.signal }), { message: 'enough' })
  })
})

describe('a request', () => {
  test('is sent once, though it fails', async () => {
    let n = 0
    const client = against(async () => {
      n++
      throw new TypeError('no network')
    })
    await assert.rejects(ask(client.api.GET('/v1/rules')), (err) => err instanceof Problem && err.code === unreachable && err.status === 0 && err.passing)
    assert.equal(n, 1)
  })

  test('fails when no answer comes in time, or one that stops in the middle', async () => {
    const client = against((_request, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))), { patience: 20 })
    await assert.rejects(ask(client.api.GET('/v1/rules')), { code: unreachable })
    // A fetch that does not listen to signals either.
    const deafened = against(() => new Promise(() => {}), { patience: 20 })
    await assert.rejects(ask(deafened.api.GET('/v1/rules')), { code: unreachable })
    const half = against(async () => new Response(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) })), { patience: 20 })
    await assert.rejects(ask(half.api.GET('/v1/rules')), { code: unreachable })
  })

  test('is called off by its signal, with the signal\'s reason', async () => {
    const hang = (_request, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const client = against(hang)
    const end = new AbortController()
    const call = ask(client.api.GET('/v1/rules', { signal: end.signal }))
    call.catch(() => undefined)
    await new Promise((resolve) => setImmediate(resolve))
    end.abort(new Error('not needed any more'))
    await assert.rejects(call, { message: 'not needed any more' })
    await assert.rejects(ask(client.api.GET('/v1/rules', { signal: end.signal })), { message: 'not needed any more' })
  })

  test('needs neither AbortSignal.any nor AbortSignal.timeout, which React Native does not have', async (t) => {
    const { any, timeout } = AbortSignal
    t.after(() => Object.assign(AbortSignal, { any, timeout }))
    AbortSignal.any = AbortSignal.timeout = undefined
    const client = new Client({ url: server.url })
    const end = new AbortController()
    const rules = await ask(client.api.GET('/v1/rules', { signal: end.signal }))
    assert.ok(rules.presets)
  })

  test('that something else answers is told apart', async () => {
    const client = against(async () => new Response('<html>a hotel</html>', { status: 502 }))
    await assert.rejects(ask(client.api.GET('/v1/rules')), { code: garbled, status: 502, passing: true })
    await assert.rejects(client.guest(), { code: garbled })
  })

  test('has the server\'s words in its problem', async () => {
    const client = against(async () => json(429, { code: 'rate_limited', detail: 'Too many.', requestId: 'r', field: 'f' }, { 'Retry-After': '3' }))
    await assert.rejects(ask(client.api.GET('/v1/rules')), {
      name: 'Problem', code: 'rate_limited', status: 429, detail: 'Too many.', requestId: 'r', field: 'f', retryAfter: 3, message: 'rate_limited: Too many.',
    })
  })

  test('works without a body in its answer', async () => {
    const client = new Client({ url: server.url })
    await client.guest()
    assert.equal(await ask(client.api.DELETE('/v1/sessions')), undefined)
  })

  test('brings a file as it is', async () => {
    const client = new Client({ url: server.url })
    await client.guest()
    const file = await ask(client.api.GET('/v1/me/export', { parseAs: 'arrayBuffer' }))
    const zip = new Uint8Array(file)
    // A ZIP begins with PK and ends with its directory, whose bytes no text would survive.
    assert.deepEqual([...zip.subarray(0, 4)], [0x50, 0x4b, 3, 4])
    assert.deepEqual([...zip.subarray(-22, -18)], [0x50, 0x4b, 5, 6])
  })

  test('tells the server\'s time, however slow it is', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: 1_000_000_000_000 })
    let ahead = 0
    let way = 0
    const client = against(async () => {
      const date = new Date(Date.now() + ahead).toUTCString()
      t.mock.timers.setTime(Date.now() + way)
      return json(200, {}, { Date: date })
    })
    const look = () => ask(client.api.GET('/v1/rules'))
    const off = () => client.now() - Date.now()
    await look()
    assert.equal(off(), 0)
    // An answer that took its time says little, and changes nothing that it does not contradict.
    way = 9000
    await look()
    assert.equal(off(), 0)
    way = 0
    ahead = 3_600_000
    await look()
    assert.ok(Math.abs(off() - ahead) <= 1000)
    const moment = new Date(Date.now() + ahead + 5000).toISOString()
    assert.ok(Math.abs(client.localTime(moment) - Date.now() - 5000) <= 1000)
    assert.equal(client.localTime(null), null)
  })
})

describe('a fault of the client', () => {
  test('is in the server\'s log, once, though its answer was lost', async () => {
    const client = new Client({ url: server.url, name: 'test 1.0', fetch: deaf(1, (request) => request.url.endsWith('/client-faults')) })
    await client.guest()
    const { matchId } = await client.createMatch({ rules: 'mesa' })
    const fault = { kind: 'disagreement', matchId, seq: 3, action: 'AO', code: 'must_follow', message: 'x'.repeat(900) }
    client.reportFault(fault)
    client.reportFault({ ...fault })
    const lines = () => server.log.split('\n').filter((line) => line.includes('client fault') && line.includes(matchId))
    // Twice in the log: its first answer was lost.
    while (lines().length < 2) await new Promise((resolve) => setImmediate(resolve))
    assert.match(lines()[0], /disagreement.*test 1\.0.*must_follow.*x{29,}|…/)
    await ask(client.api.GET('/v1/me'))
    assert.equal(lines().length, 2)
  })

  test('throws nothing, whatever becomes of it, and is never told without end', async () => {
    let n = 0
    const client = against(async (request) => {
      if (request.url.endsWith('/client-faults')) n++
      return request.url.endsWith('/refresh')
        ? json(200, { player: { id: 'ana' }, accessToken: 'a', expiresAt: new Date(Date.now() + 3600e3), refreshToken: 'b', sessionId: 's' })
        : json(400, { code: 'invalid_request' })
    }, { store: { read: () => ({ refreshToken: 'r', player: { id: 'ana' } }), write() {} } })
    for (let i = 0; i < 100; i++) client.reportFault({ kind: 'crash', message: `${i}` })
    for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(n, 20)
    // Nobody is signed in: nobody hears of it.
    const nobody = against(() => assert.fail('asked'))
    nobody.reportFault({ kind: 'crash', message: 'x' })
    await new Promise((resolve) => setImmediate(resolve))
  })
})

test('without a WebSocket, it says what to do', async (t) => {
  const was = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket')
  t.after(() => Object.defineProperty(globalThis, 'WebSocket', was))
  Object.defineProperty(globalThis, 'WebSocket', { value: undefined, configurable: true })
  assert.throws(() => new Client({ url: server.url }).stream.follow('notices', { frame() {} }), /WebSocket/)
})
