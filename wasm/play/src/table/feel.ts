import { useEffect, useRef } from 'preact/hooks'
import { ways } from '../device'
import { pairOf, type TableState } from '../game/types'
import { news } from './happenings'
import { sound, type Sound } from './sound'

/** Lets the device sound and tremble with what happens, as far as it is wanted. */
export function useFeel(state: TableState, seconds: number | null): void {
  const last = useRef(state)
  const mine = !state.ended && state.view.turn === state.view.viewer && state.view.phase !== 'over'

  useEffect(() => {
    const before = last.current
    last.current = state
    if (before === state) return
    const heard = new Set<Sound>()
    const ours = pairOf(state.view.viewer)
    for (const happening of news(before, state)) {
      if (happening.kind === 'bid' && happening.bid !== 'pass') heard.add('bid')
      if (happening.kind === 'card' || happening.kind === 'cante' || happening.kind === 'trick') heard.add(happening.kind)
      if (happening.kind === 'match' && happening.winner !== null) heard.add(happening.winner === ours ? 'won' : 'lost')
    }
    if (state.said && state.said.n !== before.said?.n) heard.add('talk')
    for (const name of heard) sound(name)
  }, [state])

  const asked = mine ? `${state.view.phase} ${state.view.seq}` : null
  useEffect(() => {
    if (!asked) return
    sound('turn')
    if (ways().vibration && 'vibrate' in navigator) navigator.vibrate(40)
  }, [asked])

  useEffect(() => {
    if (mine && seconds !== null && seconds > 0 && seconds <= 5) sound('tick')
  }, [mine, seconds])
}
