import './felt.css'
import type { ComponentChildren } from 'preact'
import { Back } from '../cards/face'
import { PlayerCard } from '../cards/playerCard'

/** A small table seen from above: what is in the middle, and its four places from one's own on, as it is played. */
export function Felt({ label, middle, children }: { label: string; middle: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class="felt-table" role="group" aria-label={label}>
      <div class="middle">{middle}</div>
      {children}
    </div>
  )
}

const places = ['bottom', 'right', 'top', 'left'] as const

/**
 * A place at it. `at` counts from one's own, in playing order: 2 is the partner's. Nobody's is drawn as a card that is not
 * turned over yet.
 */
export function Place({ at, avatar, picture, name, waits = false, lit = false, children, ...data }: {
  at: number
  /** Of whoever sits there. */
  avatar?: string | undefined
  /** In place of it. */
  picture?: ComponentChildren
  name: ComponentChildren
  /** Somebody may come yet. */
  waits?: boolean
  /** Stands out: ready, or just come. */
  lit?: boolean
  children?: ComponentChildren
  'data-place'?: string | number
  'data-taken'?: string
}) {
  return (
    <div class={`place ${places[at & 3]}${waits ? ' waits' : ''}${lit ? ' lit' : ''}`} {...data}>
      {picture ?? (avatar ? <PlayerCard card={avatar} /> : <span class="player-card card nobody" aria-hidden="true"><Back /></span>)}
      <span class="who">{name}</span>
      {children}
    </div>
  )
}
