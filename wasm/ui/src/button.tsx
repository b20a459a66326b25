import type { IconNode } from 'lucide'
import type { ComponentChildren, JSX } from 'preact'
import { Icon } from './icon'

interface Looks {
  /** strong: what the page is for, once; plain: the rest; quiet: without a frame; danger: takes something away. */
  kind?: 'strong' | 'plain' | 'quiet' | 'danger'
  small?: boolean
  icon?: IconNode
  children?: ComponentChildren
}

const looks = (kind: Looks['kind'], small: boolean | undefined, bare: boolean) =>
  `button ${kind ?? 'plain'}${small ? ' small' : ''}${bare ? ' bare' : ''}`

type ButtonProps = Looks & { busy?: boolean } & Omit<JSX.IntrinsicElements['button'], 'icon' | 'class' | 'size'>

/** A button. While busy it does nothing and keeps the focus, which a disabled one would lose. */
export function Button({ kind, small, icon, busy = false, children, onClick, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest} type={type} class={looks(kind, small, children === undefined)} aria-busy={busy} aria-disabled={busy || rest['aria-disabled']}
      onClick={(event) => {
        if (busy) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {icon && <Icon of={icon} size={small ? 15 : 17} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  )
}

/** A link that looks like a button. */
export function ButtonLink({ kind, small, icon, children, ...rest }: Looks & { href: string; download?: string; target?: string; 'data-action'?: string }) {
  return (
    <a {...rest} class={looks(kind, small, children === undefined)}>
      {icon && <Icon of={icon} size={small ? 15 : 17} />}
      {children !== undefined && <span>{children}</span>}
    </a>
  )
}
