// A server in which people have played: what the pages that look back have to look at.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { GameServer } from './harness.mjs'

/** Ten minutes before the end of the league's last week, by the clocks of Madrid: a Monday's first moment, less that. */
function lastWeekEnds() {
  const at = new Date()
  at.setUTCHours(0, 0, 0, 0)
  // Two days ago at least, so that all of the evening is over.
  do at.setUTCDate(at.getUTCDate() - 1)
  while (at.getUTCDay() !== 1 || Date.now() - at.getTime() < 2 * 86_400_000)
  const hour = Number(new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Madrid', hour: '2-digit', hourCycle: 'h23' }).format(at))
  return new Date(at.getTime() - hour * 3_600_000 - 600_000)
}

/** A server whose crowd has come and gone. */
export async function afterCrowd({ players, hours, seed = 1, settings = {} }) {
  const server = await GameServer.start(settings)
  await server.kill()
  // The crowd comes to a database of its own, before the server's first day.
  for (const name of await readdir(server.dir)) if (name.startsWith('cuatrola.sqlite')) await rm(join(server.dir, name))
  await server.command([
    'load', 'crowd', '--players', String(players), '--hours', String(hours), '--seed', String(seed),
    '--begin', lastWeekEnds().toISOString().replace(/\.\d+Z$/, 'Z'), '--kill-every', '0',
  ])
  await server.up()
  return server
}
