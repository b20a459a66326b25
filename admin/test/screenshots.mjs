// Takes the pictures of the panel in docs/img from the real server and page. Look at them after a change.
import { mkdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterCrowd } from '../../scripts/crowd.mjs'
import { befriend, guest, match } from '../../scripts/people.mjs'
import { desktop, GameServer, launch, open, panel, phone, settled, signIn, visit } from './harness.mjs'
import { operations } from './operations.pictures.mjs'
import * as seeing from './seeing.mjs'
import { Stripe } from './stripe.mjs'

/**
 * The pages, in order. `role` is who looks at it (an owner if it is not said), `seed` makes what there is to see (once,
 * before any picture; it is given the server, an owner's page and session, and a Stripe), `prepare` does something on the page first.
 */
const pages = [
  { name: 'overview', path: '/admin/overview', seed: seedPast },
  { name: 'overview-money', path: '/admin/overview?tab=money' },
  { name: 'overview-faults', path: '/admin/overview?tab=faults' },
  { name: 'tables', path: '/admin/tables' },
  { name: 'table-live', path: () => `/admin/tables/${shown.open}` },
  {
    name: 'table-replay', path: () => `/admin/tables/${shown.over}`,
    prepare: async (page) => {
      await page.waitForSelector('[data-replay]')
      await page.fill('.replay-slider input', '17')
      await page.click('[data-action=verify]')
    },
  },
  { name: 'league', path: '/admin/league' },
  {
    name: 'league-week', path: '/admin/league',
    prepare: async (page) => {
      await page.locator('.row-link').first().click()
      await page.waitForURL('**/league/2*')
    },
  },
  { name: 'fairness', path: '/admin/fairness', seed: seedFairness },
  { name: 'fairness-case', path: '/admin/fairness?kind=pair', prepare: firstRow },
  { name: 'fairness-speed', path: '/admin/fairness?kind=speed', prepare: firstRow },
  { name: 'sign-in', path: '/admin', role: null },
  { name: 'staff', path: '/admin/staff', seed: seedStaff },
  { name: 'security', path: '/admin/security' },
  { name: 'players', path: '/admin/players?q=a', seed: seedPlayers },
  { name: 'player', path: () => `/admin/players/${seeded.player}` },
  { name: 'player-statement', path: () => `/admin/players/${seeded.player}?tab=statement` },
  {
    name: 'player-suspend', path: () => `/admin/players/${seeded.player}`,
    prepare: async (page) => {
      await page.click('[data-action=suspend]')
      await page.waitForSelector('.dialog')
    },
  },
  { name: 'reports', path: '/admin/reports' },
  { name: 'report', path: () => `/admin/reports/${seeded.player}` },
  { name: 'staff-invite', path: '/admin/staff', prepare: (page) => page.click('[data-action=invite]') },
  { name: 'audit', path: '/admin/audit' },
  {
    name: 'audit-entry', path: '/admin/audit?action=staff.change',
    prepare: async (page) => {
      await page.locator('.row-link').first().click()
      await page.waitForSelector('.dialog')
    },
  },
  { name: 'economy', path: '/admin/economy', seed: seedEconomy },
  { name: 'economy-draft', path: () => `/admin/economy/drafts/${seeded.draft}` },
  { name: 'economy-json', path: () => `/admin/economy/drafts/${seeded.faulty}?view=both&section=league`, prepare: (page) => page.waitForSelector('.cm-lint-marker') },
  {
    name: 'economy-catalogue', path: () => `/admin/economy/drafts/${seeded.draft}?section=catalogue`,
    prepare: (page) => page.click('[data-entry="/catalogue/4"]'),
  },
  {
    name: 'economy-publish', path: () => `/admin/economy/drafts/${seeded.draft}`,
    prepare: async (page) => {
      await page.click('[data-action=publish]')
      await page.waitForSelector('.dialog .changes')
    },
  },
  { name: 'economy-proposal', path: () => `/admin/economy/proposals/${seeded.proposal}` },
  { name: 'economy-history', path: '/admin/economy?tab=history' },
  { name: 'economy-compare', path: () => `/admin/economy/compare?before=live&after=draft:${seeded.draft}` },
  { name: 'economy-version', path: () => `/admin/economy/versions/${seeded.version}` },
  ...operations,
]

/** Those that look back on what a crowd has done, whose server has another past. */
const lookingBack = [
  { name: 'simulations', path: '/admin/simulation', seed: seedSimulation },
  { name: 'simulation', path: () => `/admin/simulation/${seeded.simulation}` },
  {
    name: 'simulation-groups', path: () => `/admin/simulation/${seeded.simulation}`,
    prepare: (page) => page.locator('.tabs').evaluate((e) => e.scrollIntoView({ block: 'center' })),
  },
]

/** What seeds have made, for the addresses of pages. */
const seeded = {}

