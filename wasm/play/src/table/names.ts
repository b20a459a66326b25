import type { Translate } from '../i18n'
import { nextSeat, partnerOf, type Player, type Seat } from '../game/types'

export type Place = 'me' | 'right' | 'partner' | 'left'

/** Where a seat sits, seen from the viewer: play goes to the right. */
export function placeOf(seat: Seat, viewer: Seat): Place {
  if (seat === viewer) return 'me'
  if (seat === partnerOf(viewer)) return 'partner'
  return seat === nextSeat(viewer) ? 'right' : 'left'
}

export function nameOf(t: Translate, players: readonly Player[], seat: Seat, viewer: Seat): string {
  const place = placeOf(seat, viewer)
  if (place === 'me') return t('you')
  return players[seat]?.name || t(place === 'right' ? 'seat_right' : place === 'left' ? 'seat_left' : 'seat_partner')
}

/** The bid's name; a rule set may hold bids that a newer page names better. */
export function bidName(t: Translate, bid: string): string {
  return bid === 'pass' || bid === 'solo' || bid === 'cuatrola' || bid === 'quintola' ? t(bid) : bid
}
