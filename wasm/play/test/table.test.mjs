import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { GameServer, languages, launch, movedOn, nextDemand, play } from './harness.mjs'
import { close } from './lobby.mjs'
import { rules } from './matches.mjs'
import { listen, moments, sit, standing, upset } from './table.mjs'
import { layout, sizes } from './tableLayout.mjs'
import { told } from './tableWords.mjs'

describe('the table', () => {
  let server, browser
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  const kept = (page, name) => page.evaluate((key) => JSON.parse(localStorage.getItem('cuatrola.' + key)), name)
  /** The match on this device that is over. */
  const finished = async (page) => kept(page, 'finished.' + (await kept(page, 'finished'))[0].id)

  describe('is whole at every size', () => {
    const whole = async (page, where) => {
      for (const viewport of sizes) {
        await page.setViewportSize(viewport)
        assert.deepEqual(await layout(page), [], `${where} at ${viewport.width}×${viewport.height}`)
      }
    }

    for (const [i, [moment, then]] of [['bids'], ['trick'], ['solo', 'refused'], ['cante'], ['hand', 'result'], ['end', 'end']].entries()) {
      it(`at ${then ?? moment}`, async () => {
        const page = await sit(browser, server, moments[moment](), { phone: true, viewport: sizes[0], language: languages[i % 3] })
        const demand = await nextDemand(page)
        if (then === 'refused') {
          const dimmed = (card) => page.$eval(`[data-card="${card}"].own-card .face`, (face) => getComputedStyle(face).filter)
          assert.match(await dimmed(demand.illegal[0]), /brightness\(0\.[1-7]/)
          assert.doesNotMatch(await dimmed(demand.cards[0]), /brightness/)
          for (const card of demand.illegal) {
            // Forced, since the card says of itself that it is disabled.
            await page.tap(`.own-card[data-card="${card}"]`, { force: true })
            await page.waitForSelector('.status.notice')
            const why = await page.getAttribute(`.own-card[data-card="${card}"]`, 'title')
            assert.equal((await page.textContent('.status')).trim(), why)
            assert.ok(why.length > 10 && !why.includes('_'), why)
          }
          assert.equal(await page.getAttribute('.game', 'data-seq'), demand.seq, 'nothing was played')
        } else if (then) {
          await page.tap(`.own-card[data-card="${demand.cards[0]}"]`)
          await page.waitForSelector('[data-action=next]')
          if (then === 'end') {
            await whole(page, 'the last hand')
            assert.match(await page.textContent('[data-action=next]'), /final|ends/i)
            await page.tap('[data-action=next]')
            await page.waitForSelector('[data-end=won]')
          }
        }
        await whole(page, then ?? moment)
        await close(page)
      })
    }

    for (const language of languages) {
      it(`whoever sang, in ${language}`, async () => {
        for (const seat of [1, 2, 3]) {
          const page = await sit(browser, server, moments.sung(seat), { phone: true, viewport: sizes[0], language })
          await page.waitForSelector(`[data-seat="${seat}"] [data-cante=E]`)
          // As long as people’s names come.
          await page.$$eval('.seat .name', (all) => all.forEach((name) => (name.textContent = 'Guadalupe Ibarrarán')))
          await whole(page, `a cante of seat ${seat}`)
          await close(page)
        }
      })
    }
  })

  describe('is played by its words alone, with keys alone', () => {
    // The player holds the ace of trumps, leads, and has a king and its knight: whatever the others do, there is a cante.
    const sings = () => standing((view) => {
      const suits = ['O', 'C', 'E', 'B'].filter((suit) => view.cards.includes('R' + suit) && view.cards.includes('C' + suit))
      return view.phase === 'bid' && view.bids.length === 0 && view.handsFinished === 0 && view.cards.includes('A' + view.trump[1]) && suits.length > 0
    }, { house: { preset: 'clasica', end: 'points', target: 3 }, hands: 1 })

    for (const language of languages) {
      it(`in ${language}`, async () => {
        const page = await sit(browser, server, sings(), { language, before: listen })
        const words = told[language.slice(0, 2)]
        const lines = () => page.evaluate(() => globalThis.heard)
        let known = 0
        let bidding = true
        let tried = 0
        /** Waits for the next line that somebody who only listens would act on. */
        const next = async () => {
          await page.waitForFunction((n) => globalThis.heard.length > n, known, { polling: 10 })
          return (await lines())[known++]
        }
        for (let over = false; !over; ) {
          const line = await next()
          if (line === words.yourBid || (bidding && words.refused.test(line))) {
            bidding = true
            await page.keyboard.press(tried++ === 0 ? 's' : 'p')
          } else if (line === words.yourSing) await page.keyboard.press('Enter')
          else if (line === words.yourPlay || words.refused.test(line)) {
            // From the first card on, until one may be played.
            bidding = false
            if (line === words.yourPlay) tried = 0
            await page.keyboard.press(String(++tried))
            await page.keyboard.press('Enter')
          } else if (words.hand.test(line)) {
            tried = 1
            await page.keyboard.press('Enter')
          } else if (words.over.test(line)) over = true
        }

        const record = await finished(page)
        const expected = words.of(record, rules.replay(record))
        const quiet = (line) => line === words.yourBid || line === words.yourSing || line === words.yourPlay || words.refused.test(line)
        assert.deepEqual((await lines()).filter((line) => !quiet(line)), expected)
        assert.ok(expected.some((line) => words.cante.test(line)), 'somebody sang')
        await page.waitForSelector('[data-end]')
        await close(page)
      })
    }
  })

  describe('sounds, trembles and moves as it is told to', () => {
    /** Tells what the page asks of the device, which does it all the same. */
    const spied = async (page) => {
      await page.addInitScript(() => {
        globalThis.made = { contexts: 0, sounds: [], shakes: [], flights: [], broken: [] }
        const Real = globalThis.AudioContext
        globalThis.AudioContext = class extends Real {
          constructor() {
            super()
            globalThis.made.contexts++
          }
        }
        for (const Source of [OscillatorNode, AudioBufferSourceNode]) {
          const { start } = Source.prototype
          Source.prototype.start = function (...given) {
            globalThis.made.sounds.push(Source.name === 'OscillatorNode' ? 'tone' : 'rustle')
            return start.apply(this, given)
          }
        }
        navigator.vibrate = (ms) => globalThis.made.shakes.push(ms) > 0
        const { animate } = Element.prototype
        const middle = (rect) => ({ x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 })
        const seats = () => Object.fromEntries([...document.querySelectorAll('.game [data-seat]')].map((seat) => [seat.dataset.seat, middle(seat.getBoundingClientRect())]))
        Element.prototype.animate = function (...given) {
          const place = middle(this.getBoundingClientRect())
          const flight = animate.apply(this, given)
          const from = middle(this.getBoundingClientRect())
          const { duration } = flight.effect.getTiming()
          flight.currentTime = duration - 0.001
          const to = middle(this.getBoundingClientRect())
          flight.currentTime = 0
          globalThis.made.flights.push({ card: this.dataset.card, own: this.classList.contains('me'), place, from, to, seats: seats(), out: given[1].fill === 'forwards' })
          return flight
        }
      })
    }
    const made = (page) => page.evaluate(() => globalThis.made)
    const near = (a, b) => Math.hypot(a.x - b.x, a.y - b.y)

    it('is quiet until sounds are wanted, and sounds and trembles then', async () => {
      const page = await sit(browser, server, moments.trick(), { before: spied })
      await play(page, { until: (demand, taken) => taken >= 2 && demand.kind !== 'next' && demand.kind !== 'end' })
      const { contexts, sounds, shakes } = await made(page)
      assert.deepEqual({ contexts, sounds, shakes }, { contexts: 0, sounds: [], shakes: [] })

      await page.click('[data-action=settings]')
      await page.locator('dialog input[name=sound]').check({ force: true })
      await page.locator('dialog input[name=vibration]').check({ force: true })
      await page.click('dialog footer [data-action=close]')
      const sample = await made(page)
      assert.equal(sample.contexts, 1)
      assert.deepEqual(sample.sounds, ['tone', 'tone', 'tone'])
      await play(page, { until: (demand, taken) => taken >= 1 && demand.kind !== 'next' && demand.kind !== 'end' })
      // A card's rustle, and the two tones that call one.
      await page.waitForFunction(() => globalThis.made.sounds.slice(3).includes('rustle') && globalThis.made.sounds.slice(3).filter((one) => one === 'tone').length >= 2)
      const heard = await made(page)
      assert.equal(heard.contexts, 1, 'one context for all')
      assert.deepEqual([...new Set(heard.shakes.slice(1))], [40], 'it trembles when it is one’s turn')

      // It stays so, and can be taken back.
      await page.reload()
      await nextDemand(page)
      assert.deepEqual(await kept(page, 'ways'), { cards: null, sound: true, vibration: true, still: false })
      await close(page)
    })

    it('shows plain cards to whoever wants contrast, by choice or by the system’s', async () => {
      const page = await sit(browser, server, moments.trick())
      const faces = () => page.$$eval('.own-card .face, .played .face, .trump .face', (all) => all.map((face) => face.classList.contains('clear')))
      assert.deepEqual([...new Set(await faces())], [false])
      assert.ok((await page.$$('.own-card .figure')).length > 0)
      await page.click('[data-action=settings]')
      await page.locator('dialog input[name=cards][value=clear]').check({ force: true })
      await page.click('dialog footer [data-action=close]')
      assert.deepEqual([...new Set(await faces())], [true])
      assert.equal((await page.$$('.own-card .figure')).length, 0)
      await page.click('[data-action=settings]')
      await page.locator('dialog input[name=cards][value=auto]').check({ force: true })
      await page.click('dialog footer [data-action=close]')
      assert.deepEqual([...new Set(await faces())], [false])
      await page.emulateMedia({ contrast: 'more' })
      await page.waitForSelector('.own-card .face.clear')
      assert.deepEqual([...new Set(await faces())], [true])
      await close(page)
    })

    it('moves nothing where the system or the player wants that', async () => {
      const page = await sit(browser, server, moments.trick(), { before: spied, pace: 60 })
      const plays = () => play(page, { until: (demand, taken) => taken >= 2 && demand.kind !== 'next' && demand.kind !== 'end' })
      const moving = () => page.evaluate(() => document.getAnimations().length)
      await plays()
      assert.deepEqual((await made(page)).flights, [])
      assert.equal(await moving(), 0)
      await page.emulateMedia({ reducedMotion: 'no-preference' })
      await page.click('[data-action=settings]')
      await page.locator('dialog input[name=still]').check({ force: true })
      await page.click('dialog footer [data-action=close]')
      await plays()
      assert.deepEqual((await made(page)).flights, [])
      assert.equal(await page.evaluate(() => [...document.querySelectorAll('.game *')].flatMap((one) => one.getAnimations()).length), 0)
      await close(page)
    })

    it('lets cards fly from who plays them, and tricks to who takes them', async () => {
      // A hand with which one takes little: what one takes oneself is gone as soon as one leads.
      const weak = standing((view) => view.phase === 'play' && view.hand.tricks.length === 0 && view.table.cards.length > 0 && view.out === null
        && !view.cards.some((card) => card[0] === 'A' || card[1] === view.trump[1]))
      const page = await sit(browser, server, weak, {
        pace: 150, before: async (opened) => {
          await spied(opened)
          await opened.emulateMedia({ reducedMotion: 'no-preference' })
        },
      })
      const { demand } = await play(page, { until: (wanted) => wanted.kind === 'next' })
      assert.equal(demand.kind, 'next')
      const { flights } = await made(page)
      const { tricks } = rules.replay(await kept(page, 'offline')).hands.at(-1)
      const lay = weak.hands.at(-1).actions.filter((action) => tricks[0].cards.includes(action))
      const into = flights.filter((flight) => !flight.out)
      assert.deepEqual(into.map(({ card }) => card), tricks.flatMap(({ cards }) => cards).filter((card) => !lay.includes(card)), 'every card comes flying')
      for (const { card, own, place, from, to, seats } of into) {
        const { lead, cards } = tricks.find((trick) => trick.cards.includes(card))
        const seat = (lead + cards.indexOf(card)) % 4
        assert.ok(near(to, place) < 3, `${card} ends where it lies`)
        if (seat === 0) assert.ok(own && from.y > place.y + 60, `${card} comes from one’s own hand`)
        else assert.ok(near(from, seats[seat]) < 8, `${card} comes from seat ${seat}`)
      }
      const out = flights.filter((flight) => flight.out)
      assert.ok(out.length >= 4, 'tricks are taken away')
      for (const { card, place, from, to, seats } of out) {
        const { winner } = tricks.find((trick) => trick.cards.includes(card))
        assert.ok(near(from, place) < 3, `${card} begins where it lies`)
        assert.ok(near(to, seats[winner]) < 8, `${card} goes to seat ${winner}`)
      }
      // What has gone is gone.
      await page.click('[data-action=next]')
      await page.waitForFunction(() => !document.querySelector('.trick.past'))
      await close(page)
    })
  })

  describe('outlives its worker', () => {
    const table = (page) => page.evaluate(() => ({ cards: [...document.querySelectorAll('.own-card')].map((card) => card.dataset.card), seq: document.querySelector('.game').dataset.seq }))
    const sat = (options = {}) => sit(browser, server, moments.trick(), { ...options, before: async (page) => {
      await upset(page)
      await options.before?.(page)
    } })
    /** Plays the next card, and then the match to its end; its record is sound. */
    const goesOn = async (page, demand) => {
      await page.click(`.own-card[data-card="${demand.cards[0]}"]`)
      await movedOn(page, demand.seq)
      const { demand: last } = await play(page, { until: (wanted) => wanted.kind === 'next' })
      assert.equal(last.kind, 'next')
      const record = await kept(page, 'offline')
      assert.equal(rules.replay(record).ok, true)
      assert.ok(record.hands[0].actions.includes(demand.cards[0]))
      await close(page)
    }
    const begun = (page, n) => page.waitForFunction((wanted) => globalThis.workersBegun() >= wanted, n)

    it('that throws out of nowhere', async () => {
      const page = await sat()
      const demand = await nextDemand(page)
      const stood = await table(page)
      await page.evaluate(() => globalThis.upset('throw'))
      await begun(page, 2)
      assert.deepEqual(await table(page), stood, 'the match is where it was')
      await goesOn(page, demand)
    })

    it('whose module breaks down in the very call', async () => {
      const page = await sat()
      const demand = await nextDemand(page)
      await page.evaluate(() => globalThis.upset('trap'))
      await goesOn(page, demand)
    })

    it('that the system ended without a word', async () => {
      const page = await sat({ before: (opened) => opened.clock.install() })
      const demand = await nextDemand(page)
      await page.evaluate(() => globalThis.upset('end'))
      await page.clock.runFor(20_000)
      await begun(page, 2)
      await goesOn(page, demand)
    })

    it('and says what to do where it breaks down again and again', async () => {
      const page = await sat({ before: listen })
      await nextDemand(page)
      const stood = await table(page)
      for (let n = 2; n <= 4; n++) {
        await page.evaluate(() => globalThis.upset('throw'))
        await begun(page, n)
      }
      await page.evaluate(() => globalThis.upset('throw'))
      await page.waitForSelector('[data-action=reload]')
      assert.match(await page.textContent('.status'), /vuelve a cargar/)
      assert.ok((await page.evaluate(() => globalThis.heard)).some((line) => /vuelve a cargar/.test(line)), 'it is told too')
      await page.click('[data-action=reload]')
      const demand = await nextDemand(page)
      assert.deepEqual(await table(page), stood)
      await goesOn(page, demand)
    })
  })
})
