// Friends, a player's page, notices.
import { match } from '../../../../scripts/people.mjs'
import { as, befriend, key, person } from '../lobby.mjs'
import { settled } from '../harness.mjs'

// Names are unique on a server, and a picture is taken in more than one size.
const names = [
  ['Clara', 'Joan', 'Remei', 'Ferran', 'Sílvia'], ['Olga', 'Ramon', 'Dolors', 'Efrén', 'Vera'], ['Rita', 'Gabi', 'Queralt', 'Óscar', 'Llum'], ['Noa', 'Blai', 'Candela', 'Ibai', 'Mar'],
  ['Eva', 'Nil', 'Rocío', 'Unai', 'Lia'], ['Zoe', 'Jan', 'Pilar', 'Asier', 'Abril'], ['Julia', 'Aleix', 'Marina', 'Gael', 'Ada'], ['Elena', 'Oriol', 'Paloma', 'Izan', 'Mía'],
]

/** Somebody with friends, requests and something to read; `played`, with a match behind them. */
async function life(server, played = false) {
  const all = await Promise.all(names.shift().map((name) => person(server, name)))
  await Promise.all(all.map((one, i) => one.call('PATCH', '/v1/me', { avatar: ['RC', 'SO', 'CB', 'AE', 'RO'][i] })))
  const [me, joan, remei, ferran, silvia] = all
  await befriend(joan, me)
  await befriend(me, remei)
  if (played) await match([me, joan, remei, ferran])
  await ferran.call('POST', '/v1/friends/requests', { playerId: me.id })
  await me.call('POST', '/v1/friends/requests', { playerId: silvia.id })
  const room = await joan.call('POST', '/v1/rooms', { rules: 'mesa' }, key())
  await joan.call('POST', `/v1/rooms/${room.id}/invites`, { playerId: me.id })
  return { me, joan }
}

export const shots = [
  {
    name: 'friends',
    async open({ server, browser, view }) {
      const { me } = await life(server)
      const page = await as(browser, server, me, '/friends', view)
      await page.waitForSelector('[data-action=take-back]')
      await page.click('[data-arrival] [data-action=later]')
      return page
    },
  },
  {
    name: 'player',
    async open({ server, browser, view }) {
      const { me, joan } = await life(server, true)
      const page = await as(browser, server, me, '/players/' + joan.id, view)
      await page.waitForSelector('.rule-stat')
      await page.click('[data-arrival] [data-action=later]')
      return page
    },
  },
  {
    name: 'notices',
    async open({ server, browser, view }) {
      const { me } = await life(server)
      const page = await as(browser, server, me, '/notices', view)
      await page.waitForSelector('[data-notice=friend_request] [data-action=accept]')
      await settled(page)
      return page
    },
  },
  {
    name: 'invitation',
    async open({ server, browser, view }) {
      const { me } = await life(server)
      const page = await as(browser, server, me, '/', view)
      await page.waitForSelector('[data-arrival=room_invite]')
      return page
    },
  },
]
