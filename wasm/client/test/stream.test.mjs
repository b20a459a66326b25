import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, test } from 'node:test'
import { Problem } from '../dist/index.js'
import { FakeSocket, fakeStream, seeded, settled } from './wire.mjs'

const topic = 'match:01890a5d-ac96-774b-bcce-b302099a8057'
const event = (seq, more = {}) => ({ type: 'event', topic, seq, at: '2026-03-28T20:00:24Z', kind: 'act', seat: 0, action: 'AE', by: 'player', ...more })
const snapshot = (seq) => ({ type: 'snapshot', topic, seq, view: { seq } })
const notice = (seq) => ({ type: 'notice', topic: 'notices', seq, notice: { seq } })
const inbox = (seq, unread = 0) => ({ type: 'inbox', topic: 'notices', seq, unread })
const engagement = (seq) => ({ type: 'engagement', topic: 'engagement', seq, engagement: { seq } })

/** A follower that writes down what it gets. */
const listener = (seq = 0) => {
  const got = []
  return { got, seqs: () => got.map((frame) => frame.seq), seq: () => seq, frame: (frame) => got.push(frame), refused: (problem) => got.push(problem) }
}

describe('beginning', () => {
  test('opens with the first follower, says hello with its number, and is live when welcomed', async () => {
    const world = fakeStream()
    const links = []
    world.stream.onLink((live) => links.push(live))
    assert.equal(world.sockets.length, 0)
    world.stream.follow(topic, listener(6))
    world.stream.follow('notices', listener())
    await settled()
    assert.equal(world.sockets.length, 1)
    assert.equal(world.socket.address, 'ws://server/v1/stream')
    assert.equal(world.stream.live, false)
    world.socket.welcome()
    assert.deepEqual(world.socket.sent, [{ type: 'hello', token: 'token', topics: { [topic]: 6, notices: 0 } }])
    assert.equal(world.stream.live, true)
    world.socket.break()
    assert.deepEqual(links, [true, false])
  })

  test('waits, while nobody is signed in, for somebody who is', async () => {
    let token = null
    const world = fakeStream({ token: () => token })
    world.stream.follow('notices', listener())
    await world.clock.pass(60_000)
    assert.equal(world.sockets.length, 0)
    assert.equal(world.clock.waiting, 0)
    token = 'token'
    world.stream.restart()
    await settled()
    assert.equal(world.sockets.length, 1)
  })

  test('a topic that is followed between hello and welcome is asked for, and one that is left is not', async () => {
    const world = fakeStream()
    const first = listener()
    const stop = world.stream.follow('notices', first)
    await settled()
    world.socket.onopen()
    world.stream.follow(topic, listener(3))
    stop()
    world.socket.say({ type: 'welcome', player: 'ana' })
    assert.deepEqual(world.socket.of('subscribe').map(({ topic, seq }) => ({ topic, seq })), [{ topic, seq: 3 }])
    assert.deepEqual(world.socket.of('unsubscribe').map((frame) => frame.topic), ['notices'])
    world.socket.say(notice(1))
    assert.deepEqual(first.got, [])
  })

  test('closes a little behind the last follower, and not for one that is followed by another', async () => {
    const world = fakeStream()
    const stop = world.stream.follow('notices', listener())
    await settled()
    world.socket.welcome()
    stop()
    const stopNext = world.stream.follow('engagement', listener())
    await world.clock.pass(5_000)
    assert.equal(world.socket.closed, false)
    assert.deepEqual(world.socket.sent.map((frame) => frame.type), ['hello', 'unsubscribe', 'subscribe'])
    stopNext()
    stopNext()
    await world.clock.pass(5_000)
    assert.equal(world.socket.closed, true)
    assert.equal(world.sockets.length, 1)
    assert.equal(world.clock.waiting, 0)
  })

  test('says hello anew when somebody else is signed in, also while it asks for a token', async () => {
    let release
    let token = () => new Promise((resolve) => (release = resolve))
    const world = fakeStream({ token: () => token() })
    let seq = 7
    world.stream.follow('notices', { seq: () => seq, frame() {} })
    await settled()
    seq = 0
    world.stream.restart()
    token = () => 'of Ben'
    release('of Ana')
    await settled()
    assert.equal(world.sockets.length, 1)
    world.socket.welcome()
    assert.deepEqual(world.socket.sent[0], { type: 'hello', token: 'of Ben', topics: { notices: 0 } })
    world.stream.restart()
    await settled()
    assert.equal(world.sockets.length, 2)
    assert.equal(world.sockets[0].closed, true)
  })
})

