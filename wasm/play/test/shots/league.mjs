// The league after an evening on which one week ended and another began.
import { afterCrowd } from '../../../../scripts/crowd.mjs'
import { again } from '../../../../scripts/people.mjs'
import { open } from '../economy.mjs'
import { be } from '../harness.mjs'

const names = [
  'Rocío', 'Jordi', 'Aina', 'Bruno', 'Carmen', 'Iker', 'Laia', 'Pau', 'Mireia', 'Lola', 'Andreu', 'Nuria', 'Toni', 'Sole', 'Marc', 'Inma', 'Quim', 'Vega', 'Biel', 'Rosa',
  'Hugo', 'Alba', 'Roger', 'Elvira', 'Manel', 'Sara', 'Tere', 'Leo', 'Neus', 'Gloria', 'Martí', 'Ona', 'Curro', 'Emma', 'Fina', 'Dani', 'Clara', 'Joel', 'Irene', 'Max',
]
const avatars = ['RO', 'CE', 'SC', 'AB', '3O', 'RE', 'CB', 'SO', 'AC', '3E']
let me

/** A server whose people have names, and whose league has a week behind it. */
export async function start() {
  const server = await afterCrowd({ players: 40, hours: 0.4, seed: 3, ago: 3_600_000 })
  const people = await Promise.all(server.people.map((p) => again(server, p.deviceSecret)))
  for (const [i, p] of people.entries()) await p.call('PATCH', '/v1/me', { name: names[i], avatar: avatars[i % avatars.length] })
  // In a large group, among its first but not before all, and with a week behind.
  let best = 0
  for (const p of people) {
    const { seasons } = await p.call('GET', '/v1/league/seasons')
    const { score, group } = await p.call('GET', '/v1/league')
    const fit = (group?.members.length ?? 0) / 5 + (score?.rank > 1 && score.rank < 7 ? 2 : 0) + (seasons[0]?.prize > 0 ? 2 : seasons[0] ? 1 : 0)
    if (fit > best) [best, me] = [fit, p]
  }
  return server
}

const at = (path) => async ({ server, browser, visit, view }) => {
  const page = await be(await visit(browser, undefined, view), me)
  await open(page, server, path)
  return page
}

export const shots = [
  { name: 'league', open: at('/league') },
  { name: 'league-best', open: at('/league?tab=best') },
  { name: 'league-past', open: at('/league?tab=past') },
  {
    name: 'league-week',
    async open(around) {
      const { seasons } = await me.call('GET', '/v1/league/seasons')
      return at(`/league/weeks/${seasons[0].season}`)(around)
    },
  },
]
