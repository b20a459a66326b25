// Takes the pictures of the panel in docs/img from the real server and page. Look at them after a change.
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { desktop, GameServer, launch, open, panel, phone, settled, signIn, visit } from './harness.mjs'

/**
 * The pages, in order. `role` is who looks at it (an owner if it is not said), `seed` makes what there is to see (once,
 * before any picture; it is given the server and an owner's page), `prepare` does something on the page first.
 */
const pages = [
  { name: 'sign-in', path: '/admin', role: null },
  { name: 'staff', path: '/admin/staff', seed: seedStaff },
  { name: 'security', path: '/admin/security' },
  { name: 'staff-invite', path: '/admin/staff', prepare: (page) => page.click('[data-action=invite]') },
  { name: 'audit', path: '/admin/audit' },
  {
    name: 'audit-entry', path: '/admin/audit?action=staff.change',
    prepare: async (page) => {
      await page.locator('.row-link').first().click()
      await page.waitForSelector('.dialog')
    },
  },
]

/** A few colleagues, and some of what they have done. */
async function seedStaff(server, page, owner) {
  for (const [name, role] of [['Pau Ferrer', 'support'], ['Núria Vidal', 'economist'], ['Inés Romero', 'viewer']]) {
    const other = await visit(page.context().browser())
    const member = await signIn(other, server, role, { name, email: name.split(' ')[0].toLowerCase().normalize('NFD').replace(/\p{M}/gu, '') + '@example.org' })
    if (role === 'support') await panel(page, server, owner, 'PATCH', `/admin/v1/staff/${member.session.member.id}`, { role: 'economist', reason: 'Stands in for Núria during her holidays.' })
    if (role === 'viewer') await panel(page, server, owner, 'PATCH', `/admin/v1/staff/${member.session.member.id}`, { disabled: true, reason: 'Left the company.' })
    await other.context().close()
  }
  await panel(page, server, owner, 'POST', '/admin/v1/staff-invitations', { email: 'laia@example.org', role: 'support', reason: 'Answers players on weekends.' })
}

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
