import type { IconNode } from 'lucide'
import { h } from 'preact'

/** A picture of the lucide set. It says nothing by itself: the words are beside it, or in the control's name. */
export function Icon({ of, size = 18 }: { of: IconNode; size?: number }) {
  return (
    <svg
      class="icon" viewBox="0 0 24 24" width={size} height={size} fill="none" stroke="currentColor" stroke-width="1.9"
      stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false"
    >
      {of.map(([tag, attributes], i) => h(tag, { ...attributes, key: i }))}
    </svg>
  )
}
