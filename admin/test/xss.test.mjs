import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { desktop, GameServer, hostile, invite, launch, password, settled, totp, visit } from './harness.mjs'
import { guest, match } from '../../scripts/people.mjs'

// What somebody might write to have it run for who reads it; each text names the field that it was written into.
const attacks = [
  (field) => `<img src=x onerror="window.harmed='${field}'">`,
  (field) => `"><script>window.harmed='${field}'</script>`,
  (field) => `'><svg/onload=window.harmed='${field}'>`,
  (field) => `<a href="javascript:window.harmed='${field}'">${field}</a>`,
  (field) => `{{constructor.constructor("window.harmed='${field}'")()}}`,
  (field) => `</textarea></title><iframe srcdoc="<script>parent.harmed='${field}'</script>">`,
]

/** A page that remembers whatever ran or was kept from running. */
async function watched(browser) {
  const page = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
  page.dialogs = []
  page.on('dialog', (d) => (page.dialogs.push(d.message()), d.dismiss()))
  await page.addInitScript(() => {
    window.violations = []
    document.addEventListener('securitypolicyviolation', (e) => window.violations.push(`${e.violatedDirective} ${e.blockedURI} ${e.sample}`))
  })
  return page
}

describe('what people write is shown as text', () => {
  let server, browser, page, owner, about
  const written = new Map() // each field's text, by its name
  let turn = 0
  /** A text for a field, with an attack that differs from field to field; shorter if the field takes no more. */
  const text = (field, most = 500) => {
    const attack = attacks[turn++ % attacks.length](field)
    const fits = attack.length <= most ? attack : `<b onclick=harmed>${field}`.slice(0, most)
    written.set(field, fits)
    return fits
  }
  const words = (field, most) => ({ es: text(field + '-es', most), ca: text(field + '-ca', most), en: text(field + '-en', most) })

  before(async () => {
    server = await GameServer.start({ CUATROLA_LIMIT_ADDRESS: '0', CUATROLA_LIMIT_ACCOUNT: '0' })
    browser = await launch()
    page = await watched(browser)
    // Staff with a name like that.
    const link = await invite(server, 'owner')
    const post = async (path, data) => {
      const response = await page.context().request.post(server.url + path, { data })
      assert.ok(response.ok(), await response.text())
      return response.json()
    }
    const { totpSecret } = await post('/admin/v1/invitation', { token: link.token })
    owner = await post('/admin/v1/invitation/accept', { token: link.token, name: text('member', 40), password, code: totp(totpSecret) })
    const ask = async (method, path, data) => {
      const response = await page.context().request.fetch(server.url + path, {
        method, headers: { 'X-CSRF-Token': owner.session.csrfToken, 'Idempotency-Key': randomUUID() }, ...(data === undefined ? {} : { data }),
      })
      assert.ok(response.ok(), `${method} ${path}: ${response.status()} ${await response.text()}`)
      return response.status() === 204 ? undefined : response.json()
    }

    // Players: names take no such thing, devices and reports do.
    const people = []
    for (let i = 0; i < 4; i++) people.push(await guest(server, undefined, text('device' + i, 60)))
    for (const name of hostile) {
      await assert.rejects(people[0].call('PATCH', '/v1/me', { name }), /400|422/)
      await assert.rejects(guest(server, name), /400|422/)
    }
    const [bad, ...others] = people
    about = bad.id
    const matchId = await match(people)
    for (const [i, p] of others.entries()) await p.call('POST', '/v1/reports', { playerId: bad.id, matchId, reason: ['stalling', 'cheating', 'name'][i], text: text('report' + i) })

    // What staff writes, about everything.
    await ask('POST', `/admin/v1/players/${bad.id}/notes`, { text: text('note') })
    await ask('POST', `/admin/v1/players/${bad.id}/grant`, { coins: 10, key: '0198f1c2-0000-7000-8000-000000000001', reason: text('grant') })
    await ask('POST', `/admin/v1/players/${bad.id}/warn`, { about: 'words', reason: text('warning') })
    await ask('POST', `/admin/v1/players/${bad.id}/suspend`, { word: 'harassment', until: new Date(Date.now() + 86_400_000).toISOString(), reason: text('suspension') })
    await ask('POST', '/admin/v1/staff-invitations', { email: 'laia@example.org', role: 'viewer', reason: text('invitation') })
    await ask('PUT', '/admin/v1/switches/shop', { stopped: true, text: words('switch', 200), version: 0, reason: text('stopping') })
    const filter = {}
    const { count } = await ask('POST', '/admin/v1/broadcasts/preview', { filter }).then((p) => ({ count: p.count ?? p.people ?? p.size ?? Object.values(p).find(Number.isInteger) }))
    await ask('POST', '/admin/v1/broadcasts', { title: words('title', 60), text: words('broadcast', 200), filter, seen: count, reason: text('broadcasting') })
    const draft = await ask('POST', '/admin/v1/economy/drafts', { name: text('draft', 80), description: text('draft-description'), from: 'live' })
    const { document } = await ask('GET', `/admin/v1/economy/drafts/${draft.id}`)
    const economy = JSON.parse(document)
    economy.catalogue[0].title = words('product', 80)
    const saved = await ask('PATCH', `/admin/v1/economy/drafts/${draft.id}`, { revision: draft.revision, document: JSON.stringify(economy, null, 2) })
    await ask('POST', `/admin/v1/economy/drafts/${draft.id}/publish`, { revision: saved.revision, base: saved.base, reason: text('publishing') })
    await ask('POST', '/admin/v1/economy/drafts', { name: text('second-draft', 80), from: 'live' })
    await ask('POST', '/admin/v1/fairness/searches')
    for (;;) {
      const { searches } = await ask('GET', '/admin/v1/fairness/searches')
      if (searches.every((s) => s.endedAt)) break
    }
    const { cases } = await ask('GET', '/admin/v1/fairness/cases')
    if (cases.length > 0) await ask('POST', `/admin/v1/fairness/cases/${cases[0].id}/decision`, { state: 'watching', reason: text('decision') })
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  it('on every page of the panel, in every part that opens', async () => {
    const seen = new Set()
    const looked = async (where) => {
      const state = await page.evaluate(() => ({
        harmed: window.harmed, violations: window.violations,
        // What would be there if something of it had become a part of the page.
        parts: [...document.querySelectorAll('img[src=x], iframe, script:not([src]), [onerror], [onload], [onclick], a[href^="javascript:" i]')].map((e) => e.outerHTML),
        shown: document.body.innerText + '\n' + [...document.querySelectorAll('input, textarea')].map((e) => e.value).join('\n') +
          [...document.querySelectorAll('option, [title]')].map((e) => e.title || e.textContent).join('\n') + document.body.textContent,
      }))
      assert.equal(state.harmed, undefined, where)
      assert.deepEqual(state.violations, [], where)
      assert.deepEqual(state.parts, [], where)
      assert.deepEqual(page.dialogs, [], where)
      assert.deepEqual(page.faults, [], where)
      for (const [field, content] of written) if (state.shown.includes(content)) seen.add(field)
    }
    /** What there is on a page: its tabs, its rows that open a window, and the pages that it leads to. */
    const explore = async (path) => {
      await page.goto(server.url + path)
      await settled(page)
      await looked(path)
      const links = new Set()
      const gather = async () => {
        for (const href of await page.$$eval('main a[href^="/admin/"]', (all) => all.map((a) => a.getAttribute('href')))) if (!href.startsWith('/admin/v1/')) links.add(href)
      }
      await gather()
      const tabs = await page.locator('main [role=tab]').count()
      for (let i = 0; i < tabs; i++) {
        await page.locator('main [role=tab]').nth(i).click()
        await settled(page)
        await looked(`${path}, tab ${i}`)
        await gather()
      }
      const windows = Math.min(5, await page.locator('main button.row-link').count())
      for (let i = 0; i < windows; i++) {
        await page.locator('main button.row-link').nth(i).click()
        await page.waitForSelector('dialog[open]')
        await looked(`${path}, row ${i}`)
        await page.keyboard.press('Escape')
        await page.waitForSelector('dialog[open]', { state: 'detached' })
      }
      return links
    }
    await page.goto(server.url + '/admin/security')
    await settled(page)
    const areas = await page.$$eval('.sidebar [data-area]', (all) => all.map((a) => a.getAttribute('href')))
    assert.ok(areas.length >= 5, String(areas))
    const visited = new Set()
    const kinds = new Map()
    // Whom all of it is about comes first.
    let next = [...areas.filter((a) => /players|reports/.test(a)).map((a) => `${a}/${about}`), ...areas]
    for (let depth = 0; depth < 3 && next.length > 0; depth++) {
      const further = new Set()
      for (const path of next) {
        // Of pages that differ in what they are about only, some few.
        const kind = path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id').replace(/=[^&]*/g, '=')
        if (visited.has(path) || (kinds.get(kind) ?? 0) >= 2) continue
        visited.add(path)
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
        for (const link of await explore(path)) further.add(link)
      }
      next = [...further]
    }
    // Were one of them not text, it would be noticed.
    await page.evaluate((html) => (document.querySelector('main').innerHTML = html), attacks[0]('planted'))
    await assert.rejects(looked('planted'), /planted/)
    // Everything that a page of the panel is for has been looked at.
    const expected = ['member', 'stopping', 'switch-en', 'title-en', 'broadcast-en', 'draft', 'publishing', 'product-en', 'invitation']
    if (written.has('decision')) expected.push('decision')
    if (areas.some((a) => a.includes('/players'))) expected.push('note', 'suspension')
    if (areas.some((a) => a.includes('/reports'))) expected.push('report0')
    for (const field of expected) assert.ok(seen.has(field), `${field} was not seen on any of ${[...visited].join(', ')}`)
  })
})
