import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { be, GameServer, launch, movedOn, nextDemand, play, startMatch, visit } from './harness.mjs'
import { close } from './lobby.mjs'
import { layout, sizes } from './tableLayout.mjs'
import { seated } from './table.mjs'

describe('the table of a server’s match', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  const own = (page) => page.$$eval('.own-card', (all) => all.map((card) => card.dataset.card))
  const table = (page) => page.evaluate(() => ({
    cards: [...document.querySelectorAll('.own-card')].map((card) => card.dataset.card),
    trick: [...document.querySelectorAll('.played')].map((card) => card.dataset.card),
    seq: document.querySelector('.game').dataset.seq,
  }))
  const faults = () => [...server.log.matchAll(/client fault/g)].length
  const reported = async (n) => {
    while (faults() < n) await new Promise((resolve) => setImmediate(resolve))
  }

  /** A match whose server is heard only as far as `line` lets it: `held` keeps back what it says, `answer` stands in for it. */
  async function onTheLine() {
    const line = { held: false, waiting: [], answer: null, release() {
      line.held = false
      for (const go of line.waiting.splice(0)) go()
    } }
    const page = await visit(browser)
    await page.routeWebSocket(/\/v1\/stream/, (socket) => {
      const real = socket.connectToServer()
      real.onMessage((message) => (line.held ? line.waiting.push(() => socket.send(message)) : socket.send(message)))
    })
    await page.route('**/actions', async (route) => {
      if (line.answer) return line.answer(route)
      const response = await route.fetch()
      if (line.held) await new Promise((go) => line.waiting.push(go))
      return route.fulfill({ response })
    })
    await page.goto(server.url)
    await startMatch(page, { where: 'online', preset: 'clasica', length: '' })
    // In the middle of the first hand, and not the last to play.
    const { demand } = await play(page, { until: (wanted) => wanted.kind === 'play' })
    return { page, line, demand }
  }

  it('shows one’s own card at once, before the server has answered', async () => {
    const { page, line, demand } = await onTheLine()
    const [card] = demand.cards
    line.held = true
    await page.click(`.own-card[data-card="${card}"]`)
    await page.waitForSelector(`.played.me[data-card="${card}"]`)
    assert.ok(!(await own(page)).includes(card), 'it has left the hand')
    assert.equal(await page.getAttribute('.game', 'data-busy'), 'true', 'the answer is on its way')
    while (line.waiting.length === 0) await page.evaluate(() => 0)
    line.release()
    const next = await nextDemand(page)
    assert.notEqual(next.seq, demand.seq)
    if (next.kind !== 'next') {
      const before = await table(page)
      await page.reload()
      await nextDemand(page)
      assert.deepEqual(await table(page), before, 'all is as the server has it')
    }
    assert.equal(faults(), 0)
    await close(page)
  })

  it('shows what the server says where that is something else, and tells the operator', async () => {
    const { page, line, demand } = await onTheLine()
    const [card] = demand.cards
    const other = (await own(page)).find((one) => one !== card)
    const before = faults()
    // The server has taken another card: the two change places in all that it says.
    line.answer = async (route) => {
      line.held = true
      const response = await route.fetch()
      const swap = { [card]: other, [other]: card }
      await route.fulfill({ response, body: (await response.text()).replaceAll(new RegExp(`"(${card}|${other})"`, 'g'), (_, one) => `"${swap[one]}"`) })
    }
    await page.click(`.own-card[data-card="${card}"]`)
    await page.waitForSelector(`.played[data-card="${other}"]`)
    const now = await own(page)
    assert.ok(now.includes(card) && !now.includes(other), 'the hand is as the server says')
    await page.waitForFunction(() => document.querySelector('.status').textContent.includes('El servidor no estaba de acuerdo'))
    assert.match(await page.textContent('[role=log]'), /El servidor no estaba de acuerdo/)
    await reported(before + 1)
    assert.match(server.log, /client fault.*disagreement/)
    await close(page)
  })

  it('takes a card back that the server refuses by the rules, and goes on', async () => {
    const { page, line, demand } = await onTheLine()
    const [card] = demand.cards
    const before = faults()
    const stood = await table(page)
    line.answer = (route) => route.fulfill({ status: 422, contentType: 'application/problem+json', body: JSON.stringify({ status: 422, code: 'must_follow', title: 'must_follow', detail: 'You must follow.' }) })
    await page.click(`.own-card[data-card="${card}"]`)
    await page.waitForFunction(() => document.querySelector('.status').textContent.includes('El servidor no estaba de acuerdo'))
    await page.waitForSelector('.game[data-busy=false]')
    assert.deepEqual(await table(page), stood, 'all is as it was')
    await reported(before + 1)
    line.answer = null
    await page.click(`.own-card[data-card="${card}"]`)
    await movedOn(page, demand.seq)
    await play(page, { until: (wanted) => wanted.kind === 'next' })
    assert.equal(faults(), before + 1, 'it is told once')
    await close(page)
  })

  it('is whole with people and a pot, and so is the window to talk', async () => {
    const { id, me } = await seated(server, ['Montserrat Ferrer', 'Bartolomé Quesada', 'Guadalupe Ibarra', 'Francesc Puig'])
    const page = await be(await visit(browser, undefined, { phone: true, viewport: sizes[0] }), me.kept)
    let still = false
    await page.routeWebSocket(/\/v1\/stream/, (socket) => socket.connectToServer().onMessage((message) => still || socket.send(message)))
    await page.goto(`${server.url}/matches/${id}`)
    await page.waitForSelector('.own-card.legal')
    await page.waitForSelector('.seat .avatar svg')
    still = true // or a turn would run out before all has been looked at
    for (const viewport of sizes) {
      await page.setViewportSize(viewport)
      const where = `at ${viewport.width}×${viewport.height}`
      assert.deepEqual(await layout(page), [], where)
      await page.tap('[data-action=talk]')
      await page.waitForSelector('[data-say]')
      const outside = await page.$$eval('dialog, dialog button', (all) => all.filter((one) => {
        one.scrollIntoView({ block: 'nearest' })
        const box = one.getBoundingClientRect()
        const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
        return box.left < 0 || box.right > innerWidth || box.top < 0 || box.bottom > innerHeight || !one.contains(hit)
      }).map((one) => one.outerHTML.slice(0, 100)))
      assert.deepEqual(outside, [], `the window ${where}`)
      await page.keyboard.press('Escape')
      await page.waitForSelector('dialog', { state: 'detached' })
    }
    await close(page)
  })
})
