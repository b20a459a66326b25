import { ask } from '@cuatrola/client'
import {
  Button, ButtonLink, Coins, ConfirmDialog, Empty, Facts, Icon, Loading, Page, ProblemNote, Section, Time, useAction, useFormat, useLanguage, useLoad, useRepeat,
  useTexts, useToast,
} from '@cuatrola/ui'
import { CircleAlert, CircleCheck, CircleX, Clock, CreditCard, Hourglass, Printer, ReceiptText, Undo2, WalletMinimal, type IconNode } from 'lucide'
import { useLocation, useRoute } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'
import { api, type Schemas } from '../game/client'
import { useSession } from '../session'
import { Booster, Heap, Pass } from '../wallet/art'
import { Nobody } from '../wallet/nobody'
import { reloadPurse } from '../wallet/purse'
import '../wallet/wallet.css'
import { begin, goPay, wishOf } from './begin'
import { useGoods, usePrice } from './money'
import './shop.css'
import { Status } from './status'
import { texts } from './texts'

type Receipt = Schemas['OrderReceipt']
type Stage = Exclude<Receipt['status'], 'created' | 'pending'> | 'waiting' | 'left' | 'open'

const isOpen = ({ status }: Receipt) => status === 'created' || status === 'pending'
const icons: Record<Stage, IconNode> = {
  granted: CircleCheck, waiting: Hourglass, left: CircleX, open: Clock, failed: CircleAlert, cancelled: CircleX, expired: Clock, paid: CircleAlert, partly_reversed: Undo2, reversed: Undo2,
}

/** One purchase: what has become of it, and its receipt. One comes here from where one pays. */
export default function OrderPage() {
  const t = useTexts(texts)
  const { player } = useSession()
  const { params, query } = useRoute()
  const id = params['id'] ?? ''
  return (
    <Page title={t('order')} narrow back={{ href: '/shop/orders', label: t('your_orders') }}>
      {player ? <Bought key={player.id + id} id={id} player={player.id} checkout={query['checkout'] ?? ''} /> : <Nobody icon={ReceiptText} title={t('order_missing')} />}
    </Page>
  )
}

/** How often is asked for what is not decided: soon at first, then patiently. */
const soon = 2
const later = 15
const soonAsks = 30

function Bought({ id, player, checkout }: { id: string; player: string; checkout: string }) {
  const order = useLoad((signal) => ask(api.GET('/v1/shop/orders/{orderId}', { params: { path: { orderId: id } }, signal })), [id])
  const asks = useRef(0)
  const [hurry, setHurry] = useState(checkout === 'done')
  useRepeat(() => {
    if (!order.data || !isOpen(order.data)) return
    if (++asks.current === soonAsks) setHurry(false)
    order.reload()
  }, hurry ? soon : later)
  // Coins have come, or gone.
  const status = order.data?.status
  useEffect(() => {
    if (status && status !== 'pending' && status !== 'created') reloadPurse()
  }, [status])
  if (order.problem && ['not_found', 'invalid_request'].includes(order.problem.code)) return <Missing />
  return (
    <Loading of={order} lines={3} tall>
      {(receipt) => (
        <>
          <Outcome receipt={receipt} checkout={checkout} player={player} reload={order.reload} />
          {receipt.renews && receipt.paidAt && <Renewal receipt={receipt} reload={order.reload} />}
          <Paper receipt={receipt} />
        </>
      )}
    </Loading>
  )
}

function stageOf(receipt: Receipt, checkout: string): Stage {
  if (receipt.status === 'created' || receipt.status === 'pending') return checkout === 'done' ? 'waiting' : checkout === 'left' ? 'left' : 'open'
  return receipt.status
}

