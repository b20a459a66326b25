import type { Verdict } from '../game/types'
import { useT, type Key } from '../i18n'

/** What the module found out about a record. */
export function VerdictText({ verdict }: { verdict: Verdict }) {
  const t = useT()
  const fair = verdict.fair === 'ok'
  const text = fair ? t('verified') : t(('verify_' + verdict.fair) as Key, { hand: verdict.hand + 1 })
  return (
    <p class={`verdict ${fair && verdict.valid ? 'good' : 'bad'}`} data-verdict={verdict.fair} data-valid={verdict.valid}>
      {text}
      {verdict.fair !== 'bad_record' && ' ' + (verdict.valid ? t('verify_replay', { n: verdict.hands }) : t('verify_replay_bad'))}
    </p>
  )
}
