import { useState } from 'preact/hooks'
import { engine } from '../game/engine'
import { pairOf, type Table, type TableState, type Verdict } from '../game/types'
import { useT } from '../i18n'
import { VerdictText } from './verdict'

interface Props {
  table: Table
  state: TableState
  onAgain(): void
  onHome(): void
}

/** The end of a match: who won, its record, and whether the deals were honest. */
export function MatchEnd({ table, state, onAgain, onHome }: Props) {
  const t = useT()
  const { view } = state
  const ours = pairOf(view.viewer)
  const won = view.winner === ours
  const outcome = view.winner === null ? 'void' : won ? 'won' : 'lost'
  const [verdict, setVerdict] = useState<Verdict | 'checking' | null>(null)
  const [failure, setFailure] = useState<string | null>(null)

  const attempt = async (what: (record: unknown) => void | Promise<void>) => {
    setFailure(null)
    try {
      await what(await table.record())
    } catch (err) {
      setVerdict(null)
      setFailure(err instanceof Error ? err.message : String(err))
    }
  }

  return (
    <div class={`result end ${outcome}`} role="dialog" aria-modal="false" aria-labelledby="end-title">
      <h2 id="end-title" data-end={outcome}>{t(`match_${outcome}`)}</h2>
      <p class="final">
        <span>{t('us')} <strong>{view.score[ours]}</strong></span>
        <span>{t('them')} <strong>{view.score[1 - ours]}</strong></span>
      </p>
      <div class="row">
        <button type="button" class="plain" data-action="download" onClick={() => attempt((record) => save(record, table.id))}>{t('download')}</button>
        <button
          type="button"
          class="plain"
          data-action="verify"
          onClick={() => {
            setVerdict('checking')
            void attempt(async (record) => setVerdict(await engine('verify', record, table.promised())))
          }}
        >
          {t('verify')}
        </button>
      </div>
      <div aria-live="polite">
        {verdict === 'checking' ? <p class="verdict">{t('verifying')}</p> : verdict && <VerdictText verdict={verdict} />}
        {failure && <p class="verdict bad">{t('failed', { why: t.reason(failure) })}</p>}
      </div>
      <div class="row">
        <button type="button" class="strong" data-action="again" onClick={onAgain}>{t('again')}</button>
        <button type="button" class="plain" data-action="home" onClick={onHome}>{t('home')}</button>
      </div>
    </div>
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
