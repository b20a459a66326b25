import { reviewText, type HandReview, type ReviewDecision, type Seat } from '@cuatrola/rules'
import { Button, ChoiceField, Note, ProblemNote } from '@cuatrola/ui'
import { ChevronLeft, ChevronRight } from 'lucide'
import { pairOf } from '../game/types'
import { Mark } from './board'
import { Course } from './chart'
import type { Playback } from './playback'
import { courseOf, isMistake, seatTally, type Place, type Reviewed } from './review'
import type { Words } from './words'

interface Props {
  words: Words
  reviewed: Reviewed
  playback: Playback
  me: Seat | null
  below: Seat
  trump: string
  all: boolean
  onAll(all: boolean): void
  mistakes: readonly Place[]
}

/** How the coach is getting on, and how well everybody played. */
export function Accuracy({ words, reviewed, playback, me, below }: Pick<Props, 'words' | 'reviewed' | 'playback' | 'me' | 'below'>) {
  const { t, f } = words
  const done = reviewed.hands.size
  const here = reviewed.hands.get(playback.hand)
  const seats = [below, (below + 2) & 3, (below + 1) & 3, (below + 3) & 3]
  return (
    <section class="coach-accuracy" aria-label={t('accuracy')} data-reviewed={done} data-of={reviewed.of} aria-busy={reviewed.working !== null}>
      {reviewed.problem && <ProblemNote problem={reviewed.problem} />}
      {reviewed.working !== null && (
        <div class="coach-progress">
          <label for="coach-progress">{t('coach_working', { n: Math.min(done + 1, reviewed.of), all: reviewed.of })}</label>
          <progress id="coach-progress" max={reviewed.of} value={done} />
        </div>
      )}
      <p class="hidden" role="status">{reviewed.working === null && done > 0 ? t('coach_done', { n: done }) : ''}</p>
      <h2>{t('accuracy')}</h2>
      <ul>
        {seats.map((seat) => {
          const match = seatTally(reviewed.hands.values(), seat)
          const hand = here && seatTally([here], seat)
          const wrong = [...reviewed.hands.values()].flatMap((review) => review.decisions).filter((d) => d.seat === seat && isMistake(d)).length
          return (
            <li key={seat} data-seat={seat} data-pair={pairOf(seat) === pairOf(below) ? 'ours' : 'theirs'} data-me={seat === me || undefined}>
              <span class="coach-accuracy-name">{words.who(seat)}</span>
              <span class="coach-accuracy-value" data-accuracy={match.accuracy}>{match.decisions === 0 ? '–' : f.number(match.accuracy)}</span>
              <small>{match.decisions === 0 ? t('no_decisions') : `${t.plural('decisions', match.decisions)} · ${t.plural('mistakes_n', wrong)}`}</small>
              <small>{t('accuracy_hand')}: {!hand || hand.decisions === 0 ? '–' : f.number(hand.accuracy)}</small>
            </li>
          )
        })}
      </ul>
      <p class="soft smaller">{t('accuracy_help')}</p>
      <Course words={words} course={courseOf(reviewed, pairOf(below))} at={{ hand: playback.hand, step: playback.step }} below={below} onGo={playback.go} />
    </section>
  )
}

