import { useTexts } from '@cuatrola/ui'
import { BookOpen, History, KeyRound } from 'lucide'
import { useSession } from '../session'
import { texts } from './texts'
import { Tile } from './tile'

/** How it is played, what one has played, and how to be somebody. */
export function More() {
  const t = useTexts(texts)
  const { player } = useSession()
  return (
    <nav class="tiles" aria-label={t('more')}>
      <Tile href="/rules" name="rules" icon={BookOpen} title={t('rules')}>{t('rules_help')}</Tile>
      <Tile href="/history" name="history" icon={History} title={t('history')}>{t('history_help')}</Tile>
      {!player && <Tile href="/sign-in" name="account" icon={KeyRound} title={t('account')}>{t('account_help')}</Tile>}
    </nav>
  )
}
