import { Flag } from 'lucide'
import type { Area } from '../areas'

export const area: Area = {
  id: 'reports', path: '/admin/reports', permission: 'reports.read', group: 'people', icon: Flag,
  title: { es: 'Denuncias', ca: 'Denúncies', en: 'Reports' },
  pages: { '': () => import('./list'), ':id': () => import('./case') },
}
