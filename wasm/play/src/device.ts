import { readJSON, readKept, writeJSON, writeKept } from '@cuatrola/ui'
import { chooseCards, type CardSet } from './cards/set'
import type { Level, Preset } from './game/types'

export { applyTheme, keepLanguage, language, languageChosen, readJSON, theme, writeJSON, type Theme } from '@cuatrola/ui'

// What this device remembers for the game, besides what it does for the panel too.

/** The last choices made for a match against bots. */
export interface Setup {
  online: boolean
  preset: Preset
  length: string
  options: Record<string, string>
  /** How well the bots play: all alike, or each as `levels` has it by seat. Not there if it was kept before there were levels. */
  level?: Level | 'each'
  levels?: Level[]
}
export const usualSetup: Setup = { online: false, preset: 'mesa', length: '', options: {} }
export const setup = () => readJSON<Setup>('setup')
export const keepSetup = (value: Setup) => writeJSON('setup', value)

/** How long a bot seems to think, in milliseconds. Only looks: nothing depends on it. */
export const pace = () => {
  const kept = Number(readKept('pace') ?? NaN)
  return Number.isFinite(kept) && kept >= 0 ? kept : usualPace
}
const usualPace = 750
/** Slow, as usual, fast. */
export const paces = [1400, usualPace, 350] as const
export const keepPace = (ms: number) => writeKept('pace', ms === usualPace ? null : String(ms))

/** How this device wants its table. */
export interface Ways {
  /** Which cards; null as the system's contrast asks for. */
  cards: CardSet | null
  sound: boolean
  vibration: boolean
  /** Nothing moves. The system's own wish for that counts anyway. */
  still: boolean
}
const usualWays: Ways = { cards: null, sound: false, vibration: false, still: false }
export const ways = (): Ways => ({ ...usualWays, ...readJSON<Partial<Ways>>('ways') })

export function applyWays(chosen: Ways): void {
  chooseCards(chosen.cards)
  document.documentElement.classList.toggle('still', chosen.still)
}

export function keepWays(chosen: Ways): void {
  writeJSON('ways', chosen)
  applyWays(chosen)
}

/** Whether nothing may move, by choice or by the system's. */
export const still = () => ways().still || matchMedia('(prefers-reduced-motion: reduce)').matches

const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'], [/OPR\//, 'Opera'], [/SamsungBrowser\//, 'Samsung Internet'], [/Firefox\/|FxiOS\//, 'Firefox'], [/Chrome\/|CriOS\//, 'Chrome'], [/Safari\//, 'Safari'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'], [/iPhone|iPod/, 'iPhone'], [/iPad/, 'iPad'], [/CrOS/, 'ChromeOS'], [/Windows/, 'Windows'], [/Mac OS X/, 'Mac'], [/Linux/, 'Linux'],
]

/** What a player's list of sessions calls this browser, such as "Firefox · Android". */
export function deviceName(agent = navigator.userAgent): string {
  const of = (names: typeof browsers) => names.find(([sign]) => sign.test(agent))?.[1]
  return [of(browsers), of(systems)].filter(Boolean).join(' · ') || 'Web'
}
