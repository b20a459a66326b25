// Random play: people who play anything that is allowed and try what is not, in real browsers, for as many minutes as are asked
// for, with the page reloaded, cut off and left meanwhile. Nothing may be wrong with the client: no error of the page's, no
// disagreement with the server, and what the record gives is what the server's view says.
//
//   node test/hour.mjs [minutes] [seed]
//
// It prints its seed; the same one draws alike.
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { init } from '@cuatrola/rules'
import { GameServer, launch, movedOn, nextDemand, startMatch, visit } from './harness.mjs'

const languages = ['es-ES', 'ca-ES', 'en-GB']

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
  const done = { matches: 0, actions: 0, refused: 0, reloads: 0, cuts: 0 }
  const wrong = (page, what) => new Error(`${what} (seed ${seed}, ${page?.url() ?? ''})`)
  try {
    while (Date.now() < until || done.matches === 0) {
      const phone = chance(0.5)
      const where = chance(0.7) ? 'online' : 'offline'
      const page = await visit(browser, server.url, { language: any(languages), phone, viewport: phone ? { width: 360, height: 740 } : { width: 1280, height: 800 } })
      const preset = any(await offered(page))
      await startMatch(page, { where, preset, length: null })
      for (;;) {
        const demand = await nextDemand(page)
        if (page.faults.length > 0) throw wrong(page, page.faults.join('\n'))
        if (demand.kind === 'end' || Date.now() > until + 60_000) break
        if (chance(0.04) && where === 'online') {
          done.cuts++
          await page.context().setOffline(true)
          if (chance(0.5)) await page.waitForTimeout(Math.floor(random() * 1500))
          await page.context().setOffline(false)
          continue
        }
        if (chance(0.03) && where === 'online') {
          done.reloads++
          await page.reload()
          await page.waitForSelector('.game')
          continue
        }
        if (demand.kind === 'next') {
          await page.click('[data-action=next]')
          await page.waitForFunction(() => !document.querySelector('[data-action=next]'))
          continue
        }
        if (demand.kind === 'say') {
          const action = demand.actions.includes('pass') && chance(0.8) ? 'pass' : any(demand.actions)
          await page.click(`.actions [data-action="${action}"]`)
        } else {
          if (demand.illegal.length > 0 && chance(0.3)) {
            // Told why, and nothing happens.
            done.refused++
            await page.click(`.own-card[data-card="${any(demand.illegal)}"]`, { force: true })
          }
          await page.click(`.own-card[data-card="${any(demand.cards)}"]`, { force: true })
        }
        done.actions++
        await movedOn(page, demand.seq)
      }
      if (where === 'online') await sameAtTheServer(page, rules, server.url, (what) => wrong(page, what))
      if (page.faults.length > 0) throw wrong(page, page.faults.join('\n'))
      const faults = server.log.split('\n').filter((line) => line.includes('"client fault"') || line.includes('msg="client fault"'))
      if (faults.length > 0) throw wrong(page, `the client has reported ${faults.length} faults of its own: ${faults[0]}`)
      done.matches++
      report(`${done.matches} matches: ${where} ${preset}${phone ? ', on a phone' : ''}; ${JSON.stringify(done)}`)
      await page.context().close()
    }
    return { seed, ...done }
  } finally {
    await browser.close()
    await server.stop()
  }
}

/** The rule sets that one may choose on the page. */
async function offered(page) {
  await page.goto(new URL('/bots', page.url()).href)
  await page.waitForSelector('[data-action=start][aria-busy=false]')
  return page.$$eval('select[name=preset] option', (all) => all.map((option) => option.value))
}

/** What the player's newest match ended with, by its record and by the server's view. */
async function sameAtTheServer(page, rules, url, wrong) {
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
    if (!replayed.ok) throw wrong(`the record of ${matchId} cannot be replayed: ${JSON.stringify(replayed)}`)
    if (JSON.stringify(replayed.score) !== JSON.stringify(view.score) || replayed.winner !== view.winner) {
      throw wrong(`the record of ${matchId} gives ${JSON.stringify(replayed.score)}, the server says ${JSON.stringify(view.score)}`)
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [minutes = '60', seed] = process.argv.slice(2)
  await randomPlay({ minutes: Number(minutes), ...(seed && { seed: Number(seed) }), report: (line) => console.log(line) })
}
