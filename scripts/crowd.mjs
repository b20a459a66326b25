// A server in which people have played: what the pages that look back have to look at.
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { GameServer } from './browser.mjs'

const day = 86_400_000

/** Ten minutes before the end of a week of the league's, by the clocks of Madrid: of the last one that ended so long ago. */
function weekEnds(ago) {
  const at = new Date()
  at.setUTCHours(0, 0, 0, 0)
  at.setUTCDate(at.getUTCDate() + 1)
  let midnight
  do {
    at.setUTCDate(at.getUTCDate() - 1)
    // At midnight in London it is one hour later in Madrid, or two.
    const hour = Number(new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Madrid', hour: '2-digit', hourCycle: 'h23' }).format(at))
    midnight = at.getTime() - hour * 3_600_000
  } while (at.getUTCDay() !== 1 || Date.now() - midnight < ago)
  return new Date(midnight - 600_000)
}

/**
 * A server whose crowd has come and gone: around the end of the league's last week that ended at least `ago` milliseconds
 * before now, by default two days, so that all of the evening is over. `people` are who came, each with the secret of a device.
 */
export async function afterCrowd({ players, hours, seed = 1, ago = 2 * day, settings = {} }) {
  const server = await GameServer.start(settings)
  await server.kill()
  // The crowd comes to a database of its own, before the server's first day.
  for (const name of await readdir(server.dir)) if (name.startsWith('cuatrola.sqlite')) await rm(join(server.dir, name))
  const devices = join(server.dir, 'devices')
  await server.command([
    'load', 'crowd', '--players', String(players), '--hours', String(hours), '--seed', String(seed),
    '--begin', weekEnds(ago).toISOString().replace(/\.\d+Z$/, 'Z'), '--kill-every', '0', '--devices', devices,
  ])
  server.people = (await readFile(devices, 'utf8')).trim().split('\n').map((line) => JSON.parse(line))
  await server.up()
  return server
}
