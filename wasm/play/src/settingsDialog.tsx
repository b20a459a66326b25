import { useEffect, useRef, useState } from 'preact/hooks'
import type { Server } from './api/client'
import { Refusal } from './game/types'
import { languages, useT, type Language } from './i18n'
import type { Theme } from './settings'

interface Props {
  language: Language
  theme: Theme
  /** Null while none can be reached. */
  server: Server | null
  onLanguage(code: Language): void
  onTheme(theme: Theme): void
  onClose(): void
}

export function SettingsDialog({ language, theme, server, onLanguage, onTheme, onClose }: Props) {
  const t = useT()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      class="panel settings"
      aria-label={t('settings')}
      onClose={onClose}
      onClick={(event) => {
        // The backdrop belongs to the dialog: a click on it closes.
        if (event.target === dialog.current) dialog.current?.close()
      }}
    >
      <form method="dialog">
        <h2>{t('settings')}</h2>
        <label>
          <span>{t('language')}</span>
          <select name="language" value={language} onChange={(event) => onLanguage(event.currentTarget.value as Language)}>
            {languages.map((l) => <option key={l.code} value={l.code} lang={l.code}>{l.name}</option>)}
          </select>
        </label>
        <label>
          <span>{t('theme')}</span>
          <select name="theme" value={theme} onChange={(event) => onTheme(event.currentTarget.value as Theme)}>
            {(['auto', 'light', 'dark'] as const).map((v) => <option key={v} value={v}>{t(`theme_${v}`)}</option>)}
          </select>
        </label>
        {server && <HelpCode server={server} />}
        <button type="submit" class="strong" data-action="close">{t('close')}</button>
      </form>
    </dialog>
  )
}

/** The code that shows support whose account this is. It is made when it is asked for. */
function HelpCode({ server }: { server: Server }) {
  const t = useT()
  const [said, setSaid] = useState('')
  const ask = () =>
    server.supportCode().then(
      ({ code }) => setSaid(code),
      (err: unknown) => setSaid(err instanceof Refusal ? (err.code === 'suspended' ? t.suspended(err.body) : t.reason(err.code)) : String(err)),
    )
  return (
    <div class="help-code">
      <span>{t('help_code')}</span>
      <output aria-live="polite">{said}</output>
      <button type="button" data-action="help-code" onClick={() => void ask()}>{t('help_code_make')}</button>
      <small>{t('help_code_help')}</small>
    </div>
  )
}
