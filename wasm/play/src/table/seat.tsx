import { Back } from '../cards/face'
import { cardsLeft, nextSeat, type Seat, type TableState } from '../game/types'
import { useT } from '../i18n'
import { bidName, nameOf, placeOf } from './names'

/** A player's place: name, marks, what was said, the backs of the cards held. */
export function SeatPlace({ state, seat }: { state: TableState; seat: Seat }) {
  const t = useT()
  const { view, players } = state
  const place = placeOf(seat, view.viewer)
  const mano = view.dealer === null ? null : nextSeat(view.dealer)
  const dealt = view.phase === 'bid' || view.phase === 'play' || view.phase === 'sing'
  const turn = dealt && view.turn === seat
  const out = dealt && view.out === seat
  const left = cardsLeft(view, seat)
  const { level } = players[seat] ?? {}
  const bot = players[seat]?.bot && (level ? `${t('bot')}: ${t(`level_${level}`)}` : t('bot'))
  return (
    <div class={`seat ${place}${turn ? ' turn' : ''}${out ? ' out' : ''}`} data-seat={seat}>
      <div class="plate">
        <span class="name">{nameOf(t, players, seat, view.viewer)}</span>
        {bot && <span class="tag bot" title={bot} data-level={players[seat]!.level}><BotSign /><span class="hidden">{bot}</span></span>}
        {dealt && view.dealer === seat && <span class="tag">{t('dealer')}</span>}
        {dealt && mano === seat && <span class="tag">{t('mano')}</span>}
        {out && <span class="tag quiet">{t('sits_out')}</span>}
        {players[seat]?.away && <span class="tag quiet">{t('away')}</span>}
      </div>
      {place !== 'me' && (
        <div class="backs" aria-label={t('cards_left', { n: left })} role="img">
          {Array.from({ length: left }, (_, i) => <span class="card mini" key={i}><Back /></span>)}
        </div>
      )}
      <Said state={state} seat={seat} />
    </div>
  )
}

/** What a seat said: its bid while the bidding lasts or holds, its latest cante. */
function Said({ state, seat }: { state: TableState; seat: Seat }) {
  const t = useT()
  const { view } = state
  if (view.phase !== 'bid' && view.phase !== 'play' && view.phase !== 'sing') return null
  const cantes = view.hand.cantes.filter((c) => c.seat === seat)
  let bid: string | undefined
  if (view.dealer !== null) {
    const order = (seat - nextSeat(view.dealer) + 4) & 3
    bid = view.bids[order]
  }
  const bidding = view.phase === 'bid' || (view.hand.tricks.length === 0 && view.table.cards.length === 0)
  const shownBid = bid && (bidding || (bid !== 'pass' && view.hand.bidder === seat)) ? bid : undefined
  if (!shownBid && cantes.length === 0) return null
  return (
    <div class="said">
      {shownBid && <span class={`bubble ${shownBid === 'pass' ? 'pass' : 'bid'}`}>{bidName(t, shownBid)}</span>}
      {cantes.map((c) => (
        <span class="bubble cante" key={c.suit}>{t('sang', { n: c.points, suit: t.suit(c.suit) })}</span>
      ))}
    </div>
  )
}

function BotSign() {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d="M8 1v3M3.5 4h9A1.5 1.5 0 0 1 14 5.5v7a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 12.5v-7A1.5 1.5 0 0 1 3.5 4zM5.6 8v1.4M10.4 8v1.4" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" />
    </svg>
  )
}
