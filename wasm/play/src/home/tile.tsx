import { Icon } from '@cuatrola/ui'
import { ChevronRight, type IconNode } from 'lucide'

/** A small way to another page, or to something that the page does. */
export function Tile({ href, onClick, name, icon, title, bright = false, children }: {
  href?: string
  onClick?(): void
  name: string
  icon: IconNode
  title: string
  bright?: boolean
  children: string
}) {
  const looks = { class: bright ? 'tile bright' : 'tile', 'data-tile': name }
  const inside = (
    <>
      <Icon of={icon} size={20} />
      <span><strong>{title}</strong><small>{children}</small></span>
      <Icon of={ChevronRight} size={17} />
    </>
  )
  return href ? <a {...looks} href={href}>{inside}</a> : <button {...looks} type="button" onClick={onClick}>{inside}</button>
}
