import { Power } from 'lucide'
import type { Area } from '../areas'

export const area: Area = {
  id: 'switches', path: '/admin/switches', permission: 'switches.read', group: 'operation', icon: Power,
  title: { es: 'Interruptores', ca: 'Interruptors', en: 'Switches' },
  pages: { '': () => import('./list') },
}
