import { ask, Problem } from '@cuatrola/client'
import { readJSON, writeJSON } from '../device'
import { api } from '../game/client'
import { randomHex } from '../random'
import type { Order } from './money'

// An order is asked for under a key that this device keeps until it is paid or lapses: whoever comes back to it, or asks twice
// because an answer was lost, has one order and not two.

interface Wish {
  sku: string
  currency: string
  /** In the currency's smallest unit: at another price it is another order. */
  amount: number
}

interface Kept extends Wish {
  player: string
  key: string
  /** Its number, once the server has said it. */
  order?: string
}

const all = () => readJSON<Kept[]>('orders') ?? []
const find = (player: string, wish: Wish) =>
  all().find((k) => k.player === player && k.sku === wish.sku && k.currency === wish.currency && k.amount === wish.amount) ?? null
const forget = (key: string) => writeJSON('orders', all().filter((k) => k.key !== key))
// The newest few are enough: an order can be paid for a day.
const keep = (kept: Kept) => writeJSON('orders', [kept, ...all().filter((k) => k.key !== kept.key)].slice(0, 20))

export interface Begun {
  order: Order
  /** Where it is paid; null if there is nothing to pay any more, or the payment is under way. */
  url: string | null
}

/** Orders a product, or goes on with the order that was left before. Throws a Problem. */
export async function begin(player: string, wish: Wish): Promise<Begun> {
  let known = find(player, wish)
  for (;;) {
    const kept = known ?? { ...wish, player, key: randomHex(16) }
    keep(kept)
    let answer
    try {
      answer = await ask(api.POST('/v1/shop/orders', {
        params: { header: { 'Idempotency-Key': kept.key } }, body: { sku: wish.sku, provider: 'stripe', currency: wish.currency },
      }))
    } catch (err) {
      if (!(err instanceof Problem) || err.status === 0 || err.status >= 500) throw err
      forget(kept.key)
      if (known && err.code === 'idempotency_conflict') {
        known = null
        continue
      }
      throw err
    }
    const { order, client } = answer
    const url = client?.['url'] ?? null
    if (url) {
      keep({ ...kept, order: order.id })
      return { order, url }
    }
    forget(kept.key)
    // What was kept here is done with: this is to be another one.
    if (known && order.status !== 'pending' && order.status !== 'created') {
      known = null
      continue
    }
    return { order, url: null }
  }
}

/** The order as it was asked for on this device; null if it was asked for on another one, or is done with. */
export const wishOf = (player: string, order: string): Wish | null => all().find((k) => k.player === player && k.order === order) ?? null

/** Goes to the page where one pays. Comes to an end only if one comes back to this very page. */
export async function goPay(url: string): Promise<void> {
  if (!/^https?:\/\//.test(url)) throw new Error(`no page to pay on: ${url}`)
  const back = new Promise<void>((resolve) => addEventListener('pageshow', () => resolve(), { once: true }))
  location.assign(url)
  await back
}
