// Playing with people: the search, a staked table, a room.
import { as, befriend, key, person } from '../lobby.mjs'

async function crowd(server, names) {
  const all = await Promise.all(names.map((name) => person(server, name)))
  const cards = ['RO', 'CE', 'SC', 'AB']
  await Promise.all(all.map((one, i) => one.call('PATCH', '/v1/me', { avatar: cards[i % 4] })))
  return all
}

// Names are unique on a server, and a picture is taken in more than one size.
const names = [
  'Ana', 'Pau', 'Elisenda', 'Marta', 'Nuria', 'Quim', 'Rosa', 'Toni', 'Berta', 'Laia', 'Iker', 'Carmen', 'Biel', 'Lola', 'Andreu', 'Irene', 'Hugo', 'Alba', 'Roger', 'Elvira',
  'Manel', 'Sara', 'Leo', 'Neus', 'Gloria', 'Ona', 'Curro', 'Emma', 'Dani', 'Vega', 'Inma', 'Marc', 'Mireia', 'Jordi', 'Aina', 'Bruno', 'Sole', 'Tere', 'Max', 'Fina',
]
const named = (n) => names.splice(0, n)

async function room(server) {
  const [ana, pau, eli] = await crowd(server, named(3))
  await befriend(ana, eli)
  const made = await ana.call('POST', '/v1/rooms', { rules: { preset: 'clasica', target: 21, partnerExempt: true } }, key())
  await pau.call('POST', '/v1/rooms/join', { code: made.code })
  await ana.call('PUT', `/v1/rooms/${made.id}/seats/3`, { who: 'bot', level: 'veterano' })
  await pau.call('PUT', `/v1/rooms/${made.id}/ready`, { ready: true })
  return { ana, pau, eli, path: '/r/' + made.code }
}

// Who waits for one picture must not meet those of the next.
let waiting = []
async function wait(people, ticket) {
  await Promise.all(waiting.map((one) => one.call('DELETE', '/v1/queue')))
  waiting = people
  for (const one of people) await one.call('POST', '/v1/queue', ticket(one), key())
}

const shot = (name, open) => ({ name, open })

export const shots = [
  shot('queue', async ({ server, browser, view }) => {
    const [ana] = await crowd(server, named(1))
    const page = await as(browser, server, ana, '/queue?stake=100', view)
    await page.waitForSelector('[data-action=search][aria-disabled=false]')
    return page
  }),
  shot('waiting', async ({ server, browser, view }) => {
    const [ana, pau] = await crowd(server, named(2))
    await befriend(ana, pau)
    await wait([ana, pau], (one) => ({ rules: 'liga', partnerId: (one === ana ? pau : ana).id }))
    const page = await as(browser, server, ana, '/queue', view)
    await page.waitForSelector('[data-place=partner]')
    return page
  }),
  shot('staked', async ({ server, browser, view }) => {
    const three = await crowd(server, named(3))
    await wait(three, () => ({ stake: 250 }))
    const page = await as(browser, server, three[0], '/queue', view)
    await page.waitForSelector('[data-pot="750"]')
    await page.waitForSelector('.coins-chip')
    return page
  }),
  shot('room', async ({ server, browser, view }) => {
    const { ana, path } = await room(server)
    const page = await as(browser, server, ana, path, view)
    await page.waitForSelector('[data-friend]')
    return page
  }),
  shot('rooms', async ({ server, browser, view }) => {
    const [ana] = await crowd(server, named(1))
    const page = await as(browser, server, ana, '/rooms', view)
    await page.waitForSelector('.house-rules')
    return page
  }),
  shot('invited', async ({ server, browser, visit, view }) => {
    const { path } = await room(server)
    const page = await visit(browser, server.url + path, view)
    await page.waitForSelector('[data-action=join]')
    return page
  }),
]
