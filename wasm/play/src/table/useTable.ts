import { useEffect, useState } from 'preact/hooks'

/** What is left until a moment: whole seconds, null where there is none; and as a part of `lasts`, in steps of half a second. */
export function useCountdown(until: number | null, lasts: number): { seconds: number | null; left: number } {
  const now = () => {
    const ms = until === null ? null : Math.max(0, until - Date.now())
    return { seconds: ms === null ? null : Math.ceil(ms / 1000), left: ms === null || lasts <= 0 ? 1 : Math.min(1, ms / lasts) }
  }
  const [time, set] = useState(now)
  useEffect(() => {
    set(now())
    if (until === null) return
    const timer = setInterval(() => set(now()), 500)
    return () => clearInterval(timer)
  }, [until, lasts])
  return time
}
