import { ask } from '@cuatrola/client'
import { ButtonLink, Empty, Icon, Page, Section, useFormat, useLanguage, useTexts } from '@cuatrola/ui'
import { ChevronRight, ReceiptText } from 'lucide'
import { api } from '../game/client'
import { useSession } from '../session'
import { MoreList, useMore } from '../wallet/more'
import { Nobody } from '../wallet/nobody'
import '../wallet/wallet.css'
import { usePrice, type Order } from './money'
import './shop.css'
import { Status } from './status'
import { texts } from './texts'

/** All that one has bought for money, newest first. */
export default function OrdersPage() {
  const t = useTexts(texts)
  const { player } = useSession()
  return (
    <Page title={t('your_orders')} narrow back={{ href: '/shop', label: t('back_shop') }}>
      {player ? <Orders key={player.id} /> : <Nobody icon={ReceiptText} />}
    </Page>
  )
}

function Orders() {
  const t = useTexts(texts)
  const f = useFormat()
  const language = useLanguage()
  const price = usePrice()
  const list = useMore<Order>(async (cursor, signal) => {
    const page = await ask(api.GET('/v1/shop/orders', { params: { query: { limit: 20, ...(cursor ? { cursor } : {}) } }, signal }))
    return { items: page.orders, nextCursor: page.nextCursor }
  }, [])
  return (
    <Section flush>
      <div class="orders" data-orders>
        <MoreList of={list} empty={<Empty icon={ReceiptText} title={t('orders_empty')} action={<ButtonLink href="/shop">{t('to_shop')}</ButtonLink>} />}>
          {(items) => (
            <ul>
              {items.map((order) => (
                <li key={order.id}>
                  <a href={`/shop/orders/${order.id}`} data-item data-order={order.id} data-status={order.status}>
                    <span class="what"><b>{order.title[language]}</b> <small>{f.dateTime(order.createdAt)}</small></span>
                    <span class="sum"><b>{price(order.price)}</b> <Status of={order} /></span>
                    <Icon of={ChevronRight} />
                  </a>
                </li>
              ))}
            </ul>
          )}
        </MoreList>
      </div>
    </Section>
  )
}
