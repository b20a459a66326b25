import { Badge, ChoiceField, Empty, Loading, Section, Table, useFormat, useLoad, useQuery, useTexts } from '@cuatrola/ui'
import { CreditCard } from 'lucide'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { Chart } from '../chart'
import { texts } from './texts'

type Payment = Schemas['OverviewPayments']['payments'][number]

/** What was bought, and what was taken back. */
export function MoneyTab() {
  const t = useTexts(texts)
  const f = useFormat()
  const [days, setDays] = useQuery('days', '30')
  const load = useLoad((signal) => ask(api.GET('/admin/v1/overview/payments', { params: { query: { days: Number(days) || 30 } }, signal })), [days])
  const cell = (n: number, amount: number, p: Payment) =>
    n > 0 ? <span class="two-lines">{f.money(amount, p.currency)}<small>{t.plural('orders', n)}</small></span> : <span class="soft">–</span>
  return (
    <>
      <div class="overview-range">
        <ChoiceField label={t('range')} name="days" bare value={days} onChange={setDays} options={(['7', '30', '90', '365'] as const).map((value) => ({ value, label: t(`range_${value}`) }))} />
      </div>
      <Loading of={load} lines={5}>
        {({ payments }) => (payments.length === 0 ? (
          <Section><Empty icon={CreditCard} title={t('purchases_none')}>{t('purchases_none_help')}</Empty></Section>
        ) : (
          <>
            <PaidByDay payments={payments} />
            <Section title={t('purchases')} lead={t('purchases_help')} flush>
              <div class="overview-scroll" tabIndex={0} role="group" aria-label={t('purchases')}><Table
                caption={t('purchases')} rows={payments} rowKey={(p) => p.day + p.provider + p.currency + p.live}
                columns={[
                  { id: 'day', title: t('day'), cell: (p) => f.date(p.day) },
                  { id: 'provider', title: t('provider'), cell: (p) => <span class="row"><span class="overview-name">{p.provider}</span>{!p.live && <Badge tone="warn">{t('test_mode')}</Badge>}</span> },
                  { id: 'currency', title: t('currency'), wideOnly: true, cell: (p) => p.currency },
                  { id: 'paid', title: t('paid'), end: true, cell: (p) => cell(p.paid, p.paidAmount, p) },
                  { id: 'refunded', title: t('refunded'), end: true, cell: (p) => cell(p.refunded, p.refundedAmount, p) },
                  { id: 'disputed', title: t('disputed'), end: true, cell: (p) => cell(p.disputed, p.disputedAmount, p) },
                ]}
              /></div>
            </Section>
          </>
        ))}
      </Loading>
    </>
  )
}

function PaidByDay({ payments }: { payments: readonly Payment[] }) {
  const t = useTexts(texts)
  const f = useFormat()
  const days = [...new Set(payments.map((p) => p.day))].sort()
  const currencies = [...new Set(payments.map((p) => p.currency))].sort()
  return (
    <>
      {currencies.map((currency) => (
        <Section key={currency} title={`${t('paid_by_day')} · ${currency}`}>
          <Chart
            bare title={`${t('paid_by_day')} · ${currency}`} x={days.map((d) => Date.parse(d) / 1000)} days kind="bars" stacked height={200} format={(n) => f.money(n, currency)}
            series={[
              { label: t('paid'), values: sums(payments, days, currency, 'paidAmount', 1), colour: 1 },
              { label: t('refunded'), values: sums(payments, days, currency, 'refundedAmount', -1), colour: 2 },
              { label: t('disputed'), values: sums(payments, days, currency, 'disputedAmount', -1), colour: 4 },
            ]}
          />
        </Section>
      ))}
    </>
  )
}

const sums = (payments: readonly Payment[], days: readonly string[], currency: string, what: 'paidAmount' | 'refundedAmount' | 'disputedAmount', sign: number) =>
  days.map((day) => payments.reduce((n, p) => (p.day === day && p.currency === currency ? n + sign * p[what] : n), 0))
