import type { MatchRecord, Seat } from '@cuatrola/rules'
import { asProblem, Note, ProblemNote, Skeleton, Tabs, useAction, useQuery, type Problem } from '@cuatrola/ui'
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { readJSON, writeJSON } from '../device'
import { Accuracy, Coach } from './coach'
import { Hands } from './hands'
import './history.css'
import { usePlayback, useReplayKeys } from './playback'
import { Log, Player } from './player'
import type { Known, Report, Summary } from './protocol'
import { Reader } from './reader'
import { ReportView, type Keeper } from './report'
import { isMistake, useMistakes, useReview } from './review'
import { peopleOf, useWords, type Words } from './words'

export const parts = ['replay', 'review', 'check'] as const
export type Part = (typeof parts)[number]

interface Props {
  record: MatchRecord
  /** One's own seat; null in a match that one has not played. */
  me: Seat | null
  /** What the record is held against; asked for when it is checked. */
  known: () => Promise<Known>
  dealtBy: Keeper | null
  copyOf: Keeper | null
  /** Which part is shown first, where the address says none. */
  first?: Part
}

type Shown = Omit<Props, 'record'> & { reader: Reader }

/** A match that is over: replayed, reviewed and checked, each with the module alone. */
export function MatchView({ record, ...props }: Props) {
  const reader = useMemo(() => new Reader(record), [record])
  const [summary, setSummary] = useState<Summary | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  useEffect(() => {
    let gone = false
    setSummary(null)
    setProblem(null)
    reader.summary().then((found) => gone || setSummary(found), (err: unknown) => gone || setProblem(asProblem(err)))
    return () => {
      gone = true
    }
  }, [reader])
  if (problem && problem.code !== 'bad_record' && problem.code !== 'invalid_rules') return <ProblemNote problem={problem} retry={() => location.reload()} />
  // What cannot be replayed can still be told what is wrong with it.
  if (problem) return <Unreadable {...props} reader={reader} />
  if (!summary) return <Skeleton lines={3} tall />
  return <Parts {...props} reader={reader} summary={summary} />
}

function Unreadable({ reader, ...props }: Shown) {
  const words = useWords(useMemo(() => peopleOf(reader.record.players), [reader]), props.me)
  return <Check {...props} words={words} reader={reader} />
}

interface Look {
  /** Everybody's cards are seen. */
  open: boolean
  /** The coach speaks of everybody's decisions. */
  all: boolean
}

