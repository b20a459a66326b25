import { useEffect, useState } from 'preact/hooks'
import type { Table, TableState } from '../game/types'

/** The table's state, kept fresh. */
export function useTable(table: Table): TableState {
  const [state, set] = useState(table.state)
  useEffect(() => {
    set(table.state)
    return table.subscribe(() => set(table.state))
  }, [table])
  return state
}

/** Whole seconds until a moment, counting down; null where there is none. */
export function useCountdown(until: number | null): number | null {
  const left = () => (until === null ? null : Math.max(0, Math.ceil((until - Date.now()) / 1000)))
  const [seconds, set] = useState(left)
  useEffect(() => {
    set(left())
    if (until === null) return
    const timer = setInterval(() => set(left()), 500)
    return () => clearInterval(timer)
  }, [until])
  return seconds
}
