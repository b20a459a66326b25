import { Button, ChoiceField, defineTexts, Dialog, languages, LanguageContext, SwitchField, useTexts, type Language } from '@cuatrola/ui'
import { useContext, useState } from 'preact/hooks'
import { Face } from '../cards/face'
import type { CardSet } from '../cards/set'
import * as device from '../device'
import { hearSample } from '../table/sound'
import './settings.css'

const texts = defineTexts({
  es: {
    title: 'Ajustes', language: 'Idioma', theme: 'Aspecto', auto: 'Como el sistema', light: 'Claro', dark: 'Oscuro', close: 'Listo',
    cards: 'Cartas', cards_auto: 'Según el contraste del sistema', cards_drawn: 'Con figuras', cards_clear: 'De alto contraste',
    pace: 'Ritmo de la máquina', pace_slow: 'Tranquilo', pace_usual: 'Normal', pace_fast: 'Rápido',
    sound: 'Sonidos', sound_help: 'Cartas, cantes, bazas y tu turno.', vibration: 'Vibrar cuando te toca',
    still: 'Sin animaciones', still_help: 'Las cartas aparecen en su sitio, sin volar.',
  },
  ca: {
    title: 'Configuració', language: 'Idioma', theme: 'Aspecte', auto: 'Com el sistema', light: 'Clar', dark: 'Fosc', close: 'Fet',
    cards: 'Cartes', cards_auto: 'Segons el contrast del sistema', cards_drawn: 'Amb figures', cards_clear: 'D’alt contrast',
    pace: 'Ritme de la màquina', pace_slow: 'Tranquil', pace_usual: 'Normal', pace_fast: 'Ràpid',
    sound: 'Sons', sound_help: 'Cartes, cants, bases i el teu torn.', vibration: 'Vibrar quan et toca',
    still: 'Sense animacions', still_help: 'Les cartes apareixen al seu lloc, sense volar.',
  },
  en: {
    title: 'Settings', language: 'Language', theme: 'Looks', auto: 'As the system', light: 'Light', dark: 'Dark', close: 'Done',
    cards: 'Cards', cards_auto: 'As the system’s contrast', cards_drawn: 'With figures', cards_clear: 'High contrast',
    pace: 'Pace of the machine', pace_slow: 'Calm', pace_usual: 'As usual', pace_fast: 'Fast',
    sound: 'Sounds', sound_help: 'Cards, cantes, tricks and your turn.', vibration: 'Vibrate when it is your turn',
    still: 'No animations', still_help: 'Cards appear in their place instead of flying.',
  },
})

/** What this device does its way: language, looks, cards, sound. */
export function SettingsDialog({ onClose }: { onClose(): void }) {
  const t = useTexts(texts)
  const { language, choose } = useContext(LanguageContext)
  const [theme, setTheme] = useState(device.theme)
  const [pace, setPace] = useState(device.pace)
  const [ways, setWays] = useState(device.ways)
  const change = (part: Partial<device.Ways>) => {
    const next = { ...ways, ...part }
    setWays(next)
    device.keepWays(next)
  }
  // One that is kept may be none of those, such as that of a test.
  const nearest = [...device.paces].sort((a, b) => Math.abs(a - pace) - Math.abs(b - pace))[0]!
  return (
    <Dialog title={t('title')} onClose={onClose} footer={<Button kind="strong" data-action="close" onClick={onClose}>{t('close')}</Button>}>
      <div class="form settings-form">
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
        <div>
          <ChoiceField
            label={t('cards')} name="cards" value={ways.cards ?? 'auto'}
            onChange={(value) => change({ cards: value === 'auto' ? null : (value as CardSet) })}
            options={(['auto', 'drawn', 'clear'] as const).map((value) => ({ value, label: t(`cards_${value}`) }))}
          />
          <div class="sample" aria-hidden="true">{['AO', 'RC', 'CE', '3B'].map((card) => <span key={card}><Face card={card} /></span>)}</div>
        </div>
        <ChoiceField
          label={t('pace')} name="pace" value={String(nearest)}
          onChange={(value) => {
            setPace(Number(value))
            device.keepPace(Number(value))
          }}
          options={device.paces.map((ms, i) => ({ value: String(ms), label: t((['pace_slow', 'pace_usual', 'pace_fast'] as const)[i]!) }))}
        />
        <SwitchField
          label={t('sound')} name="sound" hint={t('sound_help')} checked={ways.sound}
          onChange={(sound) => {
            change({ sound })
            if (sound) hearSample()
          }}
        />
        {'vibrate' in navigator && (
          <SwitchField
            label={t('vibration')} name="vibration" checked={ways.vibration}
            onChange={(vibration) => {
              change({ vibration })
              if (vibration) navigator.vibrate(30)
            }}
          />
        )}
        <SwitchField label={t('still')} name="still" hint={t('still_help')} checked={ways.still} onChange={(still) => change({ still })} />
      </div>
    </Dialog>
  )
}
