import { LayoutDashboard } from 'lucide'
import type { Area } from '../areas'

export const area: Area = {
  id: 'overview', path: '/admin/overview', permission: 'overview.read', group: 'now', icon: LayoutDashboard,
  title: { es: 'Resumen', ca: 'Resum', en: 'Overview' },
  pages: { '': () => import('./overview') },
}
