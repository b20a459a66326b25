// Who is signed in, and how it stays so: against the real server, over ways on which requests and answers are lost.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ask, browserSession, Client, memoryStore, randomKey } from '../dist/index.js'
import { GameServer } from '../../../scripts/server.mjs'
import { seeded } from './wire.mjs'

let server
before(async () => (server = await GameServer.start({ CUATROLA_LIMIT_ADDRESS: '0', CUATROLA_LIMIT_ACCOUNT: '0', CUATROLA_LIMIT_SIGN_UPS: '0' })))
after(() => server.stop())

/** A way to the server on which `fate` says of each request whether it gets there (`lost` does not), and its answer back (`deaf` does not). */
const way = (fate) => async (request, init) => {
  const what = fate(request)
  if (what === 'lost') throw new TypeError('the request is lost')
  const response = await fetch(request, init)
  if (what !== 'deaf') return response
  await response.text()
  throw new TypeError('the answer is lost')
}
/** Does it until it is not lost any more. */
async function insisting(work) {
  for (;;) {
    try {
      return await work()
    } catch (err) {
      if (err.code !== 'unreachable') throw err
    }
  }
}
const newClient = (options = {}) => new Client({ url: server.url, ...options })
const path = (request) => new URL(request.url).pathname

/** Somebody with an address and a password, and nothing else that lets a device in. */
async function member(name) {
  const client = newClient()
  await client.guest({ name })
  const email = `${name.toLowerCase()}@example.org`
  const password = 'quien va a la derecha'
  await ask(client.api.POST('/v1/me/identities/email', { body: { email, password } }))
  const folder = join(server.dir, 'mail')
  for (;;) {
    const mails = await readdir(folder).catch(() => [])
    const texts = await Promise.all(mails.filter((file) => file.endsWith('.txt')).map((file) => readFile(join(folder, file), 'utf8')))
    const text = texts.find((one) => one.includes(email))
    const link = text && /#verify=([\w-]+)/.exec(text)
    if (link) {
      await ask(client.api.POST('/v1/email/verify', { body: { token: link[1] } }))
      return { email, password }
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A store that several clients share, as tabs do: each hears of what the others write. */
function sharedStore() {
  const inner = memoryStore()
  const watchers = new Set()
  const tab = () => {
    const mine = {
      read: inner.read,
      write(kept) {
        inner.write(kept)
        for (const [owner, changed] of watchers) if (owner !== mine) setImmediate(changed)
      },
      watch(changed) {
        const entry = [mine, changed]
        watchers.add(entry)
        return () => watchers.delete(entry)
      },
    }
    return mine
  }
  let last = Promise.resolve()
  const exclusively = (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
  return { tab, exclusively, read: inner.read }
}

describe('a guest', () => {
  test('is made once, however often it is asked for at once', async () => {
    const client = newClient()
    const players = await Promise.all([client.guest({ name: 'Una' }), client.guest(), client.guest()])
    assert.deepEqual(players.map((player) => player.name), ['Una', 'Una', 'Una'])
    assert.equal((await client.guest()).id, players[0].id)
    assert.equal(client.player.id, players[0].id)
    const { sessions } = await ask(client.api.GET('/v1/sessions'))
    assert.deepEqual(sessions.map((session) => session.sessionId), [client.session])
  })

  test('is made once, whichever request or answer is lost, and by whichever start of the app', async () => {
    for (const what of ['lost', 'deaf']) {
      for (let nth = 0; nth < 3; nth++) {
        for (const restart of [false, true]) {
          const name = `Ana ${what} ${nth} ${restart}`
          const store = memoryStore()
          let n = 0
          const options = { store, fetch: way(() => (n++ === nth ? what : 'well')) }
          let client = newClient(options)
          let player
          for (let tries = 0; !player && tries < 5; tries++) {
            player = await client.guest({ name }).catch((err) => {
              assert.equal(err.code, 'unreachable')
              if (restart) client = newClient(options)
              return null
            })
          }
          // Had one been made and lost, it would have the name, and this one digits behind it.
          assert.equal(player?.name, name)
          assert.equal((await insisting(() => ask(client.api.GET('/v1/me')))).id, player.id)
        }
      }
    }
  })

  test('that two tabs make at once is one', async () => {
    const shared = sharedStore()
    const tabs = [1, 2, 3].map(() => newClient({ store: shared.tab(), exclusively: shared.exclusively }))
    const players = await Promise.all(tabs.map((tab) => tab.guest({ name: 'Trio' })))
    assert.deepEqual(players.map((player) => player.name), ['Trio', 'Trio', 'Trio'])
  })

  test('whose name is refused is nobody', async () => {
    const client = newClient()
    await assert.rejects(client.guest({ name: 'admin' }), { code: 'name_reserved', status: 422, field: 'name' })
    assert.equal(client.player, null)
    assert.equal(await client.token(), null)
    await assert.rejects(ask(client.api.GET('/v1/me')), { code: 'unauthenticated' })
  })

  test('comes back after a restart, by what the device keeps alone', async () => {
    const store = memoryStore()
    const { id } = await newClient({ store }).guest()
    const later = newClient({ store })
    assert.equal(later.player, null)
    assert.equal((await later.start()).id, id)
    assert.equal((await ask(later.api.GET('/v1/me'))).id, id)
    // The refresh token used up elsewhere, the device's secret is good all the same.
    store.write({ ...store.read(), refreshToken: 'x'.repeat(43) })
    const last = newClient({ store })
    assert.equal((await ask(last.api.GET('/v1/me'))).id, id)
  })
})

describe('a session', () => {
  test('is renewed through the worst of ways, without anything else that lets one in', async () => {
    const proof = await member('Renewed')
    const random = seeded(7)
    const store = memoryStore()
    let bad = false
    const fetch = way(() => (bad ? ['lost', 'deaf', 'deaf', 'well'][Math.floor(random() * 4)] : 'well'))
    let client = newClient({ store, fetch })
    await client.signIn(proof)
    const { session } = client
    bad = true
    const tokens = new Set()
    for (let i = 0; i < 20; i++) {
      const before = await insisting(() => client.token())
      const renewed = await insisting(() => client.token(before))
      tokens.add(store.read().refreshToken)
      // Now and then the app is started anew in the middle of it.
      if (i % 5 === 4) {
        await client.token(renewed).catch(() => null)
        client = newClient({ store, fetch })
      }
    }
    assert.equal(tokens.size, 20)
    assert.equal((await insisting(() => ask(client.api.GET('/v1/me')))).name, 'Renewed')
    assert.equal(client.session, session)
  })

  test('that several tabs renew at once stays one', async () => {
    const proof = await member('Tabs')
    const shared = sharedStore()
    const tabs = [1, 2, 3].map(() => newClient({ store: shared.tab(), exclusively: shared.exclusively }))
    await tabs[0].signIn(proof)
    for (let i = 0; i < 10; i++) {
      const tokens = await Promise.all(tabs.map(async (tab) => tab.token(await tab.token())))
      assert.ok(tokens.every(Boolean))
    }
    const { sessions } = await ask(tabs[2].api.GET('/v1/sessions'))
    assert.equal(sessions.filter((session) => session.via === 'email').length, 1)
  })

  test('is renewed once for requests that are refused at once, and they are sent again', async () => {
    const renewals = []
    const store = memoryStore()
    const client = newClient({ store, fetch: way((request) => (path(request).endsWith('/refresh') && renewals.push(1), 'well')) })
    const { id } = await client.guest()
    // Another device signs out everywhere: the device's secret makes a new session.
    const other = newClient()
    await other.signIn({ deviceSecret: store.read().deviceSecret })
    await ask(other.api.DELETE('/v1/sessions'))
    const me = await Promise.all([1, 2, 3, 4].map(() => ask(client.api.GET('/v1/me'))))
    assert.deepEqual(me.map((player) => player.id), [id, id, id, id])
    assert.equal(renewals.length, 1)
  })

  test('that has ended, with nothing else that lets one in, is over', async () => {
    const proof = await member('Over')
    const client = newClient()
    await client.signIn(proof)
    const players = []
    client.onPlayer((player) => players.push(player))
    const closed = new Promise((resolve) => {
      client.stream.follow('notices', { frame: () => resolve(undefined) })
    })
    await closed
    const other = newClient()
    await other.signIn(proof)
    const gone = new Promise((resolve) => client.onPlayer(resolve))
    await ask(other.api.DELETE('/v1/sessions/{sessionId}', { params: { path: { sessionId: client.session } } }))
    // The socket says so, without anybody asking.
    assert.equal(await gone, null)
    assert.deepEqual(players, [null])
    await assert.rejects(ask(client.api.GET('/v1/me')), { code: 'unauthenticated' })
    client.close()
    other.close()
  })

  test('a wrong password says nothing about it', async () => {
    const sent = []
    const client = newClient({ fetch: way((request) => (sent.push(path(request)), 'well')) })
    await client.guest()
    const before = client.session
    sent.length = 0
    await assert.rejects(ask(client.api.POST('/v1/sessions', { body: { email: 'nobody@example.org', password: 'quien va a la izquierda' } })), { code: 'invalid_credentials' })
    assert.deepEqual(sent, ['/v1/sessions'])
    assert.equal(client.session, before)
  })
})

describe('signing out', () => {
  test('is heard here, at the server and in the other tabs', async () => {
    const shared = sharedStore()
    const [one, two] = [1, 2].map(() => newClient({ store: shared.tab(), exclusively: shared.exclusively }))
    await one.guest()
    await two.start()
    const token = await two.token()
    const heard = new Promise((resolve) => two.onPlayer(resolve))
    await one.signOut()
    assert.equal(one.player, null)
    assert.equal(shared.read(), null)
    assert.equal(await heard, null)
    assert.equal(two.player, null)
    assert.equal(await two.token(), null)
    const me = await fetch(server.url + '/v1/me', { headers: { Authorization: `Bearer ${token}` } })
    assert.equal((await me.json()).code, 'session_ended')
    // Somebody else signs in over there, and is somebody here.
    const next = new Promise((resolve) => two.onPlayer(resolve))
    const { id } = await one.guest()
    assert.equal((await next).id, id)
    assert.equal((await ask(two.api.GET('/v1/me'))).id, id)
    one.close()
    two.close()
  })

  test('counts, though something is being renewed just then', async () => {
    for (const when of ['before', 'after']) {
      const store = memoryStore()
      const client = newClient({ store })
      await client.guest()
      const token = await client.token()
      const renewal = when === 'before' && client.token(token).catch(() => null)
      const out = client.signOut()
      const renewedAfter = when === 'after' && client.token(token).catch(() => null)
      await Promise.all([renewal, out, renewedAfter])
      assert.equal(client.player, null)
      assert.equal(store.read(), null)
      assert.equal(await client.token(), null)
      const me = await fetch(server.url + '/v1/me', { headers: { Authorization: `Bearer ${token}` } })
      assert.equal(me.status, 401)
    }
  })

  test('after a restart ends the session at the server too, and needs no connection here', async () => {
    const store = memoryStore()
    const first = newClient({ store })
    await first.guest()
    const token = await first.token()
    await newClient({ store }).signOut()
    const me = await fetch(server.url + '/v1/me', { headers: { Authorization: `Bearer ${token}` } })
    assert.equal((await me.json()).code, 'session_ended')
    const away = newClient({ store, fetch: way(() => 'lost') })
    await newClient({ store }).guest()
    await away.start()
    await away.signOut()
    assert.equal(away.player, null)
    assert.equal(store.read(), null)
  })
})

describe('what this device keeps', () => {
  test('where nothing can be kept, one plays until the end of the process', async () => {
    let full = true
    const inner = memoryStore()
    const store = {
      read: inner.read,
      write(kept) {
        if (full) throw new Error('QuotaExceededError')
        inner.write(kept)
      },
    }
    const client = newClient({ store })
    const { id } = await client.guest()
    for (let i = 0; i < 2; i++) assert.ok(await client.token(await client.token()))
    assert.equal((await ask(client.api.GET('/v1/me'))).id, id)
    assert.equal(inner.read(), null)
    // There is room again: it is made up for.
    full = false
    await client.token(await client.token())
    assert.equal(inner.read().player.id, id)
    full = true
    await client.signOut()
    assert.equal(client.player, null)
    assert.equal(await client.token(), null)
  })

  test('what cannot be read is nobody signed out, and nobody new', async () => {
    const store = { read: () => Promise.reject(new Error('locked')), write: () => assert.fail('written over') }
    const client = newClient({ store })
    await assert.rejects(client.start(), { name: 'Problem', code: 'storage' })
    await assert.rejects(client.guest(), { code: 'storage' })
    await assert.rejects(ask(client.api.GET('/v1/me')), { code: 'storage' })
  })

  test('a changed name is known here, in the store and in the other tabs', async () => {
    const shared = sharedStore()
    const [one, two] = [1, 2].map(() => newClient({ store: shared.tab(), exclusively: shared.exclusively }))
    await one.guest()
    await two.start()
    const heard = new Promise((resolve) => two.onPlayer(resolve))
    const told = []
    one.onPlayer((player) => told.push(player.name))
    await one.update(await ask(one.api.PATCH('/v1/me', { body: { name: 'Nueva' } })))
    assert.deepEqual(told, ['Nueva'])
    assert.equal(shared.read().player.name, 'Nueva')
    assert.equal((await heard).name, 'Nueva')
    await one.update({ ...one.player, id: randomKey(), name: 'Somebody else' })
    assert.equal(one.player.name, 'Nueva')
    one.close()
    two.close()
  })

  test('a page shares it with its other tabs, and does without where it may not', async (t) => {
    const kept = new Map()
    const listeners = new Map()
    const locks = []
    const globals = {
      localStorage: { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) },
      addEventListener: (name, listener) => listeners.set(name, listener),
      removeEventListener: (name) => listeners.delete(name),
      navigator: { locks: { request: (name, work) => (locks.push(name), work()) } },
    }
    const saved = Object.fromEntries(Object.keys(globals).map((key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)]))
    for (const [key, value] of Object.entries(globals)) Object.defineProperty(globalThis, key, { value, configurable: true })
    t.after(() => {
      for (const [key, was] of Object.entries(saved)) {
        if (was) Object.defineProperty(globalThis, key, was)
        else delete globalThis[key]
      }
    })
    const session = browserSession('game')
    const client = newClient(session)
    const { id } = await client.guest()
    assert.equal(JSON.parse(kept.get('game')).player.id, id)
    assert.ok(locks.length > 0 && locks.every((name) => name === 'game'))
    const heard = new Promise((resolve) => client.onPlayer(resolve))
    kept.delete('game')
    listeners.get('storage')({ key: 'something else' })
    listeners.get('storage')({ key: null })
    assert.equal(await heard, null)
    client.close()
    assert.equal(listeners.has('storage'), false)
    kept.set('game', '{')
    assert.equal(session.store.read(), null)
    Object.defineProperty(globalThis, 'localStorage', { get() { throw new Error('SecurityError') }, configurable: true })
    Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true })
    const bare = newClient(browserSession('game'))
    const guest = await bare.guest()
    assert.equal((await ask(bare.api.GET('/v1/me'))).id, guest.id)
    bare.close()
  })
})

