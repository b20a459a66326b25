import { reasonText, type Reason } from '@cuatrola/rules'
import { useLanguage, type Language } from '@cuatrola/ui'
import { ca } from './ca'
import { en } from './en'
import { es, type Key, type Texts } from './es'
import { rankOf, suitOf } from '../cards/card'

export type { Key } from './es'
const texts: Record<Language, Texts> = { es, ca, en }

export interface Translate {
  (key: Key, values?: Record<string, string | number>): string
  /** The text for a stable code; the code itself if this page is older than it. */
  reason(code: string): string
  card(card: string): string
  /** The same with its article: "el as de oros". */
  theCard(card: string): string
  suit(suit: string): string
}

export function translator(language: Language): Translate {
  const table = texts[language]
  const t = ((key, values) => {
    const text = table[key]
    return values ? text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? '')) : text
  }) as Translate
  t.reason = (code) => (table as Record<string, string>)['why_' + code] ?? reasonText(code as Reason, language) ?? code
  t.suit = (suit) => (table as Record<string, string>)['suit_' + suit] ?? suit
  const named = (card: string, ranks: 'rank_' | 'the_') => {
    const suit = t.suit(suitOf(card))
    // Catalan elides the preposition before a vowel.
    return t(/^[aeiou]/.test(suit) ? 'card_vowel' : 'card', { rank: (table as Record<string, string>)[ranks + rankOf(card)] ?? '', suit })
  }
  t.card = (card) => named(card, 'rank_')
  t.theCard = (card) => named(card, 'the_')
  return t
}

const translators = new Map<Language, Translate>()

/** The game's words in the language that is chosen. */
export function useT(): Translate {
  const language = useLanguage()
  let found = translators.get(language)
  if (!found) translators.set(language, (found = translator(language)))
  return found
}