describe('order', () => {
  async function live(...followers) {
    const world = fakeStream()
    world.stops = followers.map(([name, follower]) => world.stream.follow(name, follower))
    await settled()
    world.socket.welcome()
    return world
  }

  test('what a follower has is dropped, what is missing is asked for and held until it comes', async () => {
    const ana = listener(2)
    const { socket } = await live([topic, ana])
    for (const frame of [event(1), event(2), event(3), event(3), event(6), event(7)]) socket.say(frame)
    assert.deepEqual(ana.seqs(), [3])
    const [ask, ...more] = socket.of('subscribe')
    assert.deepEqual({ topic: ask.topic, seq: ask.seq, more }, { topic, seq: 3, more: [] })
    for (const frame of [event(4), event(5), event(6), event(7, { view: {} }), { type: 'result', id: ask.id }, event(8)]) socket.say(frame)
    assert.deepEqual(ana.seqs(), [3, 4, 5, 6, 7, 8])
  })

  test('what the server does not have either is not waited for', async () => {
    const ana = listener()
    const { socket } = await live([topic, ana])
    socket.say(event(5))
    const [{ id }] = socket.of('subscribe')
    for (const frame of [event(5), event(6), { type: 'result', id }, event(7)]) socket.say(frame)
    assert.deepEqual(ana.seqs(), [5, 6, 7])
    assert.equal(socket.of('subscribe').length, 1)
  })

  test('two followers with different numbers each get theirs, once', async () => {
    const ana = listener(4)
    const ben = listener(1)
    const world = await live([topic, ana], [topic, ben])
    assert.equal(world.socket.sent[0].topics[topic], 1)
    for (const seq of [2, 3, 4, 5]) world.socket.say(event(seq))
    assert.deepEqual([ana.seqs(), ben.seqs()], [[5], [2, 3, 4, 5]])
    // A third that has nothing: the server begins again, the others hear nothing twice.
    const eva = listener(0)
    world.stream.follow(topic, eva)
    const [{ id, seq }] = world.socket.of('subscribe')
    assert.equal(seq, 0)
    for (const frame of [event(6), ...[1, 2, 3, 4, 5, 6].map((n) => event(n)), { type: 'result', id }, event(7)]) world.socket.say(frame)
    assert.deepEqual([ana.seqs(), ben.seqs(), eva.seqs()], [[5, 6, 7], [2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7]])
    // One that has all begins with how things stand.
    const pau = listener(7)
    world.stream.follow(topic, pau)
    assert.equal(world.socket.of('subscribe').at(-1).seq, 7)
    world.socket.say(snapshot(7))
    assert.deepEqual(pau.seqs(), [7])
  })

  test('after a loss, hello has the numbers that the followers have come to', async () => {
    const ana = listener()
    const world = await live([topic, ana], ['notices', listener(9)])
    for (const seq of [1, 2, 3]) world.socket.say(event(seq))
    world.socket.break()
    await world.clock.pass(1000)
    world.socket.welcome()
    assert.deepEqual(world.socket.sent[0].topics, { [topic]: 3, notices: 9 })
    for (const seq of [3, 4]) world.socket.say(event(seq))
    assert.deepEqual(ana.seqs(), [1, 2, 3, 4])
  })

  test('a snapshot of before tells nothing; but from a server that has lost something, it counts', async () => {
    const ana = listener()
    const world = await live([topic, ana])
    for (const frame of [event(1), event(2), snapshot(2), snapshot(1)]) world.socket.say(frame)
    assert.deepEqual(ana.got.map(({ type, seq }) => `${type} ${seq}`), ['event 1', 'event 2', 'snapshot 2'])
    world.socket.break()
    await world.clock.pass(1000)
    world.socket.welcome()
    for (const frame of [snapshot(1), event(2)]) world.socket.say(frame)
    assert.deepEqual(ana.got.slice(3).map(({ type, seq }) => `${type} ${seq}`), ['snapshot 1', 'event 2'])
  })

  test('of notices and engagements one may pass over those in between', async () => {
    const notices = listener(3)
    const engagements = listener()
    const { socket } = await live(['notices', notices], ['engagement', engagements])
    for (const frame of [inbox(90, 80), notice(91), inbox(91, 0), engagement(4), engagement(9), engagement(8)]) socket.say(frame)
    assert.deepEqual(notices.seqs(), [90, 91, 91])
    assert.deepEqual(engagements.seqs(), [4, 9])
    assert.equal(socket.of('subscribe').length, 0)
  })

  test('an inbox on its way does not take a new follower past its notices', async () => {
    const world = await live(['notices', listener(5)])
    const late = listener(3)
    world.stream.follow('notices', late)
    const [{ id }] = world.socket.of('subscribe')
    for (const frame of [inbox(5, 1), notice(4), notice(5), { type: 'result', id }]) world.socket.say(frame)
    assert.deepEqual(late.got.map(({ type, seq }) => `${type} ${seq}`), ['notice 4', 'notice 5'])
  })

  test('what is said is heard by everybody and counted by nobody', async () => {
    const ana = listener(5)
    const { socket } = await live([topic, ana])
    socket.say({ type: 'said', topic, seat: 2, say: 'good_luck', at: '2026-03-28T20:00:24Z' })
    socket.say(event(6))
    assert.deepEqual(ana.got.map((frame) => frame.type), ['said', 'event'])
  })

  test('a frame that is newer than this package, or of a topic that is left, is nothing', async () => {
    const ana = listener()
    const { socket, stops } = await live([topic, ana], ['notices', listener()])
    socket.say({ type: 'fireworks', topic, seq: 1 })
    socket.say({ type: 'pong' })
    socket.say({ type: 'error', code: 'invalid_request', detail: 'A frame is a JSON object.' })
    socket.say(event(1))
    stops[0]()
    socket.say(event(2))
    assert.deepEqual(ana.seqs(), [1])
    assert.equal(socket.closed, false)
  })

  test('a follower that throws keeps nothing from the others', async (t) => {
    const thrown = []
    t.mock.method(globalThis, 'setTimeout', (work) => {
      try {
        work()
      } catch (err) {
        thrown.push(err.message)
      }
    })
    const ana = listener()
    const { socket } = await live([topic, { frame() { throw new Error('mine') } }], [topic, ana])
    for (const seq of [1, 2]) socket.say(event(seq))
    assert.deepEqual(ana.seqs(), [1, 2])
    assert.deepEqual(thrown, ['mine', 'mine'])
  })
})

