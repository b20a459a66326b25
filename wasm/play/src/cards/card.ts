// Cards as the rules name them: rank letter, then suit letter. "RE" is the king of espadas.
export type Suit = 'O' | 'C' | 'E' | 'B'
export type Rank = 'S' | 'C' | 'R' | '3' | 'A'

const suits = 'OCEB'
const ranks = 'SCR3A'

export const suitOf = (card: string) => card[1] as Suit
export const rankOf = (card: string) => card[0] as Rank

/** Sorted as a player holds them: suits side by side, trumps first, strongest first within a suit. */
export function sortHand(cards: readonly string[], trump: string | null): string[] {
  const place = (card: string) => (trump && suitOf(card) === trump ? -1 : suits.indexOf(suitOf(card)))
  return [...cards].sort((a, b) => place(a) - place(b) || ranks.indexOf(rankOf(b)) - ranks.indexOf(rankOf(a)))
}

/** The place in a trick of the card that is winning it, by the suit of the trump card; -1 while nothing is played. */
export function winningCard(cards: readonly string[], trump: string): number {
  const strength = (card: string) => {
    const suit = suitOf(card) === suitOf(trump) ? 20 : suitOf(card) === suitOf(cards[0]!) ? 10 : 0
    return suit && suit + ranks.indexOf(rankOf(card))
  }
  let best = cards.length > 0 ? 0 : -1
  for (let i = 1; i < cards.length; i++) if (strength(cards[i]!) > strength(cards[best]!)) best = i
  return best
}