describe('kept out', () => {
  /** A server that answers what it is told to. */
  const server = (answers) => async (request) => {
    const { status = 200, body = {} } = answers(path(request), request)
    return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/problem+json' } })
  }

  test('one is told why, asked about seldom, and may still read what needs nobody', async () => {
    let suspended = true
    let asked = 0
    const player = { id: 'ana', name: 'Ana' }
    const client = new Client({
      url: 'http://play.example.org',
      store: { read: () => ({ refreshToken: 'r', player }), write() {} },
      fetch: server((at, request) => {
        if (at === '/v1/status') return { body: { stopped: [] } }
        if (at === '/v1/sessions/refresh') {
          asked++
          const suspension = { why: 'harassment', until: '2026-04-04T20:00:00Z' }
          if (suspended) return { status: 403, body: { code: 'suspended', detail: 'Until the fourth.', suspension } }
          return { body: { player, accessToken: 'token', expiresAt: new Date(Date.now() + 3600e3).toISOString(), refreshToken: 'next', sessionId: 's' } }
        }
        return request.headers.has('Authorization') ? { body: player } : { status: 401, body: { code: 'unauthenticated' } }
      }),
    })
    const told = []
    client.onKeptOut((problem) => told.push(problem?.code ?? null))
    await client.start()
    for (let i = 0; i < 3; i++) {
      await assert.rejects(ask(client.api.GET('/v1/me')), (err) => err.code === 'suspended' && err.body.suspension.why === 'harassment')
    }
    assert.equal(asked, 1)
    assert.equal(client.keptOut.code, 'suspended')
    assert.equal(client.player.id, 'ana')
    assert.deepEqual(await ask(client.api.GET('/v1/status')), { stopped: [] })
    assert.deepEqual(told, ['suspended'])
    await client.signOut()
    assert.equal(client.keptOut, null)
    suspended = false
    await client.start()
    assert.equal((await ask(client.api.GET('/v1/me'))).id, 'ana')
    assert.deepEqual(told, ['suspended', null])
    client.close()
  })
})
