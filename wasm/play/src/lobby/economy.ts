import { ask } from '@cuatrola/client'
import { useLoad, type Loaded } from '@cuatrola/ui'
import { api } from '../game/client'

/** What an economy has to say of tables. */
export interface TableTerms {
  /** The entries that there are; none where the house has closed them. */
  stakes: readonly number[]
  /** Seconds for which a staked table waits. */
  fill: number
}

/** What is live now. */
export function useTableTerms(): Loaded<TableTerms> {
  return useLoad<TableTerms>(async () => {
    const { document, stakesOpen } = await ask(api.GET('/v1/economy'))
    const { stakes, queue } = document as { stakes?: number[]; queue?: { tableFillSeconds?: number } }
    return { stakes: stakesOpen ? (stakes ?? []) : [], fill: queue?.tableFillSeconds ?? 90 }
  }, [])
}
