import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { afterCrowd } from '../../../scripts/crowd.mjs'
import { again, guest, match } from '../../../scripts/people.mjs'
import { fitsInEach, open, tabTo } from './economy.mjs'
import { accessible, be, desktop, launch, settled, visit } from './harness.mjs'

const english = { ...desktop, language: 'en-GB' }
const week = 7 * 86_400_000

describe('the league', () => {
  let server, browser, winner, closed
  before(async () => {
    server = await afterCrowd({ players: 16, hours: 0.3, seed: 3, ago: 1_800_000 })
    browser = await launch()
    // Somebody of the crowd who has won something in a week that is closed.
    for (const { deviceSecret } of server.people) {
      const who = await again(server, deviceSecret)
      const { seasons } = await who.call('GET', '/v1/league/seasons')
      if (seasons[0]?.prize > 0 && !(closed?.prize > seasons[0].prize)) [winner, closed] = [who, seasons[0]]
    }
    assert.ok(closed, 'nobody has won anything')
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  it('leads whoever has not scored to a match', async () => {
    const page = await visit(browser, undefined, english)
    await open(page, server, '/league')
    await page.click('[data-nobody] [data-action=enter]')
    await page.waitForSelector('[data-none]')
    await page.waitForSelector('.pitch[data-division=bronze][data-state=open]')
    await settled(page)
    await accessible(page, 'nothing scored')
    // How points come, out of the economy.
    assert.match(await page.locator('.how').textContent(), /10 if you win and 3 if you lose.*half of them count.*Bronze.*300.*Master.*2,500/)
    await page.click('[data-tab=past]')
    await page.waitForSelector('[data-past] .empty')
    await page.click('[data-tab=group]')
    await page.click('[data-action=play]')
    await page.waitForURL((url) => url.pathname === '/queue')
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('shows one’s place as soon as a match has ended, without being asked', async () => {
    const people = []
    for (const name of ['Ana', 'Bea', 'Carla', 'Dora']) people.push(await guest(server, name))
    const page = await be(await visit(browser, undefined, english), people[0])
    await open(page, server, '/league')
    await page.waitForSelector('[data-none]')
    const played = match(people)
    // The match brings its player to the table; one can look at the league from there.
    await page.waitForURL((url) => url.pathname.startsWith('/matches/'))
    await open(page, server, '/league')
    await played
    await page.waitForSelector('.standings tr[data-me]', { timeout: 60_000 })
    await settled(page)
    const { score, group } = await people[0].call('GET', '/v1/league')
    assert.ok(score.points === 10 || score.points === 3)
    assert.equal(await page.locator('[data-place]').getAttribute('data-place'), String(score.rank))
    assert.equal(await page.locator('[data-points]').getAttribute('data-points'), String(score.points))
    const row = page.locator('.standings tr[data-me]')
    assert.equal(await row.getAttribute('data-rank'), String(score.rank))
    assert.match(await row.textContent(), /Ana.*you/)
    assert.equal(await page.locator('.standings tr[data-rank]').count(), group.members.length)
    // Who moves up stands above who stays, each with a heading.
    const shown = await page.$$eval('.standings tr', (all) => all.filter((r) => r.dataset.rank || r.classList.contains('zone')).map((r) => r.dataset.rank ?? 'zone'))
    const ranks = shown.filter((r) => r !== 'zone').map(Number)
    assert.deepEqual(ranks, group.members.map((m) => m.rank))
    assert.equal(shown.indexOf('zone', 1) - 1, group.up)
    await accessible(page, 'group')

    await tabTo(page, '[data-tab=group]')
    await page.keyboard.press('ArrowRight')
    await page.waitForSelector('[data-leaderboard] tr[data-position="1"]')
    await settled(page)
    await page.selectOption('select[name=division]', 'bronze')
    await settled(page)
    await page.waitForSelector('[data-leaderboard] tr[data-me]')
    await accessible(page, 'the best')
    await page.selectOption('select[name=division]', 'master')
    await page.waitForSelector('[data-leaderboard] .empty')
    assert.deepEqual(page.faults, [])
    await page.context().close()
    await fitsInEach(browser, server, visit, people[0], ['/league', '/league?tab=best', '/league?tab=past'])
  })

  it('has the weeks behind one, with what they brought', async () => {
    const page = await be(await visit(browser, undefined, english), winner)
    await open(page, server, '/league')
    const now = await winner.call('GET', '/v1/league')
    const justNow = Date.parse(now.season.id) - Date.parse(closed.season) === week
    assert.equal(await page.locator('[data-last-week]').count(), Number(justNow))
    await page.click('[data-tab=past]')
    await page.waitForSelector(`[data-season="${closed.season}"]`)
    await accessible(page, 'other weeks')
    await page.click(`[data-season="${closed.season}"]`)
    await page.waitForSelector(`[data-closed][data-prize="${closed.prize}"]`)
    await settled(page)
    assert.equal(await page.locator('.standings tr[data-me]').getAttribute('data-rank'), String(closed.rank))
    assert.match(await page.locator('.pitch').textContent(), new RegExp(`You came in at place ${closed.rank}.*\\+${closed.prize}`))
    await accessible(page, 'a week')
    // The prize is in the statement, which leads back to the week.
    await open(page, server, '/wallet')
    await page.selectOption('select[name=kind]', 'prize')
    await settled(page)
    await page.locator('[data-kind=prize]').first().click()
    await page.waitForSelector(`.dialog a[href="/league/weeks/${closed.season}"]`)
    assert.deepEqual(page.faults, [])

    await open(page, server, '/league/weeks/2020-01-06')
    await page.waitForSelector('.empty')
    await open(page, server, '/league/weeks/never')
    await page.waitForSelector('.empty')
    await page.context().close()
    await fitsInEach(browser, server, visit, winner, [`/league/weeks/${closed.season}`, '/league?tab=past'])
  })

  it('says what one waits for while last week is being closed', async () => {
    const page = await be(await visit(browser, undefined, english), winner)
    // It takes moments: they are held fast.
    await page.route('**/v1/league', async (route) => {
      const league = await (await route.fetch()).json()
      await route.fulfill({ json: { ...league, waiting: true, group: null, score: { points: 13, matches: 2, rank: null, prize: 0, moves: 'stay' } } })
    })
    await open(page, server, '/league')
    await page.waitForSelector('[data-waiting]:has-text("13 points")')
    await accessible(page, 'waiting')
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })
})
