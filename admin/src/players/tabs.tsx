import {
  Badge, Button, ChoiceField, Coins, Empty, Facts, Loading, PagedTable, ProblemNote, Section, Table, TextArea, Time,
  type Tone, useAction, useFormat, useLanguage, useLoad,
} from '@cuatrola/ui'
import { Ban, Bell, Flag, MonitorSmartphone, ReceiptText, Spade, StickyNote, Unlink, Wallet, X } from 'lucide'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { useMay } from '../session'
import { Badges, Name, type T } from './person'

interface Part {
  id: string
  /** Counts what has been done: the part is read anew. */
  version: number
  t: T
}
const at = (id: string, cursor?: string) => ({ params: { path: { playerId: id }, query: cursor ? { cursor } : {} } })

export function Overview({ t, file, onUnlink }: Part & { file: Schemas['PanelPlayerFile']; onUnlink?: (provider: Schemas['Provider']) => void }) {
  const f = useFormat()
  const { player } = file
  return (
    <div class="stack">
      <Section title={t('what_is_known')}>
        <Facts
          of={[
            [t('language'), t(`language_${player.language ?? 'es'}`)],
            [t('since'), <Time value={player.createdAt} />],
            [t('renamed'), player.renamedAt ? <Time value={player.renamedAt} /> : t('never_renamed')],
            [t('place'), t(`place_${file.place}`)],
            [t('boosters'), f.number(file.boosters)],
            file.boosterUntil && Date.parse(file.boosterUntil) > Date.now() ? [t('booster_until'), <Time value={file.boosterUntil} />] : null,
            file.boosterMatches ? [t('booster_matches'), f.number(file.boosterMatches)] : null,
            [t('vip'), file.vipUntil && Date.parse(file.vipUntil) > Date.now() ? <Time value={file.vipUntil} /> : t('no_vip')],
          ]}
        />
      </Section>
      <Section title={t('ways_in')} flush>
        <Table
          caption={t('ways_in')} rows={file.identities} rowKey={(i) => i.provider}
          columns={[
            { id: 'provider', title: t('way'), cell: (i) => t.code(`via_${i.provider}`, i.provider) },
            { id: 'subject', title: t('who'), cell: (i) => (i.subject ? <span data-raw>{i.subject}</span> : <span class="soft">—</span>) },
            { id: 'since', title: t('linked'), cell: (i) => <Time value={i.createdAt} /> },
            ...(onUnlink && file.identities.length > 1 ? [{
              id: 'actions', title: t('unlink'), quiet: true,
              cell: (i: Schemas['PanelIdentity']) => (
                <Button small icon={Unlink} data-action="unlink" aria-label={t('unlink_title', { name: t.code(`via_${i.provider}`, i.provider) })} onClick={() => onUnlink(i.provider)} />
              ),
            }] : []),
          ]}
        />
      </Section>
      {file.guests.length > 0 && (
        <Section title={t('guests')} lead={t('guests_help')} flush>
          <Table
            caption={t('guests')} rows={file.guests} rowKey={(g) => g.id} rowHref={(g) => `/admin/players/${g.id}`}
            columns={[
              { id: 'name', title: t('name'), cell: (g) => <Name of={g} /> },
              { id: 'state', title: t('state'), cell: (g) => <Badges of={g} /> },
              { id: 'when', title: t('when'), cell: (g) => g.deletedAt && <Time value={g.deletedAt} /> },
            ]}
          />
        </Section>
      )}
    </div>
  )
}

type Line = Schemas['PanelLine']

/** What a transfer says about itself, in a few words. */
function Told({ t, line }: { t: T; line: Line }) {
  const data = (line.data ?? {}) as Record<string, unknown>
  const text = (key: string) => (typeof data[key] === 'string' ? (data[key] as string) : '')
  if (line.kind === 'grant') return <span class="two-lines" data-raw>{text('reason')}<small>{text('author')}</small></span>
  if (text('match')) return <a href={`/admin/tables/${text('match')}`}>{t('the_match')}</a>
  if (text('order')) return <a href={`/admin/orders/${text('order')}`}>{t('the_order')}</a>
  const rest = Object.entries(data).filter(([, value]) => typeof value !== 'object').map(([key, value]) => `${key} ${value}`)
  return rest.length > 0 ? <small class="soft clipped" data-raw>{rest.join(' · ')}</small> : null
}

