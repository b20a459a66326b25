import { useEffect, useState } from 'preact/hooks'
import { client } from '../game/client'

/** The server's time, in milliseconds since 1970, anew each second. */
export function useNow(): number {
  const [now, set] = useState(() => client.now())
  useEffect(() => {
    const timer = setInterval(() => set(client.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** Whole seconds from one moment to another, never less than none. */
export const secondsBetween = (from: number, to: number) => Math.max(0, Math.round((to - from) / 1000))

/** A span as clocks show it: 0:07, 12:30. */
export const clock = (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
