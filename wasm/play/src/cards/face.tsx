import './cards.css'
import { rankOf, suitOf, type Rank, type Suit } from './card'

/** The suits' signs, each drawn in a box of 20 by 20 around the origin. */
function Sign({ suit }: { suit: Suit }) {
  switch (suit) {
    case 'O':
      return (
        <g class="oros">
          <circle r="8.6" class="fill" />
          <circle r="8.6" class="line" />
          <circle r="5.6" class="line thin" />
          <path class="line thin" d="M0-3.6 1-1 3.6 0 1 1 0 3.6-1 1-3.6 0-1-1z" />
        </g>
      )
    case 'C':
      return (
        <g class="copas">
          <path class="fill" d="M-6.6-8.4H6.6C6.6-2.6 4.6.8 1.4 1.8V5.2C3.6 5.6 5 6.8 5.2 8.6H-5.2C-5 6.8-3.6 5.6-1.4 5.2V1.8C-4.6.8-6.6-2.6-6.6-8.4z" />
          <path class="line" d="M-6.6-8.4H6.6C6.6-2.6 4.6.8 1.4 1.8V5.2C3.6 5.6 5 6.8 5.2 8.6H-5.2C-5 6.8-3.6 5.6-1.4 5.2V1.8C-4.6.8-6.6-2.6-6.6-8.4z" />
          <path class="line thin" d="M-5.8-4.6H5.8" />
        </g>
      )
    case 'E':
      return (
        <g class="espadas" transform="rotate(32)">
          <path class="fill" d="M0-10 1.9-7.4V3.6H-1.9V-7.4z" />
          <path class="line" d="M0-10 1.9-7.4V3.6H-1.9V-7.4z" />
          <path class="line thin" d="M0-7V3" />
          <path class="hilt" d="M-5.4 3.2Q0 5 5.4 3.2V5Q0 6.6-5.4 5z" />
          <path class="hilt" d="M-1.2 5.6H1.2V8.4H-1.2z" />
          <circle class="hilt" cy="9" r="1.5" />
        </g>
      )
    case 'B':
      return (
        <g class="bastos" transform="rotate(32)">
          <path class="fill" d="M-1.5 9.6C-2.2 4-3-.6-3.2-5.4-3.2-9 3.2-9 3.2-5.4 3-.6 2.2 4 1.5 9.6z" />
          <path class="line" d="M-1.5 9.6C-2.2 4-3-.6-3.2-5.4-3.2-9 3.2-9 3.2-5.4 3-.6 2.2 4 1.5 9.6z" />
          <path class="leaf" d="M-2.9-1.2C-6.4-1.4-6.6-4.4-6.6-4.4-3.8-5-2.9-3-2.9-1.2zM2.7 1.8C6.2 1.6 6.4-1.4 6.4-1.4 3.6-2 2.7 0 2.7 1.8z" />
          <path class="line thin" d="M-.8-5.4C-.4-2 .2.6-.2 4" />
        </g>
      )
  }
}

