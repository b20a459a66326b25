import { createContext } from 'preact'
import { useContext, useMemo } from 'preact/hooks'

export type Language = 'es' | 'ca' | 'en'
export const languages: readonly { code: Language; name: string }[] = [
  { code: 'es', name: 'Español' },
  { code: 'ca', name: 'Català' },
  { code: 'en', name: 'English' },
]
export const isLanguage = (code: string): code is Language => languages.some((l) => l.code === code)

/** One text in every language. */
export type Trilingual = Readonly<Record<Language, string>>

/** A table of texts: Spanish is the source, the others must have the same keys. */
export type Texts<Key extends string = string> = Readonly<Record<Language, Readonly<Record<Key, string>>>>

// Texts for errors, by their stable code; each table brings those whose keys begin with problem_.
const problems: Record<Language, Record<string, string>> = { es: {}, ca: {}, en: {} }

/**
 * Declares an area's texts. A key that a language lacks, or has too many, is an error of types. `{name}` in a text is filled
 * in. Keys `x_one` and `x_other` are the forms of a text for a number, see `plural`. A key `problem_CODE` says what the
 * refusal with that code means and what to do; it is found wherever that refusal is shown.
 */
export function defineTexts<const T extends Record<string, string>>(texts: {
  es: T
  ca: Record<keyof NoInfer<T>, string>
  en: Record<keyof NoInfer<T>, string>
}): Texts<keyof T & string> {
  for (const { code } of languages) {
    for (const [key, text] of Object.entries(texts[code])) {
      if (key.startsWith('problem_')) problems[code][key.slice('problem_'.length)] = text
    }
  }
  return texts as Texts<keyof T & string>
}

/** What a refusal with this code means, or null if no loaded area knows. */
export const problemText = (language: Language, code: string): string | null => problems[language][code] ?? null

type Values = Record<string, string | number>
type Counted<Key extends string> = Key extends `${infer Base}_other` ? Base : never

export interface Translate<Key extends string> {
  (key: Key, values?: Values): string
  /** The form of `key` for n, with `{n}` filled in as a number of the language. */
  plural(key: Counted<Key>, n: number, values?: Values): string
  /** The text of a key that comes from elsewhere, such as prefix and code; the fallback if there is none. */
  code(key: string, fallback: string): string
  /** Whether there is a text of that name. */
  has(key: string): key is Key
}

const fill = (text: string, values?: Values) =>
  values ? text.replace(/\{(\w+)\}/g, (all, name: string) => String(values[name] ?? all)) : text

export function translator<Key extends string>(texts: Texts<Key>, language: Language): Translate<Key> {
  const table: Record<string, string> = texts[language]
  const rules = new Intl.PluralRules(language)
  const t = ((key, values) => fill(table[key] ?? key, values)) as Translate<Key>
  t.plural = (key, n, values) =>
    fill(table[`${key}_${rules.select(n)}`] ?? table[`${key}_other`] ?? key, { n: new Intl.NumberFormat(language, { useGrouping: true }).format(n), ...values })
  t.code = (key, fallback) => table[key] ?? fallback
  t.has = (key): key is Key => key in table
  return t
}

export const LanguageContext = createContext<{ language: Language; choose: (language: Language) => void }>({
  language: 'es', choose: () => {},
})
export const useLanguage = () => useContext(LanguageContext).language

/** The texts of an area in the language that is chosen. */
export function useTexts<Key extends string>(texts: Texts<Key>): Translate<Key> {
  const language = useLanguage()
  return useMemo(() => translator(texts, language), [texts, language])
}
