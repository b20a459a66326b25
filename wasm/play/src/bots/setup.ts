import type { Setup } from '../device'
import { levelOf, type HouseRules, type Level, type Options } from '../game/types'

/** Lengths that people play; any other is for house rules by the API. */
export const lengths = ['hands:11', 'hands:20', 'points:3', 'points:5', 'points:11', 'points:21'] as const

export const choices: { name: keyof Options; values: readonly string[] }[] = [
  { name: 'cantes', values: ['declare', 'auto'] },
  { name: 'beat', values: ['led', 'best'] },
  { name: 'undertrump', values: ['free', 'forced'] },
  { name: 'tie', values: ['mano', 'lastTrick'] },
  { name: 'partnerExempt', values: ['true', 'false'] },
  { name: 'raising', values: ['true', 'false'] },
  { name: 'bidderLeads', values: ['true', 'false'] },
  { name: 'fortyFirst', values: ['true', 'false'] },
  { name: 'stopWhenLost', values: ['true', 'false'] },
  { name: 'exactTarget', values: ['true', 'false'] },
]

export function houseRules(chosen: Setup): HouseRules {
  const options: Record<string, unknown> = {}
  if (chosen.length) {
    const [end, target] = chosen.length.split(':')
    options.end = end
    options.target = Number(target)
  }
  for (const [name, value] of Object.entries(chosen.options)) {
    if (value) options[name] = value === 'true' ? true : value === 'false' ? false : value
  }
  return Object.keys(options).length === 0 ? chosen.preset : ({ preset: chosen.preset, ...options } as HouseRules)
}

/** The bots' levels by seat. */
export function chosenLevels(chosen: Setup): Level[] {
  return [0, 1, 2, 3].map((seat) => levelOf(chosen.level === 'each' ? chosen.levels?.[seat] : chosen.level))
}

/** Those that a bot can sit in, as they are called from one's own. */
export const botSeats = [[1, 'seat_right'], [2, 'seat_partner'], [3, 'seat_left']] as const

