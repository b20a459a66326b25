import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessibleInBoth, desktop, GameServer, languages, launch, noOverflow, open, panel, phone, settled, signIn, tabTo, unharmed, visit, worded } from './harness.mjs'
import { afterCrowd } from '../../scripts/crowd.mjs'

describe('simulations', () => {
  let server, browser, page, owner, draft
  before(async () => {
    server = await afterCrowd({ players: 40, hours: 0.1 })
    browser = await launch()
    page = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
    owner = await signIn(page, server, 'economist', { name: 'Eva <b>Roca</b>' })
    draft = await panel(page, server, owner, 'POST', '/admin/v1/economy/drafts', { name: 'Pascua <img src=x onerror="window.harmed=1">', from: 'live' })
    const document = draft.document.replace('"coins": [60, 20]', '"coins": [90, 20]').replace('"welcome": 500', '"welcome": 400')
    await panel(page, server, owner, 'PATCH', `/admin/v1/economy/drafts/${draft.id}`, { revision: 1, document })
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  /** Waits for the simulation that is open to end. */
  const ended = (on = page) => on.waitForSelector('[data-state=done]')

  it('simulates a draft that one comes with, and shows what would have been', async () => {
    await open(page, server, '/admin/simulation')
    await page.waitForSelector('.empty')
    await accessibleInBoth(page, 'no simulation')
    await page.goto(`${server.url}/admin/simulation?of=draft:${draft.id}`)
    await page.waitForSelector('.dialog')
    assert.equal(await page.inputValue('.dialog [name=source]'), `draft:${draft.id}`)
    await page.fill('.dialog [name=days]', '93')
    await page.click('[data-action=confirm]')
    assert.equal(await page.locator('.dialog .fault').count(), 1)
    await accessibleInBoth(page, 'asking')
    await page.fill('.dialog [name=days]', '30')
    await page.click('[data-action=confirm]')
    await ended()
    await settled(page)
    assert.match(await page.textContent('h1'), /Pascua <img/)
    // As the API has it.
    const id = page.url().split('/').pop()
    const { result } = await panel(page, server, owner, 'GET', `/admin/v1/simulations/${id}`)
    assert.ok(result.matches > 5 && result.total.after.issued !== result.total.before.issued, JSON.stringify(result.total))
    assert.equal(result.unexplained, 0)
    const text = await page.textContent('main')
    for (const n of [result.total.after.issued, result.total.before.issued, result.matches]) assert.ok(text.includes(n.toLocaleString('en-GB')), String(n))
    assert.ok(text.includes('nobody changes what they do'), 'the warning')
    assert.equal(await page.locator('.chart canvas').count(), 2)
    assert.equal(await page.locator('table', { has: page.locator('text=Player') }).locator('tbody tr').count(), result.affected.length)
    for (const p of result.affected) assert.ok(text.includes(p.pseudonym))
    for (const part of ['mode', 'position', 'division', 'vip', 'booster', 'source']) {
      await page.click(`[data-tab=${part}]`)
      const rows = { mode: 'byMode', position: 'byPosition', division: 'byDivision', vip: 'byVip', booster: 'byBooster', source: 'bySource' }[part]
      assert.equal(await page.locator('.tabpanel tbody tr').count(), result[rows].length, part)
    }
    await accessibleInBoth(page, 'a result')
    await unharmed(page, 'a draft of that name')
    // Whoever would publish it knows.
    const review = await panel(page, server, owner, 'GET', `/admin/v1/economy/review?of=draft:${draft.id}`)
    assert.equal(review.forecast.after, result.total.after.issued)
  })

  it('runs again, with keys alone', async () => {
    const before = page.url()
    await page.focus('h1')
    await tabTo(page, '[data-action=again]')
    await page.keyboard.press('Enter')
    await page.waitForFunction((url) => location.href !== url, before)
    await ended()
    await tabTo(page, '[role=tab]')
    await page.keyboard.press('ArrowRight')
    await page.waitForSelector('[data-tab=mode][aria-selected=true]')
    await page.keyboard.press('End')
    await page.waitForSelector('[data-tab=booster][aria-selected=true]')
    await page.goto(server.url + '/admin/simulation')
    await settled(page)
    assert.equal(await page.locator('tbody tr').count(), 2)
    await tabTo(page, '[data-action=simulate]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.dialog')
    await tabTo(page, '[name=days]')
    await page.keyboard.type('500')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.dialog .fault')
    await page.keyboard.press('Escape')
    await page.waitForSelector('.dialog', { state: 'detached' })
  })

  it('shows how far one is that runs elsewhere, stops it, and says what is lost', async () => {
    // Another process carries it out: only the answers are known here.
    const id = page.url() && (await panel(page, server, owner, 'GET', '/admin/v1/simulations')).simulations[0].id
    const real = await panel(page, server, owner, 'GET', `/admin/v1/simulations/${id}`)
    let state = { ...real, state: 'running', done: 2500, total: 10000, result: undefined, endedAt: undefined }
    await page.route(`**/admin/v1/simulations/${id}`, (route) => route.fulfill({ json: state }))
    let cancelled = 0
    await page.route(`**/admin/v1/simulations/${id}/cancel`, (route) => {
      cancelled++
      return route.fulfill({ status: 202, json: state })
    })
    await open(page, server, `/admin/simulation/${id}`)
    assert.ok((await page.textContent('[role=status]')).includes('2,500 of 10,000'))
    await accessibleInBoth(page, 'one that runs')
    state = { ...state, done: 5000 }
    await page.waitForSelector('text=5,000 of 10,000')
    await page.click('[data-action=cancel]')
    await page.waitForSelector('.toast')
    assert.equal(cancelled, 1)
    for (const [name, said] of [['cancelled', 'stopped it'], ['lost', 'has died'], ['failed', 'log says why']]) {
      state = { ...state, state: name, endedAt: real.endedAt }
      if (name !== 'cancelled') await page.reload()
      await page.waitForSelector(`[data-state=${name}]`)
      assert.ok((await page.textContent('main')).includes(said))
      assert.equal(await page.locator('[data-action=again]').count(), 1)
    }
    await page.unrouteAll()
    // One at a time.
    await page.route('**/admin/v1/simulations', (route) => (route.request().method() === 'POST'
      ? route.fulfill({ status: 409, contentType: 'application/problem+json', json: { type: 'x', title: 'Conflict', status: 409, code: 'simulation_running', detail: 'x', requestId: 'x' } })
      : route.continue()))
    await page.click('[data-action=again]')
    await page.waitForSelector('[data-problem=simulation_running]')
    await page.unrouteAll()
  })

  it('is for everybody to read, in each language and on a phone, and for some to ask', async () => {
    const id = (await panel(page, server, owner, 'GET', '/admin/v1/simulations')).simulations[0].id
    for (const language of languages) {
      const other = await visit(browser, undefined, { ...phone, language })
      await signIn(other, server, 'viewer')
      await open(other, server, '/admin/simulation')
      assert.equal(await other.locator('[data-action=simulate]').count(), 0)
      await worded(other, `${language}, list`)
      await noOverflow(other, `${language}, list`)
      await open(other, server, `/admin/simulation/${id}`)
      assert.equal(await other.locator('[data-action=again]').count(), 0)
      await worded(other, `${language}, one`)
      await noOverflow(other, `${language}, one`)
      for (const part of ['mode', 'division', 'vip', 'booster']) {
        await other.click(`[data-tab=${part}]`)
        await worded(other, `${language}, ${part}`)
        await noOverflow(other, `${language}, ${part}`)
      }
      if (language === languages[0]) await accessibleInBoth(other, 'a phone')
      await unharmed(other, language)
      await other.context().close()
    }
  })
})
