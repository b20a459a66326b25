import {
  Badge, Button, Empty, Filters, Page, PagedTable, ReasonDialog, SearchField, Section, SelectField, Tabs, Time, useFormat,
  useLanguage, useQuery, useTexts, useToast,
} from '@cuatrola/ui'
import { Inbox, Receipt, RefreshCw } from 'lucide'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import { useSession } from '../session'
import { EventDialog, eventColumns, providers, Status, statuses, type Order, type ProviderEvent, type T } from './parts'
import { texts } from './texts'

export default function OrdersPage() {
  const t = useTexts(texts)
  const { may } = useSession()
  const toast = useToast()
  const [tab, setTab] = useQuery('tab', 'orders')
  const [version, setVersion] = useState(0)
  const [reconciling, setReconciling] = useState(false)
  return (
    <Page
      title={t('title')} lead={t('lead')}
      actions={may('orders.reconcile') && <Button icon={RefreshCw} data-action="reconcile" onClick={() => setReconciling(true)}>{t('reconcile')}</Button>}
    >
      <Tabs
        label={t('title')} current={tab === 'events' ? 'events' : 'orders'} onChange={setTab}
        tabs={[{ id: 'orders', label: t('tab_orders') }, { id: 'events', label: t('tab_events') }]}
      >
        {tab === 'events' ? <Events t={t} version={version} /> : <Orders t={t} version={version} />}
      </Tabs>
      {reconciling && (
        <ReasonDialog
          title={t('reconcile')} text={t('reconcile_text')} action={t('reconcile')} onClose={() => setReconciling(false)}
          onConfirm={async (reason) => {
            const found = await ask(api.POST('/admin/v1/provider-events/reconcile', { body: { reason } }))
            toast.good(t('reconciled', { read: found.read, missed: found.missed, late: found.late }))
            setVersion((n) => n + 1)
          }}
        />
      )}
    </Page>
  )
}

function Orders({ t, version }: { t: T; version: number }) {
  const f = useFormat()
  const language = useLanguage()
  const [search, setSearch] = useQuery('search')
  const [status, setStatus] = useQuery('status')
  const known = statuses.find((s) => s === status)
  return (
    <Section flush>
      <Filters>
        <SearchField value={search} onSearch={setSearch} label={t('search')} />
        <SelectField
          label={t('status')} name="status" value={known ?? ''} onChange={setStatus}
          options={[{ value: '', label: t('any') }, ...statuses.map((value) => ({ value: value as string, label: t(`status_${value}`) }))]}
        />
      </Filters>
      <PagedTable
        caption={t('tab_orders')} inputs={[search, known]} version={version} rowKey={(o: Order) => o.id} rowHref={(o) => `/admin/orders/${o.id}`}
        load={(cursor, signal) => ask(api.GET('/admin/v1/orders', {
          params: { query: { ...(search ? { search } : {}), ...(known ? { status: known } : {}), ...(cursor ? { cursor } : {}) } }, signal,
        })).then((page) => ({ items: page.orders, nextCursor: page.nextCursor }))}
        empty={<Empty icon={Receipt} title={t('none')}>{t('none_help')}</Empty>}
        columns={[
          { id: 'product', title: t('product'), cell: (o) => <span class="two-lines" data-raw>{o.title[language]}<small>{o.sku}</small></span> },
          { id: 'player', title: t('player'), cell: (o) => <span data-raw>{o.player.name}</span> },
          { id: 'status', title: t('status'), cell: (o) => <Status t={t} of={o.status} /> },
          {
            id: 'price', title: t('price'), end: true,
            cell: (o) => <span class="two-lines">{f.money(o.price.amount, o.price.currency)}{o.takenBack > 0 && <small>−{f.money(o.takenBack, o.price.currency)}</small>}</span>,
          },
          { id: 'through', title: t('through'), cell: (o) => <>{providers[o.provider]}{!o.live && <> <Badge tone="warn">{t('test')}</Badge></>}</> },
          { id: 'ordered', title: t('ordered'), cell: (o) => <Time value={o.createdAt} /> },
        ]}
      />
    </Section>
  )
}

const outcomes = ['refused', 'ignored', 'applied'] as const

function Events({ t, version }: { t: T; version: number }) {
  const [chosen, setChosen] = useQuery('outcome', 'refused')
  const [shown, setShown] = useState<ProviderEvent | null>(null)
  const outcome = outcomes.find((o) => o === chosen) ?? 'refused'
  return (
    <Section flush>
      <Filters>
        <SelectField
          label={t('outcome')} name="outcome" value={outcome} onChange={setChosen} options={outcomes.map((value) => ({ value, label: t(`outcome_${value}`) }))}
        />
      </Filters>
      <PagedTable
        caption={t('tab_events')} inputs={[outcome]} version={version} rowKey={(e: ProviderEvent) => e.provider + e.id} onRow={setShown}
        load={(cursor, signal) => ask(api.GET('/admin/v1/provider-events', { params: { query: { outcome, ...(cursor ? { cursor } : {}) } }, signal }))
          .then((page) => ({ items: page.events, nextCursor: page.nextCursor }))}
        empty={<Empty icon={Inbox} title={t('inbox_none')}>{t('inbox_none_help')}</Empty>}
        columns={eventColumns(t)}
      />
      {shown && <EventDialog t={t} event={shown} onClose={() => setShown(null)} />}
    </Section>
  )
}
