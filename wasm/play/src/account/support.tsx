import { ask } from '@cuatrola/client'
import { Button, explain, Section, useAction, useLanguage, useTexts } from '@cuatrola/ui'
import { LifeBuoy } from 'lucide'
import { useState } from 'preact/hooks'
import { api } from '../game/client'
import { texts } from './texts'

/** A code that shows support whose account this is. */
export function Support() {
  const t = useTexts(texts)
  const language = useLanguage()
  const [code, setCode] = useState('')
  const { run, busy, problem } = useAction(async () => setCode((await ask(api.POST('/v1/me/support-code'))).code))
  return (
    <Section title={t('help')} lead={t('help_code_help')}>
      <div class="row help-code">
        <Button icon={LifeBuoy} busy={busy} data-action="help-code" onClick={() => void run()}>{t('help_code_make')}</Button>
        <output aria-label={t('help_code')}>{problem ? explain(language, problem) : code}</output>
      </div>
    </Section>
  )
}