export function Statement({ t, id, version, owes }: Part & { owes: boolean }) {
  const [account, setAccount] = useState<'coins' | 'debt'>('coins')
  return (
    <Section title={t('tab_statement')} flush actions={owes && (
      <ChoiceField
        label={t('account_of')} bare name="account" value={account} onChange={setAccount}
        options={[{ value: 'coins', label: t('coins') }, { value: 'debt', label: t('debt') }]}
      />
    )}
    >
      <PagedTable
        caption={t('tab_statement')} inputs={[id, account]} version={version} rowKey={(l: Line) => l.transferId} empty={<Empty icon={Wallet} title={t('no_lines')} />}
        load={(cursor, signal) => ask(api.GET('/admin/v1/players/{playerId}/statement', {
          params: { path: { playerId: id }, query: { account, ...(cursor ? { cursor } : {}) } }, signal,
        })).then((page) => ({ items: page.lines, nextCursor: page.nextCursor }))}
        columns={[
          { id: 'kind', title: t('what_for'), cell: (l) => t.code(`kind_${l.kind}`, l.kind) },
          { id: 'amount', title: t('amount'), end: true, cell: (l) => <Coins value={l.amount} signed /> },
          { id: 'balance', title: t('balance'), end: true, cell: (l) => <Coins value={l.balance} /> },
          { id: 'told', title: t('details'), cell: (l) => <Told t={t} line={l} /> },
          { id: 'at', title: t('when'), cell: (l) => <Time value={l.at} /> },
        ]}
      />
    </Section>
  )
}

const outcomes: Record<Schemas['PanelMatch']['outcome'], Tone> = { open: 'info', won: 'good', lost: 'neutral', void: 'warn' }

export function Matches({ t, id, version }: Part) {
  const may = useMay()
  return (
    <Section title={t('tab_matches')} flush>
      <PagedTable
        caption={t('tab_matches')} inputs={[id]} version={version} rowKey={(m: Schemas['PanelMatch']) => m.id} empty={<Empty icon={Spade} title={t('no_matches')} />}
        rowHref={may('tables.read') ? (m) => `/admin/tables/${m.id}` : undefined}
        load={(cursor, signal) => ask(api.GET('/admin/v1/players/{playerId}/matches', { ...at(id, cursor), signal }))
          .then((page) => ({ items: page.matches, nextCursor: page.nextCursor }))}
        columns={[
          { id: 'when', title: t('when'), cell: (m) => <Time value={m.createdAt} /> },
          { id: 'mode', title: t('mode'), cell: (m) => <span class="two-lines">{t.code(`mode_${m.mode}`, m.mode)}<small>{t.code(`rules_${m.rules}`, m.rules)}</small></span> },
          { id: 'stake', title: t('stake'), end: true, wideOnly: true, cell: (m) => (m.stake ? <Coins value={m.stake} /> : <span class="soft">—</span>) },
          { id: 'outcome', title: t('outcome'), cell: (m) => <Badge tone={outcomes[m.outcome]}>{t(`outcome_${m.outcome}`)}</Badge> },
          {
            id: 'with', title: t('with'),
            cell: (m) => <span data-raw>{m.players.filter((p) => p.seat !== m.seat).map((p) => p.name || t('bot')).join(', ')}</span>,
          },
        ]}
      />
    </Section>
  )
}

const paid: Record<string, Tone> = { granted: 'good', paid: 'good', created: 'info', pending: 'info', failed: 'bad', reversed: 'warn', partly_reversed: 'warn' }