/** What has become of it, in one look; read aloud when it changes. */
function Outcome({ receipt, checkout, player, reload }: { receipt: Receipt; checkout: string; player: string; reload: () => void }) {
  const t = useTexts(texts)
  const f = useFormat()
  const goods = useGoods()
  const price = usePrice()
  const { route } = useLocation()
  const stage = stageOf(receipt, checkout)
  const wish = isOpen(receipt) ? wishOf(player, receipt.id) : null
  const { run, busy, problem } = useAction(async () => {
    if (!wish) return
    const { order, url } = await begin(player, wish)
    if (url) await goPay(url)
    else if (order.id !== receipt.id) route(`/shop/orders/${order.id}`)
    reload()
  })
  const { coins, boosters, vipDays } = receipt.goods
  return (
    <section class={`outcome ${stage}`} data-stage={stage}>
      {stage === 'granted' ? (coins > 0 ? <Heap coins={coins} /> : vipDays > 0 ? <Pass /> : boosters > 0 ? <Booster /> : <Icon of={CircleCheck} size={40} />) : <Icon of={icons[stage]} size={40} />}
      <div role="status">
        <h2>{t(`stage_${stage}`)}</h2>
        <p>{t(`stage_${stage}_help`, { goods: goods(receipt.given), when: f.dateTime(receipt.expiresAt), money: price(receipt.price, receipt.takenBack) })}</p>
      </div>
      {problem && <ProblemNote problem={problem} />}
      <div class="row golden">
        {stage === 'granted' && <ButtonLink kind="strong" icon={WalletMinimal} href="/wallet">{t('to_wallet')}</ButtonLink>}
        {stage !== 'waiting' && wish && <Button kind="strong" icon={CreditCard} busy={busy} data-action="pay" onClick={() => void run()}>{t('pay_now')}</Button>}
        <ButtonLink href="/shop">{t('to_shop')}</ButtonLink>
      </div>
    </section>
  )
}

/** What is paid again by itself, and how to stop that. */
function Renewal({ receipt, reload }: { receipt: Receipt; reload: () => void }) {
  const t = useTexts(texts)
  const toast = useToast()
  const [asking, setAsking] = useState(false)
  const stopped = receipt.history.some((change) => change.what === 'renewal_stopped')
  return (
    <div data-renewal={stopped ? 'stopped' : 'on'}>
      <Section
        title={t(stopped ? 'renewal_stopped' : 'renewal')} lead={stopped ? t('renewal_stopped_help') : t(`renewal_${receipt.renews!}`)}
        actions={!stopped && receipt.provider === 'stripe' && <Button data-action="stop-renewing" onClick={() => setAsking(true)}>{t('renewal_stop')}</Button>}
      >
        {!stopped && receipt.provider !== 'stripe' && <p>{t('renewal_store')}</p>}
      </Section>
      {asking && (
        <ConfirmDialog
          title={t('renewal_stop')} action={t('renewal_stop')} text={t('renewal_stop_text')} onClose={() => setAsking(false)}
          onConfirm={async () => {
            await ask(api.DELETE('/v1/shop/orders/{orderId}/renewal', { params: { path: { orderId: receipt.id } } }))
            toast.good(t('renewal_done'))
            reload()
          }}
        />
      )}
    </div>
  )
}

const through = { stripe: 'Stripe', apple: 'App Store', google: 'Google Play' } as const

/** The receipt. */
function Paper({ receipt }: { receipt: Receipt }) {
  const t = useTexts(texts)
  const f = useFormat()
  const language = useLanguage()
  const goods = useGoods()
  const price = usePrice()
  return (
    <div class="paper-receipt">
      <Section title={t('receipt')} actions={receipt.paidAt && <Button small icon={Printer} data-action="print" onClick={() => print()}>{t('print')}</Button>}>
        <div class="stack">
          <Facts
            of={[
              [t('receipt_product'), receipt.title[language]],
              [t('receipt_price'), <span class="row"><b>{price(receipt.price)}</b><Status of={receipt} /></span>],
              receipt.takenBack > 0 && [t('receipt_back'), price(receipt.price, receipt.takenBack)],
              receipt.paidAt ? [t('receipt_given'), goods(receipt.given)] : null,
              [t('receipt_date'), <Time value={receipt.createdAt} />],
              receipt.paidAt ? [t('receipt_paid'), <Time value={receipt.paidAt} />] : null,
              [t('receipt_through'), through[receipt.provider]],
              [t('receipt_number'), <span class="small" data-raw>{receipt.id}</span>],
            ]}
          />
          {!receipt.live && <p class="soft">{t('receipt_test')}</p>}
          <div>
            <h3>{t('history')}</h3>
            <ol class="events">
              {receipt.history.map((change) => (
                <li key={change.seq} data-what={change.what}>
                  <Time value={change.at} />
                  <span>
                    {change.text[language]}
                    {change.amount > 0 && <> · {price(receipt.price, change.amount)}</>}
                    {change.given.coins !== 0 && <> · <Coins value={change.given.coins} signed /></>}
                    {change.owed > 0 && <> · {t('history_owed', { n: f.number(change.owed) })}</>}
                  </span>
                </li>
              ))}
            </ol>
          </div>
        </div>
      </Section>
    </div>
  )
}

function Missing() {
  const t = useTexts(texts)
  return (
    <section class="section" data-missing>
      <Empty icon={ReceiptText} title={t('order_missing')} action={<ButtonLink href="/shop/orders">{t('your_orders')}</ButtonLink>}>{t('order_missing_help')}</Empty>
    </section>
  )
}
