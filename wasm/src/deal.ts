// Deals between the module's bytes (the dealer, the cards of seats 0 to 3, the card shown) and texts.

import { actionTexts } from './codes.js'
import type { Module } from './module.js'
import type { Deal } from './types.js'

/** The deal of a hand drawn from the seeds that the module was sent. */
export function drawn(module: Module, hand: number, dealer: number): Uint8Array {
  return Uint8Array.of(dealer, ...module.bytes(module.require(module.call((e) => e.fairDeal(hand, dealer)))))
}

/** A deal as it is written down. */
export function dealOf(cards: Uint8Array): Deal {
  const texts = Array.from(cards.subarray(1), (c) => actionTexts[c]!)
  return { dealer: cards[0]!, deal: [0, 1, 2, 3].map((s) => texts.slice(5 * s, 5 * s + 5)), trump: texts[20]! }
}
