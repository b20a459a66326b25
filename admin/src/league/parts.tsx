import { Badge, Button, Note, ReasonDialog, useFormat, useTexts, useToast } from '@cuatrola/ui'
import { ChevronsRight } from 'lucide'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { useMay } from '../session'
import { texts } from './texts'

export type Season = Schemas['Season']

export function SeasonBadge({ season }: { season: Season }) {
  const t = useTexts(texts)
  return (
    <span class="row">
      <Badge tone={season.state === 'open' ? 'good' : season.state === 'closing' ? 'warn' : 'neutral'}>{t(`state_${season.state}`)}</Badge>
      {season.due && <Badge tone="bad">{t('due')}</Badge>}
    </span>
  )
}

/** How the job that closes weeks is getting on. */
export function JobNote({ job }: { job: Schemas['JobState'] }) {
  const t = useTexts(texts)
  const f = useFormat()
  switch (job.state) {
    case 'never': return <Note>{t('job_never')}</Note>
    case 'running': return <Note tone="info">{t('job_running', { time: f.time(job.beganAt!) })}</Note>
    case 'failed': return <Note tone="bad"><span data-raw>{t('job_failed', { n: job.failures, why: job.failure ?? '' })}</span></Note>
    case 'lost': return <Note tone="warn">{t('job_lost')}</Note>
    case 'done': return <Note tone="good">{t('job_done', { time: f.ago(job.doneAt!) })}</Note>
  }
}

/** The button that closes the week that is due, and what it asks first. */
export function CloseButton({ season, onDone }: { season: Season; onDone: () => void }) {
  const t = useTexts(texts)
  const may = useMay()
  const toast = useToast()
  const [asking, setAsking] = useState(false)
  if (!season.due || !may('league.close')) return null
  return (
    <>
      <Button kind="strong" icon={ChevronsRight} data-action="close-league" onClick={() => setAsking(true)}>{t('close')}</Button>
      {asking && (
        <ReasonDialog
          title={t('close_title', { week: season.id })} text={t('close_text')} action={t('close')} onClose={() => setAsking(false)}
          onConfirm={async (reason) => {
            await ask(api.POST('/admin/v1/league/close', { body: { reason } }))
            toast.good(t('close_began'))
            onDone()
          }}
        />
      )}
    </>
  )
}

/** Divisions have names of the operator's; those that the game brings are known in each language. */
export function useDivision() {
  const t = useTexts(texts)
  return (name: string) => t.code('division_' + name, name)
}
