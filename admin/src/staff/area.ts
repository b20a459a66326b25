import { Users } from 'lucide'
import type { Area } from '../areas'

export const area: Area = {
  id: 'staff', path: '/admin/staff', permission: 'staff.read', group: 'house', icon: Users,
  title: { es: 'Equipo', ca: 'Equip', en: 'Staff' },
  pages: { '': () => import('./list') },
}