function Parts({ me, reader, summary, first = 'replay', ...check }: Shown & { summary: Summary }) {
  const { record } = reader
  const people = useMemo(() => peopleOf(record.players), [record])
  const words = useWords(people, me)
  const { t } = words
  const [shown, setShown] = useQuery('view', first)
  const part = parts.find((one) => one === shown) ?? first
  const [look, setLook] = useState<Look>(() => readJSON<Look>('replay') ?? { open: false, all: false })
  const [below, setBelow] = useState<Seat>(me ?? Math.max(0, people.findIndex((person) => !person.bot)))
  const start = useMemo(() => {
    const asked = new URLSearchParams(location.search)
    return { hand: Number(asked.get('hand') ?? 1) - 1 || 0, step: Number(asked.get('step') ?? 0) || 0 }
  }, [record])
  const playback = usePlayback(reader, summary.hands, start)
  useAddress(playback.hand, playback.step)
  const reviewed = useReview(reader, summary.results.length, part === 'review', playback.hand)
  const all = me === null || look.all
  const whose = useCallback((seat: Seat) => all || seat === me, [all, me])
  const mistakes = useMistakes(reviewed, whose)
  const choose = (change: Partial<Look>) => {
    const next = { ...look, ...change }
    writeJSON('replay', next)
    setLook(next)
  }
  const toMistake = () => {
    const next = mistakes.find(({ hand, step }) => hand > playback.hand || (hand === playback.hand && step > playback.step))
    if (next) playback.go(next.hand, next.step)
  }
  useReplayKeys(playback, { o: () => choose({ open: !look.open }), ...(part === 'review' && { m: toMistake }) })

  const reviewing = part === 'review'
  const review = reviewing ? reviewed.hands.get(playback.hand) : undefined
  const decision = review?.decisions.find((d) => d.action === playback.step - 1 && whose(d.seat))
  const verdicts = useMemo(() => (review ? review.decisions.map((d) => (whose(d.seat) ? d.verdict : null)) : []), [review, whose])
  if (summary.hands === 0) return <><Note tone="warn">{t('no_hands')}</Note><Check {...check} words={words} reader={reader} /></>
  const trump = record.hands[playback.hand]!.trump
  return (
    <div class="match-tabs" onClick={toReplay}>
      <Tabs label={t('views')} tabs={parts.map((id) => ({ id, label: t(`view_${id}`) }))} current={part} onChange={setShown}>
        {part === 'check' ? <Check {...check} words={words} reader={reader} /> : (
          <>
            {playback.problem && <ProblemNote problem={playback.problem} />}
            <div class={`match-parts${reviewing ? ' reviewing' : ''}`}>
              <Player
                words={words} people={people} record={record} summary={summary} playback={playback} me={me} below={below} onBelow={setBelow}
                open={look.open} onOpen={(open) => choose({ open })} verdicts={verdicts}
                marked={decision ? { verdict: decision.verdict, better: decision.best === decision.played ? null : decision.best } : null}
              />
              {reviewing && (
                <>
                  <Coach words={words} reviewed={reviewed} playback={playback} me={me} below={below} trump={trump} all={all} onAll={(value) => choose({ all: value })} mistakes={mistakes} />
                  <Accuracy words={words} reviewed={reviewed} playback={playback} me={me} below={below} />
                </>
              )}
              <Hands
                words={words} summary={summary} playback={playback} below={below}
                mistakes={(hand) => (reviewing ? reviewed.hands.get(hand)?.decisions.filter((d) => whose(d.seat) && isMistake(d)).length ?? null : null)}
              />
              <Log words={words} record={record} playback={playback} verdicts={verdicts} />
            </div>
          </>
        )}
      </Tabs>
    </div>
  )
}

/** Who chooses a part with the pointer goes on there: the arrows are then the replay's, not the tabs'. */
function toReplay({ target, detail }: MouseEvent): void {
  if (detail > 0 && (target as HTMLElement).closest('[role=tab]')) requestAnimationFrame(() => document.querySelector<HTMLElement>('.replay')?.focus({ preventScroll: true }))
}

/** Looks at a record once, and again if one wants it. */
function Check({ words, reader, known, dealtBy, copyOf }: Omit<Shown, 'first' | 'me'> & { words: Words }) {
  const { t } = words
  const [report, setReport] = useState<Report | null>(null)
  const look = useAction(async () => {
    setReport(null)
    setReport(await reader.check(await known()))
  })
  useEffect(() => void look.run(), [reader])
  if (report) return <ReportView words={words} report={report} dealtBy={dealtBy} copyOf={copyOf} />
  if (look.problem) return <ProblemNote problem={look.problem} retry={() => void look.run()} />
  return <div aria-busy="true"><p class="soft" role="status">{t('checking')}</p><Skeleton lines={5} /></div>
}

/** Milliseconds for which one has to stay before the address has the step: browsers refuse many changes at once. */
const settles = 500

/** Keeps the place that is shown in the address, so that a reload and a link come back to it. */
function useAddress(hand: number, step: number): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      const address = new URL(location.href)
      if (hand === 0 && step === 0) for (const name of ['hand', 'step']) address.searchParams.delete(name)
      else {
        address.searchParams.set('hand', String(hand + 1))
        address.searchParams.set('step', String(step))
      }
      if (address.href !== location.href) history.replaceState(history.state, '', address)
    }, settles)
    return () => clearTimeout(timer)
  }, [hand, step])
}
