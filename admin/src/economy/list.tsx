import {
  Badge, Button, ButtonLink, type Column, Empty, Page, PagedTable, ProblemNote, Section, Skeleton, Table, Tabs, Time,
  useLoad, useQuery, useRepeat, useTexts,
} from '@cuatrola/ui'
import { GitCompareArrows, History, Inbox, Plus, RotateCcw, SlidersHorizontal } from 'lucide'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { useMay } from '../session'
import { Begin } from './begin'
import { Restore } from './publish'
import { useSchema } from './schema'
import { stateTone, verdictTone } from './tones'
import { texts } from './texts'
import './economy.css'

type Version = Schemas['EconomyVersion']
type Draft = Schemas['EconomyDraft']
type Proposal = Schemas['EconomyProposal']

/** What there is to work on, what waits for a second person, and what was published. */
export default function List() {
  const t = useTexts(texts)
  const may = useMay()
  const [tab, setTab] = useQuery('tab', 'drafts')
  const [beginning, setBeginning] = useState(false)
  const waiting = useLoad((signal) => ask(api.GET('/admin/v1/economy/proposals', { params: { query: { limit: 50 } }, signal })), [])
  useRepeat(waiting.reload, 60)
  const open = waiting.data?.proposals.filter((p) => p.state === 'open').length ?? 0
  const parts = ['drafts', 'proposals', 'history'] as const
  const current = parts.find((p) => p === tab) ?? 'drafts'
  return (
    <Page
      title={t('title')} lead={t('lead')}
      actions={
        <>
          <ButtonLink href="/admin/economy/compare" icon={GitCompareArrows}>{t('compare')}</ButtonLink>
          {may('economy.edit') && <Button kind="strong" icon={Plus} data-action="begin" onClick={() => setBeginning(true)}>{t('new_draft')}</Button>}
        </>
      }
    >
      <Live />
      <Tabs
        label={t('title')} current={current} onChange={setTab}
        tabs={[
          { id: 'drafts', label: t('drafts') },
          { id: 'proposals', label: <>{t('proposals')}{open > 0 && <> <Badge tone="info">{open}</Badge></>}</> },
          { id: 'history', label: t('history') },
        ]}
      >
        {current === 'drafts' && <Drafts onBegin={() => setBeginning(true)} />}
        {current === 'proposals' && <Proposals />}
        {current === 'history' && <Versions />}
      </Tabs>
      {beginning && <Begin from="live" onClose={() => setBeginning(false)} />}
    </Page>
  )
}

/** What is live, and what will be. */
function Live() {
  const t = useTexts(texts)
  const may = useMay()
  const schema = useSchema()
  const [restoring, setRestoring] = useState(false)
  const found = useLoad((signal) => ask(api.GET('/admin/v1/economy/versions', { params: { query: { limit: 50 } }, signal })), [])
  if (found.problem) return <ProblemNote problem={found.problem} retry={found.reload} />
  if (!found.data) return <Skeleton lines={2} />
  const live = found.data.versions.find((v) => v.state === 'live')
  const coming = found.data.versions.filter((v) => v.state === 'coming')
  const { before } = found.data
  return (
    <div class="live-version">
      {live && (
        <div class="live-card">
          <a href={`/admin/economy/versions/${live.number}`}>
            <Badge tone="good">{t('state_live')}</Badge>
            <strong>{t('version_n', { n: live.number })}</strong>
            <span>{live.reason}</span>
            <small class="soft">{t('since')} <Time value={live.liveFrom} /> · {live.author}</small>
          </a>
          {before !== undefined && may('economy.publish') && (
            <Button small icon={RotateCcw} data-action="back" onClick={() => setRestoring(true)}>{t('back_to', { n: before })}</Button>
          )}
        </div>
      )}
      {coming.map((v) => (
        <div key={v.number} class="live-card">
          <a href={`/admin/economy/versions/${v.number}`}>
            <Badge tone="info">{t('state_coming')}</Badge>
            <strong>{t('version_n', { n: v.number })}</strong>
            <span>{v.reason}</span>
            <small class="soft">{t('from')} <Time value={v.liveFrom} /> · {v.author}</small>
          </a>
        </div>
      ))}
      {restoring && before !== undefined && schema.data && <Restore schema={schema.data} number={before} onClose={() => setRestoring(false)} />}
    </div>
  )
}

