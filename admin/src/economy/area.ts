import { SlidersHorizontal } from 'lucide'
import type { Area } from '../areas'

export const area: Area = {
  id: 'economy', path: '/admin/economy', permission: 'economy.read', group: 'economy', icon: SlidersHorizontal,
  title: { es: 'Ajustes', ca: 'Ajustos', en: 'Tuning' },
  pages: {
    '': () => import('./list'),
    'drafts/:id': () => import('./draft'),
    'versions/:number': () => import('./version'),
    'proposals/:id': () => import('./proposal'),
    compare: () => import('./compare'),
  },
}
