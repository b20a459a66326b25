import {
  Badge, Button, Empty, Facts, Loading, ProblemNote, Section, Table, Time, type Tone, useAction, useFormat, useLoad,
  useRepeat, useTexts, useToast,
} from '@cuatrola/ui'
import { CircleCheck, Play, ShieldCheck } from 'lucide'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { useMay } from '../session'
import { useLedger, type Overview } from './now'
import { texts } from './texts'

type State = Schemas['JobState']['state']
const tones: Record<State, Tone> = { never: 'neutral', running: 'info', done: 'good', failed: 'bad', lost: 'bad' }

/** What has gone wrong, and what goes on in the background. */
export function FaultsTab({ now, reload }: { now: Overview; reload: () => void }) {
  const t = useTexts(texts)
  const f = useFormat()
  const faults = useLoad((signal) => ask(api.GET('/admin/v1/overview/faults', { signal })), [])
  useRepeat(faults.reload, 10)
  return (
    <>
      <LedgerSection ledger={now.ledger} reload={reload} />
      <Loading of={faults} lines={6}>
        {(data) => (
          <>
            <Section title={t('jobs')} flush>
              <Table
                caption={t('jobs')} rows={data.jobs} rowKey={(j) => j.name}
                columns={[
                  { id: 'name', title: t('job'), cell: (j) => <span data-raw>{t.code('job_' + j.name, j.name)}</span> },
                  { id: 'state', title: t('state'), cell: (j) => <span class="row"><Badge tone={tones[j.state]}>{t(`state_${j.state}`)}</Badge>{j.failures > 1 && <small class="soft">{t('failures', { n: f.number(j.failures) })}</small>}</span> },
                  { id: 'last', title: t('last_run'), cell: (j) => (j.beganAt ? <Time value={j.beganAt} relative /> : t('never')) },
                  { id: 'good', title: t('last_good'), cell: (j) => (j.doneAt ? <Time value={j.doneAt} relative /> : t('never')) },
                  { id: 'why', title: t('failure'), cell: (j) => <span class="overview-why" data-raw>{j.failure ?? ''}</span> },
                ]}
              />
            </Section>
            <Section title={t('routes')} lead={t('routes_help')} flush>
              {data.failures.length === 0 ? <Empty icon={CircleCheck} title={t('routes_none')} /> : (
                <Table
                  caption={t('routes')} rows={data.failures} rowKey={(r) => r.route}
                  columns={[
                    { id: 'route', title: t('route'), cell: (r) => <code>{r.route}</code> },
                    { id: 'count', title: t('count'), end: true, cell: (r) => f.number(r.count) },
                  ]}
                />
              )}
            </Section>
            <Section title={t('clients')} lead={t('clients_help')} flush>
              {data.clientFaults.length === 0 ? <Empty icon={CircleCheck} title={t('clients_none')} /> : (
                <Table
                  caption={t('clients')} rows={data.clientFaults} rowKey={(r) => r.kind}
                  columns={[
                    { id: 'kind', title: t('client_kind'), cell: (r) => <span data-raw>{t.code('client_' + r.kind, r.kind)}</span> },
                    { id: 'count', title: t('count'), end: true, cell: (r) => f.number(r.count) },
                  ]}
                />
              )}
            </Section>
            <Section title={t('refusals')} lead={t('refusals_help')} flush>
              {data.refusals.length === 0 ? <Empty icon={ShieldCheck} title={t('refusals_none')} /> : (
                <Table
                  caption={t('refusals')} rows={data.refusals} rowKey={(r) => r.provider + r.id}
                  columns={[
                    { id: 'event', title: t('event'), cell: (r) => <span class="two-lines" data-raw>{r.provider} · {r.kind}<small>{r.id}</small></span> },
                    { id: 'code', title: t('code'), cell: (r) => <code>{r.code}</code> },
                    { id: 'order', title: t('order'), cell: (r) => <span data-raw>{r.orderId ?? '–'}</span> },
                    { id: 'received', title: t('received'), cell: (r) => <Time value={r.receivedAt} relative /> },
                  ]}
                />
              )}
            </Section>
          </>
        )}
      </Loading>
    </>
  )
}

function LedgerSection({ ledger, reload }: { ledger: Schemas['LedgerCheck']; reload: () => void }) {
  const t = useTexts(texts)
  const f = useFormat()
  const may = useMay()
  const toast = useToast()
  const word = useLedger(ledger)
  const { job } = ledger
  const run = useAction(async () => {
    await ask(api.POST('/admin/v1/overview/ledger-check'))
    toast.good(t('check_began'))
    reload()
  })
  // While it runs its steps are worth looking at.
  useRepeat(() => job.state === 'running' && reload(), 1)
  return (
    <Section
      title={t('check')}
      actions={may('ledger.check') && <Button icon={Play} data-action="check-ledger" busy={run.busy} aria-disabled={job.state === 'running'} onClick={() => job.state !== 'running' && void run.run()}>{t('check_run')}</Button>}
    >
      {run.problem && <ProblemNote problem={run.problem} />}
      <Facts
        of={[
          [t('check_outcome'), <Badge tone={word.tone}>{word.text}</Badge>],
          [t('check_last'), job.endedAt ? <Time value={job.endedAt} relative /> : t('never')],
          job.beganAt && job.endedAt && job.endedAt >= job.beganAt ? [t('check_took'), f.span((Date.parse(job.endedAt) - Date.parse(job.beganAt)) / 1000)] : null,
          job.failure ? [t('failure'), <span data-raw>{job.failure}</span>] : null,
        ]}
      />
      {job.state === 'running' && <label class="overview-progress">{t('check_steps', { done: job.done, total: job.total })}<progress max={job.total || 1} value={job.done} /></label>}
      {ledger.places.length > 0 && (
        <Table
          caption={t('check_places')} rows={ledger.places} rowKey={(p) => p.what + p.subject}
          columns={[
            { id: 'what', title: t('what'), cell: (p) => <code>{p.what}</code> },
            { id: 'subject', title: t('subject'), cell: (p) => <span data-raw class="overview-why">{p.subject}</span> },
            { id: 'want', title: t('want'), end: true, cell: (p) => f.number(p.want) },
            { id: 'got', title: t('got'), end: true, cell: (p) => f.number(p.got) },
          ]}
        />
      )}
    </Section>
  )
}
