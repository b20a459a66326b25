import { Button, Icon, useLanguage, useTexts } from '@cuatrola/ui'
import { ChevronDown, LogOut, Menu as Bars, X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { areas, groups, type Area } from '../areas'
import { useSession } from '../session'
import { Preferences } from './preferences'
import { texts } from './texts'

/** The areas that the role may see. */
export const visible = (may: (permission: string) => boolean): Area[] => areas.filter((a) => a.permission === null || may(a.permission))

const within = (path: string, area: Area) => path === area.path || path.startsWith(area.path + '/')

export const Mark = () => (
  <svg class="mark" viewBox="0 0 64 64" aria-hidden="true">
    <rect x="15" y="7" width="34" height="50" rx="6" class="paper" />
    <circle cx="32" cy="32" r="12" class="coin" /><circle cx="32" cy="32" r="5.8" class="ring" />
  </svg>
)

/** What stands around every page: the sections at the side (behind a button on a phone), and who is signed in. */
export function Shell({ children }: { children: ComponentChildren }) {
  const t = useTexts(texts)
  const language = useLanguage()
  const { path } = useLocation()
  const here = areas.find((a) => within(path, a))
  const [drawer, setDrawer] = useState(false)
  useEffect(() => setDrawer(false), [path])
  return (
    <div class="shell">
      <a class="skip" href="#content">{t('skip')}</a>
      <aside class="sidebar">
        <a class="brand" href="/admin"><Mark /><span>Cuatrola<small>{t('panel')}</small></span></a>
        <Navigation />
      </aside>
      <header class="topbar">
        <Button kind="quiet" icon={Bars} aria-label={t('menu')} aria-expanded={drawer} data-action="menu" onClick={() => setDrawer(true)} />
        <span class="where" aria-hidden="true">{here?.title[language]}</span>
        <Account />
      </header>
      <main id="content" tabIndex={-1}>{children}</main>
      {drawer && <Drawer onClose={() => setDrawer(false)} />}
    </div>
  )
}

function Navigation() {
  const t = useTexts(texts)
  const language = useLanguage()
  const { may } = useSession()
  const { path } = useLocation()
  const seen = visible(may)
  return (
    <nav class="navigation" aria-label={t('navigation')}>
      {groups.map((group) => {
        const inside = seen.filter((a) => a.group === group.id)
        return inside.length > 0 && (
          <div key={group.id}>
            <h2>{group.title[language]}</h2>
            <ul>
              {inside.map((a) => (
                <li key={a.id}>
                  <a href={a.path} data-area={a.id} aria-current={within(path, a) ? 'page' : undefined}><Icon of={a.icon} />{a.title[language]}</a>
                </li>
              ))}
            </ul>
          </div>
        )
      })}
    </nav>
  )
}

/** The sections on a phone, over the page. */
function Drawer({ onClose }: { onClose: () => void }) {
  const t = useTexts(texts)
  const element = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = element.current!
    const before = document.activeElement
    dialog.showModal()
    return () => {
      dialog.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={element} class="drawer" aria-label={t('menu')}
      onCancel={(e) => {
        e.preventDefault()
        onClose()
      }}
      onClick={(e) => (e.target === e.currentTarget || (e.target as Element).closest('a')) && onClose()}
    >
      <div>
        <header>
          <span class="brand"><Mark /><span>Cuatrola<small>{t('panel')}</small></span></span>
          <Button kind="quiet" icon={X} aria-label={t('menu')} data-action="close-menu" onClick={onClose} />
        </header>
        <Navigation />
      </div>
    </dialog>
  )
}

const initials = (name: string) => name.split(/\s+/).filter(Boolean).slice(0, 2).map((word) => [...word][0]!.toUpperCase()).join('')

/** Who is signed in; behind it language, theme and the way out. */
function Account() {
  const t = useTexts(texts)
  const { session, signOut } = useSession()
  const [open, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!open) return
    const away = (e: Event) => !place.current!.contains(e.target as Node) && setOpen(false)
    addEventListener('pointerdown', away)
    addEventListener('focusin', away)
    return () => {
      removeEventListener('pointerdown', away)
      removeEventListener('focusin', away)
    }
  }, [open])
  const { name, email, role } = session.member
  return (
    <div
      class="account" ref={place}
      onKeyDown={(e) => {
        if (e.key === 'Escape' && open) {
          setOpen(false)
          place.current!.querySelector('button')!.focus()
        }
      }}
    >
      <button type="button" class="who" aria-expanded={open} aria-controls="account" data-action="account" onClick={() => setOpen(!open)}>
        <span class="avatar" aria-hidden="true">{initials(name)}</span>
        <span class="name">{name}<small>{t(`role_${role}`)}</small></span>
        <Icon of={ChevronDown} size={15} />
      </button>
      {open && (
        <div class="account-menu" id="account" role="group" aria-label={t('account')}>
          <p><strong>{name}</strong><small>{email} · {t(`role_${role}`)}</small></p>
          <Preferences />
          <Button icon={LogOut} data-action="sign-out" onClick={() => void signOut()}>{t('sign_out')}</Button>
        </div>
      )}
    </div>
  )
}
