import type { Pair, Seat } from '@cuatrola/rules'
import { pairOf } from '../game/types'
import type { Playback } from './playback'
import type { Summary } from './protocol'
import type { Words } from './words'

/** The hands of a match as its chapters: what was bid, what it brought, and the score. The first column is the pair below. */
export function Hands({ words, summary, playback, below, mistakes }: {
  words: Words
  summary: Summary
  playback: Playback
  below: Seat
  /** How many the coach has found in a hand; null where it has not looked, or none is asked for. */
  mistakes: (hand: number) => number | null
}) {
  const { t, who, bid } = words
  const ours = pairOf(below)
  const theirs = (1 - ours) as Pair
  return (
    <section class="chapters" aria-label={t('hands')}>
      <h2>{t('hands')}</h2>
      <ol>
        {Array.from({ length: summary.hands }, (_, hand) => {
          const result = summary.results[hand]
          const found = mistakes(hand)
          return (
            <li key={hand}>
              <button
                type="button" data-chapter={hand} aria-current={playback.hand === hand ? 'true' : undefined} data-won={result ? result.winner === ours : undefined}
                onClick={() => playback.go(hand, 0)}
              >
                <span class="chapter-n" aria-hidden="true">{hand + 1}</span>
                <span class="chapter-what">
                  <span class="hidden">{t('hand_n', { n: hand + 1 })}. </span>
                  {!result ? t('unfinished') : result.bidder === null ? t('no_bid') : t('bid_of', { bid: bid(result.bid), who: who(result.bidder) })}
                  {result && <small>{t('points_line', { a: result.points[ours], b: result.points[theirs] })} · +{result.value} {words.pair(result.winner)}</small>}
                </span>
                {found !== null && found > 0 && <span class="chapter-mistakes">{t.plural('mistakes_n', found)}</span>}
                {result && <span class="chapter-score"><span class="hidden">{t('score')} </span>{result.score[ours]} – {result.score[theirs]}</span>}
              </button>
            </li>
          )
        })}
      </ol>
    </section>
  )
}

