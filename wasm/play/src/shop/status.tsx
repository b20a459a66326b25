import { Badge, useLanguage, type Tone } from '@cuatrola/ui'
import type { Order } from './money'

const tones: Record<Order['status'], Tone> = {
  created: 'info', pending: 'info', paid: 'warn', granted: 'good', partly_reversed: 'warn', reversed: 'neutral', failed: 'bad', cancelled: 'neutral', expired: 'neutral',
}

/** How an order stands, in the server's own words. */
export function Status({ of }: { of: Pick<Order, 'status' | 'text'> }) {
  const language = useLanguage()
  return <Badge tone={tones[of.status]}>{of.text[language]}</Badge>
}
