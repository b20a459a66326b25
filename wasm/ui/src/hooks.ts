import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { asProblem, type Problem } from './problem'

export interface Loaded<T> {
  /** The last answer; kept while a newer one is on its way. */
  data: T | null
  problem: Problem | null
  loading: boolean
  reload: () => void
  /** Puts an answer in place that came by another way, such as that of a change. */
  put: (data: T) => void
}

/**
 * What `load` answers; asked anew whenever one of `inputs` changes. An answer that comes after a newer question is dropped.
 */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ data: T | null; problem: Problem | null; loading: boolean }>({ data: null, problem: null, loading: true })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const asked = new AbortController()
    setState((s) => (s.loading ? s : { ...s, loading: true }))
    load(asked.signal).then(
      (data) => asked.signal.aborted || setState({ data, problem: null, loading: false }),
      (err) => asked.signal.aborted || setState((s) => ({ data: s.data, problem: asProblem(err), loading: false })),
    )
    return () => asked.abort()
  }, [...inputs, turn])
  const reload = useCallback(() => setTurn((n) => n + 1), [])
  const put = useCallback((data: T) => setState({ data, problem: null, loading: false }), [])
  return { ...state, reload, put }
}

/** Asks again every `seconds` while the page is looked at. */
export function useRepeat(reload: () => void, seconds: number): void {
  const latest = useRef(reload)
  latest.current = reload
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && latest.current(), seconds * 1000)
    return () => clearInterval(timer)
  }, [seconds])
}

export interface Action<Args extends unknown[], T> {
  /** Does it; answers undefined if it was refused, or while it is still being done. */
  run: (...args: Args) => Promise<T | undefined>
  busy: boolean
  problem: Problem | null
  clear: () => void
}

/** Something that is done when a person asks for it, once at a time. */
export function useAction<Args extends unknown[], T>(act: (...args: Args) => Promise<T>): Action<Args, T> {
  const [state, setState] = useState<{ busy: boolean; problem: Problem | null }>({ busy: false, problem: null })
  const latest = useRef(act)
  latest.current = act
  const busy = useRef(false)
  const run = useCallback(async (...args: Args): Promise<T | undefined> => {
    if (busy.current) return undefined
    busy.current = true
    setState({ busy: true, problem: null })
    try {
      const answer = await latest.current(...args)
      busy.current = false
      setState({ busy: false, problem: null })
      return answer
    } catch (err) {
      busy.current = false
      setState({ busy: false, problem: asProblem(err) })
      return undefined
    }
  }, [])
  const clear = useCallback(() => setState((s) => ({ ...s, problem: null })), [])
  return { ...state, run, clear }
}
