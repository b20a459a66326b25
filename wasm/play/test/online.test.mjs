import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { GameServer, launch, movedOn, nextDemand, play, startMatch, visit } from './harness.mjs'

describe('online', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
    // Whatever was played, the module and the server never disagreed, and nothing broke.
    assert.doesNotMatch(server?.log ?? '', /client fault/)
  })

  it('plays a whole match by keyboard as it was foretold, and its record is honest', async () => {
    const page = await visit(browser, server.url)
    const sent = []
    page.on('request', (request) => request.url().endsWith('/actions') && sent.push(request))
    const disagreed = []
    page.on('request', (request) => request.url().endsWith('/v1/client-faults') && disagreed.push(request.url()))
    await startMatch(page, { where: 'online', preset: 'clasica', length: 'points:3' })
    let refusedTold = 0
    const { taken, demand } = await play(page, {
      keyboard: true,
      onDemand: async (wanted) => {
        if (wanted.kind !== 'play' || wanted.illegal.length === 0 || refusedTold > 0) return
        // An illegal card is refused here, with the reason, before anything is sent.
        const before = sent.length
        // Forced, since the card says of itself that it is disabled.
        await page.click(`.own-card[data-card="${wanted.illegal[0]}"]`, { force: true })
        await page.waitForSelector('.status.notice')
        assert.match(await page.textContent('.status.notice'), /^(Hay que|No )/)
        assert.equal(sent.length, before)
        refusedTold++
      },
    })
    assert.equal(demand.kind, 'end')
    assert.equal(sent.length, taken, 'every action was sent once')
    assert.deepEqual(disagreed, [], 'what was shown before each answer came to be')

    const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-action=download]')])
    const record = JSON.parse(await readFile(await download.path(), 'utf8'))
    assert.equal(record.format, 'cuatrola-record/1')
    assert.equal(record.fair.clientSeeds.filter((seed) => seed !== '').length, 1)
    await page.click('[data-action=verify]')
    const verdict = await page.waitForSelector('[data-verdict]')
    assert.equal(await verdict.getAttribute('data-verdict'), 'ok')
    assert.equal(await verdict.getAttribute('data-valid'), 'true')

    // Whoever gets the file can check it with no account; an altered one is found out.
    await page.click('[data-action=home]')
    await page.goto(server.url + '/check')
    const file = (value) => ({ name: 'match.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(value)) })
    const check = async (value, report) => {
      await page.setInputFiles('#record-file', file(value))
      await page.waitForSelector(`[data-report=${report}]`)
      await page.click('[data-action=other]')
    }
    await check(record, 'good')
    const altered = structuredClone(record)
    const [mine, theirs] = altered.hands[0].deal
    ;[mine[0], theirs[0]] = [theirs[0], mine[0]]
    await check(altered, 'bad')
    await check({ hello: 'world' }, 'bad')
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('plays house rules by mouse', async () => {
    const page = await visit(browser, server.url)
    const created = page.waitForResponse((response) => response.url().endsWith('/v1/matches') && response.request().method() === 'POST')
    await startMatch(page, { where: 'online', preset: 'liga', length: 'points:3', options: { cantes: 'auto', undertrump: 'forced' } })
    assert.deepEqual((await (await created).json()).rules, { preset: 'liga', target: 3, cantes: 'auto', undertrump: 'forced' })
    const { demand } = await play(page, { bid: (actions) => actions.at(-1) })
    assert.equal(demand.kind, 'end')
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('comes back to the same table after a reload', async () => {
    const page = await visit(browser, server.url)
    await startMatch(page, { where: 'online', preset: 'mesa', length: '' })
    await play(page, { until: (demand, taken) => demand.kind === 'play' && taken >= 2 })
    const table = () => page.evaluate(() => ({
      cards: [...document.querySelectorAll('.own-card')].map((c) => c.dataset.card),
      seq: document.querySelector('.game').dataset.seq,
    }))
    const before = await table()
    await page.reload()
    await nextDemand(page)
    assert.deepEqual(await table(), before)
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('shows the time left, and says when the server had to act for the player', async () => {
    const page = await visit(browser, server.url)
    // The least that the server takes; the page itself leaves the server's default.
    await page.route('**/v1/matches', (route) =>
      route.continue({ postData: JSON.stringify({ rules: 'clasica', turnSeconds: 5, botPauseMs: 0 }) }))
    await startMatch(page, { where: 'online', preset: 'clasica', length: '' })
    const demand = await nextDemand(page)
    await page.waitForSelector('.clock')
    await movedOn(page, demand.seq)
    await page.waitForFunction(() => document.querySelector('.status')?.textContent.includes('Se acabó el tiempo'))
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('outlives a killed server: the page waits and the match goes on', async () => {
    const page = await visit(browser, server.url)
    await startMatch(page, { where: 'online', preset: 'clasica', length: 'points:3' })
    const { demand } = await play(page, { until: (wanted, taken) => wanted.kind === 'play' && taken >= 1 })
    await server.kill()
    await page.waitForSelector('.link')
    // A move made while nobody listens is kept and sent once somebody does.
    await page.click(`.own-card[data-card="${demand.cards[0]}"]`)
    await server.up()
    await movedOn(page, demand.seq)
    await page.waitForSelector('.link', { state: 'detached' })
    const end = await play(page)
    assert.equal(end.demand.kind, 'end')
    await page.click('[data-action=verify]')
    await page.waitForSelector('[data-verdict=ok][data-valid=true]')
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })
})
