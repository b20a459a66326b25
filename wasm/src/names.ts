// What has a name, in order: public, and the codes' own order.

import type { Level, Preset } from './types.js'

/** The rule sets that have a name. */
export const presets: readonly Preset[] = ['clasica', 'mesa', 'mesa-quintola', 'liga']

/** How well bots play, the weakest first. */
export const levels: readonly Level[] = ['aprendiz', 'tabernero', 'veterano', 'maestro']
