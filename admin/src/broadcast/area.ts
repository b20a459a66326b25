import { Megaphone } from 'lucide'
import type { Area } from '../areas'

export const area: Area = {
  id: 'broadcast', path: '/admin/broadcasts', permission: 'broadcast.read', group: 'operation', icon: Megaphone,
  title: { es: 'Difusión', ca: 'Difusió', en: 'Broadcasts' },
  pages: { '': () => import('./list'), new: () => import('./compose'), ':id': () => import('./sent') },
}
