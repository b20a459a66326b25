import { KeyRound } from 'lucide'
import type { Area } from '../areas'

export const area: Area = {
  id: 'security', path: '/admin/security', permission: null, group: 'house', icon: KeyRound,
  title: { es: 'Mi seguridad', ca: 'La meva seguretat', en: 'My security' },
  pages: { '': () => import('./own') },
}
