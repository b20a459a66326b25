import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { faults, GameServer, launch, nextDemand, play, startMatch, visit } from './harness.mjs'

const levels = ['aprendiz', 'tabernero', 'veterano', 'maestro']
const seated = (page) => page.$$eval('.seat [data-level]', (all) => Object.fromEntries(all.map((tag) => [tag.closest('.seat').dataset.seat, tag.dataset.level])))
const names = (page, select) => page.$$eval(`select[name=${select}] option`, (all) => all.map((o) => o.textContent))

describe('levels of the machine', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  for (const level of levels) {
    it(`plays a whole match against ${level} offline`, async () => {
      const page = await visit(browser, server.url)
      await startMatch(page, { where: 'offline', preset: 'liga', length: 'points:3', level })
      assert.deepEqual(await seated(page), { 1: level, 2: level, 3: level })
      const { demand } = await play(page)
      assert.equal(demand.kind, 'end')
      assert.deepEqual(page.faults, [])
      await page.context().close()
    })
  }

  it('chooses a level for each seat by keyboard, and remembers it', async () => {
    const page = await visit(browser, server.url + '/bots')
    await page.waitForSelector('[data-action=start][aria-busy=false]')
    await page.locator('input[name=where][value=offline]').check({ force: true })
    assert.equal(await page.inputValue('select[name=level]'), 'tabernero', 'as it always was')
    await page.selectOption('select[name=level]', 'veterano')
    await page.focus('select[name=level]')
    await page.keyboard.press('End')
    await page.waitForSelector('select[name=level-2]')
    assert.deepEqual(await Promise.all([1, 2, 3].map((seat) => page.inputValue(`select[name=level-${seat}]`))), ['veterano', 'veterano', 'veterano'])
    await page.keyboard.press('Tab')
    await page.keyboard.press('Home')
    await page.keyboard.press('Tab')
    await page.keyboard.press('End')
    assert.deepEqual(await faults(page), [])
    const chosen = { 1: 'aprendiz', 2: 'maestro', 3: 'veterano' }

    await page.reload()
    await page.waitForSelector('[data-action=start][aria-busy=false]')
    for (const [seat, level] of Object.entries(chosen)) assert.equal(await page.inputValue(`select[name=level-${seat}]`), level)
    await startMatch(page, { where: 'offline', preset: 'clasica', length: 'points:3' })
    assert.deepEqual(await seated(page), chosen)
    await play(page, { until: (demand, taken) => taken >= 2 })
    await page.reload()
    await nextDemand(page)
    assert.deepEqual(await seated(page), chosen, 'a match that is taken up again has the same players')
    await page.context().close()

    const online = await visit(browser, server.url)
    await startMatch(online, { where: 'online', preset: 'mesa', length: 'points:3', level: 'maestro' })
    assert.deepEqual(await seated(online), { 1: 'maestro', 2: 'maestro', 3: 'maestro' })
    await play(online, { until: (demand, taken) => taken >= 2 })
    assert.deepEqual(online.faults, [])
    await online.context().close()
  })

  it('takes up a match from before there were levels', async () => {
    const page = await visit(browser, server.url)
    await startMatch(page, { where: 'offline', preset: 'mesa', length: 'points:3', level: 'maestro' })
    await play(page, { until: (demand, taken) => taken >= 1 })
    await page.evaluate(() => {
      const kept = JSON.parse(localStorage.getItem('cuatrola.offline'))
      delete kept.players
      localStorage.setItem('cuatrola.offline', JSON.stringify(kept))
    })
    await page.reload()
    await nextDemand(page)
    assert.deepEqual(await seated(page), { 1: 'tabernero', 2: 'tabernero', 3: 'tabernero' })
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('calls the levels by their names in each language', async () => {
    const page = await visit(browser, server.url + '/bots')
    await page.waitForSelector('[data-action=start][aria-busy=false]')
    const called = {}
    for (const language of ['es', 'ca', 'en']) {
      await page.click('[data-action=settings]')
      await page.check(`input[name=language][value=${language}]`, { force: true })
      await page.click('[data-action=close]')
      called[language] = (await names(page, 'level')).slice(0, 4).join(', ')
    }
    assert.deepEqual(called, {
      es: 'Aprendiz, Tabernero, Veterano, Maestro', ca: 'Aprenent, Taverner, Veterà, Mestre',
      en: 'A learner, A tavern-keeper, A veteran, A master',
    })
    await page.context().close()
  })
})
