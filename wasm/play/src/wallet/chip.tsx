import { Coins, defineTexts, useTexts } from '@cuatrola/ui'
import './chip.css'
import { usePurse } from './purse'

const texts = defineTexts({
  es: { coins: 'Tus monedas:', daily: 'La recompensa de hoy te espera' },
  ca: { coins: 'Les teves monedes:', daily: 'La recompensa d’avui t’espera' },
  en: { coins: 'Your coins:', daily: 'Today’s reward is waiting' },
})

/** How many coins one has, in the bar above every page; leads to all that one has. Not there as long as that is not known. */
export function CoinsChip() {
  const t = useTexts(texts)
  const { data: purse } = usePurse()
  if (!purse) return null
  return (
    <a class="coins-chip" href="/wallet" data-coins={purse.coins}>
      <span class="hidden">{t('coins')}</span>
      <Coins value={purse.coins} />
      {purse.daily.available && <i><span class="hidden">{t('daily')}</span></i>}
    </a>
  )
}
