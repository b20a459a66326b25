import {
  Badge, Button, Empty, FormDialog, NumberField, Page, PagedTable, Section, SelectField, stay, Time, useFormat, useLoad,
  useQuery, useRepeat, useTexts,
} from '@cuatrola/ui'
import { FlaskConical } from 'lucide'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import { useSession } from '../session'
import { sourceName, tones, type Draft, type Simulation } from './source'
import { texts } from './texts'

export default function SimulationsPage() {
  const t = useTexts(texts)
  const f = useFormat()
  const { may } = useSession()
  // Another page may have sent one here with a document.
  const [of, setOf] = useQuery('of')
  const [asking, setAsking] = useState(of !== '')
  const [version, setVersion] = useState(0)
  const [running, setRunning] = useState(false)
  useRepeat(() => running && setVersion((n) => n + 1), 2)
  const drafts = useLoad((signal) => (may('economy.read') ? ask(api.GET('/admin/v1/economy/drafts', { signal })) : Promise.resolve({ drafts: [] })), [])
  const run = may('simulation.run')
  const known = drafts.data?.drafts ?? []
  const start = run && <Button kind="strong" icon={FlaskConical} data-action="simulate" onClick={() => setAsking(true)}>{t('simulate')}</Button>
  return (
    <Page title={t('title')} lead={t('lead')} actions={start}>
      <Section flush>
        <PagedTable
          caption={t('title')} inputs={[]} version={version} rowKey={(s: Simulation) => s.id} rowHref={(s) => `/admin/simulation/${s.id}`}
          load={async (cursor, signal) => {
            const page = await ask(api.GET('/admin/v1/simulations', { params: { query: cursor ? { cursor } : {} }, signal }))
            setRunning(page.simulations.some((s) => s.state === 'running'))
            return { items: page.simulations, nextCursor: page.nextCursor }
          }}
          empty={<Empty icon={FlaskConical} title={t('none')}>{t('none_help')}</Empty>}
          columns={[
            { id: 'what', title: t('document'), cell: (s) => <span data-raw>{sourceName(t, s.source, known)}</span> },
            {
              id: 'state', title: t('state'),
              cell: (s) => (
                <Badge tone={tones[s.state]}>
                  {t(`state_${s.state}`)}{s.state === 'running' && s.total ? ` · ${f.percent(s.done / s.total, 0)}` : ''}
                </Badge>
              ),
            },
            { id: 'period', title: t('period'), cell: (s) => t('from_to', { from: f.date(s.from), to: f.date(s.to) }) },
            { id: 'matches', title: t('tile_matches'), end: true, cell: (s) => (s.total === undefined ? '' : f.number(s.total)) },
            { id: 'author', title: t('asked_by'), cell: (s) => <span data-raw>{s.author}</span> },
            { id: 'at', title: t('asked_at'), cell: (s) => <Time value={s.startedAt} relative /> },
          ]}
        />
      </Section>
      {asking && run && drafts.data && (
        <AskDialog
          drafts={known} of={of}
          onClose={() => {
            setAsking(false)
            setOf('')
          }}
        />
      )}
    </Page>
  )
}

function AskDialog({ drafts, of, onClose }: { drafts: readonly Draft[]; of: string; onClose: () => void }) {
  const t = useTexts(texts)
  const { route } = useLocation()
  const usable = drafts.filter((d) => d.problems === 0)
  const [source, setSource] = useState(of || (usable[0] ? `draft:${usable[0].id}` : 'live'))
  const [days, setDays] = useState<number | null>(28)
  const [tried, setTried] = useState(false)
  const options = [...usable.map((d) => `draft:${d.id}`), 'live', 'shipped']
  if (of !== '' && !options.includes(of)) options.unshift(of)
  return (
    <FormDialog
      title={t('simulate_title')} action={t('simulate')} onClose={onClose}
      check={() => {
        setTried(true)
        return days !== null
      }}
      onSubmit={async () => {
        const s = await ask(api.POST('/admin/v1/simulations', { body: { source, days: days! } }))
        route(`/admin/simulation/${s.id}`)
        return stay
      }}
    >
      <SelectField label={t('document')} name="source" value={source} onChange={setSource} options={options.map((value) => ({ value, label: sourceName(t, value, drafts) }))} />
      <NumberField
        label={t('days')} name="days" hint={t('days_hint')} unit={t('days_unit')} min={1} max={92} required value={days} onChange={setDays}
        error={tried && days === null ? t('days_hint') : null}
      />
    </FormDialog>
  )
}
