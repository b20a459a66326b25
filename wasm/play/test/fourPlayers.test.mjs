import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { GameServer, launch, nextDemand, play } from './harness.mjs'
import { as, key, person } from './lobby.mjs'

describe('four people', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  /** Four people in a room whose match has begun, by seat. */
  async function seated(names, rules) {
    const people = await Promise.all(names.map((name) => person(server, name)))
    const [owner, ...others] = people
    const room = await owner.call('POST', '/v1/rooms', { rules, turnSeconds: 120, botPauseMs: 0 }, key())
    for (const other of others) {
      await other.call('POST', '/v1/rooms/join', { code: room.code })
      await other.call('PUT', `/v1/rooms/${room.id}/ready`, { ready: true })
    }
    await owner.call('POST', `/v1/rooms/${room.id}/start`, undefined, key())
    const { id } = await owner.call('GET', '/v1/me/engagement')
    const views = await Promise.all(people.map((one) => one.call('GET', `/v1/matches/${id}`)))
    const bySeat = []
    views.forEach((view, i) => (bySeat[view.you] = people[i]))
    return { id, people: bySeat }
  }

  it('play a whole match in four browsers, one of them killed and returned twice', async () => {
    const { id, people } = await seated(['Ana', 'Pau', 'Eli', 'Marta'], { preset: 'clasica', end: 'points', target: 3 })
    const open = (who) => as(browser, server, who, `/matches/${id}`)
    const pages = await Promise.all(people.map(open))
    await Promise.all(pages.map((page) => page.waitForSelector('.seat .name')))
    const names = await Promise.all(pages.map((page) => page.$$eval('.seat .name', (all) => all.map((one) => one.textContent).sort())))
    names.forEach((seen, seat) => assert.deepEqual(seen, people.filter((_, other) => other !== seat).map((one) => one.name).sort(), 'one sees who the others are'))
    // Whoever is known by a picture has it at the table.
    await pages[0].waitForSelector('.seat .avatar svg')

    // The others play on; Pau's browser is closed in the middle, twice, and comes back to the same cards.
    const whole = [0, 2, 3].map((seat) => play(pages[seat]))
    let [, pau] = pages
    for (const actions of [2, 3]) {
      const { demand } = await play(pau, { until: (wanted, taken) => taken >= actions && wanted.kind !== 'next' })
      assert.notEqual(demand.kind, 'end', 'the match lasts')
      const cards = await pau.$$eval('.own-card', (all) => all.map((card) => card.dataset.card))
      assert.deepEqual(pau.faults, [])
      const context = pau.context()
      await pau.close()
      pau = await context.newPage()
      pau.faults = []
      pau.on('pageerror', (err) => pau.faults.push(String(err)))
      await pau.goto(`${server.url}/matches/${id}`)
      await nextDemand(pau)
      assert.deepEqual(await pau.$$eval('.own-card', (all) => all.map((card) => card.dataset.card)), cards, 'the cards are where they were')
    }
    pages[1] = pau
    whole.push(play(pau))
    const ends = await Promise.all(whole)
    assert.deepEqual(ends.map(({ demand }) => demand.kind), ['end', 'end', 'end', 'end'])

    const records = await Promise.all(people.map((one) => one.call('GET', `/v1/matches/${id}/record`)))
    for (const record of records) assert.deepEqual(record, records[0], 'all have the same record')
    assert.deepEqual(records[0].players.map(({ name, bot }) => ({ name, bot })), people.map(({ name }) => ({ name, bot: false })))
    assert.equal(records[0].fair.clientSeeds.filter((seed) => seed !== '').length, 4, 'each has brought a seed')
    const won = await Promise.all(pages.map((page) => page.getAttribute('[data-end]', 'data-end')))
    assert.equal(won[0], won[2])
    assert.equal(won[1], won[3])
    assert.notEqual(won[0], won[1])
    for (const page of pages) {
      await page.click('[data-action=verify]')
      await page.waitForSelector('[data-verdict=ok][data-valid=true]')
      assert.deepEqual(page.faults, [])
    }
    await Promise.all(pages.map((page) => page.context().close()))
  })

  it('talk, are muted and reported', async () => {
    const { id, people } = await seated(['Aina', 'Biel', 'Caterina', 'David'], { preset: 'mesa' })
    const [aina, biel] = await Promise.all(people.slice(0, 2).map((who) => as(browser, server, who, `/matches/${id}`)))
    await aina.waitForSelector('.seat .avatar svg')
    const say = async (page, code) => {
      await page.click('[data-action=talk]')
      await page.click(`[data-say=${code}]`)
      await page.waitForSelector('dialog', { state: 'detached' })
    }
    await say(aina, 'good_luck')
    await biel.waitForSelector('.seat[data-seat="0"] .bubble.words')
    assert.match(await biel.textContent('.seat[data-seat="0"] .bubble.words'), /Suerte/)
    await biel.waitForFunction((name) => document.querySelector('[role=log]').textContent.includes(`${name} dice: `), people[0].name)
    await aina.waitForSelector('.me .bubble.words')

    await biel.click('.seat[data-seat="0"] [data-action=person]')
    await biel.click('[data-action=mute]')
    await biel.waitForFunction(() => document.querySelector('.seat[data-seat="0"] .marks').textContent.includes('Silenciado'))
    assert.deepEqual(await people[1].call('GET', `/v1/matches/${id}/mutes`), { seats: [0] })

    await biel.click('.seat[data-seat="0"] [data-action=person]')
    await biel.click('[data-action=report]')
    await biel.check('input[name=reason][value=stalling]', { force: true })
    await biel.fill('textarea[name=text]', 'Siempre hasta el último segundo.')
    const sent = biel.waitForResponse((response) => response.url().endsWith('/v1/reports'))
    await biel.click('[data-action=confirm]')
    assert.equal((await sent).status(), 201)
    for (const page of [aina, biel]) {
      assert.deepEqual(page.faults, [])
      await page.context().close()
    }
  })
})