export function Orders({ t, id, version }: Part) {
  const f = useFormat()
  const may = useMay()
  return (
    <Section title={t('tab_orders')} flush>
      <PagedTable
        caption={t('tab_orders')} inputs={[id]} version={version} rowKey={(o: Schemas['PanelPlayerOrder']) => o.id} empty={<Empty icon={ReceiptText} title={t('no_orders')} />}
        rowHref={may('orders.read') ? (o) => `/admin/orders/${o.id}` : undefined}
        load={(cursor, signal) => ask(api.GET('/admin/v1/players/{playerId}/orders', { ...at(id, cursor), signal }))
          .then((page) => ({ items: page.orders, nextCursor: page.nextCursor }))}
        columns={[
          { id: 'sku', title: t('product'), cell: (o) => <code>{o.sku}</code> },
          { id: 'amount', title: t('price'), end: true, cell: (o) => f.money(o.amount, o.currency) },
          { id: 'status', title: t('state'), cell: (o) => <><Badge tone={paid[o.status] ?? 'neutral'}>{t.code(`order_${o.status}`, o.status)}</Badge> {!o.live && <Badge tone="warn">{t('test_mode')}</Badge>}</> },
          { id: 'provider', title: t('provider'), cell: (o) => o.provider },
          { id: 'when', title: t('when'), cell: (o) => <Time value={o.createdAt} /> },
        ]}
      />
    </Section>
  )
}

export function Reports({ t, id, version }: Part) {
  const [side, setSide] = useState<'about' | 'by'>('about')
  return (
    <Section title={t('tab_reports')} flush actions={
      <ChoiceField label={t('which_reports')} bare name="side" value={side} onChange={setSide} options={[{ value: 'about', label: t('reports_about') }, { value: 'by', label: t('reports_by') }]} />
    }
    >
      <PagedTable
        caption={t('tab_reports')} inputs={[id, side]} version={version} rowKey={(r: Schemas['PanelReport']) => r.id} empty={<Empty icon={Flag} title={t('no_reports')} />}
        rowHref={(r) => `/admin/reports/${r.reported.id}`}
        load={(cursor, signal) => ask(api.GET('/admin/v1/players/{playerId}/reports', {
          params: { path: { playerId: id }, query: { side, ...(cursor ? { cursor } : {}) } }, signal,
        })).then((page) => ({ items: page.reports, nextCursor: page.nextCursor }))}
        columns={[
          { id: 'reason', title: t('what_for'), cell: (r) => t(`reason_${r.reason}`) },
          { id: 'who', title: t(side === 'about' ? 'reported_by' : 'about_whom'), cell: (r) => <Name of={side === 'about' ? r.reporter : r.reported} /> },
          { id: 'text', title: t('text'), cell: (r) => <span class="clipped" data-raw>{r.text || '—'}</span> },
          { id: 'state', title: t('state'), cell: (r) => <Badge tone={r.open ? 'warn' : 'neutral'}>{r.open ? t('report_open') : t.code(`answer_${r.answer}`, t('report_closed'))}</Badge> },
          { id: 'when', title: t('when'), cell: (r) => <Time value={r.createdAt} relative /> },
        ]}
      />
    </Section>
  )
}

export function Sanctions({ t, id, version }: Part) {
  const list = useLoad((signal) => ask(api.GET('/admin/v1/players/{playerId}/sanctions', { params: { path: { playerId: id } }, signal })), [id, version])
  return (
    <Section title={t('tab_sanctions')} flush>
      <Loading of={list}>
        {(data) => (data.sanctions.length === 0 ? <Empty icon={Ban} title={t('no_sanctions')} /> : (
          <Table
            caption={t('tab_sanctions')} rows={data.sanctions} rowKey={(s) => s.id}
            columns={[
              { id: 'word', title: t('what_for'), cell: (s) => <span class="two-lines" data-raw>{t(`word_${s.word}`)}{s.text && <small>«{s.text}»</small>}</span> },
              { id: 'reason', title: t('reason'), cell: (s) => <span class="two-lines" data-raw>{s.reason}<small>{s.author}</small></span> },
              { id: 'since', title: t('from'), cell: (s) => <Time value={s.since} /> },
              { id: 'until', title: t('until'), cell: (s) => (s.until ? <Time value={s.until} /> : t('span_good')) },
              {
                id: 'state', title: t('state'),
                cell: (s) => (s.inForce ? <Badge tone="bad">{t('in_force')}</Badge>
                  : s.endedBy ? <span class="two-lines" data-raw><span>{t('ended_by', { name: s.endedBy })}</span><small>{s.endReason}</small></span>
                  : <Badge>{t('over')}</Badge>),
              },
            ]}
          />
        ))}
      </Loading>
    </Section>
  )
}

