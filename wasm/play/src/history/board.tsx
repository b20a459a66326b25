import type { Card, Pair, ReviewVerdict, Seat } from '@cuatrola/rules'
import { sortHand, suitOf } from '../cards/card'
import { Back, Face, SuitSign } from '../cards/face'
import { nextSeat, pairOf, seatOfCard, type Player } from '../game/types'
import { placeOf } from '../table/names'
import type { Frame } from './protocol'
import type { Words } from './words'

/** What a coach has to show on the table. */
export interface Marked {
  /** Of the card or word that was played last. */
  verdict: ReviewVerdict | null
  /** The card that would have been better, in the hand of who played. */
  better: Card | null
}

interface Props {
  words: Words
  people: readonly Player[]
  frame: Frame
  trump: Card
  dealer: Seat
  /** Whose seat is below. */
  below: Seat
  /** Whose cards are seen: those below, or everybody's. */
  open: boolean
  marked?: Marked | null
}

/** The table as the game has it, at one step of a hand. */
export function Board({ words, people, frame, trump, dealer, below, open, marked = null }: Props) {
  const { t, game, who, pair } = words
  const { result } = frame
  const order = [partnerFirst(below, 0), partnerFirst(below, 1), partnerFirst(below, 2), partnerFirst(below, 3)]
  return (
    <div class="replay-board" role="group" aria-label={t('board')} data-open={open || undefined}>
      {order.map((seat) => (
        <Place key={seat} seat={seat} words={words} people={people} frame={frame} trump={trump} dealer={dealer} below={below} open={open} marked={marked} />
      ))}
      <div class="replay-board-trump" role="img" aria-label={game('trump_is', { card: game.card(trump) })} data-trump={trump}>
        <span class="card"><Face card={trump} /></span>
        <span aria-hidden="true"><SuitSign suit={suitOf(trump)} /> {game('trump')}</span>
      </div>
      <div class={`replay-board-trick${frame.taken ? ' taken' : ''}`} role="group" aria-label={game('table')}>
        {frame.trick.cards.map((card, i) => {
          const seat = seatOfCard(frame.trick.lead, i, frame.out)
          const newest = frame.last?.action === card
          return (
            <div
              key={card} role="img" aria-label={`${who(seat)}: ${game.card(card)}`} data-card={card} data-by={seat}
              class={`card laid ${placeOf(seat, below)}${frame.trick.winner === seat ? ' best' : ''}${newest ? ' newest' : ''}`}
            >
              <Face card={card} />
              {newest && marked?.verdict && <Mark verdict={marked.verdict} />}
            </div>
          )
        })}
      </div>
      {result && (
        <div class="replay-board-result" data-result={result.winner}>
          <strong>{words.outcome(result)}</strong>
          <span>{t('points_line', sides(result.points, pairOf(below)))} · {t('tricks_line', sides(result.tricksWon, pairOf(below)))}</span>
          <span>{pair(pairOf(below))} {result.score[pairOf(below)]} – {result.score[1 - pairOf(below)]} {pair((1 - pairOf(below)) as Pair)}</span>
        </div>
      )}
    </div>
  )
}

/** In the order in which one looks round the table: opposite, left, right, below. */
const partnerFirst = (below: Seat, n: number) => [(below + 2) & 3, (below + 3) & 3, (below + 1) & 3, below][n]!

const sides = (both: readonly [number, number], ours: Pair) => ({ a: both[ours], b: both[1 - ours]! })

function Place({ seat, words, people, frame, trump, dealer, below, open, marked }: Props & { seat: Seat }) {
  const { t, game, who, bid } = words
  const place = placeOf(seat, below)
  const person = people[seat]!
  const seen = open || seat === below
  const held = sortHand(frame.held[seat]!, suitOf(trump))
  const said = frame.bids[seat]
  const cantes = frame.cantes.filter((cante) => cante.seat === seat)
  const bidding = frame.phase === 'bid' || (frame.tricks === 0 && frame.trick.cards.length === 0)
  const showsBid = said && (bidding || (said !== 'pass' && frame.bidder === seat))
  const silent = frame.last?.seat === seat && frame.last.action === 'silent'
  const spoke = frame.last?.seat === seat && !frame.trick.cards.includes(frame.last.action)
  const names = held.map((card) => game.card(card)).join(', ')
  return (
    <div class={`replay-board-seat ${place}${frame.turn === seat ? ' turn' : ''}${frame.out === seat ? ' out' : ''}`} data-seat={seat}>
      <div class="plate">
        <span class="name">{who(seat)}</span>
        {person.level && <span class="tag quiet">{game(`level_${person.level}`)}</span>}
        {dealer === seat && <span class="tag">{game('dealer')}</span>}
        {nextSeat(dealer) === seat && <span class="tag">{game('mano')}</span>}
        {frame.out === seat && <span class="tag quiet">{t('out')}</span>}
      </div>
      <div class={`replay-board-hand${seen ? '' : ' closed'}`} role="img" aria-label={`${who(seat)}: ${seen ? names || game('cards_left', { n: 0 }) : game('cards_left', { n: held.length })}`}>
        {held.map((card) => (
          <span key={card} class={`card${seen && marked?.better === card && frame.last?.seat === seat ? ' better' : ''}`} data-held={seen ? card : undefined}>
            {seen ? <Face card={card} /> : <Back />}
          </span>
        ))}
      </div>
      {(showsBid || cantes.length > 0 || silent) && (
        <div class="said">
          {showsBid && <span class={`bubble ${said === 'pass' ? 'pass' : 'bid'}`}>{bid(said)}</span>}
          {cantes.map((cante) => <span key={cante.suit} class="bubble cante">{game('sang', { n: cante.points, suit: game.suit(cante.suit) })}</span>)}
          {silent && <span class="bubble pass">{bid('silent')}</span>}
          {spoke && marked?.verdict && <Mark verdict={marked.verdict} />}
        </div>
      )}
    </div>
  )
}

const signs: Record<ReviewVerdict, string> = { forced: '·', best: '★', good: '✓', doubtful: '?!', mistake: '?', blunder: '??' }

/** A verdict's sign; its words stand beside it, or are read with what it marks. */
export const Mark = ({ verdict }: { verdict: ReviewVerdict }) => <span class={`verdict-mark ${verdict}`} aria-hidden="true" data-verdict={verdict}>{signs[verdict]}</span>
