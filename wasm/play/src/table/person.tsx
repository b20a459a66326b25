import { Avatar } from '../cards/avatar'
import type { Player } from '../game/types'

/** A player's picture, and around it how much is left of their time: 1 is all, 0 none; null where it is not their turn. */
export function Person({ player, left, size }: { player: Player | undefined; left: number | null; size: number }) {
  return (
    <span class={`picture${left !== null ? ' acting' : ''}${left !== null && left < 0.2 ? ' short' : ''}`} style={{ width: `${size}px`, height: `${size}px` }}>
      {player?.bot ? <span class="machine" aria-hidden="true"><Machine /></span> : !player?.person && !player?.name ? <span class="machine own-picture" aria-hidden="true"><Oneself /></span> : <Avatar card={player?.person?.avatar ?? null} name={player?.name ?? ''} size={size - 8} />}
      {left !== null && (
        <svg class="time-ring" viewBox="0 0 44 44" aria-hidden="true">
          <circle class="whole" cx="22" cy="22" r="20" />
          <circle class="left" cx="22" cy="22" r="20" pathLength="100" stroke-dasharray={`${Math.round(left * 1000) / 10} 100`} />
        </svg>
      )}
    </span>
  )
}

function Machine() {
  return (
    <svg viewBox="0 0 24 24">
      <path d="M12 2.5v3M5.5 6.5h13a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2zM9 11.5v2M15 11.5v2M9.5 16.5h5" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" />
      <circle cx="12" cy="2.5" r="1.3" fill="currentColor" />
    </svg>
  )
}

function Oneself() {
  return (
    <svg viewBox="0 0 24 24">
      <circle cx="12" cy="8.5" r="4" fill="currentColor" />
      <path d="M4.5 20.5c0-4.6 3.2-7 7.5-7s7.5 2.4 7.5 7z" fill="currentColor" />
    </svg>
  )
}