export function Notes({ t, id, version, writes }: Part & { writes: boolean }) {
  const [text, setText] = useState('')
  const [written, setWritten] = useState(0)
  const { run, busy, problem } = useAction(async () => {
    if (text.trim() === '') return
    await ask(api.POST('/admin/v1/players/{playerId}/notes', { params: { path: { playerId: id } }, body: { text: text.trim() } }))
    setText('')
    setWritten((n) => n + 1)
  })
  return (
    <Section title={t('tab_notes')} lead={t('notes_help')} flush>
      {writes && (
        <form
          class="form inset"
          onSubmit={(e) => {
            e.preventDefault()
            void run()
          }}
        >
          <TextArea label={t('new_note')} name="note" rows={3} value={text} onChange={setText} area={{ maxLength: 2000 }} />
          {problem && <ProblemNote problem={problem} />}
          <div><Button kind="strong" type="submit" icon={StickyNote} busy={busy} data-action="write">{t('write_note')}</Button></div>
        </form>
      )}
      <PagedTable
        caption={t('tab_notes')} inputs={[id]} version={version + written} rowKey={(n: Schemas['PanelNote']) => n.id} empty={<Empty icon={StickyNote} title={t('no_notes')} />}
        load={(cursor, signal) => ask(api.GET('/admin/v1/players/{playerId}/notes', { ...at(id, cursor), signal }))
          .then((page) => ({ items: page.notes, nextCursor: page.nextCursor }))}
        columns={[
          { id: 'text', title: t('text'), cell: (n) => <span class="written" data-raw>{n.text}</span> },
          { id: 'author', title: t('author'), cell: (n) => <span data-raw>{n.author}</span> },
          { id: 'at', title: t('when'), cell: (n) => <Time value={n.at} /> },
        ]}
      />
    </Section>
  )
}

export function Notices({ t, id, version }: Part) {
  const language = useLanguage()
  return (
    <Section title={t('tab_notices')} flush>
      <PagedTable
        caption={t('tab_notices')} inputs={[id]} version={version} rowKey={(n: Schemas['PanelNotice']) => String(n.seq)} empty={<Empty icon={Bell} title={t('no_notices')} />}
        load={(cursor, signal) => ask(api.GET('/admin/v1/players/{playerId}/notices', {
          params: { path: { playerId: id }, query: cursor ? { cursor: Number(cursor) } : {} }, signal,
        })).then((page) => ({ items: page.notices, nextCursor: page.nextCursor === undefined ? null : String(page.nextCursor) }))}
        columns={[
          { id: 'kind', title: t('what_for'), cell: (n) => t.code(`notice_${n.kind}`, n.kind) },
          { id: 'text', title: t('text'), cell: (n) => <span class="written" data-raw>{n.text?.[language] ?? n.from?.name ?? '—'}</span> },
          { id: 'read', title: t('read'), cell: (n) => <span class="soft">{n.read ? t('yes') : t('no')}</span> },
          { id: 'at', title: t('when'), cell: (n) => <Time value={n.at} /> },
        ]}
      />
    </Section>
  )
}

export function Sessions({ t, id, version, onEnd }: Part & { onEnd?: (sessionId: string) => void }) {
  const list = useLoad((signal) => ask(api.GET('/admin/v1/players/{playerId}/sessions', { params: { path: { playerId: id } }, signal })), [id, version])
  return (
    <Section title={t('tab_sessions')} flush>
      <Loading of={list}>
        {(data) => (data.sessions.length === 0 ? <Empty icon={MonitorSmartphone} title={t('no_sessions')} /> : (
          <Table
            caption={t('tab_sessions')} rows={data.sessions} rowKey={(s) => s.id}
            columns={[
              { id: 'device', title: t('device'), cell: (s) => <span data-raw>{s.deviceName ?? '—'}</span> },
              { id: 'via', title: t('way'), cell: (s) => t.code(`via_${s.via}`, s.via) },
              { id: 'used', title: t('seen'), cell: (s) => <Time value={s.usedAt} relative /> },
              { id: 'began', title: t('from'), cell: (s) => <Time value={s.createdAt} /> },
              ...(onEnd ? [{
                id: 'actions', title: t('end_session_action'), quiet: true,
                cell: (s: Schemas['PanelSession']) => <Button small icon={X} data-action="end" aria-label={t('end_session_of', { device: s.deviceName ?? s.id })} onClick={() => onEnd(s.id)} />,
              }] : []),
            ]}
          />
        ))}
      </Loading>
    </Section>
  )
}
