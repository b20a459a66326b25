import { ButtonLink, Note, useFormat, useLanguage, useTexts } from '@cuatrola/ui'
import type { Schemas } from '../game/client'
import { useSession } from '../session'
import { texts } from './texts'

/** The house has stopped selling for a while, in its own words. */
export function ClosedNote({ stopped }: { stopped: Schemas['StoppedPart'] }) {
  const t = useTexts(texts)
  const f = useFormat()
  const language = useLanguage()
  return (
    <div data-stopped>
      <Note tone="warn" title={t('stopped')}>
        {stopped.text[language]}
        {stopped.until && <> {t('stopped_until', { when: f.dateTime(stopped.until) })}</>}
      </Note>
    </div>
  )
}

/** What a guest buys hangs on this device alone. */
export function GuestNote({ link = true }: { link?: boolean }) {
  const t = useTexts(texts)
  const { player } = useSession()
  if (!player?.guest) return null
  return <div data-guest><Note action={link && <ButtonLink small href="/account">{t('guest_link')}</ButtonLink>}>{t('guest')}</Note></div>
}
