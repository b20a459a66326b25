import type { Trilingual } from '@cuatrola/ui'
import type { IconNode } from 'lucide'
import type { ComponentType } from 'preact'
import { area as audit } from './audit/area'
import { area as broadcast } from './broadcast/area'
import { area as economy } from './economy/area'
import { area as fairness } from './fairness/area'
import { area as league } from './league/area'
import { area as orders } from './orders/area'
import { area as overview } from './overview/area'
import { area as players } from './players/area'
import { area as reports } from './reports/area'
import { area as security } from './security/area'
import { area as simulation } from './simulation/area'
import { area as staff } from './staff/area'
import { area as switches } from './switches/area'
import { area as tables } from './tables/area'

/** A part of the panel: an entry of the navigation and the pages behind it. */
export interface Area {
  id: string
  /** Its first page's address, such as /admin/staff. */
  path: string
  /** Without which its entry is not shown, such as staff.read; null is everybody's. */
  permission: string | null
  /** Under which heading it stands. */
  group: Group
  icon: IconNode
  title: Trilingual
  /** Its pages by the rest of their address: '' is the first, ':id' takes a parameter. Each is loaded when it is opened. */
  pages: Readonly<Record<string, () => Promise<{ default: ComponentType }>>>
}

export type Group = 'now' | 'people' | 'economy' | 'operation' | 'house'

/** The headings of the navigation, in order. */
export const groups: readonly { id: Group; title: Trilingual }[] = [
  { id: 'now', title: { es: 'Ahora', ca: 'Ara', en: 'Now' } },
  { id: 'people', title: { es: 'Personas', ca: 'Persones', en: 'People' } },
  { id: 'economy', title: { es: 'Economía', ca: 'Economia', en: 'Economy' } },
  { id: 'operation', title: { es: 'Operación', ca: 'Operació', en: 'Operation' } },
  { id: 'house', title: { es: 'La casa', ca: 'La casa', en: 'House' } },
]

/** Every area, in the navigation's order within its group. The first that one may see is where one arrives. */
export const areas: readonly Area[] = [
  overview,
  tables,
  league,
  players,
  reports,
  economy,
  simulation,
  fairness,
  orders,
  switches,
  broadcast,
  staff,
  audit,
  security,
]
