import { Back, Face, SuitSign } from '../../../wasm/play/src/cards/face'
import type { Suit } from '../../../wasm/play/src/cards/card'
import { useWords, type Seat } from './words'

/** What lies on a table. Seat 0 is below, 1 at its right, 2 opposite. */
export interface Laid {
  seats: readonly Pick<Seat, 'name' | 'bot' | 'away'>[]
  /** What each seat holds: the cards, or how many they are. */
  held: readonly (readonly string[] | number)[]
  trump: string | null
  dealer: number | null
  turn: number | null
  out: number | null
  trick: readonly { seat: number; card: string }[]
  /** The seat that has taken the trick. */
  taken: number | null
  /** Under each name, such as what it has bid. */
  said: readonly (string | null)[]
  points: readonly number[]
  tricksWon: readonly number[]
  score: readonly number[]
}

const places = ['below', 'right', 'above', 'left'] as const

export function Felt({ laid: l }: { laid: Laid }) {
  const { t, card, suit } = useWords()
  return (
    <div class="felt-frame" role="group" aria-label={t('felt')}>
      <div class="felt-score">
        {[0, 1].map((pair) => (
          <dl key={pair} data-pair={pair}>
            <dt data-raw>{l.seats[pair]!.name} · {l.seats[pair + 2]!.name}</dt>
            <dd><b>{l.score[pair]}</b><span>{t('points')} {l.points[pair]}</span><span>{t('tricks_n')} {l.tricksWon[pair]}</span></dd>
          </dl>
        ))}
      </div>
      <div class="felt-table">
        {l.seats.map((seat, i) => (
          <div key={i} class={`felt-seat ${places[i]}`} data-seat={i} data-turn={l.turn === i || undefined}>
            <span class="felt-name" data-raw>
              {seat.name}
              {seat.bot && <i>{t('bot')}</i>}{seat.away && <i>{t('away')}</i>}{l.dealer === i && <i>{t('dealer')}</i>}{l.out === i && <i>{t('out')}</i>}
              {l.turn === i && <i class="felt-turn">{t('turn')}</i>}
            </span>
            <Held of={l.held[i]!} label={`${seat.name}: `} card={card} count={(n) => t('cards_n', { n })} />
            {l.said[i] && <span class="felt-said">{l.said[i]}</span>}
          </div>
        ))}
        <div class="felt-middle">
          {l.trump && (
            <span class="felt-trump"><span>{t('trump')}</span><span class="felt-card small" role="img" aria-label={card(l.trump)}><Face card={l.trump} /></span><span class="hidden">{suit(l.trump[1]!)}</span><SuitSign suit={l.trump[1] as Suit} /></span>
          )}
          <div class="felt-trick">
            {l.trick.map((c) => (
              <span key={c.card} class={`felt-card ${places[c.seat]}${l.taken === c.seat ? ' taken' : ''}`} role="img" aria-label={`${l.seats[c.seat]!.name}: ${card(c.card)}`} data-card={c.card}><Face card={c.card} /></span>
            ))}
          </div>
        </div>
      </div>
    </div>
  )
}

function Held({ of, label, card, count }: { of: readonly string[] | number; label: string; card: (text: string) => string; count: (n: number) => string }) {
  const hidden = typeof of === 'number'
  const cards = hidden ? Array.from({ length: of }, () => null) : of
  if (cards.length === 0) return <span class="felt-held" />
  return (
    <span class="felt-held" role="img" aria-label={label + (hidden ? count(of) : of.map(card).join(', '))}>
      {cards.map((c, i) => <span key={c ?? i} class="felt-card small" data-held={c ?? undefined}>{c === null ? <Back /> : <Face card={c} />}</span>)}
    </span>
  )
}
