// What the tests and pictures of the table share: matches on this device that stand where one wants them.
import { visit } from './harness.mjs'
import { key, person } from './lobby.mjs'
import { rules } from './matches.mjs'

const me = 0
const levels = ['', 'aprendiz', 'aprendiz', 'aprendiz']

/**
 * The record of a match against bots up to the first position that `wanted` likes: what the player sees, when it is their
 * turn. The same of everything gives the same match.
 */
export function standing(wanted, { house = { preset: 'clasica', end: 'points', target: 21 }, hands = 12 } = {}) {
  for (let deal = 0; deal < 500; deal++) {
    const match = rules.newMatch({ rules: house, seed: `deal ${deal}`, id: 'shown' })
    for (let n = 0; !match.over && match.results.length < hands; n++) {
      const view = match.view(match.turn)
      if (match.turn === me && wanted(view, match)) return { ...match.record(), startedAt: '2026-11-20T18:30:00.000Z', players: levels.map((name) => ({ name, bot: name !== '' })) }
      match.apply(match.turn, rules.bot(view, n, 'tabernero'))
    }
  }
  throw new Error('no deal brings that')
}

const illegal = (view) => view.cards.filter((card) => !view.legal.includes(card))
/** What playing the first legal card comes to. */
const after = (view, match) => {
  const next = rules.resume(match.record())
  next.apply(me, view.legal[0])
  return next
}
const lastCard = (view) => view.phase === 'play' && view.cards.length === 1 && view.hand.tricks.length === 4

/** Where a table has something to show. */
export const moments = {
  /** Others have spoken, and something is bid. */
  bids: () => standing((view) => view.phase === 'bid' && view.bids.length >= 2 && view.hand.bid !== 'pass' && view.handsFinished >= 1),
  /** In the middle of a trick, with a card that may not be played. */
  trick: () => standing((view) => view.phase === 'play' && view.table.cards.length >= 2 && view.hand.tricks.length >= 1 && illegal(view).length > 0 && view.cards.length >= 3),
  /** The same while somebody sits out. */
  solo: () => standing((view) => view.phase === 'play' && view.table.cards.length === 2 && view.out !== null && view.hand.tricks.length >= 1 && illegal(view).length > 0),
  /** A king and its knight. */
  cante: () => standing((view) => view.phase === 'sing'),
  /** A seat has sung in the suit of the longest name, and its hand goes on. */
  sung: (seat) => standing((view) => view.phase === 'play' && view.cards.length >= 2 && view.hand.cantes.some((cante) => cante.seat === seat && cante.suit === 'E'), { house: { preset: 'clasica', end: 'points', target: 21 } }),
  /** The next card is the last of a hand that both pairs can go on from. */
  hand: () => standing((view, match) => lastCard(view) && view.hand.cantes.length > 0 && !after(view, match).over && after(view, match).results.length > match.results.length),
  /** The next card is the last of a match that is won. */
  end: () => standing((view, match) => lastCard(view) && after(view, match).winner === 0, { house: { preset: 'clasica', end: 'points', target: 7 } }),
}

/** The page of somebody whose match on this device stands as a record says. */
export async function sit(browser, server, record, { pace = 0, kept = {}, before = async () => {}, ...options } = {}) {
  const page = await visit(browser, undefined, { pace, ...options })
  await before(page)
  await page.addInitScript((all) => {
    for (const [name, value] of Object.entries(all)) if (localStorage.getItem('cuatrola.' + name) === null) localStorage.setItem('cuatrola.' + name, JSON.stringify(value))
  }, { offline: record, ...kept })
  await page.goto(server.url + '/table')
  await page.waitForSelector('.game')
  return page
}

/** Four people at a staked table, in the middle of a trick: the match, and who has to play the next card. */
export async function seated(server, names) {
  const people = await Promise.all(names.map((name) => person(server, name)))
  await Promise.all(people.map((one, i) => one.call('PATCH', '/v1/me', { avatar: ['RO', 'CE', 'SC', 'AB'][i] })))
  for (const one of people) await one.call('POST', '/v1/queue', { stake: 250 }, key())
  let at
  do at = await people[0].call('GET', '/v1/me/engagement')
  while (at.kind !== 'match')
  const { id } = at
  const bySeat = []
  for (const [i, one] of people.entries()) bySeat[(await one.call('POST', `/v1/matches/${id}/seed`, { seed: `seed ${i}` })).you] = one
  for (;;) {
    for (const one of bySeat) {
      const view = await one.call('GET', `/v1/matches/${id}`)
      if (view.legal.length === 0) continue
      if (view.phase === 'play' && view.trick.cards.length >= 2 && view.tricks.length >= 1) return { id, me: one }
      await one.call('POST', `/v1/matches/${id}/actions`, { seq: view.seq, action: view.legal[0] })
    }
  }
}

/**
 * Lets a test into the page's workers, before it is opened: then `upset(how)` in the page has the newest one throw out of
 * nowhere (`throw`), break down in its next call of the module (`trap`), or end without a word (`end`).
 */
export async function upset(page) {
  await page.addInitScript(() => {
    navigator.serviceWorker.register = () => new Promise(() => {})
    const all = []
    globalThis.Worker = class extends Worker {
      constructor(...given) {
        super(...given)
        all.push(this)
      }
    }
    globalThis.upset = (how) => {
      const worker = all.at(-1)
      if (how === 'end') worker.terminate()
      else worker.postMessage({ upset: how })
    }
    globalThis.workersBegun = () => all.length
  })
  const inside = () => {
    let trap = false
    addEventListener('message', (event) => {
      if (!event.data.upset) return
      event.stopImmediatePropagation()
      if (event.data.upset === 'throw') setTimeout(() => { throw new Error('out of nowhere') })
      else trap = true
    })
    const { Instance } = WebAssembly
    const upsetting = (exports) => new Proxy({}, {
      get(_, name) {
        const real = exports[name]
        return typeof real !== 'function' ? real : (...given) => {
          if (!trap) return real(...given)
          trap = false
          throw new WebAssembly.RuntimeError('unreachable')
        }
      },
    })
    Object.defineProperty(Instance.prototype, 'exports', {
      get: ((get) => function () { return upsetting(get.call(this)) })(Object.getOwnPropertyDescriptor(Instance.prototype, 'exports').get),
    })
  }
  await page.route('**/assets/worker-*.js', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: `(${inside})();\n${await response.text()}` })
  })
}

/** Collects what the live region says, from the first line on. */
export async function listen(page) {
  await page.addInitScript(() => {
    globalThis.heard = []
    const see = (log) => new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) globalThis.heard.push(node.textContent)
    }).observe(log, { childList: true })
    new MutationObserver(() => {
      const log = document.querySelector('.game [role=log]')
      if (!log || log.seen) return
      log.seen = true
      for (const line of log.children) globalThis.heard.push(line.textContent)
      see(log)
    }).observe(document, { childList: true, subtree: true })
  })
}
