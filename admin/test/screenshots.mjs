// Takes the pictures of the panel in docs/img from the real server and page. Look at them after a change.
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { desktop, GameServer, launch, open, phone, settled, signIn, visit } from './harness.mjs'

/**
 * The pages, in order. `role` is who looks at it (an owner if it is not said), `seed` makes what there is to see (once,
 * before any picture; it is given the server and an owner's page), `prepare` does something on the page first.
 */
const pages = [
  { name: 'sign-in', path: '/admin', role: null },
]

const folder = fileURLToPath(new URL('../../docs/img/', import.meta.url))
const wanted = process.argv.slice(2)
await mkdir(folder, { recursive: true })
const server = await GameServer.start()
const browser = await launch()
try {
  const chosen = pages.filter((p) => wanted.length === 0 || wanted.includes(p.name))
  const seeder = await visit(browser, undefined, { ...desktop, language: 'en-GB' })
  const owner = await signIn(seeder, server, 'owner', { name: 'Marta Soler', email: 'marta@example.org' })
  for (const p of chosen) await p.seed?.(server, seeder, owner)
  for (const p of chosen) {
    for (const [suffix, size, theme] of [['', desktop, 'light'], ['-phone', phone, 'dark']]) {
      const page = await visit(browser, undefined, { ...size, theme, language: p.language ?? 'en-GB' })
      if (p.role === undefined || p.role === 'owner') await page.context().addCookies(await seeder.context().cookies())
      else if (p.role !== null) await signIn(page, server, p.role)
      await open(page, server, typeof p.path === 'function' ? p.path() : p.path)
      await p.prepare?.(page)
      await settled(page)
      await page.evaluate(() => document.fonts.ready)
      await page.screenshot({ path: `${folder}admin-${p.name}${suffix}.png` })
      await page.context().close()
    }
  }
} finally {
  await browser.close()
  await server.stop()
}
console.log('pictures are in', folder)
