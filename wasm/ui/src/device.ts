import { isLanguage, languages, type Language } from './i18n'

// What this device remembers, for the page and the panel alike, under the same names. Storage may be forbidden (private
// windows): both then do their work all the same and forget.

export type Theme = 'auto' | 'light' | 'dark'
export const themes: readonly Theme[] = ['auto', 'light', 'dark']

export function readKept(key: string): string | null {
  try {
    return localStorage.getItem('cuatrola.' + key)
  } catch {
    return null
  }
}

export function writeKept(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem('cuatrola.' + key)
    else localStorage.setItem('cuatrola.' + key, value)
  } catch {
    // Forgetting is all that is lost.
  }
}

export function readJSON<T>(key: string): T | null {
  const text = readKept(key)
  if (text === null) return null
  try {
    return JSON.parse(text) as T
  } catch {
    return null
  }
}

export function writeJSON(key: string, value: unknown): void {
  writeKept(key, value === null ? null : JSON.stringify(value))
}

/** The language chosen on this device, else the browser's first that the page speaks, else Spanish. */
export function language(): Language {
  const kept = readKept('language')
  if (kept && isLanguage(kept)) return kept
  for (const tag of navigator.languages) {
    const code = tag.toLowerCase().split('-')[0]!
    if (isLanguage(code)) return code
  }
  return languages[0]!.code
}
/** Whether somebody has chosen a language on this device. */
export const languageChosen = () => readKept('language') !== null
export const keepLanguage = (code: Language) => writeKept('language', code)

export function theme(): Theme {
  const kept = readKept('theme')
  return kept === 'light' || kept === 'dark' ? kept : 'auto'
}

export function applyTheme(choice: Theme): void {
  if (choice === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = choice
  writeKept('theme', choice === 'auto' ? null : choice)
}
