import { Page, Section } from '@cuatrola/ui'
import { useState } from 'preact/hooks'
import { slowly } from '../game/engine'
import type { Verdict } from '../game/types'
import { useT } from '../i18n'
import { VerdictText } from '../table/verdict'

/** Checks a downloaded match with the module, with no server involved. */
export default function Check() {
  const t = useT()
  const [verdict, set] = useState<Verdict | null>(null)
  return (
    <Page title={t('checked_record')} narrow back={{ href: '/', label: t('home') }}>
      <Section>
        <label class="checker">
          <span class="hidden">{t('checked_record')}</span>
          <input
            type="file"
            accept=".json,.jsonl,application/json"
            onChange={async (event) => {
              const file = event.currentTarget.files?.[0]
              if (!file) return
              try {
                set(await slowly('verify', JSON.parse(await file.text())))
              } catch {
                set({ fair: 'bad_record', hand: 0, hands: 0, valid: false })
              }
            }}
          />
        </label>
        <div aria-live="polite">{verdict && <VerdictText verdict={verdict} />}</div>
      </Section>
    </Page>
  )
}
