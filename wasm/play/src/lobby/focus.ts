import { useEffect, useRef } from 'preact/hooks'

/** Takes the focus to the page's heading when the page becomes another one at the same address. */
export function useHeadingFocus(what: unknown): void {
  const before = useRef(what)
  useEffect(() => {
    if (before.current === what) return
    // What was not known yet becomes known: nobody has been anywhere.
    const first = before.current === undefined
    before.current = what
    if (!first) document.querySelector<HTMLElement>('#content h1')?.focus({ preventScroll: true })
  }, [what])
}
