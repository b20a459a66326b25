import { asProblem, Button, defineTexts, type Problem, ProblemNote, Skeleton, useTexts } from '@cuatrola/ui'
import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import './more.css'

const texts = defineTexts({
  es: { more: 'Ver más', more_came_one: 'Una línea más', more_came_other: '{n} líneas más' },
  ca: { more: 'Mostra’n més', more_came_one: 'Una línia més', more_came_other: '{n} línies més' },
  en: { more: 'Show more', more_came_one: 'One more line', more_came_other: '{n} more lines' },
})

export interface More<Item> {
  /** All that has come so far; null while nothing has. */
  items: readonly Item[] | null
  problem: Problem | null
  loading: boolean
  /** How many came with the last page behind the first. */
  came: number
  /** Asks for the next page; null if there is none. */
  next: (() => void) | null
  /** Begins anew, with the first page. What is shown stays until it is there. */
  reload: () => void
}

interface State<Item> {
  items: readonly Item[] | null
  cursor: string | null
  problem: Problem | null
  loading: boolean
  came: number
}

/** A list that comes in pages, each by the cursor that the one before gave, one below the other; begun anew when an input changes. */
export function useMore<Item>(
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<{ items: readonly Item[]; nextCursor?: string | null | undefined }>,
  inputs: readonly unknown[],
): More<Item> {
  const [state, setState] = useState<State<Item>>({ items: null, cursor: null, problem: null, loading: true, came: 0 })
  const latest = useRef(load)
  latest.current = load
  const asked = useRef<AbortController | null>(null)
  const get = useCallback((cursor: string | undefined) => {
    asked.current?.abort()
    const mine = (asked.current = new AbortController())
    setState((s) => ({ ...s, loading: true, problem: null }))
    latest.current(cursor, mine.signal).then(
      (page) => mine.signal.aborted || setState((s) => ({
        items: cursor === undefined ? page.items : [...(s.items ?? []), ...page.items], cursor: page.nextCursor ?? null,
        problem: null, loading: false, came: cursor === undefined ? 0 : page.items.length,
      })),
      (err) => mine.signal.aborted || setState((s) => ({ ...s, problem: asProblem(err), loading: false })),
    )
  }, [])
  useEffect(() => {
    setState({ items: null, cursor: null, problem: null, loading: true, came: 0 })
    get(undefined)
    return () => asked.current?.abort()
  }, inputs)
  const { items, cursor, problem, loading, came } = state
  return {
    items, problem, loading, came,
    next: cursor === null ? null : () => !loading && get(cursor),
    reload: useCallback(() => get(undefined), []),
  }
}

/** The list as far as it has come, and the way to more of it; in `children` are all that there are, at least one. */
export function MoreList<Item>({ of, lines = 5, empty, children }: {
  of: More<Item>
  lines?: number
  empty: ComponentChildren
  children: (items: readonly Item[]) => ComponentChildren
}) {
  const t = useTexts(texts)
  const list = useRef<HTMLDivElement>(null)
  // The button goes with the last page: the focus then goes on to what came instead.
  const pressed = useRef(false)
  useEffect(() => {
    if (of.next || of.came === 0 || !pressed.current) return
    pressed.current = false
    const all = list.current?.querySelectorAll<HTMLElement>('[data-item]')
    all?.[all.length - of.came]?.focus()
  }, [of.items])
  return (
    <>
      <div ref={list} class="more-list" aria-busy={of.loading}>
        {of.items && (of.items.length > 0 ? children(of.items) : empty)}
        {!of.items && !of.problem && <Skeleton lines={lines} />}
      </div>
      {of.problem && <ProblemNote problem={of.problem} retry={of.items && of.next ? of.next : of.reload} />}
      <p class="hidden" role="status">{of.came > 0 && t.plural('more_came', of.came)}</p>
      {of.next && !of.problem && (
        <p class="more">
          <Button
            data-action="more" busy={of.loading}
            onClick={() => {
              pressed.current = true
              of.next?.()
            }}
          >
            {t('more')}
          </Button>
        </p>
      )}
    </>
  )
}
