import './cards.css'
import { rankOf, suitOf, type Rank, type Suit } from './card'
import { Figure } from './figures'
import { AceSign, ClearSign, Sign } from './signs'
import { useCardSet } from './set'

/** As a Spanish pack counts them. */
const numbers: Record<Rank, string> = { A: '1', 3: '3', S: '10', C: '11', R: '12' }

/** How many times the frame is broken above and below, by which players know a suit from the edge of a card alone: the pinta. */
const gaps: Record<Suit, readonly (readonly [number, number])[]> = {
  O: [],
  C: [[42, 58]],
  E: [[28, 40], [60, 72]],
  B: [[22, 32], [45, 55], [68, 78]],
}

function frameOf(suit: Suit): string {
  const side = (y: number, corner: number, from: number, to: number) => {
    let path = `M${from} ${y + corner * 5}Q${from} ${y} ${from + 5} ${y}`
    for (const [start, end] of gaps[suit]) path += `H${start}M${end} ${y}`
    return path + `H${to - 5}Q${to} ${y} ${to} ${y + corner * 5}`
  }
  return side(6, 1, 6, 94) + side(144, -1, 6, 94) + 'M6 11V139M94 11V139'
}

const frames: Record<Suit, string> = { O: frameOf('O'), C: frameOf('C'), E: frameOf('E'), B: frameOf('B') }

/** Where the threes have their signs: upright, or aslant as swords and clubs lie. */
const threes: Record<Suit, readonly string[]> = {
  O: ['translate(57 38) scale(1.75)', 'translate(57 78) scale(1.75)', 'translate(57 118) scale(1.75)'],
  C: ['translate(62 44) scale(1.85)', 'translate(31 106) scale(1.85)', 'translate(70 106) scale(1.85)'],
  E: ['translate(58 40) scale(2)', 'translate(40 82) scale(2)', 'translate(64 112) scale(2)'],
  B: ['translate(58 40) scale(2)', 'translate(40 82) scale(2)', 'translate(64 112) scale(2)'],
}

/** A suit's sign alone, to stand in a line of text. */
export function SuitSign({ suit, label }: { suit: Suit; label?: string }) {
  const clear = useCardSet() === 'clear'
  return (
    <svg
      class={`suit-sign suit-${suit}${clear ? ' clear' : ''}`} viewBox="-11 -11 22 22"
      role={label ? 'img' : undefined} aria-label={label} aria-hidden={label ? undefined : 'true'}
    >
      {clear ? <ClearSign suit={suit} /> : <Sign suit={suit} />}
    </svg>
  )
}

/** A card's face. The name for screen readers stands on whatever holds the card. */
export function Face({ card }: { card: string }) {
  const clear = useCardSet() === 'clear'
  return clear ? <ClearFace suit={suitOf(card)} rank={rankOf(card)} /> : <DrawnFace suit={suitOf(card)} rank={rankOf(card)} />
}

function DrawnFace({ suit, rank }: { suit: Suit; rank: Rank }) {
  const court = rank !== 'A' && rank !== '3'
  return (
    <svg class={`face suit-${suit}`} viewBox="0 0 100 150" aria-hidden="true">
      <rect class="paper" x=".75" y=".75" width="98.5" height="148.5" rx="9" />
      <path class="frame" d={frames[suit]} />
      {rank === 'A' && <g transform={suit === 'C' ? 'translate(50 82) scale(.98)' : suit === 'O' ? 'translate(50 80) scale(1.06)' : suit === 'E' ? 'translate(51 79) scale(1.02)' : 'translate(50 79) scale(.96)'}><AceSign suit={suit} /></g>}
      {rank === '3' && threes[suit].map((place) => <g key={place} transform={place}><Sign suit={suit} /></g>)}
      {court && <Figure rank={rank} />}
      {court && <g transform={suit === 'O' || suit === 'C' ? 'translate(75 29) scale(1.6)' : 'translate(76 30) scale(1.9)'}><Sign suit={suit} /></g>}
      <text x="10.5" y="32" class="index">{numbers[rank]}</text>
    </svg>
  )
}

/** The pack for eyes that want it plain: a large number, the suit's sign and one strong colour. */
function ClearFace({ suit, rank }: { suit: Suit; rank: Rank }) {
  return (
    <svg class={`face clear suit-${suit}`} viewBox="0 0 100 150" aria-hidden="true">
      <rect class="paper" x="1.5" y="1.5" width="97" height="147" rx="9" />
      <text x="50" y="66" class={`index${numbers[rank].length > 1 ? ' two' : ''}`}>{numbers[rank]}</text>
      <g transform="translate(50 108) scale(3)"><ClearSign suit={suit} /></g>
    </svg>
  )
}

/** The back of a card. */
export function Back() {
  return (
    <svg class="face" viewBox="0 0 100 150" aria-hidden="true">
      <rect class="paper" x=".75" y=".75" width="98.5" height="148.5" rx="9" />
      <rect class="back" x="6" y="6" width="88" height="138" rx="5" />
      <g class="back-lines">
        {[0, 1, 2, 3, 4].map((row) => [0, 1, 2].map((col) => (
          <path key={`${row}${col}`} d={`M${22 + col * 28} ${13 + row * 25.5}l11 12-11 12-11-12zm0 7 4.6 5-4.6 5-4.6-5z`} />
        )))}
        <rect x="10" y="10" width="80" height="130" rx="3" />
      </g>
    </svg>
  )
}
