import { Back } from '../cards/face'
import { cardsLeft, nextSeat, type Seat, type TableState } from '../game/types'
import type { Translate } from '../i18n'
import { bidName, nameOf, placeOf } from './names'
import { Person } from './person'
import { useWords } from './words'

interface Props {
  state: TableState
  seat: Seat
  /** The part of the turn's time that is left; null while it is another's turn. */
  left: number | null
  /** What this seat says just now. */
  saying: string | null
  /** Opens what can be done about the person; null where there is none. */
  onPerson: (() => void) | null
}

/** Another player's place: name, marks, what was said, the backs of the cards held. */
export function SeatPlace({ state, seat, left, saying, onPerson }: Props) {
  const { game, t } = useWords()
  const { view, players } = state
  const player = players[seat]
  const place = placeOf(seat, view.viewer)
  const who = nameOf(game, players, seat, view.viewer)
  const dealt = isDealt(state)
  const out = dealt && view.out === seat
  const held = cardsLeft(view, seat)
  const person = (
    <>
      <Person player={player} left={left} size={46} />
      <span class="who">
        <span class="name">{who}</span>
        <Marks state={state} seat={seat} />
      </span>
    </>
  )
  return (
    <section class={`seat ${place}${left !== null ? ' turn' : ''}${out ? ' out' : ''}`} data-seat={seat} aria-label={t('seat_of', { who })}>
      {onPerson ? <button type="button" class="plate" aria-label={t('person', { who })} data-action="person" onClick={onPerson}>{person}</button> : <div class="plate">{person}</div>}
      {held > 0 && (
        <div class="backs" aria-label={game('cards_left', { n: held })} role="img">
          {Array.from({ length: held }, (_, i) => <span class="card mini" key={i}><Back /></span>)}
        </div>
      )}
      <Said state={state} seat={seat} saying={saying} />
    </section>
  )
}

const isDealt = ({ view }: TableState) => view.phase === 'bid' || view.phase === 'play' || view.phase === 'sing'

/** What a seat is in this hand, and how well a bot plays. */
export function Marks({ state, seat }: { state: TableState; seat: Seat }) {
  const { game, t } = useWords()
  const { view, players, muted } = state
  const player = players[seat]
  const dealt = isDealt(state)
  const bot = player?.bot ? botName(game, player.level) : null
  return (
    <span class="marks">
      {bot && <span class="tag bot" data-level={player!.level} title={bot}><span class="hidden">{bot}</span></span>}
      {dealt && view.dealer === seat && <span class="tag">{game('dealer')}</span>}
      {dealt && view.dealer !== null && nextSeat(view.dealer) === seat && <span class="tag">{game('mano')}</span>}
      {dealt && view.out === seat && <span class="tag quiet">{game('sits_out')}</span>}
      {player?.away && <span class="tag away">{game('away')}</span>}
      {muted.includes(seat) && <span class="tag quiet">{t('muted')}</span>}
    </span>
  )
}

const botName = (game: Translate, level: string | undefined) => (level ? `${game('bot')}: ${game(`level_${level as 'maestro'}`)}` : game('bot'))

/** What a seat said: its words, its bid while the bidding lasts or holds, its cantes. */
export function Said({ state, seat, saying }: { state: TableState; seat: Seat; saying: string | null }) {
  const { game } = useWords()
  const { view } = state
  const dealt = isDealt(state)
  const cantes = view.hand.cantes.filter((cante) => cante.seat === seat)
  const bid = view.dealer === null ? undefined : view.bids[(seat - nextSeat(view.dealer) + 4) & 3]
  const bidding = view.phase === 'bid' || (view.hand.tricks.length === 0 && view.table.cards.length === 0)
  const shownBid = dealt && bid && (bidding || (bid !== 'pass' && view.hand.bidder === seat)) ? bid : undefined
  if (!shownBid && cantes.length === 0 && !saying) return null
  return (
    <div class="said">
      {saying && <span class="bubble words">{saying}</span>}
      {shownBid && <span class={`bubble ${shownBid === 'pass' ? 'pass' : 'bid'}`}>{bidName(game, shownBid)}</span>}
      {dealt && cantes.map((cante) => (
        <span class="bubble cante" key={cante.suit} data-cante={cante.suit}>{game('sang', { n: cante.points, suit: game.suit(cante.suit) })}</span>
      ))}
    </div>
  )
}
