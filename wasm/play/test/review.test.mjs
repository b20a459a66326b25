import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { reviewText, tally } from '@cuatrola/rules'
import { faults, fits, GameServer, launch, play, startMatch, visit } from './harness.mjs'
import { keep, playedHere, rules, unrolled } from './matches.mjs'

const done = (page) => page.waitForFunction(() => {
  const shown = document.querySelector('[data-reviewed]')
  return shown && shown.dataset.reviewed === shown.dataset.of && shown.getAttribute('aria-busy') === 'false'
}, undefined, { timeout: 240_000 })
const stands = (page, hand, step) => page.waitForFunction(([h, s]) => {
  const { dataset } = document.querySelector('.replay')
  return dataset.hand === String(h) && dataset.step === String(s)
}, [hand, step])
const wrong = new Set(['doubtful', 'mistake', 'blunder'])

describe('review', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  const record = playedHere({ id: 'reviewed', house: { preset: 'liga', end: 'points', target: 3 }, careless: true })
  const reviews = record.hands.map((_, hand) => rules.review(record, { hand }))
  const mistakes = (whose) => reviews.flatMap((review, hand) => review.decisions.filter((d) => whose(d.seat) && wrong.has(d.verdict)).map((d) => ({ hand, step: d.action + 1, d })))

  async function open(options = {}) {
    const page = await visit(browser, undefined, options)
    await keep(page, { records: [record] })
    await page.goto(server.url + '/history/local/reviewed?view=review')
    await done(page)
    return page
  }

  it('looks at a match that was played here, with the network off', async () => {
    const page = await visit(browser, server.url)
    await page.evaluate(() => navigator.serviceWorker.ready)
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await page.context().setOffline(true)
    await startMatch(page, { where: 'offline', preset: 'liga', length: 'points:3' })
    const { demand } = await play(page)
    assert.equal(demand.kind, 'end')
    await page.goto(server.url + '/history')
    await page.click('[data-kept=device] a')
    await page.waitForSelector('.replay[data-steps]')
    await page.click('[data-tab=review]')
    await done(page)
    assert.ok(Number(await page.getAttribute('[data-reviewed]', 'data-of')) > 0)
    await page.click('[data-tab=check]')
    await page.waitForSelector('[data-report=good]')
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('says how well everybody played, as the module does', async () => {
    const page = await open()
    for (const seat of [0, 1, 2, 3]) {
      const { accuracy } = tally(reviews.map((review) => review.seats[seat]))
      assert.equal(await page.getAttribute(`[data-seat="${seat}"] [data-accuracy]`, 'data-accuracy'), String(accuracy))
    }
    // Its course, as a drawing and as numbers.
    await page.click('.coach-course summary')
    const rows = await page.$$eval('.coach-course tbody tr', (all) => all.map((row) => row.textContent))
    assert.equal(rows.length, record.hands.length)
    const won = rules.replay(record).winner === 0
    assert.match(rows.at(-1), won ? /100\s%$/ : /\b0\s%$/)
    await page.context().close()
  })

  it('goes from mistake to mistake, one’s own or everybody’s, and says what was better and what it cost', async () => {
    const page = await open()
    for (const [whose, choice] of [[(seat) => seat === 0, 'mine'], [() => true, 'all']]) {
      await page.locator(`input[name=whose][value=${choice}]`).check({ force: true })
      await page.click('[data-chapter="0"]')
      const found = mistakes(whose)
      assert.ok(found.length > 0)
      for (const { hand, step, d } of found) {
        // By key and by button.
        if (choice === 'mine') await page.click('[data-action=next-mistake]')
        else {
          await page.focus('h1')
          await page.keyboard.press('m')
        }
        await stands(page, hand, step)
        await page.waitForSelector(`[data-coach=${d.verdict}]`)
        const said = await page.textContent('.coach-said')
        assert.ok(said.includes(d.reasons[0].text), said)
        if (d.best !== d.played) assert.match(said, /Mejor: .*Costó: /)
        assert.equal(await page.getAttribute('.replay-board [data-verdict]', 'data-verdict'), d.verdict, 'on the table too')
        const better = await page.$eval('.replay-board', (board) => board.querySelector('.better')?.dataset.held ?? null)
        if (d.seat === 0 && d.phase === 'play' && d.best !== d.played) assert.equal(better, d.best)
      }
      assert.equal(await page.getAttribute('[data-action=next-mistake]', 'aria-disabled'), 'true')
      const marked = await page.$$eval('[data-chapter]', (all) => all.map((b) => Number(/\d+/.exec(b.querySelector('.chapter-mistakes')?.textContent ?? '0')[0])))
      assert.deepEqual(marked, record.hands.map((_, hand) => found.filter((m) => m.hand === hand).length))
    }
    // What another did is not judged while one looks at one's own.
    await page.locator('input[name=whose][value=mine]').check({ force: true })
    await page.waitForSelector('[data-coach=none], [data-coach]')
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('lays open what each option was worth', async () => {
    const page = await open()
    const { hand, step, d } = mistakes((seat) => seat === 0)[0]
    await page.goto(`${server.url}/history/local/reviewed?view=review&hand=${hand + 1}&step=${step}`)
    await done(page)
    await page.click('.coach-options summary')
    assert.equal((await page.$$('.coach-options tbody tr')).length, d.options.length)
    assert.match(await page.textContent('.coach-options tr.best'), /lo mejor/)
    assert.match(await page.textContent('.coach-options tr.played'), /lo jugado/)
    await page.context().close()
  })

  it('speaks three languages, also of what it has looked at already', async () => {
    const page = await open()
    const { hand, step, d } = mistakes((seat) => seat === 0)[0]
    await page.click('[data-action=next-mistake]')
    await stands(page, hand, step)
    const said = new Set()
    for (const language of ['es', 'ca', 'en']) {
      await page.click('[data-action=settings]')
      await page.check(`input[name=language][value=${language}]`, { force: true })
      await page.click('[data-action=close]')
      await page.waitForSelector(`html[lang=${language}]`)
      await page.waitForSelector(`[data-coach=${d.verdict}]`)
      const text = await page.textContent(`[data-reason=${d.reasons[0].code}]`)
      assert.equal(text, reviewText(d.reasons[0], language))
      said.add(text).add(await page.textContent('.coach-verdict strong'))
    }
    assert.ok(said.size >= 5, 'each in words of its own')
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('does not judge others’ cards while one asks for one’s own', async () => {
    const page = await open()
    const { hand, step } = mistakes((seat) => seat !== 0)[0]
    await page.click(`[data-chapter="${hand}"]`)
    await page.click(`.replay-log [data-go="${step}"]`)
    await page.waitForSelector('[data-coach=none]')
    assert.equal(await page.$('.replay-board [data-verdict]'), null)
    await page.context().close()
  })

  for (const theme of ['light', 'dark']) {
    it(`has nothing to find fault with, and fits a phone, ${theme}`, async () => {
      const page = await open({ theme, viewport: { width: 360, height: 740 }, phone: true })
      await page.click('[data-action=next-mistake]')
      await page.click('.coach-options summary')
      await page.click('.coach-course summary')
      await fits(page, theme)
      await unrolled(page)
      assert.deepEqual(await faults(page), [])
      await page.context().close()
    })
  }
})
