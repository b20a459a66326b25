import { Badge, type Format, type Language, languages, Tabs, type Tone, type Translate, type Trilingual } from '@cuatrola/ui'
import type { Schemas } from '../api/types'
import { useState } from 'preact/hooks'
import { texts } from './texts'

export type T = Translate<keyof (typeof texts)['es'] & string>
export type Broadcast = Schemas['Broadcast']
export type Filter = Schemas['BroadcastFilter']

const tones: Record<Broadcast['state'], Tone> = { sending: 'info', done: 'good', cancelled: 'warn' }
export const State = ({ t, of }: { t: T; of: Broadcast['state'] }) => <Badge tone={tones[of]}>{t(`state_${of}`)}</Badge>

export const languageName = (code: Language) => languages.find((l) => l.code === code)!.name

/** Whom a filter finds, in words. */
export function filterText(t: T, f: Format, filter: Filter): string {
  const { language, division, levelFrom, levelTo, vip, bought, activeDays, registeredFrom, registeredTo, players } = filter
  const parts = [
    language && languageName(language), division,
    (levelFrom || levelTo) && t('levels', { from: levelFrom ?? 1, to: levelTo ?? '' }),
    vip !== undefined && t(vip ? 'vip_yes' : 'vip_no'), bought !== undefined && t(bought ? 'bought_yes' : 'bought_no'),
    activeDays && t('active_days', { n: activeDays }),
    registeredFrom && `${t('registered_from')} ${f.date(registeredFrom)}`, registeredTo && `${t('registered_to')} ${f.date(registeredTo)}`,
    players && t.plural('players_count', players.length),
  ].filter((part): part is string => !!part)
  return parts.length > 0 ? parts.join(' · ') : t('everybody')
}

/** What it looks like on a device, in each language. */
export function Looks({ t, title, text, link }: { t: T; title: Trilingual; text: Trilingual; link?: Broadcast['link'] | undefined }) {
  const [language, setLanguage] = useState<Language>('es')
  return (
    <Tabs label={t('looks')} current={language} onChange={setLanguage} tabs={languages.map(({ code, name }) => ({ id: code, label: name }))}>
      <div class="said-preview" lang={language} data-raw>
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" fill="#124534" /><rect x="9" y="6" width="14" height="20" rx="2.5" fill="#fbf7ea" />
          <circle cx="16" cy="16" r="4.6" fill="#e3b33b" stroke="#96690f" stroke-width="1.2" />
        </svg>
        <div>
          <strong>{title[language] || '…'}</strong>
          <p>{text[language] || '…'}</p>
          {link && <p class="soft">→ {t(`link_${link}`)}</p>}
        </div>
      </div>
    </Tabs>
  )
}
