// Takes the pictures of the page in docs/img from the real server, each at the size of a phone and of a desk. Look at them
// after a change. Names narrow: `node test/screenshots.mjs home league`.
import { mkdir, readdir, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { GameServer, launch, visit } from './harness.mjs'

const folder = fileURLToPath(new URL('../../../docs/img/', import.meta.url))
const sizes = [
  ['', { viewport: { width: 1280, height: 800 } }],
  ['-phone', { viewport: { width: 360, height: 740 }, phone: true }],
]
const wanted = process.argv.slice(2)

await mkdir(folder, { recursive: true })
if (wanted.length === 0) {
  for (const name of await readdir(folder)) if (/^play-.*\.jpg$/.test(name)) await rm(folder + name)
}
const browser = await launch()
const failed = []
let shared
try {
  const lists = (await readdir(new URL('shots/', import.meta.url))).filter((name) => name.endsWith('.mjs')).sort()
  for (const list of lists) {
    const area = list.replace('.mjs', '')
    if (wanted.length > 0 && !wanted.includes(area)) continue
    const { shots, start, stop } = await import(`./shots/${list}`)
    const server = start ? await start() : (shared ??= await GameServer.start())
    try {
      for (const { name, open } of shots) {
        for (const [suffix, view] of sizes) {
          try {
            const page = await open({ server, browser, visit, view })
            await page.screenshot({ path: `${folder}play-${name}${suffix}.jpg`, type: 'jpeg', quality: 78 })
            await page.context().close()
          } catch (err) {
            failed.push(`${name}${suffix}: ${err}`)
          }
        }
      }
    } finally {
      if (start) {
        await server.stop()
        await stop?.()
      }
    }
    console.log('taken:', area)
  }
} finally {
  await browser.close()
  await shared?.stop()
}
if (failed.length > 0) {
  console.error(failed.join('\n'))
  process.exitCode = 1
} else console.log('pictures are in', folder)
