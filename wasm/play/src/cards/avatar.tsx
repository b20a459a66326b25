import './cards.css'
import { rankOf, suitOf } from './card'
import { Figure } from './figures'
import { AceSign, Sign } from './signs'

/** Where a court card's face is, in the card's box. */
const heads = { S: '15 44 68 68', C: '22 36 56 56', R: '16 36 66 66' } as const

/**
 * A player's picture: the card that they have chosen, cut round. Without a card it has their first letter. It says nothing by
 * itself: the name stands beside it.
 */
export function Avatar({ card, name = '', size = 40 }: { card?: string | null; name?: string; size?: number }) {
  const suit = card ? suitOf(card) : null
  const rank = card ? rankOf(card) : null
  return (
    <span class={`avatar${suit ? ` suit-${suit}` : ''}`} style={{ width: `${size}px`, height: `${size}px` }} aria-hidden="true">
      {rank === 'S' || rank === 'C' || rank === 'R' ? (
        <svg viewBox={heads[rank]}><Figure rank={rank} /></svg>
      ) : suit && rank === 'A' ? (
        <svg viewBox="-58 -58 116 116"><AceSign suit={suit} /></svg>
      ) : suit ? (
        <svg viewBox="-16 -16 32 32">
          {['translate(0 -7)', 'translate(-7 6)', 'translate(7 6)'].map((place) => <g key={place} transform={`${place} scale(.66)`}><Sign suit={suit} /></g>)}
        </svg>
      ) : (
        <b style={{ fontSize: `${size * 0.44}px` }}>{[...name.trim()][0]?.toUpperCase() ?? ''}</b>
      )}
    </span>
  )
}