/** Court figures, in a box about 56 wide and 70 high around the origin; the coat takes the suit's colour. */
function Figure({ rank }: { rank: Rank }) {
  switch (rank) {
    case 'S':
      return (
        <g class="figure">
          <path class="coat" d="M-23 34C-23 16-13 8 0 8S23 16 23 34z" />
          <path class="trim" d="M-7 9 0 20 7 9 4 34H-4z" />
          <circle class="skin" cy="-6" r="12.5" />
          <path class="hair" d="M-13-4C-15 6-12 10-9 10-10 4-11-2-9-8H9C11-2 10 4 9 10 12 10 15 6 13-4 13-8-13-8-13-4z" />
          <path class="coat" d="M-15-9C-15-22 15-22 15-9 9-12-9-12-15-9z" />
          <path class="trim" d="M9-17C17-28 23-24 20-17 17-19 13-17 9-17z" />
          <circle class="ink" cx="-4.4" cy="-4" r="1.3" />
          <circle class="ink" cx="4.4" cy="-4" r="1.3" />
          <path class="stroke" d="M-3.6 1.4Q0 4 3.6 1.4" />
        </g>
      )
    case 'C':
      return (
        <g class="figure">
          <path class="horse" d="M-22 34C-20 14-12 2-8-8L-12-20-4-14C6-22 14-14 18-4L23 6C22 12 16 13 12 10L4 6C4 16 14 22 16 34z" />
          <path class="hair" d="M-8-8C-16 0-21 12-22 26-26 10-22-6-12-17z" />
          <path class="coat" d="M-20 34C-18 24-12 20-2 20S13 24 16 34z" />
          <path class="trim" d="M4-15 10 8 7.4 8.6 1-14z" />
          <path class="trim" d="M8 1 19-2 20 .4 9 3.6z" />
          <circle class="ink" cx="7" cy="-7" r="1.6" />
          <circle class="ink" cx="18.6" cy="5.6" r="1" />
        </g>
      )
    case 'R':
      return (
        <g class="figure">
          <path class="coat" d="M-25 34C-25 14-14 8 0 8S25 14 25 34z" />
          <path class="ermine" d="M-12 10C-8 16 8 16 12 10L16 13C10 23-10 23-16 13z" />
          <path class="trim" d="M-3 19H3V34H-3z" />
          <circle class="skin" cy="-5" r="12.5" />
          <path class="hair" d="M-12.6-4C-13 10-6 14 0 14S13 10 12.6-4C10 4 6 4 4 1H-4C-6 4-10 4-12.6-4z" />
          <path class="trim" d="M-15-12V-27L-7.5-19 0-30 7.5-19 15-27V-12Q0-17-15-12z" />
          <circle class="gem" cy="-19" r="2.2" />
          <circle class="ink" cx="-4.4" cy="-5" r="1.3" />
          <circle class="ink" cx="4.4" cy="-5" r="1.3" />
          <path class="stroke" d="M-3 5.4Q0 7.2 3 5.4" />
        </g>
      )
    default:
      return null
  }
}

/** A suit's sign alone, to stand in a line of text. */
export function SuitSign({ suit, label }: { suit: Suit; label?: string }) {
  return (
    <svg class="suit-sign" viewBox="-11 -11 22 22" role={label ? 'img' : undefined} aria-label={label} aria-hidden={label ? undefined : 'true'}>
      <Sign suit={suit} />
    </svg>
  )
}

/** A card's face. The name for screen readers stands on whatever holds the card. */
export function Face({ card }: { card: string }) {
  const suit = suitOf(card)
  const rank = rankOf(card)
  const index = (
    <g>
      <text x="12" y="21" class={`index ${suit}`}>{rank}</text>
      <g transform="translate(12 31) scale(.62)"><Sign suit={suit} /></g>
    </g>
  )
  return (
    <svg class={`face suit-${suit}`} viewBox="0 0 100 150" aria-hidden="true">
      <rect class="paper" x=".75" y=".75" width="98.5" height="148.5" rx="9" />
      <rect class="frame" x="22" y="9" width="56" height="132" rx="4" />
      {index}
      <g transform="rotate(180 50 75)">{index}</g>
      {rank === 'A' && <g transform="translate(50 75) scale(2.9)"><Sign suit={suit} /></g>}
      {rank === '3' && (
        <>
          <g transform="translate(50 36) scale(1.45)"><Sign suit={suit} /></g>
          <g transform="translate(50 75) scale(1.45)"><Sign suit={suit} /></g>
          <g transform="translate(50 114) scale(1.45)"><Sign suit={suit} /></g>
        </>
      )}
      {rank !== 'A' && rank !== '3' && (
        <>
          <g transform="translate(50 101)"><Figure rank={rank} /></g>
          <g transform="translate(50 38) scale(1.35)"><Sign suit={suit} /></g>
        </>
      )}
    </svg>
  )
}

/** The back of a card. */
export function Back() {
  return (
    <svg class="face" viewBox="0 0 100 150" aria-hidden="true">
      <rect class="paper" x=".75" y=".75" width="98.5" height="148.5" rx="9" />
      <rect class="back" x="7" y="7" width="86" height="136" rx="5" />
      <g class="back-lines">
        {[0, 1, 2, 3, 4].map((row) => [0, 1, 2].map((col) => (
          <path d={`M${22 + col * 28} ${15 + row * 25}l10 10-10 10-10-10z`} />
        )))}
      </g>
    </svg>
  )
}
