import {
  Badge, Button, ButtonLink, DateTimeField, Dialog, Diff, Empty, Facts, Filters, JsonView, Note, Page, PagedTable,
  SearchField, Section, SelectField, Tabs, Time, type Tone, type Translate, useLoad, useQuery, useTexts,
} from '@cuatrola/ui'
import { Download, ScrollText } from 'lucide'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { useSession } from '../session'
import { texts } from './texts'

type T = Translate<keyof (typeof texts)['es'] & string>
type Entry = Schemas['AuditEntry']

const areas = ['staff', 'audit', 'economy', 'simulation', 'players', 'reports', 'orders', 'switches', 'broadcast', 'fairness', 'league', 'tables', 'ledger'] as const
const tones: Record<Entry['outcome'], Tone> = { done: 'good', asked: 'warn', failed: 'bad' }

export default function AuditPage() {
  const t = useTexts(texts)
  const { may } = useSession()
  const [text, setText] = useQuery('text')
  const [actor, setActor] = useQuery('actor')
  const [action, setAction] = useQuery('action')
  const [from, setFrom] = useQuery('from')
  const [to, setTo] = useQuery('to')
  const [subjectKind, setKind] = useQuery('subjectKind')
  const [subjectId, setId] = useQuery('subjectId')
  const [shown, setShown] = useState<Entry | null>(null)
  const seesStaff = may('staff.read')
  const staff = useLoad((signal) => (seesStaff ? ask(api.GET('/admin/v1/staff', { signal })).then((s) => s.members) : Promise.resolve([])), [seesStaff])

  const query = Object.fromEntries(Object.entries({ text, actor, action, from, to, subjectKind, subjectId }).filter(([, value]) => value !== ''))
  const file = (format: 'csv' | 'jsonl') => '/admin/v1/audit/export?' + new URLSearchParams({ ...query, format })
  return (
    <Page
      title={t('title')} lead={t('lead')}
      actions={may('audit.export') && (
        <>
          <ButtonLink icon={Download} href={file('csv')} download="audit.csv" data-action="csv">{t('csv')}</ButtonLink>
          <ButtonLink icon={Download} href={file('jsonl')} download="audit.jsonl" data-action="jsonl">{t('json')}</ButtonLink>
        </>
      )}
    >
      <Section flush>
        <Filters>
          <SearchField value={text} onSearch={setText} label={t('search')} placeholder={t('search_short')} />
          {seesStaff && (
            <SelectField
              label={t('who')} name="actor" value={actor} onChange={setActor}
              options={[{ value: '', label: t('anybody') }, ...(staff.data ?? []).map((m) => ({ value: m.id, label: m.name }))]}
            />
          )}
          <SelectField
            label={t('area')} name="action" value={action} onChange={setAction}
            options={[
              { value: '', label: t('anything') }, ...areas.map((value) => ({ value: value as string, label: t(`area_${value}`) })),
              ...(action && !areas.some((a) => a === action) ? [{ value: action, label: action }] : []),
            ]}
          />
          <DateTimeField label={t('from')} name="from" value={from || null} onChange={(v) => setFrom(v ?? '')} />
          <DateTimeField label={t('to')} name="to" value={to || null} onChange={(v) => setTo(v ?? '')} />
        </Filters>
        {(subjectKind || subjectId) && (
          <Note
            tone="neutral"
            action={
              <Button
                small
                onClick={() => {
                  setKind('')
                  setId('')
                }}
              >
                {t('show_all')}
              </Button>
            }
          >
            <span data-raw>{t('only_about', { kind: subjectKind, id: subjectId })}</span>
          </Note>
        )}
        <PagedTable
          caption={t('title')} inputs={[query]} rowKey={(e: Entry) => e.id} onRow={setShown}
          load={(cursor, signal) => ask(api.GET('/admin/v1/audit', { params: { query: { ...query, ...(cursor ? { cursor } : {}) } }, signal }))
            .then((page) => ({ items: page.entries, nextCursor: page.nextCursor }))}
          empty={<Empty icon={ScrollText} title={t('none')}>{t('none_help')}</Empty>}
          columns={[
            { id: 'action', title: t('area'), cell: (e) => <code class="action">{e.action}</code> },
            { id: 'who', title: t('who'), cell: (e) => <span class="two-lines" data-raw>{e.actor.name}<small>{e.actor.id ? t.code(`role_${e.actor.role}`, e.actor.role) : t('command_line')}</small></span> },
            { id: 'subject', title: t('subject'), cell: (e) => <span class="two-lines" data-raw>{e.subject.kind}<small><code>{short(e.subject.id)}</code></small></span> },
            { id: 'reason', title: t('reason'), cell: (e) => <span class="clipped" data-raw>{e.reason || '—'}</span> },
            { id: 'outcome', title: t('outcome'), cell: (e) => <Badge tone={tones[e.outcome]}>{t(`outcome_${e.outcome}`)}</Badge> },
            { id: 'when', title: t('when'), cell: (e) => <Time value={e.at} relative /> },
          ]}
        />
      </Section>
      {shown && (
        <EntryDialog
          t={t} entry={shown} onClose={() => setShown(null)}
          onSubject={() => {
            setShown(null)
            setKind(shown.subject.kind)
            setId(shown.subject.id)
          }}
        />
      )}
    </Page>
  )
}

/** An identifier by its end, which is what tells two apart. */
const short = (id: string) => (id.length > 14 ? '…' + id.slice(-8) : id)

function EntryDialog({ t, entry, onClose, onSubject }: { t: T; entry: Entry; onClose: () => void; onSubject: () => void }) {
  const [tab, setTab] = useState<'changes' | 'json'>('changes')
  const values = entry.before !== undefined || entry.after !== undefined
  return (
    <Dialog title={entry.action} wide onClose={onClose} footer={entry.subject.id && <Button onClick={onSubject} data-action="subject">{t('more_like')}</Button>}>
      <Facts
        of={[
          [t('who'), <span data-raw>{entry.actor.name} · {entry.actor.role}</span>],
          [t('when'), <Time value={entry.at} />],
          [t('subject'), <span data-raw>{entry.subject.kind} <code>{entry.subject.id}</code></span>],
          [t('outcome'), <><Badge tone={tones[entry.outcome]}>{t(`outcome_${entry.outcome}`)}</Badge> {entry.code && <code>{entry.code}</code>}</>],
          entry.actor.address ? [t('address'), <code>{entry.actor.address}</code>] : null,
          entry.actor.requestId ? [t('request'), <code>{entry.actor.requestId}</code>] : null,
          entry.of ? [t('of'), <code>{entry.of}</code>] : null,
          [t('entry'), <code>{entry.id}</code>],
        ]}
      />
      {entry.reason && <blockquote data-raw>{entry.reason}</blockquote>}
      {!values ? <p class="soft">{t('no_values')}</p> : (
        <Tabs
          label={t('changes')} current={tab} onChange={setTab}
          tabs={[{ id: 'changes', label: t('as_changes') }, { id: 'json', label: t('as_json') }]}
        >
          {tab === 'changes' ? <Diff before={entry.before ?? undefined} after={entry.after ?? undefined} label={t('changes')} /> : (
            <div class="grid">
              <div class="stack"><h3>{t('before')}</h3><JsonView value={entry.before ?? null} label={t('before')} /></div>
              <div class="stack"><h3>{t('after')}</h3><JsonView value={entry.after ?? null} label={t('after')} /></div>
            </div>
          )}
        </Tabs>
      )}
    </Dialog>
  )
}
