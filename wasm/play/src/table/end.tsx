import { Button, ButtonLink, Icon, type Problem, ProblemNote, asProblem } from '@cuatrola/ui'
import { Download, House, RotateCcw, ScanSearch, ShieldCheck, Trophy } from 'lucide'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { engine } from '../game/engine'
import { pairOf, type Table, type TableState, type Verdict } from '../game/types'
import { Rewards } from './rewards'
import { VerdictText } from './verdict'
import { useWords } from './words'

interface Props {
  table: Table
  state: TableState
  onAgain(): void
  onHome(): void
}

/** The end of a match: who won, what it brought, the match to look at again, and whether the deals were honest. */
export function MatchEnd({ table, state, onAgain, onHome }: Props) {
  const { game, t } = useWords()
  const { view } = state
  const ours = pairOf(view.viewer)
  const outcome = view.winner === null ? 'void' : view.winner === ours ? 'won' : 'lost'
  const local = state.link === 'local'
  const [verdict, setVerdict] = useState<Verdict | 'checking' | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), [])

  const attempt = async (what: (record: unknown) => void | Promise<void>) => {
    setProblem(null)
    try {
      await what(await table.record())
    } catch (err) {
      setVerdict(null)
      setProblem(asProblem(err))
    }
  }

  return (
    <section class={`result end ${outcome}`} aria-labelledby="end-title">
      {outcome === 'won' && <span class="cup"><Icon of={Trophy} size={34} /></span>}
      <h2 id="end-title" ref={heading} tabIndex={-1} data-end={outcome}>{game(`match_${outcome}`)}</h2>
      <p class="final">
        <span>{game('us')} <strong>{view.score[ours]}</strong></span>
        <span>{game('them')} <strong>{view.score[1 - ours]}</strong></span>
      </p>
      {!local && outcome !== 'void' && <Rewards match={table.id} />}
      <div class="choices-row">
        <Button kind="strong" icon={RotateCcw} data-action="again" onClick={onAgain}>{t('again')}</Button>
        {outcome !== 'void' && (
          <ButtonLink href={`/history/${local ? 'local/' : ''}${table.id}?view=review`} icon={ScanSearch} data-action="review">{t('review')}</ButtonLink>
        )}
      </div>
      {outcome !== 'void' && (
        <div class="small-row">
          <Button
            kind="quiet" small icon={ShieldCheck} data-action="verify"
            onClick={() => {
              setVerdict('checking')
              void attempt(async (record) => setVerdict(await engine('verify', record, table.promised())))
            }}
          >
            {t('verify')}
          </Button>
          <Button kind="quiet" small icon={Download} data-action="download" onClick={() => void attempt((record) => save(record, table.id))}>{t('download')}</Button>
          <Button kind="quiet" small icon={House} data-action="home" onClick={onHome}>{t('home')}</Button>
        </div>
      )}
      {outcome === 'void' && <Button data-action="home" icon={House} onClick={onHome}>{t('home')}</Button>}
      <div aria-live="polite">
        {verdict === 'checking' ? <p class="verdict">{game('verifying')}</p> : verdict && <VerdictText verdict={verdict} />}
        {problem && <ProblemNote problem={problem} />}
      </div>
    </section>
  )
}

function save(record: unknown, id: string): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(record) + '\n'], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `cuatrola-${id}.json`
  link.click()
  URL.revokeObjectURL(url)
}