describe('refusals', () => {
  test('a topic that cannot be followed is told to its followers, and not asked for again', async () => {
    const world = fakeStream()
    const ana = listener()
    world.stream.follow(topic, ana)
    const notices = listener()
    world.stream.follow('notices', notices)
    await settled()
    world.socket.welcome()
    world.socket.say({ type: 'error', topic, code: 'not_found', detail: 'There is no such match.' })
    assert.equal(ana.got.length, 1)
    assert(ana.got[0] instanceof Problem)
    assert.equal(ana.got[0].code, 'not_found')
    const ben = listener()
    world.stream.follow(topic, ben)
    const { id } = world.socket.of('subscribe').at(-1)
    world.socket.say({ type: 'error', id, topic, code: 'forbidden', detail: 'Not yours.' })
    assert.deepEqual(ben.got.map((problem) => problem.code), ['forbidden'])
    world.socket.break()
    await world.clock.pass(1000)
    world.socket.welcome()
    assert.deepEqual(world.socket.sent[0].topics, { notices: 0 })
  })

  test('a topic that the server cannot read now is asked for again', async () => {
    const world = fakeStream()
    const ana = listener()
    world.stream.follow(topic, ana)
    await settled()
    world.socket.welcome()
    world.socket.say(event(1))
    world.socket.say({ type: 'error', topic, code: 'internal', detail: 'Something went wrong.' })
    await world.clock.pass(5000)
    const [{ seq, id }] = world.socket.of('subscribe')
    assert.equal(seq, 1)
    world.socket.say({ type: 'error', id, topic, code: 'rate_limited', detail: 'Too many frames.' })
    await world.clock.pass(5000)
    assert.equal(world.socket.of('subscribe').length, 2)
    world.socket.say(event(2))
    assert.deepEqual(ana.seqs(), [1, 2])
  })

  test('a token that has run out is renewed, and the socket comes back at once', async () => {
    const world = fakeStream({ token: (bad) => (bad === null ? 'first' : bad + "'s successor") })
    world.stream.follow('notices', listener())
    await settled()
    world.socket.welcome()
    world.socket.say({ type: 'bye', code: 'token_expired' })
    assert.equal(world.socket.closed, true)
    await world.clock.pass(0)
    assert.equal(world.sockets.length, 2)
    world.socket.welcome()
    assert.equal(world.socket.sent[0].token, "first's successor")
  })

  test('a hello that is refused again and again is said less and less often', async () => {
    const world = fakeStream()
    world.stream.follow('notices', listener())
    for (let i = 0; i < 600; i++) {
      await world.clock.pass(100)
      if (!world.socket.closed) {
        world.socket.onopen()
        world.socket.say({ type: 'error', code: 'unauthenticated', detail: 'The access token is not valid.' })
      }
    }
    assert.ok(world.sockets.length > 5 && world.sockets.length < 25, `${world.sockets.length} hellos in a minute`)
    assert.deepEqual(world.refused.slice(0, 2), [null, 'token'])
  })

  test('signed out: nothing is asked for any more', async () => {
    const world = fakeStream({ token: (bad) => (bad === null ? 'token' : null) })
    world.stream.follow('notices', listener())
    await settled()
    world.socket.welcome()
    world.socket.say({ type: 'bye', code: 'session_ended' })
    await world.clock.pass(600_000)
    assert.equal(world.sockets.length, 1)
    assert.equal(world.clock.waiting, 0)
  })

  test('kept out: asked about once a minute, and at once when it is over', async () => {
    let suspended = false
    const world = fakeStream({
      token() {
        if (suspended) throw new Problem('suspended', 403, 'Until tomorrow.')
        return 'token'
      },
    })
    world.stream.follow('notices', listener())
    await settled()
    world.socket.welcome()
    suspended = true
    world.socket.say({ type: 'bye', code: 'suspended' })
    await world.clock.pass(600_000)
    assert.equal(world.sockets.length, 1)
    assert.ok(world.refused.length <= 12)
    suspended = false
    world.stream.wake()
    await settled()
    assert.equal(world.sockets.length, 2)
  })

  test('a server that stops is come back to within a second, and one that is flooded much later', async () => {
    const world = fakeStream()
    world.clock.random = () => 0.999
    world.stream.follow('notices', listener())
    await settled()
    world.socket.welcome()
    world.socket.say({ type: 'bye', code: 'unavailable' })
    await world.clock.pass(1000)
    assert.equal(world.sockets.length, 2)
    const waits = []
    for (let i = 0; i < 4; i++) {
      world.socket.welcome()
      world.socket.say({ type: 'bye', code: 'rate_limited' })
      const n = world.sockets.length
      const since = world.clock.now()
      while (world.sockets.length === n) await world.clock.pass(100)
      waits.push(Math.round((world.clock.now() - since) / 1000))
    }
    assert.deepEqual(waits, [5, 10, 20, 40])
  })
})