function Drafts({ onBegin }: { onBegin: () => void }) {
  const t = useTexts(texts)
  const may = useMay()
  const found = useLoad((signal) => ask(api.GET('/admin/v1/economy/drafts', { signal })), [])
  const columns: Column<Draft>[] = [
    { id: 'name', title: t('name'), cell: (d) => <span class="two-lines">{d.name}{d.description && <small>{d.description}</small>}</span> },
    { id: 'state', title: t('state'), cell: (d) => (d.problems > 0 ? <Badge tone="bad">{t.plural('faults', d.problems)}</Badge> : <Badge tone="good">{t('usable')}</Badge>) },
    { id: 'base', title: t('base'), cell: (d) => t('version_n', { n: d.base }) },
    { id: 'editor', title: t('editor'), cell: (d) => d.editor },
    { id: 'updated', title: t('updated'), cell: (d) => <Time value={d.updatedAt} relative /> },
  ]
  return (
    <Section flush>
      {found.problem && <ProblemNote problem={found.problem} retry={found.reload} />}
      {!found.data && !found.problem && <Skeleton lines={4} />}
      {found.data?.drafts.length === 0 && (
        <Empty
          icon={SlidersHorizontal} title={t('no_drafts')}
          action={may('economy.edit') && <Button kind="strong" icon={Plus} onClick={onBegin}>{t('new_draft')}</Button>}
        >
          {t('no_drafts_help')}
        </Empty>
      )}
      {found.data && found.data.drafts.length > 0 && (
        <Table caption={t('drafts')} columns={columns} rows={found.data.drafts} rowKey={(d) => d.id} rowHref={(d) => `/admin/economy/drafts/${d.id}`} />
      )}
    </Section>
  )
}

function Proposals() {
  const t = useTexts(texts)
  const columns: Column<Proposal>[] = [
    { id: 'reason', title: t('reason'), cell: (p) => <span class="two-lines">{p.reason}<small>{p.author}</small></span> },
    { id: 'state', title: t('state'), cell: (p) => <Badge tone={verdictTone[p.state]}>{t(`verdict_${p.state}`)}</Badge> },
    { id: 'need', title: t('why_second'), cell: (p) => t(`need_short_${p.need}`) },
    { id: 'created', title: t('proposed_at'), cell: (p) => <Time value={p.createdAt} relative /> },
    { id: 'expires', title: t('until'), cell: (p) => (p.state === 'open' ? <Time value={p.expiresAt} relative /> : p.decidedBy ?? '—') },
  ]
  return (
    <Section flush>
      <PagedTable
        caption={t('proposals')} columns={columns} rowKey={(p) => p.id} rowHref={(p) => `/admin/economy/proposals/${p.id}`} inputs={[]}
        empty={<Empty icon={Inbox} title={t('no_proposals')}>{t('no_proposals_help')}</Empty>}
        load={async (cursor, signal) => {
          const page = await ask(api.GET('/admin/v1/economy/proposals', { params: { query: cursor ? { cursor } : {} }, signal }))
          return { items: page.proposals, nextCursor: page.nextCursor }
        }}
      />
    </Section>
  )
}

function Versions() {
  const t = useTexts(texts)
  const columns: Column<Version>[] = [
    { id: 'number', title: t('version'), cell: (v) => t('version_n', { n: v.number }) },
    { id: 'state', title: t('state'), cell: (v) => <Badge tone={stateTone[v.state]}>{t(`state_${v.state}`)}</Badge> },
    { id: 'from', title: t('live_from'), cell: (v) => <Time value={v.liveFrom} /> },
    { id: 'author', title: t('who'), cell: (v) => <span class="two-lines">{v.author}{v.approver && <small>{t('with', { name: v.approver })}</small>}</span> },
    { id: 'reason', title: t('reason'), cell: (v) => <span class="two-lines">{v.reason}{v.restores !== undefined && <small>{t('restores_n', { n: v.restores })}</small>}</span> },
  ]
  return (
    <Section flush>
      <PagedTable
        caption={t('history')} columns={columns} rowKey={(v) => String(v.number)} rowHref={(v) => `/admin/economy/versions/${v.number}`} inputs={[]}
        empty={<Empty icon={History} />}
        load={async (cursor, signal) => {
          const page = await ask(api.GET('/admin/v1/economy/versions', { params: { query: cursor ? { cursor } : {} }, signal }))
          return { items: page.versions, nextCursor: page.nextCursor }
        }}
      />
    </Section>
  )
}
