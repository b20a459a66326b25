import { Badge, type Translate, useFormat, useTexts } from '@cuatrola/ui'
import type { Schemas } from '../api/types'
import { texts } from './texts'

export type Player = Schemas['PanelPlayer']
export type T = Translate<keyof (typeof texts)['es'] & string>

/** What there is to know of a player at once: guest, kept out, gone. */
export function Badges({ of }: { of: Player }) {
  const t = useTexts(texts)
  const f = useFormat()
  return (
    <>
      {of.mergedInto ? <Badge tone="neutral">{t('merged')}</Badge> : of.deletedAt && <Badge tone="neutral">{t('deleted')}</Badge>}
      {of.keptOut && <Badge tone="bad">{of.keptOutUntil ? t('out_until', { when: f.dateTime(of.keptOutUntil) }) : t('out_for_good')}</Badge>}
      {of.guest && !of.deletedAt && <Badge tone="info">{t('guest')}</Badge>}
    </>
  )
}

/** A player's name, as it was written. */
export const Name = ({ of }: { of: { name: string } }) => <bdi data-raw>{of.name}</bdi>
