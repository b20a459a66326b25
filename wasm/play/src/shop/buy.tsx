import { ask } from '@cuatrola/client'
import { Coins, Facts, FormDialog, stay, SwitchField, useFormat, useLanguage, useTexts, useToast } from '@cuatrola/ui'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { api } from '../game/client'
import { randomHex } from '../random'
import type { Economy } from '../wallet/economy'
import { putPurse, reloadPurse, type Purse } from '../wallet/purse'
import { begin, goPay } from './begin'
import { useGoods, usePrice, type Offer, type Price } from './money'
import { GuestNote } from './notes'
import { texts } from './texts'

/** What is bought for money, said once more before one is sent to where it is paid. */
export function BuyDialog({ offer, price, player, onClose }: { offer: Offer; price: Price; player: string; onClose: () => void }) {
  const t = useTexts(texts)
  const language = useLanguage()
  const goods = useGoods()
  const { route } = useLocation()
  const amount = usePrice()(price)
  return (
    <FormDialog
      title={offer.title[language]} action={t('pay', { price: amount })} onClose={onClose}
      onSubmit={async () => {
        const { order, url } = await begin(player, { sku: offer.sku, currency: price.currency, amount: price.amount })
        if (url) return goPay(url)
        route(`/shop/orders/${order.id}`)
        return stay
      }}
    >
      <Facts of={[[t('you_get'), goods(offer.goods)], [t('price'), offer.renews ? t(`each_${offer.renews}`, { price: amount }) : amount]]} />
      {offer.renews && <p data-renews={offer.renews}>{t(`pay_renews_${offer.renews}`, { price: amount })}</p>}
      <GuestNote link={false} />
      <p class="soft small">{t('pay_where')}</p>
    </FormDialog>
  )
}

/** What is bought for coins: what it costs, and what is left then. */
export function SpendDialog({ item, purse, economy, onClose }: { item: 'booster' | 'vip'; purse: Purse; economy: Economy; onClose: () => void }) {
  const t = useTexts(texts)
  const f = useFormat()
  const toast = useToast()
  // One purchase, however often the button is pressed.
  const [key] = useState(() => randomHex(16))
  const [start, setStart] = useState(true)
  const works = purse.booster.matches > 0 || purse.booster.until !== null
  const may = item === 'booster' && !(works && economy.booster.stack === 'refuse')
  const price = item === 'booster' ? economy.booster.price : economy.vip.price
  return (
    <FormDialog
      title={item === 'booster' ? t('one_booster') : t('pass_days', { n: f.number(economy.vip.days) })} action={t('spend', { n: f.number(price) })} onClose={onClose}
      onSubmit={async () => {
        const begins = may && start
        try {
          putPurse(await ask(api.POST('/v1/wallet/purchases', { params: { header: { 'Idempotency-Key': key } }, body: item === 'booster' ? { item, start: begins } : { item } })))
        } catch (err) {
          reloadPurse()
          throw err
        }
        toast.good(t(item === 'vip' ? 'bought_vip' : begins ? 'bought_started' : 'bought_booster'))
      }}
    >
      <Facts of={[[t('price'), <Coins value={price} />], [t('spend_have'), <Coins value={purse.coins} />], [t('spend_left'), <Coins value={purse.coins - price} />]]} />
      {may && <SwitchField label={t('spend_start')} name="start" checked={start} onChange={setStart} hint={t('spend_start_help')} />}
      {item === 'booster' && !may && <p class="soft">{t('spend_wait')}</p>}
    </FormDialog>
  )
}