describe('losses', () => {
  test('comes back later and later, and is itself again when it has stood', async () => {
    const world = fakeStream({ open: (address) => new FakeSocket(address) })
    world.stream.follow('notices', listener())
    await settled()
    const waits = []
    const lose = async () => {
      const n = world.sockets.length
      const since = world.clock.now()
      world.socket.break()
      while (world.sockets.length === n) await world.clock.pass(5)
      waits.push(world.clock.now() - since)
    }
    for (let i = 0; i < 8; i++) await lose()
    assert.ok(waits.every((wait, i) => wait <= 8000 && (i === 0 || wait >= waits[i - 1])), `${waits}`)
    assert.ok(waits[0] < 300 && waits[7] > 5000, `${waits}`)
    world.socket.welcome()
    await lose()
    assert.ok(waits.at(-1) < 2100, 'once welcomed, it does not wait as long')
    world.socket.welcome()
    await world.clock.pass(11_000)
    await lose()
    assert.ok(waits.at(-1) < 300, 'after it has stood, as at the first time')
  })

  test('a connection that never opens, or a server that never welcomes, is given up', async () => {
    const world = fakeStream()
    world.stream.follow('notices', listener())
    await world.clock.pass(11_000)
    assert.equal(world.sockets[0].closed, true)
    assert.equal(world.sockets.length, 2)
    world.socket.onopen()
    await world.clock.pass(12_000)
    assert.equal(world.sockets[1].closed, true)
    assert.equal(world.sockets.length, 3)
  })

  test('a socket that dies without a word is noticed, and one that is only quiet stays', async () => {
    const world = fakeStream()
    world.stream.follow('notices', listener())
    await settled()
    world.socket.welcome()
    world.socket.hear = (frame) => frame.type === 'ping' && world.socket.say({ type: 'pong', id: frame.id })
    await world.clock.pass(300_000)
    assert.equal(world.sockets.length, 1)
    const pings = world.socket.of('ping').length
    assert.ok(pings >= 10 && pings <= 15, `${pings} pings in five minutes`)
    // While there is something to hear, nobody is asked.
    for (let n = 1; n <= 20; n++) {
      world.socket.say(notice(n))
      await world.clock.pass(10_000)
    }
    assert.equal(world.socket.of('ping').length, pings)
    world.socket.hear = () => {}
    await world.clock.pass(25_000)
    assert.equal(world.sockets[0].closed, true)
    assert.equal(world.sockets.length, 2)
  })

  test('an app that comes back to the foreground finds out soon whether its socket lives', async () => {
    const world = fakeStream()
    world.stream.follow('notices', listener())
    await settled()
    world.socket.welcome()
    world.stream.check()
    world.stream.check()
    assert.equal(world.socket.of('ping').length, 1)
    world.socket.say({ type: 'pong', id: 0 })
    await world.clock.pass(5_000)
    assert.equal(world.sockets.length, 1)
    world.stream.check()
    await world.clock.pass(5_000)
    assert.equal(world.sockets.length, 2)
    // While it waits, it comes back at once.
    for (let i = 0; i < 6; i++) {
      world.socket.break()
      await world.clock.pass(i < 5 ? 10_000 : 0)
    }
    const n = world.sockets.length
    world.stream.check()
    await settled()
    assert.equal(world.sockets.length, n + 1)
    world.stream.end()
    world.stream.check()
    await world.clock.pass(60_000)
    assert.equal(world.sockets.length, n + 1)
  })

  test('a token that cannot be had now is asked for later', async () => {
    let down = true
    const world = fakeStream({
      token() {
        if (down) throw new Problem('unreachable', 0, '')
        return 'token'
      },
    })
    world.stream.follow('notices', listener())
    await world.clock.pass(20_000)
    assert.equal(world.sockets.length, 0)
    assert.ok(world.refused.length > 3 && world.refused.length < 12)
    down = false
    await world.clock.pass(8_000)
    assert.equal(world.sockets.length, 1)
  })

  test('something that is no frame ends the socket; sockets that cannot be made are tried again', async () => {
    let broken = true
    const world = fakeStream({
      open(address) {
        if (broken) throw new Error('not here')
        return new FakeSocket(address)
      },
    })
    world.stream.follow('notices', listener())
    await world.clock.pass(3_000)
    broken = false
    await world.clock.pass(8_000)
    assert.equal(world.sockets.length, 1)
    world.socket.welcome()
    world.socket.say('<html>')
    assert.equal(world.socket.closed, true)
    await world.clock.pass(8_000)
    assert.equal(world.sockets.length, 2)
  })
})

