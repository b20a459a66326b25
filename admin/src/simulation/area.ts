import { FlaskConical } from 'lucide'
import type { Area } from '../areas'

export const area: Area = {
  id: 'simulation', path: '/admin/simulation', permission: 'simulation.read', group: 'economy', icon: FlaskConical,
  title: { es: 'Simulaciones', ca: 'Simulacions', en: 'Simulations' },
  pages: { '': () => import('./list'), ':id': () => import('./one') },
}
