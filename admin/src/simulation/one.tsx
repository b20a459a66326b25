import {
  Badge, Button, ButtonLink, Facts, Loading, Note, Page, ProblemNote, Time, useAction, useFormat, useLoad, useRepeat,
  useTexts, useToast,
} from '@cuatrola/ui'
import { CircleStop, RotateCcw } from 'lucide'
import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import { useSession } from '../session'
import { Outcome } from './outcome'
import { sourceName, tones, type Simulation } from './source'
import { texts } from './texts'
import './simulation.css'

export default function SimulationPage() {
  const t = useTexts(texts)
  const { may } = useSession()
  const { params: { id } } = useRoute()
  const { route } = useLocation()
  const toast = useToast()
  const one = useLoad((signal) => ask(api.GET('/admin/v1/simulations/{id}', { params: { path: { id: id! } }, signal })), [id])
  const drafts = useLoad((signal) => (may('economy.read') ? ask(api.GET('/admin/v1/economy/drafts', { signal })) : Promise.resolve({ drafts: [] })), [])
  const s = one.data
  useRepeat(() => s?.state === 'running' && one.reload(), 1)
  const [asked, setAsked] = useState(false)
  const cancel = useAction(async () => {
    await ask(api.POST('/admin/v1/simulations/{id}/cancel', { params: { path: { id: id! } } }))
    setAsked(true)
    toast.good(t('toast_cancel'))
    one.reload()
  })
  const again = useAction(async (s: Simulation) => {
    const days = Math.max(1, Math.round((Date.parse(s.to) - Date.parse(s.from)) / 86_400_000))
    const next = await ask(api.POST('/admin/v1/simulations', { body: { days, ...(s.source ? { source: s.source } : { document: s.document ?? '' }) } }))
    setAsked(false)
    route(`/admin/simulation/${next.id}`)
  })
  const run = may('simulation.run')
  const draft = s?.source?.startsWith('draft:') ? drafts.data?.drafts.find((d) => `draft:${d.id}` === s.source) : undefined
  return (
    <Page
      title={s ? t('one_title', { what: sourceName(t, s.source, drafts.data?.drafts) }) : t('title')}
      back={{ href: '/admin/simulation', label: t('back') }}
      badge={s && <Badge tone={tones[s.state]}>{t(`state_${s.state}`)}</Badge>}
      actions={s && (
        <>
          {draft && <ButtonLink href={`/admin/economy/drafts/${draft.id}`} data-action="draft">{t('open_draft')}</ButtonLink>}
          {run && s.state === 'running' && <Button icon={CircleStop} busy={cancel.busy} aria-disabled={asked} data-action="cancel" onClick={() => !asked && void cancel.run()}>{t('cancel')}</Button>}
          {run && s.state !== 'running' && <Button icon={RotateCcw} busy={again.busy} data-action="again" onClick={() => void again.run(s)}>{t('again')}</Button>}
        </>
      )}
    >
      {cancel.problem && <ProblemNote problem={cancel.problem} />}
      {again.problem && <ProblemNote problem={again.problem} />}
      <Loading of={one} lines={6}>
        {(s) => (
          <div class="stack" data-state={s.state}>
            {s.state === 'running' && <Progress of={s} />}
            {(s.state === 'lost' || s.state === 'failed' || s.state === 'cancelled') && <Note tone={tones[s.state]}>{t(`${s.state}_help`)}</Note>}
            {s.result && <Outcome of={s.result} live={s.live} from={s.from} to={s.to} />}
            <About of={s} />
          </div>
        )}
      </Loading>
    </Page>
  )
}

function Progress({ of: s }: { of: Simulation }) {
  const t = useTexts(texts)
  const f = useFormat()
  const text = s.total === undefined ? t('counting') : t('progress', { done: f.number(s.done), total: f.number(s.total) })
  return (
    <section class="section simulation-progress">
      <progress max={s.total || 1} {...(s.total === undefined ? {} : { value: s.done })} aria-label={t('state_running')} />
      <p class="soft" role="status">{text}</p>
    </section>
  )
}

function About({ of: s }: { of: Simulation }) {
  const t = useTexts(texts)
  const f = useFormat()
  return (
    <section class="section">
      <Facts
        of={[
          [t('period'), t('from_to', { from: f.dateTime(s.from), to: f.dateTime(s.to) })],
          [t('against'), t('source_version', { n: s.live })],
          [t('asked_by'), <span data-raw>{s.author}</span>],
          [t('asked_at'), <Time value={s.startedAt} />],
          s.endedAt ? [t('took'), f.span(Math.max(0.1, (Date.parse(s.endedAt) - Date.parse(s.startedAt)) / 1000))] : null,
        ]}
      />
    </section>
  )
}
