import type { TableState } from '../game/types'
import { pairOf } from '../game/types'
import { useT } from '../i18n'

/** The match's score, ours first, and what the hand in play has brought so far. */
export function Score({ state }: { state: TableState }) {
  const t = useT()
  const { view } = state
  const ours = pairOf(view.viewer)
  const theirs = (1 - ours) as 0 | 1
  const open = view.phase === 'bid' || view.phase === 'play' || view.phase === 'sing'
  const { end, target } = view.rules
  const hand = view.handsFinished + (view.phase === 'over' ? 0 : 1)
  const side = (name: string, pair: 0 | 1, kind: string) => (
    <div class={`side ${kind}`}>
      <span class="label">{name}</span>
      <strong data-score={kind}>{view.score[pair]}</strong>
      <span class="detail">
        {open && (
          <>
            <span title={t('tricks')}><TrickSign /> {view.hand.tricksWon[pair]}<span class="hidden"> {t('tricks')}</span></span>
            <span title={t('card_points')}>{view.hand.points[pair]}<span class="hidden"> {t('card_points')}</span><span aria-hidden="true"> p</span></span>
          </>
        )}
      </span>
    </div>
  )
  return (
    <div class="score">
      {side(t('us'), ours, 'ours')}
      <div class="goal">
        <span>{end === 'hands' ? t('hand_of', { n: hand, total: Math.max(target, hand) }) : t('hand_n', { n: hand })}</span>
        {end === 'points' && <span>{t('to_points', { n: target })}</span>}
      </div>
      {side(t('them'), theirs, 'theirs')}
    </div>
  )
}

function TrickSign() {
  return (
    <svg class="trick-sign" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M2.5 4.5 9 2.8l2.4 8.7-6.5 1.7zM8 4.5h5.5v9H6" fill="none" stroke="currentColor" stroke-width="1.3" stroke-linejoin="round" />
    </svg>
  )
}
