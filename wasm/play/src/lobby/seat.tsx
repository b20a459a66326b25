import { Button, Icon, Menu, useTexts, type MenuItem } from '@cuatrola/ui'
import { ArrowLeftRight, Armchair, Bot, Check, Crown, DoorOpen, UserRound, UserRoundX } from 'lucide'
import { useLocation } from 'preact-iso'
import type { Schemas } from '../game/client'
import { levels, usualLevel } from '../game/types'
import { useT } from '../i18n'
import { Place } from './felt'
import { texts, type T } from './roomTexts'

/** What can be done to seats. */
export interface SeatAct {
  change: (seat: number, body: Schemas['SeatChange']) => void
  kick: (player: Schemas['Person']) => void
  busy: boolean
}

type Seat = Schemas['RoomSeat']

/** A seat of a room: who has it, whether they are ready, and what one may do about it. */
export function SeatPlace({ room, seat, mine, owns, act }: { room: Schemas['Room']; seat: Seat; mine: number; owns: boolean; act: SeatAct }) {
  const t = useTexts(texts)
  const game = useT()
  const { route } = useLocation()
  const own = seat.seat === mine
  const at = (seat.seat - mine + 4) & 3
  const name = seat.taken === 'open' ? t('open_seat') : seat.taken === 'bot' ? t('bot') : own ? t('you') : seat.player!.name
  const label = seat.taken === 'open' ? t('seat_menu_open') : t('seat_menu', { who: name })
  return (
    <Place
      at={at} name={seat.player && !own ? <a href={`/players/${seat.player.id}`}>{name}</a> : name} avatar={seat.player?.avatar} lit={seat.ready}
      picture={seat.taken === 'bot' ? <span class="machine"><Icon of={Bot} size={26} /></span> : undefined}
      waits={seat.taken === 'open'} data-place={seat.seat} data-taken={seat.taken}
    >
      <span class="tags">
        {seat.player?.id === room.owner && <span class="tag owner" data-owner title={t('owner')}><Icon of={Crown} size={13} /><span class="hidden">{t('owner')}</span></span>}
        {seat.ready && <span class="tag ready" data-ready><Icon of={Check} size={12} />{t('ready')}</span>}
        {seat.level && <span class="tag" data-level={seat.level}>{game(`level_${seat.level}`)}</span>}
        {at === 2 && seat.taken === 'person' && <span class="tag">{t('partner')}</span>}
      </span>
      <span class="acts">
        {seat.taken === 'open' && (
          <Button small icon={owns ? Bot : Armchair} busy={act.busy} data-action={owns ? 'bot' : 'sit'} onClick={() => act.change(seat.seat, owns ? { who: 'bot', level: usualLevel } : { who: 'me' })}>
            {t(owns ? 'to_bot' : 'sit')}
          </Button>
        )}
        <Menu label={label} items={itemsOf(t, (level) => game(`level_${level}`), room, seat, mine, owns, act, (id) => route(`/players/${id}`))} />
      </span>
    </Place>
  )
}

/** What else there is to do, behind a button. */
function itemsOf(t: T, level: (name: Schemas['BotLevel']) => string, room: Schemas['Room'], seat: Seat, mine: number, owns: boolean, act: SeatAct, visit: (id: string) => void): MenuItem[] {
  const items: MenuItem[] = []
  // One's own place is changed from the others'.
  if (seat.seat === mine) return items
  if (seat.taken === 'person') items.push({ label: t('profile'), icon: UserRound, onSelect: () => visit(seat.player!.id) })
  // The button beside does it for those who own nothing.
  if (seat.taken === 'bot' || (seat.taken === 'open' && owns)) items.push({ label: t('sit_here'), icon: Armchair, onSelect: () => act.change(seat.seat, { who: 'me' }) })
  if (!owns) return items
  if (seat.taken !== 'person') {
    for (const one of levels) {
      if (one !== seat.level) items.push({ label: t('bot_of', { level: level(one) }), icon: Bot, onSelect: () => act.change(seat.seat, { who: 'bot', level: one }) })
    }
  }
  if (seat.taken === 'bot') items.push({ label: t('open_it'), icon: DoorOpen, onSelect: () => act.change(seat.seat, { who: 'nobody' }) })
  if (seat.taken === 'person') {
    for (const other of room.seats) {
      if (other.seat === seat.seat) continue
      const where = ((other.seat - mine + 4) & 3) as 0 | 1 | 2 | 3
      const who = other.taken === 'open' ? t('swap_open', { where: t(`where_${where}`) })
        : other.seat === mine ? t('swap_with_me')
        : t('swap', { who: other.taken === 'bot' ? `${t('bot')} (${t(`where_${where}`)})` : other.player!.name })
      items.push({ label: who, icon: ArrowLeftRight, onSelect: () => act.change(other.seat, { who: 'seat', from: seat.seat }) })
    }
    items.push({ label: t('kick'), icon: UserRoundX, danger: true, onSelect: () => act.kick(seat.player!) })
  }
  return items
}
