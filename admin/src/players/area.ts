import { UserRoundSearch } from 'lucide'
import type { Area } from '../areas'

export const area: Area = {
  id: 'players', path: '/admin/players', permission: 'players.read', group: 'people', icon: UserRoundSearch,
  title: { es: 'Jugadores', ca: 'Jugadors', en: 'Players' },
  pages: { '': () => import('./list'), ':id': () => import('./file') },
}
