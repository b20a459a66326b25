import type { Schemas } from '@cuatrola/client'
import type { Cuatrola, ServerView } from '@cuatrola/rules'
import type { Sight } from './protocol'
import type { View } from './types'

// Works in the worker: what a view allows, so that the page answers at once.

const sayings = ['pass', 'solo', 'cuatrola', 'quintola', 'sing:O', 'sing:C', 'sing:E', 'sing:B', 'silent']

/** What may be done in a view, by the module's own reckoning. */
export function sightOf(engine: Cuatrola, view: View): Sight {
  const { phase } = view
  if (phase === 'seeds') return { view, why: Object.fromEntries(sayings.map((action) => [action, 'wrong_phase'])) }
  return { view, why: Object.fromEntries([...view.cards, ...sayings].map((action) => [action, engine.checkView({ ...view, phase }, action)])) }
}

/** What a server sent, in the module's form. */
export function sightFromServer(engine: Cuatrola, from: Schemas['View']): Sight {
  // Given up for a fault of the server's: over, and nobody has won. The contract's pairs of numbers are lists to its types.
  const view = engine.viewFromServer({ ...from, phase: from.phase === 'void' ? 'over' : from.phase } as unknown as ServerView)
  return sightOf(engine, from.phase === 'seeds' ? { ...view, phase: 'seeds' } : view)
}