/** A few players, one of whom has a long file. */
async function seedPlayers(server, page, owner) {
  const people = {}
  for (const name of ['Amparo', 'Andrés el Rayo', 'Anselma', 'Aurora', 'Alba']) people[name] = await guest(server, name)
  const loud = people['Andrés el Rayo']
  seeded.player = loud.id
  const say = (by, reason, text) => by.call('POST', '/v1/reports', { playerId: loud.id, reason, text })
  await loud.call('GET', '/v1/wallet')
  await say(people['Amparo'], 'harassment', 'He shouts at everybody who does not follow suit at once.')
  await say(people['Aurora'], 'harassment', 'The same as last week, three matches in a row.')
  await say(people['Alba'], 'stalling', '')
  const at = `/admin/v1/players/${loud.id}`
  await panel(page, server, owner, 'POST', at + '/grant', { coins: 250, key: 'pictures-1', reason: 'Lost in the outage of Monday.' })
  await panel(page, server, owner, 'POST', at + '/grant', { coins: -50, key: 'pictures-2', reason: 'Given twice.' })
  await panel(page, server, owner, 'POST', at + '/notes', { text: 'Wrote twice about the outage; friendly on the phone.' })
  await panel(page, server, owner, 'POST', at + '/warn', { about: 'words', reason: 'Two reports in a day.' })
  await panel(page, server, owner, 'POST', `/admin/v1/reports/${loud.id}/claim`, {})
  await panel(page, server, owner, 'POST', `/admin/v1/players/${people['Anselma'].id}/suspend`, { word: 'collusion', reason: 'Hands coins to a friend.', until: new Date(Date.now() + 6 * 86_400_000).toISOString().replace(/\.\d+/, '') })
}

/** A few versions, drafts and a proposal. */
async function seedEconomy(server, page, owner) {
  const other = await visit(page.context().browser())
  const economist = await signIn(other, server, 'economist', { name: 'Biel Roca' })
  const draft = async (by, member, name, description, change) => {
    const at = '/admin/v1/economy/drafts'
    const made = await panel(by, server, member, 'POST', at, { name, description, from: 'live' })
    return panel(by, server, member, 'PATCH', `${at}/${made.id}`, { revision: made.revision, document: change(made.document) })
  }
  const publish = (by, member, { id, revision }, base, more) =>
    panel(by, server, member, 'POST', `/admin/v1/economy/drafts/${id}/publish`, { revision, base, ...more })
  const title = await draft(other, economist, 'Words', '', (text) => text.replace('Para empezar', 'Para empezar con buen pie').replace('"windowPoints": 150', '"windowPoints": 200'))
  const { newest } = await panel(page, server, owner, 'GET', '/admin/v1/economy/versions')
  await publish(other, economist, title, newest, { reason: 'Wider queue in the mornings, and a warmer welcome.' })
  const later = await draft(page, owner, 'Levels', '', (text) => text.replace('"growth": 50', '"growth": 40'))
  await publish(page, owner, later, newest + 1, { reason: 'Levels come a little faster from January on.', from: new Date(Date.now() + 30 * 86_400_000).toISOString().replace(/\.\d+/, '') })
  const proposed = await draft(other, economist, 'Daily', '', (text) => text.replace('[50, 60, 70, 80, 100, 120, 200]', '[60, 70, 80, 100, 120, 150, 250]'))
  const { proposal } = await publish(other, economist, proposed, newest + 2, { reason: 'A streak should be worth keeping.' })
  const faulty = await draft(other, economist, 'League of twenty', 'Smaller groups, so that everybody knows their rivals.', (text) =>
    text.replace('"name": "bronze", "groupSize": 30', '"name": "bronze", "groupSize": 20').replace('"name": "silver", "groupSize": 30', '"name": "silver", "groupSize": 14'))
  const easter = await draft(page, owner, 'Easter', 'Two weeks with more for those who lose, and a longer booster.', (text) =>
    text.replace('"coins": [60, 20]', '"coins": [60, 30]').replace('"minutes": 1440', '"minutes": 2880').replace('"welcome": 500', '"welcome": 600').replace('"price": 400', '"price": 450'))
  Object.assign(seeded, { version: newest + 1, draft: easter.id, faulty: faulty.id, proposal: proposal.id })
  await other.context().close()
}

/** Drafts that were simulated over what the crowd has done. */
async function seedSimulation(server, page, owner) {
  const simulate = async (body) => {
    const { id } = await panel(page, server, owner, 'POST', '/admin/v1/simulations', body)
    let s
    do s = await panel(page, server, owner, 'GET', `/admin/v1/simulations/${id}`)
    while (s.state === 'running')
    return id
  }
  const at = '/admin/v1/economy/drafts'
  const made = await panel(page, server, owner, 'POST', at, { name: 'Spring', description: 'More for matches, less for signing up.', from: 'live' })
  const document = made.document.replace('"coins": [60, 20]', '"coins": [80, 30]').replace('"welcome": 500', '"welcome": 400')
    .replace('"price": 400', '"price": 450').replace('"prizes": [300, 200, 100]', '"prizes": [400, 250, 150, 100]')
  await panel(page, server, owner, 'PATCH', `${at}/${made.id}`, { revision: made.revision, document })
  await simulate({ source: 'shipped', days: 60 })
  await simulate({ source: 'live', days: 14 })
  seeded.simulation = await simulate({ source: `draft:${made.id}`, days: 28 })
}

