import {
  Badge, Button, ChoiceField, Coins, Empty, Facts, Loading, Note, NumberField, Page, ReasonDialog, Section, Table, Time,
  useFormat, useLanguage, useLoad, useRepeat, useTexts, useToast,
} from '@cuatrola/ui'
import { CircleSlash, Inbox, Undo2 } from 'lucide'
import { useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { useSession } from '../session'
import { EventDialog, EventTable, goodsText, providers, Status, type ProviderEvent, type T } from './parts'
import { texts } from './texts'

type Detail = Schemas['StaffOrderDetail']
type Change = Detail['history'][number]

export default function OrderPage() {
  const t = useTexts(texts)
  const language = useLanguage()
  const { may } = useSession()
  const toast = useToast()
  const orderId = useRoute().params.id ?? ''
  const order = useLoad((signal) => ask(api.GET('/admin/v1/orders/{orderId}', { params: { path: { orderId } }, signal })), [orderId])
  const [doing, setDoing] = useState<'refund' | 'end' | null>(null)
  const data = order.data
  const waits = data?.history.at(-1)?.what === 'refund_requested'
  // What was asked for is told by the provider, before long.
  useRepeat(() => waits && order.reload(), 3)
  return (
    <Page
      title={data ? t('order', { name: data.order.player.name }) : t('title')} back={{ href: '/admin/orders', label: t('title') }}
      badge={data && <Status t={t} of={data.order.status} />} lead={data && <span data-raw>{data.order.title[language]}</span>}
      actions={data && may('orders.refund') && (
        <>
          {data.renewal && <Button icon={CircleSlash} data-action="end-renewal" onClick={() => setDoing('end')}>{t('end_renewal')}</Button>}
          {data.refundable > 0 && <Button icon={Undo2} data-action="refund" onClick={() => setDoing('refund')}>{t('refund')}</Button>}
        </>
      )}
    >
      {waits && <Note tone="info">{t('refund_waits')}</Note>}
      <Loading of={order} lines={8}>{(d) => <Parts t={t} d={d} />}</Loading>
      {doing === 'refund' && data && (
        <RefundDialog
          t={t} d={data} onClose={() => setDoing(null)}
          onDone={(d) => {
            order.put(d)
            toast.good(t('refund_asked'))
          }}
        />
      )}
      {doing === 'end' && data && (
        <ReasonDialog
          title={t('end_renewal')} text={t('end_renewal_text')} action={t('end_renewal')} danger onClose={() => setDoing(null)}
          onConfirm={async (reason) => {
            order.put(await ask(api.POST('/admin/v1/orders/{orderId}/end-renewal', { params: { path: { orderId } }, body: { reason } })))
            toast.good(t('end_renewal_done'))
          }}
        />
      )}
    </Page>
  )
}

function Parts({ t, d }: { t: T; d: Detail }) {
  const f = useFormat()
  const { may } = useSession()
  const [shown, setShown] = useState<ProviderEvent | null>(null)
  const o = d.order
  const money = (amount: number) => f.money(amount, o.price.currency)
  const word = (text: string | undefined) => text !== undefined && <code>{text}</code>
  return (
    <>
      <Section>
        <Facts
          of={[
            [t('player'), may('players.read') ? <a href={`/admin/players/${o.player.id}`} data-raw>{o.player.name}</a> : <span data-raw>{o.player.name}</span>],
            [t('has_now'), <Coins value={d.coins} />],
            d.debt > 0 && [t('owes'), <Coins value={d.debt} />],
            [t('price'), money(o.price.amount)],
            o.takenBack > 0 && [t('taken_back'), money(o.takenBack)],
            [t('goods'), goodsText(t, f, o.goods)],
            [t('given'), goodsText(t, f, o.given)],
            [t('through'), <>{providers[o.provider]}{!o.live && <> <Badge tone="warn">{t('test')}</Badge></>}</>],
            !!o.renews && [t('renews'), t(`renews_${o.renews}`)],
            [t('ordered'), <Time value={o.createdAt} />],
            !!o.paidAt && [t('paid_at'), <Time value={o.paidAt} />],
            !o.paidAt && [t('expires_at'), <Time value={o.expiresAt} />],
            !!o.deliveredAt && [t('delivered_at'), <Time value={o.deliveredAt} />],
            [t('number'), word(o.id)],
            !!o.reference && [t('reference'), word(o.reference)],
            !!o.transaction && o.transaction !== o.reference && [t('transaction'), word(o.transaction)],
            !!o.subscription && [t('subscription'), word(o.subscription)],
            [t('economy'), f.number(o.economy)],
          ]}
        />
      </Section>
      <Section title={t('history')} flush>
        <Table
          caption={t('history')} rows={d.history} rowKey={(c) => String(c.seq)}
          columns={[
            { id: 'what', title: t('what'), cell: (c: Change) => t(`what_${c.what}`) },
            { id: 'detail', title: t('detail'), cell: (c: Change) => <span data-raw>{details(t, f, c, money) || '—'}</span> },
            { id: 'who', title: t('who'), cell: (c: Change) => <span data-raw>{t.code('actor_' + c.actor, providers[c.actor as keyof typeof providers] ?? c.actor)}</span> },
            { id: 'when', title: t('when'), cell: (c: Change) => <Time value={c.at} /> },
          ]}
        />
      </Section>
      <Section title={t('events')} flush>
        {d.events.length === 0 ? <Empty icon={Inbox} title={t('events_none')} /> : <EventTable t={t} events={d.events} onRow={setShown} />}
      </Section>
      {shown && <EventDialog t={t} event={shown} here onClose={() => setShown(null)} />}
    </>
  )
}

/** What more there is to say about a change, in one line. */
function details(t: T, f: ReturnType<typeof useFormat>, c: Change, money: (amount: number) => string): string {
  const given = c.given.coins !== 0 || c.given.boosters !== 0 || c.given.vipDays !== 0
  return [
    c.amount > 0 && money(c.amount), given && goodsText(t, f, c.given), c.owed > 0 && t('owed', { n: f.number(c.owed) }),
    c.code && t.code('code_' + c.code, c.code), c.reason,
  ].filter(Boolean).join(' · ')
}

function RefundDialog({ t, d, onClose, onDone }: { t: T; d: Detail; onClose: () => void; onDone: (d: Detail) => void }) {
  const f = useFormat()
  const [how, setHow] = useState<'whole' | 'part'>('whole')
  const [amount, setAmount] = useState<number | null>(null)
  const [tried, setTried] = useState(false)
  const { price, takenBack } = d.order
  const unit = 10 ** price.decimals
  const minor = how === 'whole' ? d.refundable : Math.round((amount ?? 0) * unit)
  const fits = minor >= 1 && minor <= d.refundable
  return (
    <ReasonDialog
      title={t('refund_of', { name: d.order.player.name })} text={t('refund_text')} action={t('refund')} danger onClose={onClose}
      check={() => {
        setTried(true)
        return fits
      }}
      onConfirm={async (reason) => onDone(await ask(api.POST('/admin/v1/orders/{orderId}/refund', {
        params: { path: { orderId: d.order.id } }, body: { total: takenBack + minor, reason },
      })))}
    >
      <ChoiceField
        label={t('refund_how')} name="how" value={how} onChange={setHow}
        options={[{ value: 'whole', label: t('refund_whole', { amount: f.money(d.refundable, price.currency) }) }, { value: 'part', label: t('refund_part') }]}
      />
      {how === 'part' && (
        <NumberField
          label={t('amount')} name="amount" value={amount} onChange={setAmount} whole={price.decimals === 0} unit={price.currency} required
          error={tried && !fits ? t('amount_wrong', { least: f.money(1, price.currency), most: f.money(d.refundable, price.currency) }) : null}
        />
      )}
    </ReasonDialog>
  )
}
