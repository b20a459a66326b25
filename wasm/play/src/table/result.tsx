import { useLayoutEffect, useRef } from 'preact/hooks'
import { pairOf, type TableState } from '../game/types'
import { bidName, nameOf } from './names'
import { lower, useWords } from './words'

/** What a hand brought. The next is dealt, or shown, when it has been looked at. */
export function HandResult({ state, onNext }: { state: TableState; onNext(): void }) {
  const { game, t } = useWords()
  const next = useRef<HTMLButtonElement>(null)
  // Before anything is painted, so that no key is lost.
  useLayoutEffect(() => next.current?.focus({ preventScroll: true }), [])
  if (!state.ended) return null
  const { hand, number } = state.ended
  const viewer = state.view.viewer
  const ours = pairOf(viewer)
  const theirs = (1 - ours) as 0 | 1
  const won = hand.winner === ours
  const cantes = (pair: number) => hand.cantes.filter((cante) => pairOf(cante.seat) === pair).reduce((sum, cante) => sum + cante.points, 0)
  return (
    <section class={`result ${won ? 'won' : 'lost'}`} aria-labelledby="result-title">
      <h2 id="result-title">{game(won ? 'hand_won' : 'hand_lost')}</h2>
      <p class="takes">{game('takes', { n: hand.value, who: t(won ? 'side_us' : 'side_them') })}</p>
      <p class="how">
        {game('hand_n', { n: number })} · {hand.bidder === null ? game('nobody_bid')
          : hand.bidder === viewer ? t('bid_was_mine', { bid: lower(bidName(game, hand.bid)) })
            : game('bid_by', { bid: bidName(game, hand.bid), who: nameOf(game, state.players, hand.bidder, viewer) })}
      </p>
      <table>
        <thead>
          <tr><td /><th scope="col">{game('us')}</th><th scope="col">{game('them')}</th></tr>
        </thead>
        <tbody>
          <tr><th scope="row">{game('card_points')}</th><td>{hand.points[ours]}</td><td>{hand.points[theirs]}</td></tr>
          {hand.cantes.length > 0 && <tr><th scope="row">{t('of_them_cantes')}</th><td>{cantes(ours)}</td><td>{cantes(theirs)}</td></tr>}
          <tr><th scope="row">{game('tricks')}</th><td>{hand.tricksWon[ours]}</td><td>{hand.tricksWon[theirs]}</td></tr>
          <tr class="total"><th scope="row">{game('match_score')}</th><td>{hand.score[ours]}</td><td>{hand.score[theirs]}</td></tr>
        </tbody>
      </table>
      <button type="button" class="strong" ref={next} onClick={onNext} data-action="next">{state.view.winner === null ? game('next_hand') : t('to_the_end')}</button>
    </section>
  )
}
