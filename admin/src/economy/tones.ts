import type { Tone } from '@cuatrola/ui'
import type { Schemas } from '../api/types'

/** In which tone the state of a version is shown, and that of a proposal. */
export const stateTone: Record<Schemas['EconomyVersion']['state'], Tone> = { live: 'good', coming: 'info', past: 'neutral', withdrawn: 'warn' }
export const verdictTone: Record<Schemas['EconomyProposal']['state'], Tone> = { open: 'info', approved: 'good', refused: 'bad', taken_back: 'neutral', void: 'neutral', lapsed: 'neutral' }
