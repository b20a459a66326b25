import { Button, ChoiceField, defineTexts, Dialog, languages, LanguageContext, useTexts, type Language } from '@cuatrola/ui'
import { useContext, useState } from 'preact/hooks'
import * as device from '../device'

const texts = defineTexts({
  es: { title: 'Ajustes', language: 'Idioma', theme: 'Aspecto', auto: 'Como el sistema', light: 'Claro', dark: 'Oscuro', close: 'Listo' },
  ca: { title: 'Configuració', language: 'Idioma', theme: 'Aspecte', auto: 'Com el sistema', light: 'Clar', dark: 'Fosc', close: 'Fet' },
  en: { title: 'Settings', language: 'Language', theme: 'Looks', auto: 'As the system', light: 'Light', dark: 'Dark', close: 'Done' },
})

/** What this device does its way: language, looks. */
export function SettingsDialog({ onClose }: { onClose(): void }) {
  const t = useTexts(texts)
  const { language, choose } = useContext(LanguageContext)
  const [theme, setTheme] = useState(device.theme)
  return (
    <Dialog title={t('title')} onClose={onClose} footer={<Button kind="strong" data-action="close" onClick={onClose}>{t('close')}</Button>}>
      <div class="form">
        <ChoiceField
          label={t('language')} name="language" value={language} onChange={(code) => choose(code as Language)}
          options={languages.map((l) => ({ value: l.code, label: l.name }))}
        />
        <ChoiceField
          label={t('theme')} name="theme" value={theme}
          onChange={(value) => {
            setTheme(value as device.Theme)
            device.applyTheme(value as device.Theme)
          }}
          options={(['auto', 'light', 'dark'] as const).map((value) => ({ value, label: t(value) }))}
        />
      </div>
    </Dialog>
  )
}
