import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { faults, fits, GameServer, launch, visit } from './harness.mjs'
import { clone, guest, keep, playedHere, playedOnline, rules, unrolled } from './matches.mjs'

const found = (page) => page.$$eval('[data-check]', (all) => Object.fromEntries(all.map((e) => [e.dataset.check, e.dataset.state])))
const told = (page, check) => page.textContent(`[data-check=${check}]`)

describe('verify', () => {
  let server, browser, ana, online
  before(async () => {
    server = await GameServer.start()
    browser = await launch()
    ana = await guest(server, 'Ana')
    online = await playedOnline(ana)
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  /** Anybody's page on which a record is opened as a file. */
  async function checked(record, { kept = {}, language = 'es-ES' } = {}) {
    const page = await visit(browser, undefined, { language })
    await keep(page, kept)
    await page.goto(server.url + '/check')
    await give(page, record)
    return page
  }
  async function give(page, record) {
    await page.setInputFiles('#record-file', { name: 'match.json', mimeType: 'application/json', buffer: Buffer.from(typeof record === 'string' ? record : JSON.stringify(record)) })
    await page.waitForSelector('[data-report], [data-fault]')
  }

  it('finds one’s own match on the server in order, with the seed that was promised', async () => {
    const page = await visit(browser, undefined)
    await keep(page, { device: ana.device, promises: [online.promised] })
    await page.goto(`${server.url}/history/${online.id}`)
    await page.click('[data-tab=check]')
    await page.waitForSelector('[data-report=good]')
    assert.deepEqual(await found(page), { record: 'good', commitment: 'good', seeds: 'good', deals: 'good', actions: 'good', promise: 'good' })
    assert.match(await told(page, 'seeds'), /Tú: con semilla propia · Derecha: máquina, sin semilla/)
    assert.match(await told(page, 'deals'), new RegExp(`${online.record.hands.length} manos|la mano`))
    assert.deepEqual(page.faults, [])
    await page.context().close()
  })

  it('refuses a server that shows seeds other than those it promised', async () => {
    for (const [change, broken] of [[{ commitment: '0'.repeat(64) }, /compromiso del servidor no es el que este dispositivo anotó/], [{ seed: 'what I did send' }, /Tu semilla no es la que este dispositivo envió/]]) {
      const page = await visit(browser, undefined)
      await keep(page, { device: ana.device, promises: [{ ...online.promised, ...change }] })
      await page.goto(`${server.url}/history/${online.id}?view=check`)
      await page.waitForSelector('[data-report=bad]')
      assert.equal((await found(page)).promise, 'bad')
      assert.match(await told(page, 'promise'), broken)
      await page.context().close()
    }
  })

  it('takes a match that was played here as its own', async () => {
    const record = playedHere()
    const page = await visit(browser, undefined)
    await keep(page, { records: [record] })
    await page.goto(`${server.url}/history/local/${record.id}?view=check`)
    await page.waitForSelector('[data-report=good]')
    assert.match(await told(page, 'promise'), /La repartió este dispositivo/)
    await page.context().close()
  })

  describe('a file', () => {
    const honest = playedHere({ id: 'filed', house: { preset: 'clasica', end: 'points', target: 3 } })
    const last = honest.hands.length - 1

    it('comes in by choosing, dropping and pasting, and goes out again', async () => {
      const page = await checked(honest)
      assert.equal(await page.getAttribute('[data-report]', 'data-report'), 'good')
      assert.equal((await found(page)).promise, 'unknown', 'whoever did not play it cannot know')
      const [file] = await Promise.all([page.waitForEvent('download'), page.click('[data-action=download]')])
      assert.equal(file.suggestedFilename(), 'cuatrola-filed.json')
      assert.deepEqual(JSON.parse(await readFile(await file.path(), 'utf8')), honest)

      // It can be seen and reviewed like one's own, from any seat.
      await page.click('[data-tab=replay]')
      await page.waitForSelector('.replay[data-steps]')
      await page.selectOption('select[name=below]', '2')
      await page.waitForSelector('.replay-board-seat.me[data-seat="2"]')
      await page.click('[data-tab=review]')
      await page.waitForFunction(() => document.querySelector('[data-reviewed]')?.dataset.reviewed > 0, undefined, { timeout: 120_000 })

      const text = JSON.stringify(honest)
      await page.click('[data-action=other]')
      await page.evaluate((text) => {
        const data = new DataTransfer()
        data.items.add(new File([text], 'm.json', { type: 'application/json' }))
        for (const name of ['dragenter', 'dragover', 'drop']) document.querySelector('main').dispatchEvent(new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer: data }))
      }, text)
      await page.waitForSelector('[data-report=good]')
      await page.click('[data-action=other]')
      await page.evaluate((text) => {
        const data = new DataTransfer()
        data.setData('text', text)
        document.body.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }))
      }, text)
      await page.waitForSelector('[data-report=good]')
      await page.click('[data-action=other]')
      await page.click('.record-pasting summary')
      await page.fill('textarea[name=text]', text)
      await page.click('[data-action=take]')
      await page.waitForSelector('[data-report=good]')
      assert.deepEqual(page.faults, [])
      await page.context().close()
    })

    it('is shared where the device can', async () => {
      const page = await visit(browser, undefined)
      await page.addInitScript(() => {
        navigator.canShare = ({ files }) => files.every((file) => file.type === 'text/plain')
        navigator.share = async ({ files }) => (globalThis.shared = await files[0].text())
      })
      await keep(page, { records: [honest] })
      await page.goto(`${server.url}/history/local/filed`)
      await page.click('[data-action=share]')
      await page.waitForFunction(() => globalThis.shared)
      assert.deepEqual(JSON.parse(await page.evaluate(() => globalThis.shared)), honest)
      await page.context().close()
    })

    it('may hold several matches, of which one chooses', async () => {
      const bad = clone(honest)
      bad.fair.commitment = '0'.repeat(64)
      const page = await checked([honest, bad].map((record) => JSON.stringify(record)).join('\n'))
      await page.waitForSelector('[data-report=good]')
      await page.selectOption('select[name=which]', '1')
      await page.waitForSelector('[data-report=bad]')
      await page.context().close()
    })

    it('that is none is said to be none', async () => {
      const page = await visit(browser, server.url + '/check')
      for (const text of ['', 'not a match', '[1, 2]', '{"a":', 'x'.repeat(4_100_000)]) {
        await give(page, text)
        assert.ok(await page.isVisible('[data-fault]'), text.slice(0, 12))
        await page.reload()
      }
      // What is a JSON object and still no record is told why.
      await give(page, { format: 'cuatrola-record/1', rules: 'liga', hands: 5 })
      assert.equal(await page.getAttribute('[data-report]', 'data-report'), 'bad')
      assert.match(await told(page, 'record'), /hands is not a list/)
      assert.deepEqual(page.faults, [])
      await page.context().close()
    })

    const swapped = clone(honest)
    {
      const { deal } = swapped.hands[last]
      ;[deal[0][0], deal[1][0]] = [deal[1][0], deal[0][0]]
    }
    const replanted = clone(honest)
    replanted.fair.serverSeed = 'ab'.repeat(32)
    const foreign = clone(honest)
    foreign.fair.commitment = createHash('sha256').update('another seed').digest('hex')
    const grown = clone(honest)
    grown.fair.clientSeeds[2] = 'a bot has none'
    const changed = clone(honest)
    const place = changed.hands[0].actions.findIndex((action) => /^[A3RCS][OCEB]$/.test(action))
    // The card of whoever is next, which this one does not hold.
    changed.hands[0].actions[place] = honest.hands[0].actions[place + 1]
    const redealt = clone(honest)
    redealt.hands[last].trump = redealt.hands[last].deal.flat().find((card) => card !== honest.hands[last].trump && honest.hands[last].deal[honest.hands[last].dealer].includes(card))
    const borrowed = { ...clone(honest), id: 'another' }
    const cut = clone(honest)
    delete cut.fair
    const unfair = clone(honest)
    unfair.fair.serverSeed = 'not hexadecimal'

    for (const [name, record, check, says] of [
      ['a card swapped between two hands', swapped, 'deals', new RegExp(`mano ${last + 1} no sale.*pone .* donde le tocaba`)],
      ['a seed of the server’s put in its place', replanted, 'commitment', /no es la que se comprometió/],
      ['a commitment to something else', foreign, 'commitment', /no es la que se comprometió/],
      ['a seed where a bot sits', grown, 'seeds', /Un asiento de la máquina trae semilla/],
      ['an action that was not possible', changed, 'actions', new RegExp(`Mano 1, jugada ${place + 1}: .*No tienes esa carta`)],
      ['another trump', redealt, 'deals', /El triunfo tenía que ser/],
      ['the proof of another match', borrowed, 'record', /de otra partida/],
      ['a proof that cannot be read', unfair, 'record', /fair\.serverSeed/],
    ]) {
      it(`is refused with ${name}, and told what and where`, async () => {
        const page = await checked(record)
        assert.equal(await page.getAttribute('[data-report]', 'data-report'), 'bad')
        assert.equal((await found(page))[check], 'bad')
        assert.match(await told(page, check), says)
        assert.deepEqual(page.faults, [])
        await page.context().close()
      })
    }

    it('is refused with seeds and deals that hang together, where this device knows better', async () => {
      // Somebody deals anew from seeds of their own: nothing in the record speaks against it.
      const forged = { ...playedHere({ id: 'filed', seed: 'a seed to one’s liking' }) }
      assert.equal(rules.verifyFair(forged).fair, 'ok')
      const stranger = await checked(forged)
      assert.equal(await stranger.getAttribute('[data-report]', 'data-report'), 'good')
      await stranger.context().close()
      const page = await checked(forged, { kept: { records: [honest] } })
      assert.equal(await page.getAttribute('[data-report]', 'data-report'), 'bad')
      assert.match(await told(page, 'copy'), /No es igual que la que guarda este dispositivo/)
      await page.context().close()
      // The same of a match on the server, by what was promised.
      const promised = { id: 'filed', commitment: honest.fair.commitment, seat: 0, seed: '' }
      const player = await checked(forged, { kept: { promises: [promised] } })
      assert.equal(await player.getAttribute('[data-report]', 'data-report'), 'bad')
      assert.equal((await found(player)).promise, 'bad')
      await player.context().close()
    })

    it('is refused with an action that was possible but is not what happened, where the server knows better', async () => {
      const other = clone(online.record)
      // The last card of all, with the last but one: whoever holds one card has no choice, so the hand is cut to where there was one.
      const trace = rules.trace(other).trace
      const choice = trace.findLast((entry) => entry.phase === 'play' && entry.legal.length > 1)
      other.hands = other.hands.slice(0, choice.hand + 1)
      const { actions } = other.hands[choice.hand]
      const was = actions[choice.i]
      actions.splice(choice.i)
      actions.push(choice.legal.find((action) => action !== was))
      assert.ok(rules.replay(other).ok)
      const page = await checked(other, { kept: { device: ana.device, promises: [online.promised] } })
      assert.equal(await page.getAttribute('[data-report]', 'data-report'), 'bad')
      assert.deepEqual(await found(page), { record: 'good', commitment: 'good', seeds: 'good', deals: 'good', actions: 'good', promise: 'good', copy: 'bad' })
      assert.match(await told(page, 'copy'), new RegExp(`Mano ${choice.hand + 1}, jugada ${choice.i + 1}: pone .*, y fue `))
      await page.context().close()
    })

    it('without a proof is neither honest nor not, and can still be seen', async () => {
      const page = await checked(cut)
      assert.equal(await page.getAttribute('[data-report]', 'data-report'), 'unknown')
      await page.click('[data-tab=replay]')
      await page.waitForSelector('.replay[data-steps]')
      await page.context().close()
    })

    it('that breaks the rules is shown up to there', async () => {
      const page = await checked(changed)
      await page.click('[data-tab=replay]')
      await page.waitForSelector('.replay[data-steps]')
      await page.keyboard.press('End')
      assert.equal(await page.getAttribute('.replay', 'data-step'), String(place))
      assert.match(await page.textContent('.replay-said'), /Aquí la partida se rompe/)
      await page.context().close()
    })

    it('is told of in three languages', async () => {
      const said = []
      for (const language of ['es-ES', 'ca-ES', 'en-GB']) {
        const page = await checked(swapped, { language })
        said.push(await page.textContent('[data-report] h2'), await told(page, 'deals'))
        await page.context().close()
      }
      assert.equal(new Set(said).size, 6)
      assert.match(said[3], /no surt de les llavors/)
      assert.match(said[5], /does not follow from the seeds/)
    })

    for (const theme of ['light', 'dark']) {
      it(`has nothing to find fault with, and fits a phone, ${theme}`, async () => {
        const page = await visit(browser, server.url + '/check', { theme, viewport: { width: 360, height: 740 }, phone: true })
        await page.click('.record-pasting summary')
        await unrolled(page)
        assert.deepEqual(await faults(page), [], 'where it comes in')
        for (const record of [honest, swapped, cut]) {
          await page.goto(server.url + '/check')
          await give(page, record)
          await fits(page, theme)
          assert.deepEqual(await faults(page), [])
        }
        await page.context().close()
      })
    }
  })
})
