import { Button, Dialog, useTexts } from '@cuatrola/ui'
import { BookOpen, History, KeyRound, Smartphone } from 'lucide'
import { useState } from 'preact/hooks'
import { useSession } from '../session'
import { useInstall } from './install'
import { texts } from './texts'
import { Tile } from './tile'

/** How it is played, what one has played, how to be somebody, and how to have the game among one's apps. */
export function More() {
  const t = useTexts(texts)
  const { player } = useSession()
  const install = useInstall()
  const [hint, setHint] = useState(false)
  return (
    <nav class="tiles" aria-label={t('more')}>
      <Tile href="/rules" name="rules" icon={BookOpen} title={t('rules')}>{t('rules_help')}</Tile>
      <Tile href="/history" name="history" icon={History} title={t('history')}>{t('history_help')}</Tile>
      {!player && <Tile href="/sign-in" name="account" icon={KeyRound} title={t('account')}>{t('account_help')}</Tile>}
      {install.how && (
        <Tile name="install" icon={Smartphone} title={t('install')} onClick={() => (install.how === 'ask' ? install.ask() : setHint(true))}>{t('install_help')}</Tile>
      )}
      {hint && (
        <Dialog title={t('install')} onClose={() => setHint(false)} footer={<Button kind="strong" data-action="close" onClick={() => setHint(false)}>{t('understood')}</Button>}>
          <p>{t('install_hand')}</p>
        </Dialog>
      )}
    </nav>
  )
}
