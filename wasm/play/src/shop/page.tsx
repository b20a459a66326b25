import { ask } from '@cuatrola/client'
import { Button, ButtonLink, Coins, Icon, Loading, Note, Page, Section, SelectField, useFormat, useLanguage, useLoad, useTexts } from '@cuatrola/ui'
import { ReceiptText, ShoppingBag, Sparkles } from 'lucide'
import { useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'
import { api } from '../game/client'
import { useSession } from '../session'
import { Booster, Heap, Pass } from '../wallet/art'
import { useEconomy, type Economy } from '../wallet/economy'
import { passGives, useBoosterGives } from '../wallet/goods'
import { Nobody } from '../wallet/nobody'
import { usePurse, type Purse } from '../wallet/purse'
import { texts as walletTexts } from '../wallet/texts'
import '../wallet/wallet.css'
import { BuyDialog, SpendDialog } from './buy'
import { currenciesOf, keepCurrency, kindOf, kinds, useGoods, usePrice, usualCurrency, type Offer, type OfferKind, type Order, type Price } from './money'
import { ClosedNote, GuestNote } from './notes'
import './shop.css'
import { texts } from './texts'

const isOrder = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What one can buy, for money and for coins. */
export default function ShopPage() {
  const t = useTexts(texts)
  const { player } = useSession()
  const { query, route } = useLocation()
  // Whoever pays comes back here, with the order's number.
  const back = isOrder.test(query['order'] ?? '') ? query['order'] : null
  useEffect(() => {
    if (back) route(`/shop/orders/${back}?checkout=${query['checkout'] === 'done' ? 'done' : 'left'}`, true)
  }, [back])
  if (back) return null
  return (
    <Page title={t('title')} lead={t('lead')} actions={player && <ButtonLink icon={ReceiptText} href="/shop/orders" data-action="orders">{t('your_orders')}</ButtonLink>}>
      {player ? <Open key={player.id} player={player.id} /> : <Nobody icon={ShoppingBag} title={t('nobody')} />}
    </Page>
  )
}

/** What is about to be bought. */
type Chosen = { offer: Offer; price: Price } | { item: 'booster' | 'vip' }

function Open({ player }: { player: string }) {
  const t = useTexts(texts)
  const w = useTexts(walletTexts)
  const f = useFormat()
  const { stopped } = useSession()
  const shop = useLoad((signal) => ask(api.GET('/v1/shop', { signal })), [])
  // The newest ones, among which are those that wait for their money.
  const orders = useLoad((signal) => ask(api.GET('/v1/shop/orders', { params: { query: { limit: 10 } }, signal })), [])
  const economy = useEconomy()
  const purse = usePurse()
  const [chosen, choose] = useState<Chosen | null>(null)
  const [currency, setCurrency] = useState<string | null>(null)
  const halted = stopped.find((s) => s.part === 'shop')
  const open = orders.data?.orders.filter((o) => o.status === 'pending' || o.status === 'created') ?? []
  const close = () => {
    choose(null)
    shop.reload()
    orders.reload()
  }
  return (
    <>
      {halted && <ClosedNote stopped={halted} />}
      {open[0] && !halted && <OpenOrder order={open[0]} />}
      {purse.data && purse.data.debt > 0 && <div data-debt={purse.data.debt}><Note tone="warn" title={w('debt', { n: f.number(purse.data.debt) })}>{w('debt_help')}</Note></div>}
      <Loading of={shop} lines={4} tall>
        {({ offers, providers }) => {
          const sells = providers.some((p) => p.provider === 'stripe' && p.on)
          const shown = sells || halted ? offers.filter((o) => o.prices.length > 0) : []
          const there = currenciesOf(shown)
          const pays = currency ?? usualCurrency(there)
          return (
            <>
              {sells && <GuestNote />}
              {!sells && !halted && <Note>{t('off')}</Note>}
              <div class="shelves">
                {kinds.map((kind) => (
                  <Shelf
                    key={kind} kind={kind} offers={shown.filter((o) => kindOf(o) === kind)} currency={pays} sells={sells} open={open} economy={economy.data} purse={purse.data} choose={choose}
                  />
                ))}
              </div>
              {there.length > 1 && (
                <div class="currency">
                  <SelectField
                    label={t('currency')} name="currency" value={pays} options={there.map((value) => ({ value, label: value }))}
                    onChange={(value) => {
                      keepCurrency(value)
                      setCurrency(value)
                    }}
                  />
                </div>
              )}
            </>
          )
        }}
      </Loading>
      {chosen && ('offer' in chosen ? <BuyDialog {...chosen} player={player} onClose={close} />
        : economy.data && purse.data && <SpendDialog item={chosen.item} economy={economy.data} purse={purse.data} onClose={() => choose(null)} />)}
    </>
  )
}

function OpenOrder({ order }: { order: Order }) {
  const t = useTexts(texts)
  const language = useLanguage()
  return <div data-open-order><Note action={<ButtonLink small href={`/shop/orders/${order.id}`}>{t('open_order_link')}</ButtonLink>}>{t('open_order', { title: order.title[language] })}</Note></div>
}

interface ShelfProps {
  kind: OfferKind
  offers: readonly Offer[]
  currency: string
  /** Whether one can buy for money now. */
  sells: boolean
  /** Orders that wait for their money. */
  open: readonly Order[]
  economy: Economy | null
  purse: Purse | null
  choose: (chosen: Chosen) => void
}

/** All that there is of one kind, for money and for coins. */
function Shelf({ kind, offers, currency, sells, open, economy, purse, choose }: ShelfProps) {
  const t = useTexts(texts)
  const w = useTexts(walletTexts)
  const f = useFormat()
  const boosterGives = useBoosterGives()
  const item = kind === 'vip' || kind === 'booster' ? kind : null
  const forCoins = item && economy && purse && economy[item].price > 0
  if (offers.length === 0 && !forCoins) return null
  return (
    <Section title={t(`section_${kind}`)}>
      <div class="stack" data-shelf={kind}>
        {economy && kind === 'vip' && <ul class="gives soft">{passGives(w, f, economy).map((text) => <li key={text}><Icon of={Sparkles} size={14} />{text}</li>)}</ul>}
        {economy && kind === 'booster' && <p class="soft">{boosterGives(economy)} {w('booster_stakes')}</p>}
        <ul class="offers golden">
          {offers.map((offer) => <Card key={offer.sku} kind={kind} offer={offer} currency={currency} sells={sells} open={open} percent={economy?.booster.percent} choose={choose} />)}
          {forCoins && <CoinsCard item={item} economy={economy} purse={purse} choose={choose} />}
        </ul>
      </div>
    </Section>
  )
}

function Card({ kind, offer, currency, sells, open, percent, choose }: Pick<ShelfProps, 'kind' | 'currency' | 'sells' | 'open' | 'choose'> & { offer: Offer; percent: number | undefined }) {
  const t = useTexts(texts)
  const f = useFormat()
  const language = useLanguage()
  const money = usePrice()
  const goods = useGoods()
  const price = offer.prices.find((p) => p.currency === currency) ?? offer.prices[0]!
  const amount = money(price)
  const waiting = open.find((o) => o.sku === offer.sku)
  const facts = [
    kind === 'pack' && goods(offer.goods),
    kind === 'coins' && offer.goods.coins > 1000 && t('per_thousand', { price: money(price, (price.amount * 1000) / offer.goods.coins) }),
    offer.renews && t(`renews_${offer.renews}`),
    offer.limit === 1 && t('once'),
    offer.limit !== null && offer.limit > 1 && t('limit', { left: f.number(offer.left ?? 0), limit: f.number(offer.limit) }),
    offer.until && t('until', { when: f.dateTime(offer.until) }),
  ].filter((text) => typeof text === 'string')
  return (
    <li class="offer" data-sku={offer.sku}>
      {kind === 'vip' ? <Pass /> : kind === 'booster' ? <Booster percent={percent} /> : <Heap coins={offer.goods.coins} />}
      <h3>{offer.title[language]}</h3>
      {facts.map((text) => <p key={text} class="soft small">{text}</p>)}
      <div class="price">
        {offer.left === 0 ? (waiting ? <a href={`/shop/orders/${waiting.id}`}>{t('sold_open')}</a> : <span class="soft">{t('sold')}</span>)
          : sells ? (
            <Button kind="strong" data-action="buy" aria-label={t('buy_for', { what: offer.title[language], price: amount })} onClick={() => choose({ offer, price })}>
              {offer.renews ? t(`each_${offer.renews}`, { price: amount }) : amount}
            </Button>
          ) : <b>{amount}</b>}
      </div>
    </li>
  )
}

function CoinsCard({ item, economy, purse, choose }: { item: 'booster' | 'vip'; economy: Economy; purse: Purse; choose: ShelfProps['choose'] }) {
  const t = useTexts(texts)
  const f = useFormat()
  const { price } = economy[item]
  const what = item === 'vip' ? t('pass_days', { n: f.number(economy.vip.days) }) : t('one_booster')
  const missing = price - purse.coins
  return (
    <li class="offer" data-item={item}>
      {item === 'vip' ? <Pass /> : <Booster percent={economy.booster.percent} />}
      <h3>{what}</h3>
      <p class="soft small">{t('for_coins')}</p>
      <div class="price">
        <Button
          data-action="spend" aria-disabled={missing > 0} aria-label={t('buy_for', { what, price: t('goods_coins_other', { n: f.number(price) }) })}
          aria-describedby={missing > 0 ? `missing-${item}` : undefined} onClick={() => missing <= 0 && choose({ item })}
        >
          <Coins value={price} />
        </Button>
        {missing > 0 && <small class="soft" id={`missing-${item}`}>{t('missing', { n: f.number(missing) })}</small>}
      </div>
    </li>
  )
}

