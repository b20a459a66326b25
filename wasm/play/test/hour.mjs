// Random play: people who play anything that is allowed and try what is not, by any rules, by hand and by keys, in real browsers,
// for as many minutes as are asked for; meanwhile the page is reloaded, cut off, left, closed and put into other languages.
// Nothing may be wrong with the client: no error of the page's, no disagreement with the server, and what the record gives is what
// the server's view says.
//
//   node test/hour.mjs [minutes] [seed]
//
// It prints its seed; the same one draws alike.
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { init } from '@cuatrola/rules'
import { allKept, drawn, GameServer, goOn, languages, launch, lay, movedOn, newTab, nextDemand, say, startMatch, visit } from './harness.mjs'

/** Random numbers by a seed, the same everywhere. */
function seeded(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Plays at random until the time is over. Answers what was played; throws with the first thing that is wrong. */
export async function randomPlay({ minutes, seed = randomInt(2 ** 31), report = () => {} }) {
  report(`seed ${seed}`)
  const random = seeded(seed)
  const chance = (p) => random() < p
  const any = (list) => list[Math.floor(random() * list.length)]
  const until = Date.now() + minutes * 60_000
  const rules = await init()
  const server = await GameServer.start({ CUATROLA_LIMIT_CLIENT_FAULTS: '0', CUATROLA_LIMIT_SIGN_UPS: '0', CUATROLA_LIMIT_ADDRESS: '0', CUATROLA_LIMIT_ACCOUNT: '0' })
  const browser = await launch()
  const done = { matches: 0, actions: 0, keys: 0, refused: 0, reloads: 0, cuts: 0, languages: 0, absences: 0, tabs: 0 }
  const befell = []
  let page
  try {
    while (Date.now() < until || done.matches === 0) {
      const phone = chance(0.5)
      const where = chance(0.7) ? 'online' : 'offline'
      page = await visit(browser, server.url, { language: any(languages), phone, viewport: phone ? { width: 360, height: 740 } : { width: 1280, height: 800 } })
      const match = { where, ...(await anyRules(page, rules, any, chance)) }
      await startMatch(page, match)
      const mishaps = where === 'online' ? online : offline
      // Without a server only what is kept can be opened.
      if (where === 'offline') await allKept(page, server.url)
      for (;;) {
        const demand = await nextDemand(page)
        if (page.faults.length > 0) throw new Error(page.faults.join('\n'))
        if (demand.kind === 'end' || Date.now() > until + 60_000) break
        if (chance(0.1)) {
          const mishap = any(mishaps)
          befell.push(mishap.name)
          page = await mishap(page, { any, chance, done, demand })
          // Whoever leaves while the last hand's result is shown comes back to a match that is over.
          if (new URL(page.url()).pathname.startsWith('/history/')) {
            await page.waitForSelector('.replay[data-steps]')
            break
          }
          continue
        }
        const keyboard = chance(0.5)
        await act(page, demand, keyboard, { any, chance, done }).catch(async (err) => {
          // Whoever takes too long is played for.
          if (await stands(page, demand)) throw err
        })
      }
      await page.context().setOffline(false)
      if (where === 'online') await sameAtTheServer(page, rules, server.url)
      if (page.faults.length > 0) throw new Error(page.faults.join('\n'))
      const faults = server.log.split('\n').filter((line) => line.includes('"client fault"') || line.includes('msg="client fault"'))
      if (faults.length > 0) throw new Error(`the client has reported ${faults.length} faults of its own: ${faults[0]}`)
      done.matches++
      report(`${JSON.stringify(match)}${phone ? ' on a phone' : ''}: ${JSON.stringify(done)}`)
      await page.context().close()
    }
    return { seed, ...done }
  } catch (err) {
    const table = await page?.locator('.game').first().evaluate((game) => `${JSON.stringify(game.dataset)} ${game.innerText}`, undefined, { timeout: 1000 }).catch(() => 'no table')
    const over = await page?.locator('dialog').allInnerTexts().catch(() => [])
    throw new Error(`seed ${seed}, after ${befell.slice(-5).join(', ')}, ${page?.url()}: ${table}, ${over?.length ? `behind ${over}` : 'no window over it'}`, { cause: err })
  } finally {
    await browser.close()
    await server.stop()
  }
}

/** Rules that one may choose on the page: a preset, often as it is, a length, a level, and house rules. */
async function anyRules(page, rules, any, chance) {
  await page.goto(new URL('/bots', page.url()).href)
  await page.waitForSelector('[data-action=start][aria-busy=false]')
  const values = (name) => page.$$eval(`select[name=${name}] option`, (all) => all.map((option) => option.value))
  const preset = any(await values('preset'))
  await page.selectOption('select[name=preset]', preset)
  await page.waitForSelector('details select', { state: 'attached' })
  // What is offered is what is not the rules' own, which come from the worker: until then something is missing, and their own there.
  const own = rules.rules(preset)
  const choices = chance(0.5) ? await page.$$eval('details select', (all) => all.map((one) => [one.name, [...one.options].map((option) => option.value)])) : []
  return {
    preset, length: any((await values('length')).filter((length) => length !== `${own.end}:${own.target}`)), level: any((await values('level')).filter((level) => level !== 'each')),
    options: Object.fromEntries(choices.filter(() => chance(0.4)).map(([name, all]) => [name, any(all.filter((value) => value !== String(own[name])))])),
  }
}

/** Does what is wanted of the player, any way that is allowed; and now and then tries what is not. */
async function act(page, demand, keyboard, { any, chance, done }) {
  if (demand.kind === 'next') return goOn(page, keyboard)
  if (demand.kind === 'play' && demand.illegal.length > 0 && chance(0.3)) {
    // Told why, and nothing happens.
    await lay(page, any(demand.illegal), keyboard, true)
    await page.waitForSelector('.status.notice')
    done.refused++
  }
  await move(page, demand, keyboard, any, chance)
  done.actions++
  if (keyboard) done.keys++
  await movedOn(page, demand.seq)
}

const move = (page, { kind, actions, cards }, keyboard, any, chance) =>
  kind === 'say' ? say(page, actions.includes('pass') && chance(0.8) ? 'pass' : any(actions), keyboard) : lay(page, any(cards), keyboard)

/** Whether the table still wants what it wanted. */
const stands = async (page, demand) => (await page.getAttribute('.game', 'data-seq').catch(() => demand.seq)) === demand.seq

// What happens to people who play. Each comes back to the table, and answers the page that it is on.

async function reload(page, { done }) {
  done.reloads++
  await page.reload()
  return page
}

/** The connection breaks while one acts, and is back before or after that is given up. */
async function cut(page, { any, chance, done, demand }) {
  done.cuts++
  await page.context().setOffline(true)
  if (demand.kind !== 'next') {
    await move(page, demand, false, any, chance).catch(() => undefined)
    if (chance(0.3)) await page.waitForSelector('.game[data-busy=false]')
  }
  await page.context().setOffline(false)
  await page.waitForSelector('.game[data-busy=false]')
  return page
}

/** A match on this device needs no connection: it goes, or is there again, and the match goes on. */
async function goOffline(page, { chance, done }) {
  done.cuts++
  await page.context().setOffline(chance(0.7))
  return page
}

async function otherLanguage(page, { any, done }) {
  done.languages++
  const language = any(['es', 'ca', 'en'])
  await page.click('[data-action=settings]')
  await page.locator(`dialog input[name=language][value=${language}]`).check({ force: true })
  // The button is another word then, and somewhere else.
  await page.waitForSelector(`html[lang=${language}]`)
  await drawn(page)
  await page.click('dialog footer [data-action=close]')
  await page.waitForSelector('dialog', { state: 'detached' })
  // The button that opened it has the focus again, and takes Enter and Space to itself.
  await page.evaluate(() => document.activeElement.blur())
  return page
}

/** Looks at another page and comes back the way that the page offers, or the browser. */
async function goAway(page, { any, chance, done }) {
  done.absences++
  const address = new URL(page.url())
  await page.click('[data-action=leave]')
  await page.waitForSelector('.hero')
  if (chance(0.5)) {
    await page.click(`[data-area=${any(['league', 'shop', 'friends', 'account'])}]`)
    await page.waitForSelector('.hero', { state: 'detached' })
    await page.waitForSelector('main h1')
    await page.click('[data-area=home]')
    await page.waitForSelector('.hero')
  }
  if (chance(0.3)) await page.goto(address.href)
  else if (address.pathname === '/table') await page.click('[data-action=resume]')
  else {
    await page.click('[data-tile=history]')
    await page.click(`[data-match="${address.pathname.split('/').at(-1)}"] a`)
    await page.waitForSelector('.game, .replay')
  }
  return page
}

/** Closes the tab and opens another at the same address. */
async function closeTab(page, { done }) {
  done.tabs++
  const address = page.url()
  const other = await newTab(page.context())
  await page.close()
  await other.goto(address)
  return other
}

const anywhere = [reload, otherLanguage, goAway, closeTab]
const online = [...anywhere, cut, cut]
const offline = [...anywhere, goOffline, goOffline]

/** What the player's newest match ended with, by its record and by the server's view. */
async function sameAtTheServer(page, rules, url) {
  const { deviceSecret } = await page.evaluate(() => JSON.parse(localStorage.getItem('cuatrola.device')))
  const ask = async (path, options) => (await fetch(url + path, options)).json()
  const headers = { 'Content-Type': 'application/json' }
  const session = await ask('/v1/sessions', { method: 'POST', headers, body: JSON.stringify({ deviceSecret }) })
  const mine = { headers: { Authorization: `Bearer ${session.accessToken}` } }
  const { matches } = await ask('/v1/matches', mine)
  for (const { matchId } of matches) {
    const view = await ask(`/v1/matches/${matchId}`, mine)
    if (view.phase !== 'over') continue
    const replayed = rules.replay(await ask(`/v1/matches/${matchId}/record`, mine))
    if (!replayed.ok) throw new Error(`the record of ${matchId} cannot be replayed: ${JSON.stringify(replayed)}`)
    if (JSON.stringify(replayed.score) !== JSON.stringify(view.score) || replayed.winner !== view.winner) {
      throw new Error(`the record of ${matchId} gives ${JSON.stringify(replayed.score)}, the server says ${JSON.stringify(view.score)}`)
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [minutes = '60', seed] = process.argv.slice(2)
  await randomPlay({ minutes: Number(minutes), ...(seed && { seed: Number(seed) }), report: (line) => console.log(line) })
}
