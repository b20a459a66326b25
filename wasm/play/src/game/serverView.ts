import type { HandResult } from '@cuatrola/rules'
import { client, type Schemas } from './client'
import { engine } from './engine'
import type { ServerSight } from './protocol'
import { levelOf, type Player } from './types'

/** A server's match as the table shows it. */
export interface ServerMatch extends ServerSight {
  id: string
  players: Player[]
  deadline: number | null
  /** The hand that finished last. */
  lastHand: HandResult | null
  /** What each has put in; null where nothing is at stake. */
  stake: number | null
  /** Still to be played. */
  open: boolean
  /** The hash of the server's seed, promised before the first card. */
  commitment: string
}

/** Turns the contract's view into the module's, which is what the table shows and the module checks moves by. */
export async function readMatch(from: Schemas['View']): Promise<ServerMatch> {
  return {
    // A worker that has broken down is replaced with the next call.
    ...(await engine('sight', from).catch(() => engine('sight', from))),
    id: from.matchId,
    // A bot's name is how well it plays; at the table it is known by its seat.
    players: from.seats.map((seat, i) => ({
      name: seat.bot ? '' : seat.name, bot: seat.bot, ...(seat.bot && { level: levelOf(seat.name) }), away: from.away.includes(i),
    })),
    deadline: client.localTime(from.deadline),
    lastHand: from.lastHand as HandResult | null,
    stake: from.stake ?? null,
    open: from.phase !== 'over' && from.phase !== 'void',
    commitment: from.fair.commitment,
  }
}
