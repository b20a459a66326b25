import type { Server } from '../api/client'
import type { Engine } from './engine'
import { Refusal, type HouseRules, type Table } from './types'
export class OnlineTable {
  static async start(_e: Engine, _s: Server, _r: HouseRules): Promise<Table> {
    throw new Refusal('unavailable')
  }
  static async resume(_e: Engine, _s: Server, _id: string): Promise<Table> {
    throw new Refusal('unavailable')
  }
}
