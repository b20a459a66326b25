import { Receipt } from 'lucide'
import type { Area } from '../areas'

export const area: Area = {
  id: 'orders', path: '/admin/orders', permission: 'orders.read', group: 'operation', icon: Receipt,
  title: { es: 'Pedidos', ca: 'Comandes', en: 'Orders' },
  pages: { '': () => import('./list'), ':id': () => import('./order') },
}
