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
