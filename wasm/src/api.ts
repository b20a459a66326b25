// What every entry of the package has.

export type { Cuatrola } from './cuatrola.js'
export { FormatError, ModuleError, OptionError } from './errors.js'
export type { Match } from './match.js'
export { levels, presets } from './names.js'
export { reviewText, tally } from './review.js'
export { reasonText, type Language } from './texts.js'
export type * from './types.js'