/** What the coach has to say of the step that is shown, and the way to the next mistake. */
export function Coach({ words, reviewed, playback, me, trump, all, onAll, mistakes }: Props) {
  const { t, who } = words
  const here = { hand: playback.hand, step: playback.step }
  const after = (a: Place, b: Place) => a.hand - b.hand || a.step - b.step
  const next = mistakes.find((place) => after(place, here) > 0)
  const previous = mistakes.filter((place) => after(place, here) < 0).at(-1)
  const go = (place: Place | undefined) => place && playback.go(place.hand, place.step)
  const review: HandReview | undefined = reviewed.hands.get(playback.hand)
  const decision = review?.decisions.find((d) => d.action === playback.step - 1)
  const hidden = decision && !all && decision.seat !== me
  return (
    <section class="coach" aria-label={t('coach')} data-coach={decision && !hidden ? decision.verdict : 'none'}>
      <div class="coach-ways">
        <div class="row">
          <Button icon={ChevronLeft} data-action="previous-mistake" aria-disabled={!previous} aria-label={t('previous_mistake')} title={t('previous_mistake')} onClick={() => go(previous)} />
          <Button icon={ChevronRight} data-action="next-mistake" aria-disabled={!next} onClick={() => go(next)}>{t('next_mistake')}</Button>
        </div>
        {me !== null && (
          <ChoiceField
            label={t('whose')} name="whose" bare value={all ? 'all' : 'mine'} onChange={(value) => onAll(value === 'all')}
            options={[{ value: 'mine', label: t('whose_mine') }, { value: 'all', label: t('whose_all') }]}
          />
        )}
      </div>
      <div class="coach-said" aria-live="polite">
        {!review ? <p class="soft">{t('still_looking')}</p>
          : playback.step === 0 ? <p class="soft">{t('deal_said')}</p>
          : !decision ? <p class="soft">{t('looks_at')}</p>
          : hidden ? <p class="soft">{t('others_hidden', { who: who(decision.seat) })}</p>
          : <Said words={words} decision={decision} trump={trump} />}
      </div>
      {decision && !hidden && !decision.forced && <Options words={words} decision={decision} trump={trump} />}
      {mistakes.length === 0 && reviewed.working === null && reviewed.hands.size > 0 && <Note tone="good">{t(all ? 'no_mistakes' : 'no_mistakes_mine')}</Note>}
    </section>
  )
}

/** A decision in words: what it was, what was better, what it cost, and why. */
function Said({ words, decision: d, trump }: { words: Words; decision: ReviewDecision; trump: string }) {
  const { t, who, act, f, language } = words
  const cost = Math.round(d.cost.expected * 10) / 10
  const chance = Math.round(d.cost.match * 1000) / 1000
  return (
    <>
      <p class="coach-verdict">
        <Mark verdict={d.verdict} />
        <strong class={d.verdict}>{t(`verdict_${d.verdict}`)}</strong>
        <span>{t('did', { who: who(d.seat), what: act(d.played, trump) })}</span>
      </p>
      {d.reasons.map((reason) => <p key={reason.code} class="coach-reason" data-reason={reason.code}>{reviewText(reason, language)}</p>)}
      {d.best !== d.played && (
        <p class="coach-cost">
          <span>{t('better', { what: act(d.best, trump) })}</span>
          <span>
            {t('cost')}: {[
              cost > 0 && t.plural(`cost_${d.unit}`, cost),
              chance > 0 && t('cost_match', { n: f.percent(chance) }),
            ].filter(Boolean).join(' · ') || t('no_cost')}
          </span>
        </p>
      )}
      {d.openBest !== d.best && d.openBest !== d.played && !d.forced && <p class="soft smaller">{t('better_open', { what: act(d.openBest, trump) })}</p>}
    </>
  )
}

/** Everything that could be done, with what it was worth; the best first. */
function Options({ words, decision: d, trump }: { words: Words; decision: ReviewDecision; trump: string }) {
  const { t, act, f } = words
  const options = [...d.options].sort((a, b) => (b.match ?? 0) - (a.match ?? 0) || (b.expected ?? 0) - (a.expected ?? 0))
  return (
    <details class="coach-options">
      <summary>{t('options')}</summary>
      <div class="table-frame small" tabIndex={0} role="group" aria-label={t('options')}>
        <table>
          <caption class="hidden">{t('options')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('option')}</th><th scope="col" class="end">{t(`option_expected_${d.unit}`)}</th><th scope="col" class="end">{t('option_hand')}</th>
              <th scope="col" class="end">{t('option_match')}</th><th scope="col" class="end">{t('option_open')}</th>
            </tr>
          </thead>
          <tbody>
            {options.map((o) => (
              <tr key={o.action} class={o.action === d.best ? 'best' : o.action === d.played ? 'played' : undefined}>
                <th scope="row">
                  {act(o.action, trump)}
                  {o.action === d.best && <small> · {t('best_mark')}</small>}{o.action === d.played && <small> · {t('played_mark')}</small>}
                </th>
                <td class="end">{o.expected === null ? '–' : f.signed(Math.round(o.expected * 10) / 10)}</td>
                <td class="end">{o.hand === null ? '–' : f.percent(o.hand)}</td>
                <td class="end">{o.match === null ? '–' : f.percent(o.match)}</td>
                <td class="end">{f.signed(o.open)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft smaller">{t(d.exact ? 'options_exact' : 'options_sampled', { n: f.number(d.deals) })}</p>
    </details>
  )
}
