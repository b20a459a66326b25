import { localTag, useFormat, useLanguage, useTexts } from '@cuatrola/ui'
import { readJSON, writeJSON } from '../device'
import type { Schemas } from '../game/client'
import { texts } from './texts'

export type Price = Schemas['Price']
export type Offer = Schemas['Offer']
export type Order = Schemas['Order']
type Goods = Schemas['Goods']

/** An amount of money as the shopper's language writes it. */
export function usePrice(): (price: Price, amount?: number) => string {
  const language = useLanguage()
  return ({ currency, amount: whole, decimals }, amount = whole) => {
    // What a store has priced and not told has no currency.
    if (!currency) return '–'
    return new Intl.NumberFormat(localTag(language), { style: 'currency', currency }).format(amount / 10 ** decimals)
  }
}

/** What goods are, in words. */
export function useGoods(): (goods: Goods) => string {
  const t = useTexts(texts)
  const f = useFormat()
  return ({ coins, boosters, vipDays }) => {
    const parts = [
      coins !== 0 && t.plural('goods_coins', coins), boosters !== 0 && t.plural('goods_boosters', boosters), vipDays !== 0 && t.plural('goods_days', vipDays),
    ].filter((part) => part !== false)
    return parts.length > 0 ? f.list(parts) : t('goods_nothing')
  }
}

export const kinds = ['coins', 'pack', 'vip', 'booster'] as const
export type OfferKind = (typeof kinds)[number]

/** Where in the shop an offer stands: by what it is of, with others if it is of several things. */
export function kindOf({ goods: { coins, boosters, vipDays } }: Offer): OfferKind {
  const has: OfferKind[] = [...(coins > 0 ? ['coins' as const] : []), ...(boosters > 0 ? ['booster' as const] : []), ...(vipDays > 0 ? ['vip' as const] : [])]
  return has.length === 1 ? has[0]! : 'pack'
}

// Where it is neither the euro nor a currency that nothing is sold in anyway.
const byRegion: Record<string, string> = {
  US: 'USD', PR: 'USD', EC: 'USD', SV: 'USD', PA: 'USD', GB: 'GBP', CH: 'CHF', MX: 'MXN', AR: 'ARS', CL: 'CLP', CO: 'COP', PE: 'PEN', UY: 'UYU', BR: 'BRL', CA: 'CAD', AU: 'AUD',
}

export const currenciesOf = (offers: readonly Offer[]): string[] => [...new Set(offers.flatMap((o) => o.prices.map((p) => p.currency)))].sort()

/** The currency that was chosen on this device, else that of where the browser lives, else the euro, out of those that there are. */
export function usualCurrency(there: readonly string[]): string {
  const region = new Intl.Locale(navigator.language).region ?? ''
  return [readJSON<string>('currency'), byRegion[region], 'EUR'].find((c) => c && there.includes(c)) ?? there[0] ?? 'EUR'
}
export const keepCurrency = (currency: string) => writeJSON('currency', currency)
