import { Icon } from '@cuatrola/ui'
import { ChevronRight, type IconNode } from 'lucide'

/** A small way to another page. */
export function Tile({ href, name, icon, title, bright = false, children }: { href: string; name: string; icon: IconNode; title: string; bright?: boolean; children: string }) {
  return (
    <a class={bright ? 'tile bright' : 'tile'} href={href} data-tile={name}>
      <Icon of={icon} size={20} />
      <span><strong>{title}</strong><small>{children}</small></span>
      <Icon of={ChevronRight} size={17} />
    </a>
  )
}
