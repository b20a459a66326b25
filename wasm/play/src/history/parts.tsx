import type { HouseRules, MatchRecord, Pair, Seat } from '@cuatrola/rules'
import { Badge, Button, Time, useAction, useTexts } from '@cuatrola/ui'
import { Download, Share2 } from 'lucide'
import { pairOf } from '../game/types'
import { canShare, download, share } from './records'
import { texts } from './texts'
import { useRulesName } from './words'

export type Outcome = 'won' | 'lost' | 'open' | 'void'
const tones = { won: 'good', lost: 'bad', open: 'info', void: 'warn' } as const

export const outcomeOf = (winner: Pair | null, me: Seat): Outcome => (winner === null ? 'open' : winner === pairOf(me) ? 'won' : 'lost')

export function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  const t = useTexts(texts)
  return <Badge tone={tones[outcome]}>{t(`outcome_${outcome}`)}</Badge>
}

/** What stands below a match's title: what is known of it, in one line. */
export function Lead({ of }: { of: { score?: readonly [number, number] | null; me?: Seat | null; partner?: string | null; rules: HouseRules; mode?: string | null; when?: string | null } }) {
  const rules = useRulesName()
  const ours = pairOf(of.me ?? 0)
  return (
    <span class="match-lead">
      {of.score && <b class="match-score">{of.score[ours]} – {of.score[1 - ours]}</b>}
      {of.partner && <span>{of.partner}</span>}
      <span>{rules(of.rules)}</span>
      {of.mode && <span>{of.mode}</span>}
      {of.when && <Time value={of.when} />}
    </span>
  )
}

/** A record as a file: kept on the device, or handed on. */
export function Outgoing({ record, title }: { record: MatchRecord; title: string }) {
  const t = useTexts(texts)
  const sharing = useAction(() => share(record, title))
  return (
    <>
      <Button icon={Download} data-action="download" onClick={() => download(record)}>{t('download')}</Button>
      {canShare(record) && <Button icon={Share2} data-action="share" busy={sharing.busy} onClick={() => void sharing.run()}>{t('share')}</Button>}
    </>
  )
}
