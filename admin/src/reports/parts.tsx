import { Badge, useFormat, useTexts } from '@cuatrola/ui'
import type { Schemas } from '../api/types'
import { texts } from './texts'

/** What a case is about, with how often. */
export function Reasons({ of }: { of: Schemas['PanelCase'] }) {
  const t = useTexts(texts)
  const f = useFormat()
  return (
    <span class="badges">
      {Object.entries(of.reasons).sort(([, a], [, b]) => b - a).map(([reason, n]) => {
        const word = t.code(`reason_${reason}`, reason)
        return <Badge key={reason}>{n > 1 ? t('reason_n', { reason: word, n: f.number(n) }) : word}</Badge>
      })}
    </span>
  )
}
