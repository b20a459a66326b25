import { isLanguage, type Language, languages } from '@cuatrola/ui'

// What this device remembers, under the same names as the game's page. Storage may be forbidden: the panel then forgets.

export type Theme = 'auto' | 'light' | 'dark'
export const themes: readonly Theme[] = ['auto', 'light', 'dark']

function read(key: string): string | null {
  try {
    return localStorage.getItem('cuatrola.' + key)
  } catch {
    return null
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem('cuatrola.' + key)
    else localStorage.setItem('cuatrola.' + key, value)
  } catch {
    // Forgetting is all that is lost.
  }
}

/** The language chosen on this device, else the browser's first that the panel speaks, else Spanish. */
export function language(): Language {
  const kept = read('language')
  if (kept && isLanguage(kept)) return kept
  for (const tag of navigator.languages) {
    const code = tag.toLowerCase().split('-')[0]!
    if (isLanguage(code)) return code
  }
  return languages[0]!.code
}
export const keepLanguage = (code: Language) => write('language', code)

export function theme(): Theme {
  const kept = read('theme')
  return kept === 'light' || kept === 'dark' ? kept : 'auto'
}

export function applyTheme(choice: Theme): void {
  if (choice === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = choice
  write('theme', choice === 'auto' ? null : choice)
}
