import { Button, Icon, useLanguage, useTexts } from '@cuatrola/ui'
import { Settings2 } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { areas } from '../areas'
import { EngagementBar } from '../lobby/bar'
import { Bell } from '../notices/bell'
import { CoinsChip } from '../wallet/chip'
import { Away } from './away'
import { Mark } from './mark'
import { NewVersion } from './newVersion'
import { SettingsDialog } from './settings'
import { texts } from './texts'

/** What stands around every page but the table: the way to the others, one's coins and notices, and settings. */
export function Shell({ area, children }: { area: string; children: ComponentChildren }) {
  const t = useTexts(texts)
  const language = useLanguage()
  const [settings, setSettings] = useState(false)
  return (
    <div class="shell">
      <a class="skip" href="#content">{t('skip')}</a>
      <header class="topbar">
        <a class="brand" href="/"><Mark /><span>Cuatrola</span></a>
        <div class="tools">
          <CoinsChip />
          <Bell />
          <Button kind="quiet" icon={Settings2} aria-label={t('settings')} title={t('settings')} data-action="settings" onClick={() => setSettings(true)} />
        </div>
      </header>
      <nav class="navigation" aria-label={t('navigation')}>
        <ul>
          {areas.map((a) => (
            <li key={a.id}>
              <a href={a.path} data-area={a.id} aria-current={a.id === area ? 'page' : undefined}>
                <Icon of={a.icon} size={22} />
                <span>{a.title[language]}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main id="content" tabIndex={-1}>
        <Away />
        <NewVersion />
        <EngagementBar />
        {children}
      </main>
      {settings && <SettingsDialog onClose={() => setSettings(false)} />}
    </div>
  )
}
