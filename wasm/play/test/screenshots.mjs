// Takes the pictures in docs/img from the real server and page. Look at them after a change.
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { GameServer, launch, play, startMatch, visit } from './harness.mjs'

const folder = fileURLToPath(new URL('../../../docs/img/', import.meta.url))
const desktop = { viewport: { width: 1280, height: 800 } }
const phone = { viewport: { width: 390, height: 780 }, phone: true }

await mkdir(folder, { recursive: true })
const server = await GameServer.start()
const browser = await launch()
try {
  const take = (page, name) => page.screenshot({ path: `${folder}${name}.jpg`, type: 'jpeg', quality: 78 })

  const start = await visit(browser, server.url, { ...desktop, language: 'en-GB' })
  await start.waitForSelector('[data-action=start]:enabled')
  await take(start, 'start')
  await start.context().close()

  const table = await visit(browser, server.url, { ...desktop, language: 'en-GB' })
  await startMatch(table, { where: 'online', preset: 'clasica', length: '' })
  await play(table, { until: (demand, taken) => demand.kind === 'play' && taken >= 2 && demand.illegal.length > 0 })
  await take(table, 'table')
  await table.context().close()

  const bid = await visit(browser, server.url, { ...phone, language: 'ca-ES' })
  await startMatch(bid, { where: 'online', preset: 'clasica', length: '' })
  await play(bid, { until: (demand) => demand.kind === 'say' })
  await take(bid, 'phone-bid')
  await play(bid, { until: (demand, taken) => demand.kind === 'play' && taken >= 3 })
  await take(bid, 'phone-table')
  await bid.context().close()

  const end = await visit(browser, server.url, { ...phone, language: 'es-ES', theme: 'dark' })
  await end.waitForSelector('[data-action=start]:enabled')
  await take(end, 'phone-start-dark')
  await startMatch(end, { where: 'online', preset: 'liga', length: 'points:3' })
  await play(end, { until: (demand) => demand.kind === 'next' })
  await take(end, 'phone-hand')
  await play(end)
  await end.click('[data-action=verify]')
  await end.waitForSelector('[data-verdict]')
  await take(end, 'phone-end')
  await end.context().close()
} finally {
  await browser.close()
  await server.stop()
}
console.log('pictures are in', folder)
