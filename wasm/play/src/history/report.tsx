import { reasonText } from '@cuatrola/rules'
import { Icon } from '@cuatrola/ui'
import { BadgeCheck, CircleCheck, CircleHelp, OctagonAlert, CircleX, ShieldQuestion } from 'lucide'
import type { ComponentChildren } from 'preact'
import type { Finding, Report, State } from './protocol'
import type { Words } from './words'

/** Who keeps a match: a server, or this device alone, which has dealt it too. */
export type Keeper = 'server' | 'device'

const pictures: Record<State, typeof CircleCheck> = { good: CircleCheck, bad: CircleX, unknown: CircleHelp }
const seals: Record<State, typeof CircleCheck> = { good: BadgeCheck, bad: OctagonAlert, unknown: ShieldQuestion }

/** What became of checking a record, in plain words: the verdict, and each thing that was looked at. */
export function ReportView({ words, report, dealtBy, copyOf }: {
  words: Words
  report: Report
  /** Null if that is not known, as of a file from elsewhere. */
  dealtBy: Keeper | null
  /** Whose copy the record was held against. */
  copyOf: Keeper | null
}) {
  const { t } = words
  const findings = report.findings.filter(({ check, state }) => !(dealtBy === 'device' && check === 'seeds' && state === 'good'))
  return (
    <div class={`proof ${report.state}`} data-report={report.state}>
      <div class="proof-seal" role={report.state === 'bad' ? 'alert' : 'status'}>
        <Icon of={seals[report.state]} size={38} />
        <div>
          <h2>{t(`report_${report.state}`)}</h2>
          <p>{t(`report_${report.state}_text`)}</p>
        </div>
      </div>
      <ul class="section">
        {findings.map((finding) => {
          // What nobody else had a part in needs no promise.
          const settled = finding.check === 'promise' && finding.state === 'unknown' && dealtBy === 'device' ? 'good' : finding.state
          return (
            <li key={finding.check} class={settled} data-check={finding.check} data-state={finding.state}>
              <Icon of={pictures[settled]} size={20} />
              <div><span class="hidden">{t(`state_${settled}`)}. </span><Told words={words} finding={finding} dealtBy={dealtBy} copyOf={copyOf} /></div>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function Told({ words, finding: found, dealtBy, copyOf }: { words: Words; finding: Finding; dealtBy: Keeper | null; copyOf: Keeper | null }): ComponentChildren {
  const { t, f, game, who, act, language } = words
  const cards = (list: readonly string[]) => (list.length === 0 ? t('nothing') : f.list(list.map((card) => game.card(card))))
  const action = (text: string | undefined) => (text === undefined ? t('nothing') : act(text, '  '))
  switch (found.check) {
    case 'record':
      if (found.state === 'good') return t('found_record_good')
      return found.field === 'fair.matchId' ? t('found_record_foreign') : <>{t('found_record_bad')} <code>{found.field}</code></>
    case 'commitment':
      if (found.state !== 'good') return t(`found_commitment_${found.state}`)
      return t(dealtBy === 'device' ? 'found_commitment_device' : 'found_commitment_good')
    case 'seeds': {
      const guilty = found.bots.filter((seat) => found.brought[seat])
      return (
        <>
          {guilty.length > 0 ? t('found_seeds_bad', { who: f.list(guilty.map(who)) }) : t('found_seeds_good')}
          <small>{[0, 1, 2, 3].map((seat) => t(found.brought[seat] ? 'seed_brought' : found.bots.includes(seat) ? 'seed_bot' : 'seed_none', { who: who(seat) })).join(' · ')}</small>
        </>
      )
    }
    case 'deals':
      if (found.state === 'good') return t.plural('found_deals_good', found.hands)
      if (found.state === 'unknown') return t('found_deals_unknown')
      return (
        <>
          {t('found_deals_bad', { hand: found.hand! + 1 })}
          {found.dealer && <small>{t('deals_dealer', { due: who(found.dealer.due), found: who(found.dealer.found) })}</small>}
          {found.trump && <small>{t('deals_trump', { due: game.card(found.trump.due), found: game.card(found.trump.found) })}</small>}
          {found.cards?.map((wrong) => <small key={wrong.seat} data-wrong={wrong.seat}>{t('deals_cards', { who: who(wrong.seat), found: cards(wrong.found), due: cards(wrong.due) })}</small>)}
        </>
      )
    case 'actions': {
      if (!found.fault) return t('found_actions_good', { n: f.number(found.actions) })
      const { hand, action: at, error } = found.fault
      const why = reasonText(error, language)
      if (at === null || !found.by) return t('found_actions_deal', { hand: hand + 1, why })
      return t('found_actions_bad', { hand: hand + 1, action: at + 1, what: t('did', { who: who(found.by.seat), what: action(found.by.action) }), why })
    }
    case 'promise':
      if (found.broken) return t(`found_promise_${found.broken}`)
      if (found.state === 'good') return t('found_promise_good')
      return t(dealtBy === 'device' ? 'found_promise_device' : 'found_promise_unknown')
    case 'copy': {
      const keeper = copyOf ?? 'server'
      if (!found.at) return t(`found_copy_good_${keeper}`)
      const { hand, action: at, found: says, due } = found.at
      const where = hand === null ? t('copy_at_rest') : at === null ? t('copy_at_hand', { hand: hand + 1 })
        : t('copy_at_action', { hand: hand + 1, action: at + 1, found: action(says), due: action(due) })
      return t(`found_copy_bad_${keeper}`, { where })
    }
  }
}
