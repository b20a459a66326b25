import type { Trilingual } from '@cuatrola/ui'
import { House, ShoppingBag, Trophy, UserRound, Users, type IconNode } from 'lucide'
import type { ComponentType } from 'preact'

/** A part of the page that the navigation leads to, and the addresses behind it. */
export interface Area {
  id: string
  /** Its first page's address. */
  path: string
  icon: IconNode
  title: Trilingual
}

/** The navigation, in order: at the side of a wide page, below a narrow one. */
export const areas: readonly Area[] = [
  { id: 'home', path: '/', icon: House, title: { es: 'Jugar', ca: 'Jugar', en: 'Play' } },
  { id: 'league', path: '/league', icon: Trophy, title: { es: 'Liga', ca: 'Lliga', en: 'League' } },
  { id: 'shop', path: '/shop', icon: ShoppingBag, title: { es: 'Tienda', ca: 'Botiga', en: 'Shop' } },
  { id: 'friends', path: '/friends', icon: Users, title: { es: 'Amigos', ca: 'Amics', en: 'Friends' } },
  { id: 'account', path: '/account', icon: UserRound, title: { es: 'Yo', ca: 'Jo', en: 'Me' } },
]

type Load = () => Promise<{ default: ComponentType }>

/**
 * Every page by its address, with the area that it belongs to; null stands alone, without the navigation. Each is loaded when
 * it is opened. `:id` takes a parameter, which `useRoute().params` has.
 */
export const pages: Readonly<Record<string, { area: string | null; load: Load }>> = {
  '/bots': { area: 'home', load: () => import('./bots/page') },
  '/table': { area: null, load: () => import('./table/offlinePage') },
  '/matches/:id': { area: null, load: () => import('./table/onlinePage') },
  '/queue': { area: 'home', load: () => import('./lobby/queuePage') },
  '/rooms': { area: 'home', load: () => import('./lobby/roomsPage') },
  '/r/:code': { area: 'home', load: () => import('./lobby/roomPage') },
  '/friends': { area: 'friends', load: () => import('./friends/page') },
  '/players/:id': { area: 'friends', load: () => import('./friends/profile') },
  '/notices': { area: 'friends', load: () => import('./notices/page') },
  '/league': { area: 'league', load: () => import('./league/page') },
  '/league/weeks/:season': { area: 'league', load: () => import('./league/week') },
  '/shop': { area: 'shop', load: () => import('./shop/page') },
  '/shop/orders': { area: 'shop', load: () => import('./shop/orders') },
  '/shop/orders/:id': { area: 'shop', load: () => import('./shop/order') },
  '/wallet': { area: 'shop', load: () => import('./wallet/page') },
  '/rules': { area: 'home', load: () => import('./home/rules') },
  '/account': { area: 'account', load: () => import('./account/page') },
  '/sign-in': { area: 'account', load: () => import('./account/signIn') },
  '/history': { area: 'home', load: () => import('./history/list') },
  '/history/:id': { area: 'home', load: () => import('./history/matchPage') },
  '/history/local/:id': { area: 'home', load: () => import('./history/localPage') },
  '/check': { area: 'home', load: () => import('./history/check') },
}
