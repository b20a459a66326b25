import { ask } from '@cuatrola/client'
import { Coins, Empty, Icon, Section, SelectField, useFormat, useLanguage, useQuery, useTexts } from '@cuatrola/ui'
import {
  ArrowLeftRight, ChartNoAxesColumn, CreditCard, Crown, DoorOpen, Gift, HandCoins, House, Receipt, Swords, Trophy, Undo2, Zap, type IconNode,
} from 'lucide'
import { useState } from 'preact/hooks'
import { api, type Schemas } from '../game/client'
import { MoreList, useMore } from './more'
import { useHour } from './now'
import { texts } from './texts'
import { TransferDialog } from './transfer'

type Transfer = Schemas['Transfer']
type Kind = Transfer['kind']

const icons: Record<Kind, IconNode> = {
  welcome: Gift, daily: Gift, grant: House, reward: Swords, prize: Trophy, purchase: CreditCard, clawback: Undo2, debt_settled: HandCoins,
  stake: DoorOpen, pot: ChartNoAxesColumn, refund: Undo2, booster: Zap, vip: Crown, merge: ArrowLeftRight,
}
const kinds = Object.keys(icons) as Kind[]

/** All that has moved, newest first, day by day; `coins` is what one has, so that it comes anew when that changes. */
export function Statement({ coins }: { coins: number }) {
  const t = useTexts(texts)
  const [kind, setKind] = useState<Kind | 'all'>('all')
  const [open, setOpen] = useQuery('transfer')
  const list = useMore<Transfer>(async (cursor, signal) => {
    const page = await ask(api.GET('/v1/wallet/transfers', { params: { query: { limit: 20, ...(cursor ? { cursor } : {}), ...(kind === 'all' ? {} : { kind }) } }, signal }))
    return { items: page.transfers, nextCursor: page.nextCursor }
  }, [kind, coins])
  return (
    <Section
      title={t('statement')} flush
      actions={
        <SelectField
          label={t('kind')} bare name="kind" value={kind} onChange={setKind}
          options={(['all', ...kinds] as const).map((value) => ({ value, label: t(`kind_${value}`) }))}
        />
      }
    >
      <div class="statement" data-statement>
        <MoreList of={list} lines={6} empty={<Empty icon={Receipt} title={t(kind === 'all' ? 'statement_empty' : 'statement_empty_kind')} />}>
          {(items) => <Days items={items} onOpen={setOpen} />}
        </MoreList>
      </div>
      {open && <TransferDialog id={open} onClose={() => setOpen('')} />}
    </Section>
  )
}

function Days({ items, onOpen }: { items: readonly Transfer[]; onOpen: (id: string) => void }) {
  const t = useTexts(texts)
  const f = useFormat()
  const language = useLanguage()
  const hour = useHour()
  const days: { name: string; items: Transfer[] }[] = []
  for (const item of items) {
    const name = f.date(item.at)
    const last = days.at(-1)
    if (last?.name === name) last.items.push(item)
    else days.push({ name, items: [item] })
  }
  const today = f.date(Date.now())
  const yesterday = f.date(Date.now() - 86_400_000)
  return (
    <>
      {days.map((day) => (
        <section key={day.name} class="day">
          <h3>{day.name === today ? t('today') : day.name === yesterday ? t('yesterday') : day.name}</h3>
          <ul>
            {day.items.map((item) => (
              <li key={item.id}>
                <button type="button" data-item data-kind={item.kind} data-amount={item.amount} onClick={() => onOpen(item.id)}>
                  <span class="sign"><Icon of={icons[item.kind] ?? Receipt} /></span>
                  <span class="what"><b>{item.text[language]}</b> <small>{hour(item.at)}</small></span>
                  <span class="sum"><Coins value={item.amount} signed /> <small>{t('balance_then', { n: f.number(item.balance) })}</small></span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}
