import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { faults, fits, GameServer, launch, visit } from './harness.mjs'
import { keep, playedHere, rules, unrolled } from './matches.mjs'

const at = (page) => page.$eval('.replay', (e) => ({ hand: Number(e.dataset.hand), step: Number(e.dataset.step), steps: Number(e.dataset.steps) }))
const stands = (page, hand, step) => page.waitForFunction(([h, s]) => {
  const replay = document.querySelector('.replay')
  return replay?.dataset.steps && replay.dataset.hand === String(h) && replay.dataset.step === String(s)
}, [hand, step])
/** What lies open on the table: each seat's cards, and the trick. */
const seen = (page) => page.evaluate(() => ({
  held: [0, 1, 2, 3].map((seat) => [...document.querySelectorAll(`.replay-board-seat[data-seat="${seat}"] [data-held]`)].map((c) => c.dataset.held).sort()),
  trick: [...document.querySelectorAll('.replay-board-trick [data-card]')].map((c) => [Number(c.dataset.by), c.dataset.card]),
  trump: document.querySelector('[data-trump]').dataset.trump,
}))

/** What has to lie there, told by the record and by whose turn it was, which the module says. */
function expected(record, hand) {
  const { deal, actions, trump } = record.hands[hand]
  const turns = rules.trace(record).trace.filter((entry) => entry.hand === hand)
  const held = deal.map((cards) => [...cards].sort())
  const steps = [{ held: structuredClone(held), trick: [], trump }]
  let trick = []
  const out = turns.at(-1) && [0, 1, 2, 3].filter((seat) => !turns.some((turn) => turn.seat === seat && turn.phase === 'play')).length
  for (const [i, action] of actions.entries()) {
    const { seat, phase } = turns[i]
    if (phase === 'play') {
      if (trick.length === 4 - out) trick = []
      trick = [...trick, [seat, action]]
      held[seat] = held[seat].filter((card) => card !== action)
    }
    steps.push({ held: structuredClone(held), trick, trump })
  }
  return steps
}

