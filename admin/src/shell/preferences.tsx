import { applyTheme, ChoiceField, LanguageContext, languages, theme, themes, useTexts } from '@cuatrola/ui'
import { useContext, useState } from 'preact/hooks'
import { texts } from './texts'

/** Language and theme of this device. */
export function Preferences({ bare = false }: { bare?: boolean }) {
  const t = useTexts(texts)
  const { language, choose } = useContext(LanguageContext)
  const [chosen, setChosen] = useState(theme)
  return (
    <div class="preferences">
      <ChoiceField
        label={t('language')} name="language" bare={bare} value={language} onChange={choose}
        options={languages.map((l) => ({ value: l.code, label: l.name }))}
      />
      <ChoiceField
        label={t('theme')} name="theme" bare={bare} value={chosen}
        options={themes.map((value) => ({ value, label: t(`theme_${value}`) }))}
        onChange={(value) => {
          setChosen(value)
          applyTheme(value)
        }}
      />
    </div>
  )
}
