import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface Tab<Id extends string = string> {
  id: Id
  label: ComponentChildren
}

/** Parts of a page of which one is shown. Arrows go from one to the next, as do Home and End. */
export function Tabs<Id extends string>({ label, tabs, current, onChange, children }: {
  /** What they are parts of. */
  label: string
  tabs: readonly Tab<Id>[]
  current: Id
  onChange: (id: Id) => void
  /** The part that is shown. */
  children: ComponentChildren
}) {
  const base = useId()
  const at = tabs.findIndex((tab) => tab.id === current)
  const go = (index: number) => {
    const tab = tabs[(index + tabs.length) % tabs.length]!
    onChange(tab.id)
    document.getElementById(`${base}-${tab.id}`)?.focus()
  }
  const keys: Record<string, () => void> = {
    ArrowRight: () => go(at + 1), ArrowLeft: () => go(at - 1), Home: () => go(0), End: () => go(tabs.length - 1),
  }
  return (
    <div class="tabs">
      <div
        class="tablist" role="tablist" aria-label={label}
        onKeyDown={(e) => {
          const act = keys[e.key]
          if (act) {
            e.preventDefault()
            act()
          }
        }}
      >
        {tabs.map((tab) => (
          <button
            key={tab.id} id={`${base}-${tab.id}`} type="button" role="tab" aria-selected={tab.id === current} aria-controls={base + '-panel'}
            tabIndex={tab.id === current ? 0 : -1} data-tab={tab.id} onClick={() => onChange(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div class="tabpanel" id={base + '-panel'} role="tabpanel" aria-labelledby={`${base}-${current}`} tabIndex={-1}>{children}</div>
    </div>
  )
}
