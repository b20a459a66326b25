import type { Schemas } from '@cuatrola/client'
import type { Action, Cuatrola, HandResult, ServerView } from '@cuatrola/rules'
import type { Prediction, ServerSight, Sight } from './protocol'
import type { View } from './types'

// Works in the worker: what a view allows, so that the page answers at once.

/** What may be done in a view, by the module's own reckoning. */
export function sightOf(engine: Cuatrola, view: View): Sight {
  return { view, why: engine.reasonsFromView(plain(view)) }
}

/** What a server sent, in the module's form. Where the two do not allow the same, the server has the last word. */
export function sightFromServer(engine: Cuatrola, from: Schemas['View']): ServerSight {
  // The contract's pairs of numbers are lists to its types.
  const view: View = engine.viewFromServer(from as unknown as ServerView)
  const { why } = sightOf(engine, from.phase === 'seeds' ? { ...view, phase: 'seeds' } : view)
  const mine = view.turn === view.viewer
  const differs = mine && Object.entries(why).some(([action, reason]) => (reason === null) !== from.legal.includes(action))
  return {
    view: from.phase === 'seeds' ? { ...view, phase: 'seeds' } : view,
    why: differs ? Object.fromEntries(Object.entries(why).map(([action, reason]) => [action, from.legal.includes(action) ? null : reason ?? 'wrong_phase'])) : why,
    differs,
  }
}

/** What the viewer sees once it has done an action, as far as its view tells; null if the action is refused. */
export function predict(engine: Cuatrola, view: View, action: Action): Prediction | null {
  const after = engine.viewAfter(plain(view), action)
  if (!after) return null
  const ended = after.handsFinished > view.handsFinished
  return { ...sightOf(engine, after), ended: ended ? { hand: { ...after.hand, score: after.score } as HandResult, number: after.handsFinished } : null }
}

/** Before the seats have brought their seeds, the rules wait for a deal. */
const plain = (view: View) => ({ ...view, phase: view.phase === 'seeds' ? ('deal' as const) : view.phase })
