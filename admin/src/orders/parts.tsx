import { Badge, Button, ButtonLink, Dialog, type Format, JsonView, Table, Time, type Tone, type Translate } from '@cuatrola/ui'
import type { Schemas } from '../api/types'
import { texts } from './texts'

export type T = Translate<keyof (typeof texts)['es'] & string>
export type Order = Schemas['StaffOrder']
export type ProviderEvent = Schemas['ProviderEvent']

export const statuses = ['created', 'pending', 'paid', 'granted', 'partly_reversed', 'reversed', 'failed', 'cancelled', 'expired'] as const
const tones: Record<Order['status'], Tone> = {
  created: 'neutral', pending: 'info', paid: 'warn', granted: 'good', partly_reversed: 'warn', reversed: 'warn', failed: 'bad', cancelled: 'neutral', expired: 'neutral',
}
const outcomes: Record<ProviderEvent['outcome'], Tone> = { applied: 'good', ignored: 'neutral', refused: 'bad' }
export const providers: Record<Order['provider'], string> = { stripe: 'Stripe', apple: 'Apple', google: 'Google' }

export const Status = ({ t, of }: { t: T; of: Order['status'] }) => <Badge tone={tones[of]}>{t(`status_${of}`)}</Badge>

/** What goods are, in words. */
export function goodsText(t: T, f: Format, g: Schemas['Goods']): string {
  const parts = [
    g.coins !== 0 && t('goods_coins', { n: f.number(g.coins) }), g.boosters !== 0 && t('goods_boosters', { n: f.number(g.boosters) }),
    g.vipDays !== 0 && t('goods_days', { n: f.number(g.vipDays) }),
  ].filter((part) => part !== false)
  return parts.length > 0 ? f.list(parts) : t('goods_nothing')
}

export const eventColumns = (t: T) => [
  { id: 'kind', title: t('event'), cell: (e: ProviderEvent) => <span class="two-lines" data-raw>{e.kind}<small>{providers[e.provider]} · {e.id}</small></span> },
  { id: 'outcome', title: t('outcome'), cell: (e: ProviderEvent) => <Badge tone={outcomes[e.outcome]}>{t(`outcome_${e.outcome}`)}</Badge> },
  { id: 'why', title: t('why'), cell: (e: ProviderEvent) => (e.code ? <span data-raw>{t.code('code_' + e.code, e.code)}</span> : '—') },
  { id: 'received', title: t('received'), cell: (e: ProviderEvent) => <Time value={e.receivedAt} /> },
]

export function EventTable({ t, events, onRow }: { t: T; events: readonly ProviderEvent[]; onRow: (event: ProviderEvent) => void }) {
  return <Table caption={t('events')} rows={events} rowKey={(e) => e.provider + e.id} onRow={onRow} columns={eventColumns(t)} />
}

/** All that was understood of an event. */
export function EventDialog({ t, event, here = false, onClose }: { t: T; event: ProviderEvent; here?: boolean; onClose: () => void }) {
  return (
    <Dialog
      title={t('event_of', { id: event.id })} wide onClose={onClose}
      footer={!here && event.orderId ? <ButtonLink kind="strong" href={`/admin/orders/${event.orderId}`}>{t('to_order')}</ButtonLink> : <Button onClick={onClose} data-action="close">OK</Button>}
    >
      <JsonView value={event.event} label={t('event')} />
    </Dialog>
  )
}
