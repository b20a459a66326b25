import { Button, ButtonLink, ConfirmDialog, Empty, Page, useTexts, useToast } from '@cuatrola/ui'
import { CircleHelp, Trash2 } from 'lucide'
import { useLocation, useRoute } from 'preact-iso'
import { useCallback, useMemo, useState } from 'preact/hooks'
import { finishedMatches, finishedRecord, forgetFinished } from '../game/finished'
import { forgetMatch, keptRecord } from '../game/kept'
import { Lead, outcomeOf, OutcomeBadge, Outgoing } from './parts'
import { texts } from './texts'
import { MatchView } from './view'
import { peopleOf, useOpponents } from './words'

const me = 0

/** A match that was played on this device alone. */
export default function LocalPage() {
  const t = useTexts(texts)
  const opponents = useOpponents()
  const toast = useToast()
  const { route } = useLocation()
  const id = useRoute().params['id']!
  const [forgetting, setForgetting] = useState(false)
  const found = useMemo(() => ({ record: finishedRecord(id), match: finishedMatches().find((match) => match.id === id) }), [id])
  const known = useCallback(async () => ({ promised: null, copy: null }), [])
  const back = { href: '/history', label: t('match_back') }
  const { record, match } = found
  if (!record || !match) {
    return (
      <Page title={t('match')} back={back}>
        <div data-told="unknown"><Empty icon={CircleHelp} title={t('unknown_title')} action={<ButtonLink kind="strong" href="/history">{t('to_list')}</ButtonLink>}>{t('unknown_local')}</Empty></div>
      </Page>
    )
  }
  const { title, partner } = opponents(peopleOf(record.players), me)
  return (
    <Page
      title={title} back={back} badge={<OutcomeBadge outcome={outcomeOf(match.winner, me)} />}
      lead={<Lead of={{ score: match.score, me, partner, rules: record.rules, mode: t('mode_device'), when: match.endedAt }} />}
      actions={<><Outgoing record={record} title={title} /><Button icon={Trash2} aria-label={t('forget')} title={t('forget')} data-action="forget" onClick={() => setForgetting(true)} /></>}
    >
      <MatchView key={id} record={record} me={me} known={known} dealtBy="device" copyOf={null} />
      {forgetting && (
        <ConfirmDialog
          title={t('forget_title')} text={t('forget_text')} action={t('forget')} danger onClose={() => setForgetting(false)}
          onConfirm={async () => {
            forgetFinished(id)
            // It may still lie on the table that it was played at.
            if (keptRecord()?.id === id) forgetMatch()
            toast.good(t('forgotten'))
            route('/history')
          }}
        />
      )}
    </Page>
  )
}