/** A few colleagues, and some of what they have done. */
async function seedStaff(server, page, owner) {
  for (const [name, role] of [['Pau Ferrer', 'support'], ['Núria Vidal', 'economist'], ['Inés Romero', 'viewer']]) {
    const other = await visit(page.context().browser())
    const member = await signIn(other, server, role, { name, email: name.split(' ')[0].toLowerCase().normalize('NFD').replace(/\p{M}/gu, '') + '@example.org' })
    if (role === 'support') await panel(page, server, owner, 'PATCH', `/admin/v1/staff/${member.session.member.id}`, { role: 'economist', reason: 'Stands in for Núria during her holidays.' })
    if (role === 'viewer') await panel(page, server, owner, 'PATCH', `/admin/v1/staff/${member.session.member.id}`, { disabled: true, reason: 'Left the company.' })
    await other.context().close()
  }
  await panel(page, server, owner, 'POST', '/admin/v1/staff-invitations', { email: 'laia@example.org', role: 'support', reason: 'Answers players on weekends.' })
}

async function firstRow(page) {
  await page.locator('.row-link').first().click()
  await page.waitForSelector('.uplot canvas')
}

/** Two who win again and again against two who give their coins away, all of them in no time; and thresholds for so few matches. */
async function seedFairness(server, page, owner) {
  const document = JSON.parse(await readFile(new URL('../../server/economy/default.json', import.meta.url)))
  Object.assign(document.fairness, { oneIn: 2, marginPercent: 0, pairs: { minMatches: 5 }, flows: { minMatches: 5, minCoins: 1 } })
  await server.command(['economy', 'publish', '-', '--reason', 'A small crowd needs less.', '--author', 'Marta Soler'], JSON.stringify(document))
  const people = []
  for (const name of ['Marisol', 'Anselmo', 'Remedios', 'Benito']) people.push(await guest(server, name))
  const [a, b, c, d] = people
  const partner = new Map([[a, b], [b, a], [c, d], [d, c]])
  await befriend(a, b)
  await befriend(c, d)
  for (const p of people) await server.command(['grant', p.id, '2000', '--reason', 'For the pictures.', '--author', 'test'])
  for (let i = 0; i < 7; i++) {
    await match(people, {
      ticket: (p) => ({ rules: 'mesa', stake: 100, partnerId: partner.get(p).id }),
      // Who bids as high as they can nearly always loses.
      choose: (p, legal) => (p === a || p === b ? legal[0] : legal.at(-1)),
    })
  }
  await panel(page, server, owner, 'POST', '/admin/v1/fairness/searches')
  for (;;) {
    const { searches } = await panel(page, server, owner, 'GET', '/admin/v1/fairness/searches')
    if (searches[0].endedAt) return
  }
}

/** Weeks of play, a match that is over and one that waits. */
const shown = {}
async function seedPast(server) {
  await seeing.past(server)
  const token = await seeing.guest(server, 'Ángela')
  shown.over = await seeing.playMatch(server, token, { target: 2 })
  shown.open = await seeing.playMatch(server, token, { target: 3, done: seeing.waits })
}

const folder = fileURLToPath(new URL('../../docs/img/', import.meta.url))
const wanted = process.argv.slice(2)
await mkdir(folder, { recursive: true })
const stripe = await Stripe.start()
// Those who play for the pictures do so in no time.
const settings = { ...stripe.settings, CUATROLA_LIMIT_ADDRESS: '0', CUATROLA_LIMIT_ACCOUNT: '0' }
const browser = await launch()

/** Takes the pictures of those pages that were asked for, on a server of their own. */
async function take(of, start) {
  const chosen = of.filter((p) => wanted.length === 0 || wanted.includes(p.name))
  if (chosen.length === 0) return
  const server = await start()
  try {
    const seeder = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
    const owner = await signIn(seeder, server, 'owner', { name: 'Marta Soler', email: 'marta@example.org' })
    for (const p of chosen) await p.seed?.(server, seeder, owner, stripe)
    for (const p of chosen) {
      for (const [suffix, size, theme] of [['', desktop, 'light'], ['-phone', phone, 'dark']]) {
        const page = await visit(browser, undefined, { ...size, theme, language: p.language ?? 'en-GB' })
        if (p.role === undefined || p.role === 'owner') await page.context().addCookies(await seeder.context().cookies())
        else if (p.role !== null) await signIn(page, server, p.role)
        await open(page, server, typeof p.path === 'function' ? p.path() : p.path)
        await p.prepare?.(page)
        await settled(page)
        await page.evaluate(() => document.fonts.ready)
        await page.screenshot({ path: `${folder}admin-${p.name}${suffix}.png` })
        await page.context().close()
      }
    }
  } finally {
    await server.stop()
  }
}

try {
  await take(pages, () => GameServer.start(settings))
  await take(lookingBack, () => afterCrowd({ players: 90, hours: 0.25, settings }))
} finally {
  await browser.close()
  await stripe.stop()
}
console.log('pictures are in', folder)
