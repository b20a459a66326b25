import { Trophy } from 'lucide'
import type { Area } from '../areas'

export const area: Area = {
  id: 'league', path: '/admin/league', permission: 'league.read', group: 'now', icon: Trophy,
  title: { es: 'Liga', ca: 'Lliga', en: 'League' },
  pages: { '': () => import('./list'), ':season': () => import('./season'), ':season/:division/:group': () => import('./standings') },
}
