import { Spade } from 'lucide'
import type { Area } from '../areas'

export const area: Area = {
  id: 'tables', path: '/admin/tables', permission: 'tables.read', group: 'now', icon: Spade,
  title: { es: 'Mesas', ca: 'Taules', en: 'Tables' },
  pages: { '': () => import('./list'), ':id': () => import('./table') },
}
