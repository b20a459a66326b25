import { ScrollText } from 'lucide'
import type { Area } from '../areas'

export const area: Area = {
  id: 'audit', path: '/admin/audit', permission: 'audit.read', group: 'house', icon: ScrollText,
  title: { es: 'Registro de cambios', ca: 'Registre de canvis', en: 'Audit' },
  pages: { '': () => import('./list') },
}
