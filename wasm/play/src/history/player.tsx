import type { MatchRecord, ReviewVerdict, Seat } from '@cuatrola/rules'
import { Button, SelectField, Skeleton, SwitchField } from '@cuatrola/ui'
import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight, Pause, Play } from 'lucide'
import { useEffect, useRef } from 'preact/hooks'
import type { Player as Person } from '../game/types'
import { Board, Mark, type Marked } from './board'
import type { Playback } from './playback'
import type { Summary } from './protocol'
import type { Words } from './words'

interface Props {
  words: Words
  people: readonly Person[]
  record: MatchRecord
  summary: Summary
  playback: Playback
  me: Seat | null
  below: Seat
  onBelow(seat: Seat): void
  open: boolean
  onOpen(open: boolean): void
  marked: Marked | null
  /** The coach's verdict on each action of the hand, where there is one to show. */
  verdicts: readonly (ReviewVerdict | null)[]
}

/** A match's table step by step, and what one steps with. */
export function Player({ words, people, record, summary, playback, me, below, onBelow, open, onOpen, marked, verdicts }: Props) {
  const { t } = words
  const { frames, hand, step } = playback
  const dealt = record.hands[hand]!
  const frame = frames?.[step]
  const told = frame ? words.told(frame, dealt.trump, dealt.dealer, frames[step - 1] ?? null) : ''
  const broken = frame && step === frames.length - 1 && !frame.result && summary.fault?.hand === hand
  const score = frame ? { a: frame.score[below & 1]!, b: frame.score[1 - (below & 1)]! } : { a: 0, b: 0 }
  return (
    <section class="replay" tabIndex={-1} aria-label={t('replay')} data-hand={hand} data-step={step} data-steps={frames ? frames.length - 1 : undefined}>
      <div class="replay-stage">
        <div class="replay-score">
          <span>{words.pair((below & 1) as 0 | 1)}<b>{score.a}</b></span>
          <span class="replay-chapter">{t('hand_of', { n: hand + 1, all: record.hands.length })}</span>
          <span><b>{score.b}</b>{words.pair((1 - (below & 1)) as 0 | 1)}</span>
        </div>
        {frame ? <Board words={words} people={people} frame={frame} trump={dealt.trump} dealer={dealt.dealer} below={below} open={open} marked={marked} />
          : <div class="replay-board waiting"><Skeleton lines={3} /></div>}
        <p class="replay-said" role="status" aria-live="polite">{told}{broken && <> <strong>{t('breaks_off')}</strong></>}</p>
      </div>

      <div class="replay-controls">
        <Slider words={words} playback={playback} verdicts={verdicts} told={told} />
        <div class="replay-row">
          <div class="replay-buttons">
            <Button icon={ChevronFirst} aria-label={t('first')} title={t('first')} data-action="first" aria-disabled={step === 0} onClick={() => playback.go(hand, 0)} />
            <Button icon={ChevronLeft} aria-label={t('previous')} title={t('previous')} data-action="previous" aria-disabled={playback.atStart} onClick={playback.previous} />
            <Button
              kind="strong" icon={playback.playing ? Pause : Play} data-action="play" aria-label={t(playback.playing ? 'pause' : 'play')}
              title={t(playback.playing ? 'pause' : 'play')} onClick={playback.playing ? playback.pause : playback.play}
            />
            <Button icon={ChevronRight} aria-label={t('next')} title={t('next')} data-action="next" aria-disabled={playback.atEnd} onClick={playback.next} />
            <Button icon={ChevronLast} aria-label={t('last')} title={t('last')} data-action="last" aria-disabled={!frames || step === frames.length - 1} onClick={() => playback.go(hand, Infinity)} />
          </div>
          <div class="replay-look">
            <SwitchField label={t('open_cards')} name="open" checked={open} onChange={onOpen} />
            {me === null && (
              <SelectField
                label={t('seen_from')} name="below" value={String(below)} onChange={(seat) => onBelow(Number(seat))}
                options={[0, 1, 2, 3].map((seat) => ({ value: String(seat), label: words.who(seat) }))}
              />
            )}
          </div>
        </div>
      </div>
      <p class="replay-keys soft">{t('keys')}</p>
    </section>
  )
}

/** Where one is in the hand, with a mark for each of the coach's verdicts. */
function Slider({ words: { t }, playback: { frames, hand, step, go }, verdicts, told }: { words: Words; playback: Playback; verdicts: Props['verdicts']; told: string }) {
  const last = frames ? frames.length - 1 : 1
  return (
    <div class="replay-slider">
      <input
        type="range" name="step" min={0} max={last} value={step} aria-label={t('step')} aria-valuetext={told} disabled={!frames}
        onInput={(event) => go(hand, Number(event.currentTarget.value))}
      />
      <div class="replay-ticks" aria-hidden="true">
        {Array.from({ length: last + 1 }, (_, i) => {
          const verdict = i > 0 ? verdicts[i - 1] : null
          return <i key={i} class={verdict ?? (frames?.[i]?.taken ? 'trick' : undefined)} data-past={i <= step || undefined} />
        })}
      </div>
    </div>
  )
}

/** All that was said and played in a hand, part by part; the step that is shown is marked, and each can be gone to. */
export function Log({ words, record, playback, verdicts }: Pick<Props, 'words' | 'record' | 'playback' | 'verdicts'>) {
  const { t } = words
  const { hand, step, go } = playback
  const { trump, dealer } = record.hands[hand]!
  const frames = playback.frames ?? []
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Within the list alone: the page stays where it is.
    const box = list.current!
    const row = box.querySelector<HTMLElement>('[aria-current]')
    if (!row) return
    const top = row.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop
    if (top < box.scrollTop + 30) box.scrollTop = top - 30
    else if (top + row.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + row.offsetHeight - box.clientHeight + 8
  }, [step, playback.frames])

  const parts: { title: string; steps: number[] }[] = []
  frames.forEach((_, i) => {
    const before = frames[i - 1]
    const title = i === 0 ? t('log_deal') : before!.phase === 'bid' ? t('log_bids') : t('log_trick', { n: before!.tricks + (before!.phase === 'sing' ? 0 : 1) })
    if (parts.at(-1)?.title !== title) parts.push({ title, steps: [] })
    parts.at(-1)!.steps.push(i)
  })
  return (
    <section class="replay-log" aria-label={t('log')}>
      <h2>{t('log')}</h2>
      <div class="log-list" ref={list}>
        {parts.map((part) => (
          <div key={part.title}>
            <h3>{part.title}</h3>
            <ol>
              {part.steps.map((i) => {
                const verdict = i > 0 ? verdicts[i - 1] : null
                return (
                  <li key={i}>
                    <button type="button" aria-current={i === step ? 'step' : undefined} data-go={i} onClick={() => go(hand, i)}>
                      <span>{words.told(frames[i]!, trump, dealer, frames[i - 1] ?? null)}</span>
                      {verdict && verdict !== 'forced' && <><Mark verdict={verdict} /><span class="hidden">{t(`verdict_${verdict}`)}</span></>}
                    </button>
                  </li>
                )
              })}
            </ol>
          </div>
        ))}
      </div>
    </section>
  )
}
