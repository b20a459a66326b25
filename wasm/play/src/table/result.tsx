import { useLayoutEffect, useRef } from 'preact/hooks'
import type { TableState } from '../game/types'
import { pairOf } from '../game/types'
import { useT } from '../i18n'
import { bidName, nameOf, sideOf } from './names'

/** What a hand brought. The next is dealt, or shown, when it has been looked at. */
export function HandResult({ state, onNext }: { state: TableState; onNext(): void }) {
  const t = useT()
  const next = useRef<HTMLButtonElement>(null)
  // Before anything is painted, so that no key is lost.
  useLayoutEffect(() => next.current?.focus({ preventScroll: true }), [])
  if (!state.ended) return null
  const { hand, number } = state.ended
  const viewer = state.view.viewer
  const ours = pairOf(viewer)
  const theirs = (1 - ours) as 0 | 1
  const won = hand.winner === ours
  return (
    <div class={`result ${won ? 'won' : 'lost'}`} role="dialog" aria-modal="false" aria-labelledby="result-title">
      <h2 id="result-title">{t(won ? 'hand_won' : 'hand_lost')}</h2>
      <p class="takes">{t('takes', { n: hand.value, who: sideOf(t, hand.winner ?? 0, viewer) })}</p>
      <p class="how">
        {t('hand_n', { n: number })} · {hand.bidder === null ? t('nobody_bid') : t('bid_by', { bid: bidName(t, hand.bid), who: nameOf(t, state.players, hand.bidder, viewer) })}
      </p>
      <table>
        <thead>
          <tr><td /><th scope="col">{t('us')}</th><th scope="col">{t('them')}</th></tr>
        </thead>
        <tbody>
          <tr><th scope="row">{t('card_points')}</th><td>{hand.points[ours]}</td><td>{hand.points[theirs]}</td></tr>
          <tr><th scope="row">{t('tricks')}</th><td>{hand.tricksWon[ours]}</td><td>{hand.tricksWon[theirs]}</td></tr>
          <tr class="total"><th scope="row">{t('match_score')}</th><td>{hand.score[ours]}</td><td>{hand.score[theirs]}</td></tr>
        </tbody>
      </table>
      <button type="button" class="strong" ref={next} onClick={onNext} data-action="next">{t('next_hand')}</button>
    </div>
  )
}
