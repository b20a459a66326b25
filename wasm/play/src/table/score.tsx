import { pairOf, type TableState } from '../game/types'
import { useWords } from './words'

/** The match's score, ours first, and what the hand in play has brought so far. */
export function Score({ state }: { state: TableState }) {
  const { game, t } = useWords()
  const { view } = state
  const ours = pairOf(view.viewer)
  const theirs = (1 - ours) as 0 | 1
  const open = view.phase === 'bid' || view.phase === 'play' || view.phase === 'sing'
  const { end, target } = view.rules
  const hand = state.ended ? state.ended.number : view.handsFinished + (view.phase === 'over' ? 0 : 1)
  const side = (name: string, pair: 0 | 1, kind: string) => (
    <div class={`side ${kind}`}>
      <span class="label">{name}</span>
      <strong data-score={kind}>{view.score[pair]}</strong>
      <span class="detail">
        {open && (
          <>
            <span title={game('tricks')}><TrickSign /> {view.hand.tricksWon[pair]}<span class="hidden"> {game('tricks')}</span></span>
            <span title={t('hand_points')} data-points={kind}>{view.hand.points[pair]}<span class="hidden"> {game('card_points')}</span><span aria-hidden="true"> p</span></span>
          </>
        )}
      </span>
    </div>
  )
  return (
    <section class="score" aria-label={t('score')}>
      {side(game('us'), ours, 'ours')}
      <div class="goal">
        <span>{end === 'hands' ? game('hand_of', { n: hand, total: Math.max(target, hand) }) : game('hand_n', { n: hand })}</span>
        {end === 'points' && <span>{game('to_points', { n: target })}</span>}
      </div>
      {side(game('them'), theirs, 'theirs')}
    </section>
  )
}

function TrickSign() {
  return (
    <svg class="trick-sign" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M2.5 4.5 9 2.8l2.4 8.7-6.5 1.7zM8 4.5h5.5v9H6" fill="none" stroke="currentColor" stroke-width="1.3" stroke-linejoin="round" />
    </svg>
  )
}
