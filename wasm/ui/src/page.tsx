import { ArrowLeft, Ellipsis, type IconNode } from 'lucide'
import type { ComponentChildren, RefObject } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useTexts } from './i18n'
import { Button } from './button'
import { Icon } from './icon'
import { texts } from './texts'

/** A page: its heading, which takes the focus when one comes to it, what one can do, and its content. */
export function Page({ title, lead, back, badge, actions, narrow = false, children }: {
  title: string
  /** A sentence below the heading. */
  lead?: ComponentChildren
  /** The page above. */
  back?: { href: string; label: string }
  badge?: ComponentChildren
  actions?: ComponentChildren
  narrow?: boolean
  children: ComponentChildren
}) {
  const heading = useHeading(title)
  return (
    <div class={narrow ? 'page narrow' : 'page'}>
      <header class="page-head">
        <div>
          {back && <a class="back" href={back.href}><Icon of={ArrowLeft} size={15} />{back.label}</a>}
          <div class="title"><h1 ref={heading} tabIndex={-1}>{title}</h1>{badge}</div>
          {lead && <p class="soft">{lead}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}
let moved = false

/** For the heading of a page that looks its own way: names the window, and takes the focus when one comes to it. */
export function useHeading(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  const { path } = useLocation()
  useEffect(() => {
    document.title = title === 'Cuatrola' ? title : `${title} · Cuatrola`
  }, [title])
  useEffect(() => {
    // The reader of the screen is told of the new page; the first one is told of anyway.
    if (moved) heading.current?.focus({ preventScroll: true })
    moved = true
    scrollTo(0, 0)
  }, [path])
  return heading
}

/** A part of a page with a heading of its own. */
export function Section({ title, lead, actions, flush = false, children }: {
  title?: string
  lead?: ComponentChildren
  actions?: ComponentChildren
  /** The content goes to the edges, such as a table. */
  flush?: boolean
  children: ComponentChildren
}) {
  const id = useId()
  return (
    <section class={flush ? 'section flush' : 'section'} aria-labelledby={title ? id : undefined}>
      {(title || actions) && (
        <header>
          <div>
            {title && <h2 id={id}>{title}</h2>}
            {lead && <p class="soft">{lead}</p>}
          </div>
          {actions && <div class="actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  )
}

/** What is known of a thing: names and values. What is null is left out. */
export function Facts({ of }: { of: readonly (readonly [string, ComponentChildren] | null | false)[] }) {
  return (
    <dl class="facts">
      {of.map((fact) => fact && (
        <div key={fact[0]}><dt>{fact[0]}</dt><dd>{fact[1]}</dd></div>
      ))}
    </dl>
  )
}

/** The filters above a list. */
export const Filters = ({ children }: { children: ComponentChildren }) => <div class="filters">{children}</div>

/** A part of the address's query, so that what a page shows can be kept and sent around. */
export function useQuery(name: string, fallback = ''): [string, (value: string) => void] {
  const { query, path, route } = useLocation()
  return [
    query[name] ?? fallback,
    (value) => {
      // Read anew: two may be set one after the other.
      const all = new URLSearchParams(location.search)
      if (value === fallback) all.delete(name)
      else all.set(name, value)
      const text = all.toString()
      route(path + (text ? '?' + text : ''), true)
    },
  ]
}

export interface MenuItem {
  label: string
  icon?: IconNode
  danger?: boolean
  onSelect: () => void
}

/** What can be done to a thing, behind one button. Arrows, Home, End and Escape as in menus everywhere. */
export function Menu({ label, items, small = true }: { label?: string; items: readonly MenuItem[]; small?: boolean }) {
  const t = useTexts(texts)
  const id = useId()
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLSpanElement>(null)
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (!open) return
    const at = button.current!.getBoundingClientRect()
    const menu = list.current!
    menu.showPopover()
    const size = menu.getBoundingClientRect()
    menu.style.left = `${Math.max(8, Math.min(at.right - size.width, innerWidth - size.width - 8))}px`
    menu.style.top = `${at.bottom + size.height + 8 > innerHeight ? Math.max(8, at.top - size.height - 4) : at.bottom + 4}px`
    menu.querySelector<HTMLElement>('[role=menuitem]')?.focus()
    const away = () => setOpen(false)
    addEventListener('scroll', away, { passive: true })
    return () => removeEventListener('scroll', away)
  }, [open])
  if (items.length === 0) return null
  const shut = () => {
    setOpen(false)
    button.current?.querySelector('button')?.focus()
  }
  const move = (by: (at: number, count: number) => number) => {
    const all = [...list.current!.querySelectorAll<HTMLElement>('[role=menuitem]')]
    const at = all.indexOf(document.activeElement as HTMLElement)
    all[(by(at, all.length) + all.length) % all.length]?.focus()
  }
  const keys: Record<string, () => void> = {
    ArrowDown: () => move((at) => at + 1), ArrowUp: () => move((at) => at - 1), Home: () => move(() => 0), End: () => move((_, n) => n - 1), Escape: shut,
  }
  return (
    <span class="menu-anchor" ref={button}>
      <Button
        kind="quiet" small={small} icon={Ellipsis} aria-label={label ?? t('more_actions')} aria-haspopup="menu" aria-expanded={open}
        aria-controls={open ? id : undefined} onClick={() => setOpen(true)}
      />
      {open && (
        <div
          ref={list} id={id} class="menu" role="menu" popover="auto" aria-label={label ?? t('more_actions')}
          onToggle={(e) => (e as ToggleEvent).newState === 'closed' && setOpen(false)}
          onKeyDown={(e) => {
            const act = keys[e.key]
            if (act) {
              e.preventDefault()
              act()
            } else if (e.key === 'Tab') setOpen(false)
          }}
        >
          {items.map((item) => (
            <button
              key={item.label} type="button" role="menuitem" tabIndex={-1} class={item.danger ? 'danger' : undefined}
              onClick={() => {
                shut()
                item.onSelect()
              }}
            >
              {item.icon && <Icon of={item.icon} size={16} />}
              {item.label}
            </button>
          ))}
        </div>
      )}
    </span>
  )
}