// A model: a server that counts, a network that cuts, drops nothing within a connection but may be cut anywhere; followers
// that come and go. Each has to get every event behind its number once and in order.
test('whatever is cut and whoever comes and goes, everybody gets each event once and in order', async (t) => {
  const seed = Number(process.env.CUATROLA_SEED ?? randomInt(2 ** 31))
  t.diagnostic(`CUATROLA_SEED=${seed}`)
  for (let round = 0; round < 60; round++) {
    const random = seeded(seed + round)
    const chance = (p) => random() < p
    const below = (n) => Math.floor(random() * n)
    const world = fakeStream()
    world.clock.random = random
    let log = 0
    // The server's side of a socket: what is to be sent, in order, and how far each topic has been sent.
    const ends = new Map()
    const wire = (socket) => {
      const end = { queue: [], sent: null }
      ends.set(socket, end)
      const begin = (n) => {
        end.sent = n
        news(end, true)
      }
      socket.hear = (frame) => {
        if (frame.type === 'hello') {
          end.queue.push({ type: 'welcome', player: 'ana' })
          if (topic in frame.topics) begin(frame.topics[topic])
        } else if (frame.type === 'subscribe') {
          begin(frame.seq)
          end.queue.push({ type: 'result', id: frame.id })
        } else if (frame.type === 'unsubscribe') {
          end.sent = null
          end.queue.push({ type: 'result', id: frame.id })
        } else if (frame.type === 'ping') {
          end.queue.push({ type: 'pong', id: frame.id })
        }
      }
    }
    const news = (end, fresh) => {
      if (end.sent === null) return
      if (end.sent >= log && fresh) end.queue.push(snapshot(log))
      while (end.sent < log) end.queue.push(event(++end.sent))
    }
    const followers = []
    const follow = () => {
      const from = below(log + 1)
      const one = { ...listener(from), from }
      one.stop = world.stream.follow(topic, one)
      followers.push(one)
    }
    follow()
    for (let step = 0; step < 60; step++) {
      await settled()
      const socket = world.sockets.at(-1)
      if (socket && !ends.has(socket)) {
        wire(socket)
        if (chance(0.8)) socket.onopen()
        else socket.break()
      }
      const end = socket && ends.get(socket)
      if (chance(0.4)) {
        log += 1 + below(3)
        if (end && !socket.closed) news(end, false)
      }
      if (end && !socket.closed) for (let n = below(6); n > 0 && end.queue.length > 0; n--) socket.say(end.queue.shift())
      if (socket && !socket.closed && chance(0.1)) socket.break()
      if (chance(0.15)) follow()
      if (chance(0.08) && followers.length > 1) {
        const gone = followers.splice(below(followers.length), 1)[0]
        gone.stop()
      }
      if (chance(0.5)) await world.clock.pass(below(3000))
    }
    // The network is well again.
    for (let i = 0; i < 40; i++) {
      await world.clock.pass(1000)
      const socket = world.sockets.at(-1)
      if (!ends.has(socket)) {
        wire(socket)
        socket.onopen()
      }
      const { queue } = ends.get(socket)
      while (queue.length > 0) socket.say(queue.shift())
    }
    for (const one of followers) {
      const events = one.got.filter((frame) => frame.type === 'event').map((frame) => frame.seq)
      const wanted = Array.from({ length: log - one.from }, (_, i) => one.from + 1 + i)
      assert.deepEqual(events, wanted, `round ${round} of seed ${seed}`)
    }
  }
})
