import { reasonText, type Reason } from '@cuatrola/rules'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { ca } from './ca'
import { en } from './en'
import { es, type Key, type Texts } from './es'
import { rankOf, suitOf } from '../cards/card'

export type { Key } from './es'
export type Language = 'es' | 'ca' | 'en'
export const languages: readonly { code: Language; name: string }[] = [
  { code: 'es', name: 'Español' },
  { code: 'ca', name: 'Català' },
  { code: 'en', name: 'English' },
]

const texts: Record<Language, Texts> = { es, ca, en }

export interface Translate {
  (key: Key, values?: Record<string, string | number>): string
  /** The text for a stable code; the code itself if this page is older than it. */
  reason(code: string): string
  /** Why the house keeps the player out, and until when, as a refusal says it. */
  suspended(body: Readonly<Record<string, unknown>>): string
  card(card: string): string
  suit(suit: string): string
}

export function translator(language: Language): Translate {
  const table = texts[language]
  const t = ((key, values) => {
    const text = table[key]
    return values ? text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? '')) : text
  }) as Translate
  t.reason = (code) => (table as Record<string, string>)['why_' + code] ?? reasonText(code as Reason, language) ?? code
  t.suspended = (body) => {
    const { why, until, text } = (body['suspension'] ?? {}) as { why?: string; until?: string; text?: string }
    const when = until && new Date(until).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' })
    const reason = text ?? (table as Record<string, string>)['suspended_' + why] ?? ''
    return [when ? t('suspended_until', { when }) : table.why_suspended, reason].filter(Boolean).join(' ')
  }
  t.suit = (suit) => (table as Record<string, string>)['suit_' + suit] ?? suit
  t.card = (card) => {
    const suit = t.suit(suitOf(card))
    // Catalan elides the preposition before a vowel.
    return t(/^[aeiou]/.test(suit) ? 'card_vowel' : 'card', { rank: (table as Record<string, string>)['rank_' + rankOf(card)] ?? '', suit })
  }
  return t
}

/** The best language for a visitor who has not chosen: the browser's first that the page speaks, else Spanish. */
export function detectLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const code = tag.toLowerCase().split('-')[0]
    const found = languages.find((l) => l.code === code)
    if (found) return found.code
  }
  return 'es'
}

export const TranslateContext = createContext<Translate>(translator('es'))
export const useT = () => useContext(TranslateContext)
