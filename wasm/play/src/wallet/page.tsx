import { ButtonLink, Loading, Note, Page, useFormat, useTexts } from '@cuatrola/ui'
import { ShoppingBag } from 'lucide'
import { useSession } from '../session'
import { OneCoin } from './art'
import { Daily } from './daily'
import { useEconomy } from './economy'
import { Boosters, VipPass } from './goods'
import { Nobody } from './nobody'
import { usePurse, type Purse } from './purse'
import { Statement } from './statement'
import { texts } from './texts'
import './wallet.css'

/** All that one has, and where it came from. */
export default function WalletPage() {
  const t = useTexts(texts)
  const { player } = useSession()
  return <Page title={t('title')}>{player ? <Mine key={player.id} /> : <Nobody />}</Page>
}

function Mine() {
  const purse = usePurse()
  const economy = useEconomy()
  return (
    <Loading of={purse} lines={3} tall>
      {(mine) => (
        <>
          <Coffer purse={mine} />
          <div class="mine">
            <Daily purse={mine} economy={economy.data} />
            <Boosters purse={mine} economy={economy.data} />
            <VipPass purse={mine} economy={economy.data} />
          </div>
          <Statement coins={mine.coins} />
        </>
      )}
    </Loading>
  )
}

/** How many coins there are, at a glance. */
function Coffer({ purse }: { purse: Purse }) {
  const t = useTexts(texts)
  const f = useFormat()
  const { level, into, step } = purse.level
  const experience = t('experience', { into: f.number(into), step: f.number(step), next: f.number(level + 1) })
  return (
    <>
      <section class="coffer" aria-label={t('coins')}>
        <OneCoin />
        <p class="total" data-total={purse.coins}><b>{f.number(purse.coins)}</b> <span>{t('coins')}</span></p>
        <div class="level">
          <b>{t('level', { n: f.number(level) })}</b>
          <progress max={step} value={into} aria-label={experience} />
          <small>{experience}</small>
        </div>
        <ButtonLink href="/shop" icon={ShoppingBag}>{t('to_shop')}</ButtonLink>
      </section>
      {purse.debt > 0 && <div data-debt={purse.debt}><Note tone="warn" title={t('debt', { n: f.number(purse.debt) })}>{t('debt_help')}</Note></div>}
    </>
  )
}
