import './bell.css'
import { Icon, useTexts } from '@cuatrola/ui'
import { Bell as Picture } from 'lucide'
import { useSession } from '../session'
import { texts } from './bellTexts'

/** Leads to one's notices, and says how many are not read. */
export function Bell() {
  const t = useTexts(texts)
  const { player, unread } = useSession()
  if (!player) return null
  const label = unread > 0 ? t.plural('unread', unread) : t('notices')
  return (
    <a class="bell" href="/notices" data-unread={unread} title={label}>
      <Icon of={Picture} size={20} />
      <span class="hidden">{label}</span>
      {unread > 0 && <b class="count" aria-hidden="true">{unread > 99 ? '99+' : unread}</b>}
    </a>
  )
}
