import { ask } from '@cuatrola/client'
import { useLoad, type Loaded } from '@cuatrola/ui'
import { api } from '../game/client'

/** The part of the economy's document that players are told of; amounts in coins, factors in percent, pairs for winning and losing. */
export interface Economy {
  daily: readonly number[]
  matches: { online: { coins: readonly [number, number] }; away: { percent: number } }
  booster: { percent: number; lasts: { minutes?: number; matches?: number }; stack: 'extend' | 'refuse'; price: number }
  vip: { percent: number; days: number; price: number; dailyGift: number }
  combine: 'multiply' | 'add' | 'highest'
  league: {
    points: readonly [number, number]
    botsPercent: number
    divisions: readonly { name: string; groupSize: number; up: number; down: number; prizes: readonly number[] }[]
  }
}

/** The economy that is live. */
export const useEconomy = (): Loaded<Economy> =>
  useLoad(async (signal) => (await ask(api.GET('/v1/economy', { signal }))).document as unknown as Economy, [])

/** What booster and pass make of a match's coins together, in percent. */
export function together({ booster, vip, combine }: Economy): number {
  if (combine === 'multiply') return (booster.percent * vip.percent) / 100
  return combine === 'highest' ? Math.max(booster.percent, vip.percent) : booster.percent + vip.percent - 100
}
