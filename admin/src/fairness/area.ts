import { Radar } from 'lucide'
import type { Area } from '../areas'

export const area: Area = {
  id: 'fairness', path: '/admin/fairness', permission: 'fairness.read', group: 'people', icon: Radar,
  title: { es: 'Juego limpio', ca: 'Joc net', en: 'Fairness' },
  pages: { '': () => import('./list'), ':id': () => import('./case') },
}
