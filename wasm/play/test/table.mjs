// What the tests and pictures of the table share: matches on this device that stand where one wants them.
import { visit } from './harness.mjs'
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
  /** The next card is the last of a hand that both pairs can go on from. */
  hand: () => standing((view, match) => lastCard(view) && view.hand.cantes.length > 0 && !after(view, match).over && after(view, match).results.length > match.results.length),
  /** The next card is the last of a match that is won. */
  end: () => standing((view, match) => lastCard(view) && after(view, match).winner === 0, { house: { preset: 'clasica', end: 'points', target: 7 } }),
}

/** The page of somebody whose match on this device stands as a record says. */
export async function sit(browser, server, record, { pace = 0, kept = {}, ...options } = {}) {
  const page = await visit(browser, undefined, { pace, ...options })
  await page.addInitScript((all) => {
    for (const [name, value] of Object.entries(all)) if (localStorage.getItem('cuatrola.' + name) === null) localStorage.setItem('cuatrola.' + name, JSON.stringify(value))
  }, { offline: record, ...kept })
  await page.goto(server.url + '/table')
  await page.waitForSelector('.game')
  return page
}