describe('replay', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  const record = playedHere({ id: 'replayed', house: { preset: 'clasica', end: 'points', target: 5 } })

  async function open(options = {}, address = '/history/local/replayed', records = [record]) {
    const page = await visit(browser, undefined, options)
    await keep(page, { records })
    await page.goto(server.url + address)
    await page.waitForSelector('.replay[data-steps]')
    return page
  }

  it('shows at each step the cards that the record has, by keyboard', async () => {
    const page = await open()
    await page.check('input[name=open]')
    for (let hand = 0; hand < record.hands.length; hand++) {
      const steps = expected(record, hand)
      for (const [step, wanted] of steps.entries()) {
        await stands(page, hand, step)
        assert.deepEqual(await seen(page), wanted, `hand ${hand + 1}, step ${step}`)
        // The list in words goes along.
        assert.equal(await page.getAttribute('.replay-log [aria-current=step]', 'data-go'), String(step))
        // The next step behind a hand's last is the next hand's deal.
        await page.keyboard.press('ArrowRight')
      }
    }
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('goes back and forth by keys, slider, chapters and the list, and stays where it was after a reload', async () => {
    const page = await open()
    await stands(page, 0, 0)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await stands(page, 0, 2)
    await page.keyboard.press('ArrowLeft')
    await stands(page, 0, 1)
    await page.keyboard.press('End')
    const { steps } = await at(page)
    await stands(page, 0, steps)
    assert.ok(await page.isVisible('[data-result]'), 'what the hand brought')
    await page.keyboard.press('ArrowRight')
    await stands(page, 1, 0)
    await page.keyboard.press('ArrowLeft')
    await stands(page, 0, steps)
    await page.keyboard.press('Home')
    await stands(page, 0, 0)
    assert.equal(await page.getAttribute('[data-action=previous]', 'aria-disabled'), 'true')
    await page.keyboard.press('PageDown')
    await stands(page, 1, 0)
    await page.keyboard.press('PageUp')
    await stands(page, 0, 0)

    // The slider says in words where it stands.
    await page.focus('input[name=step]')
    await page.keyboard.press('ArrowRight')
    await stands(page, 0, 1)
    assert.equal(await page.getAttribute('input[name=step]', 'aria-valuetext'), await page.textContent('.replay-said'))
    await page.click('[data-chapter="1"]')
    await stands(page, 1, 0)
    await page.click('.replay-log [data-go="3"]')
    await stands(page, 1, 3)
    await page.click('[data-action=last]')
    await page.click('[data-action=first]')
    await stands(page, 1, 0)
    await page.click('[data-action=next]')
    await stands(page, 1, 1)

    await page.waitForURL(/hand=2&step=1/)
    await page.reload()
    await stands(page, 1, 1)
    await page.context().close()
  })

  it('plays by itself, stops where one steps in, and at the end of the match', async () => {
    const page = await open()
    await page.clock.install()
    await page.click('[data-action=play]')
    await page.waitForFunction(() => Number(document.querySelector('.replay').dataset.step) >= 2)
    await page.keyboard.press('ArrowRight')
    await page.waitForSelector('[data-action=play][aria-label=Reproducir]')
    const { step } = await at(page)
    assert.ok(step >= 3)
    await page.clock.fastForward(60_000)
    assert.deepEqual((await at(page)).step, step, 'who steps has stopped it')
    const last = record.hands.length - 1
    await page.click(`[data-chapter="${last}"]`)
    await stands(page, last, 0)
    await page.keyboard.press('End')
    const { steps } = await at(page)
    await page.keyboard.press('ArrowLeft')
    await stands(page, last, steps - 1)
    await page.focus('h1')
    await page.keyboard.press(' ')
    await page.waitForFunction(() => document.querySelector('.replay').dataset.step === document.querySelector('.replay').dataset.steps)
    await page.waitForSelector('[data-action=play][aria-label=Reproducir]')
    assert.equal(await page.getAttribute('[data-action=next]', 'aria-disabled'), 'true')
    await page.context().close()
  })

  it('stays in the hand that one went to when keys are faster than its steps', async () => {
    const page = await open()
    // The next hand is read ahead of time; this one is not there before the keys are through.
    await page.evaluate(async () => {
      document.querySelector('[data-chapter="2"]').click()
      for (const key of ['End', 'ArrowLeft', 'ArrowRight', 'ArrowLeft']) {
        await undefined
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      }
    })
    await page.waitForSelector('.replay[data-steps]')
    const { hand, step, steps } = await at(page)
    assert.deepEqual([hand, step], [2, steps])
    await page.context().close()
  })

  it('shows one’s own cards alone until all are wanted, and remembers that', async () => {
    const page = await open()
    const held = async () => (await seen(page)).held.map((cards) => cards.length)
    assert.deepEqual(await held(), [5, 0, 0, 0])
    await page.keyboard.press('o')
    assert.deepEqual(await held(), [5, 5, 5, 5])
    await page.reload()
    await page.waitForSelector('.replay[data-steps]')
    assert.deepEqual(await held(), [5, 5, 5, 5])
    await page.uncheck('input[name=open]')
    // The switch has the focus and the arrows still step.
    await page.keyboard.press('ArrowRight')
    await stands(page, 0, 1)
    assert.deepEqual(await held(), [5, 0, 0, 0])
    await page.context().close()
  })

  it('says each step once to who listens, with tricks, cantes and the hand’s end', async () => {
    const page = await open()
    assert.equal(await page.getAttribute('.replay-said', 'aria-live'), 'polite')
    const told = []
    await page.keyboard.press('End')
    const { steps } = await at(page)
    for (let step = 0; step <= steps; step++) told.push(await page.textContent(`.replay-log [data-go="${step}"]`))
    assert.equal(told.filter((text) => /Baza para|La baza es tuya/.test(text)).length, rules.replay(record).hands[0].tricks.length)
    assert.match(told[0], /Triunfo: /)
    assert.match(told.at(-1), /Mano para (nosotros|ellos): \+\d/)
    assert.equal(await page.textContent('.replay-said'), told.at(-1))
    await page.context().close()
  })

  for (const [house, name] of [[{ preset: 'mesa', end: 'hands', target: 3 }, 'cantes that count by themselves'], [{ preset: 'liga', end: 'points', target: 5 }, 'bids on tricks']]) {
    it(`replays a match with ${name}`, async () => {
      const other = playedHere({ id: 'other', house, level: 'tabernero' })
      const page = await open({}, '/history/local/other', [other])
      await page.keyboard.press('o')
      for (let hand = 0; hand < other.hands.length; hand++) {
        await page.click(`[data-chapter="${hand}"]`)
        const steps = expected(other, hand)
        await page.keyboard.press('End')
        await stands(page, hand, steps.length - 1)
        assert.deepEqual(await seen(page), steps.at(-1))
      }
      const { hands } = rules.replay(other)
      assert.deepEqual(
        await page.$$eval('[data-chapter] .chapter-score', (all) => all.map((e) => e.textContent.replace(/[^\d– ]/g, '').trim())),
        hands.map(({ score }) => `${score[0]} – ${score[1]}`),
      )
      assert.deepEqual(page.faults, [])
      await page.context().close()
    })
  }

  it('lets nothing of one seat lie on another’s, at any step', async () => {
    for (const [language, viewport] of [['es-ES', { width: 360, height: 740 }], ['ca-ES', { width: 1280, height: 720 }], ['en-GB', { width: 1280, height: 800 }]]) {
      const page = await open({ language, viewport, phone: viewport.width === 360 })
      await page.keyboard.press('o')
      for (const step of expected(record, 0).keys()) {
        await stands(page, 0, step)
        const lying = await page.evaluate(() => {
          const parts = [...document.querySelectorAll('.replay-score, .replay-said, .replay-board-seat > *')]
            .map((e) => [e.parentElement.dataset.seat ?? e.className, e.className, e.getBoundingClientRect()])
          const over = ([, , a], [, , b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1
          return parts.flatMap((one, n) => parts.slice(n + 1).filter((other) => one[0] !== other[0] && over(one, other)).map((other) => `${one[0]} ${one[1]} and ${other[0]} ${other[1]}`))
        })
        assert.deepEqual(lying, [], `step ${step}, ${language}, ${viewport.width}×${viewport.height}`)
        await page.keyboard.press('ArrowRight')
      }
      await page.context().close()
    }
  })

  for (const theme of ['light', 'dark']) {
    it(`has nothing to find fault with, and fits a phone, ${theme}`, async () => {
      const page = await open({ theme, viewport: { width: 360, height: 740 }, phone: true })
      for (const key of ['ArrowRight', 'o', 'End']) {
        await page.keyboard.press(key)
        await fits(page, theme)
      }
      await unrolled(page)
      for (const key of ['Home', 'o', 'End']) {
        await page.keyboard.press(key)
        assert.deepEqual(await faults(page), [], key)
      }
      await page.context().close()
      const wide = await open({ theme })
      await wide.keyboard.press('o')
      assert.deepEqual(await faults(wide), [])
      // Table and what one steps with are in sight together.
      assert.ok(await wide.$eval('.replay-controls', (e) => e.getBoundingClientRect().bottom <= innerHeight))
      await wide.context().close()
    })
  }
})
