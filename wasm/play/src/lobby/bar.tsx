import './around.css'
import { Icon, useTexts } from '@cuatrola/ui'
import { ArrowRight, Coins, DoorOpen, Hourglass, Spade, type IconNode } from 'lucide'
import { useLocation } from 'preact-iso'
import { client, type Schemas } from '../game/client'
import { useSession } from '../session'
import { clock, secondsBetween, useNow } from './clock'
import { texts } from './texts'

/** Where one finds what one is taken up with; null if one is free. */
export function placeOf(engagement: Schemas['Engagement'] | null): string | null {
  switch (engagement?.kind) {
    case 'room':
      return engagement.room ? `/r/${engagement.room.code}` : '/rooms'
    case 'ticket':
    case 'table':
      return '/queue'
    case 'match':
      return `/matches/${engagement.id}`
    default:
      return null
  }
}

/** Says what one is taken up with and leads back there, on every page but that one. */
export function EngagementBar() {
  const { engagement } = useSession()
  const { path } = useLocation()
  const href = placeOf(engagement)
  if (!engagement || !href || href === path) return null
  return <Bar engagement={engagement} href={href} />
}

function Bar({ engagement, href }: { engagement: Schemas['Engagement']; href: string }) {
  const t = useTexts(texts)
  const { icon, text, go } = words(t, engagement)
  return (
    <aside class="engaged" aria-label={t('bar')} data-engaged={engagement.kind}>
      <a href={href}>
        <Icon of={icon} size={18} />
        <span class="what">{text}<Since engagement={engagement} /></span>
        <span class="go">{go}<Icon of={ArrowRight} size={15} /></span>
      </a>
    </aside>
  )
}

function words(t: ReturnType<typeof useTexts<keyof (typeof texts)['es'] & string>>, engagement: Schemas['Engagement']): { icon: IconNode; text: string; go: string } {
  switch (engagement.kind) {
    case 'room':
      return { icon: DoorOpen, text: t('bar_room', { code: engagement.room?.code ?? '' }), go: t('bar_room_go') }
    case 'table':
      return { icon: Coins, text: t('bar_table', { stake: engagement.table?.stake ?? '', n: engagement.table?.people.length ?? 1 }), go: t('bar_table_go') }
    case 'match':
      return { icon: Spade, text: t('bar_match'), go: t('bar_match_go') }
    default:
      return { icon: Hourglass, text: t(engagement.ticket?.invited ? 'bar_ticket_invited' : 'bar_ticket'), go: t('bar_ticket_go') }
  }
}

/** How long one waits already, or how long the table still does. */
function Since({ engagement }: { engagement: Schemas['Engagement'] }) {
  const now = useNow()
  const { ticket, table } = engagement
  if (ticket) return <b class="number" role="timer">{clock(secondsBetween(client.localTime(ticket.since)!, Date.now()))}</b>
  if (table) return <b class="number" role="timer">{clock(secondsBetween(now, Date.parse(table.deadline)))}</b>
  return null
}
