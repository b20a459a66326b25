import { Button, Note, useTexts } from '@cuatrola/ui'
import { Check } from 'lucide'
import { useEffect, useState } from 'preact/hooks'
import { useSession } from '../session'
import { keepEnded, onEnded, unheard, type Ended } from './engaged'
import { texts } from './texts'

/** How something ended that one has not taken note of yet. */
export function useEnded(): Ended | null {
  const { player } = useSession()
  const [ended, set] = useState(() => (player ? unheard(player.id) : null))
  useEffect(() => {
    const look = () => set(player ? unheard(player.id) : null)
    look()
    return onEnded(look)
  }, [player?.id])
  return ended
}

/** The words for it. */
export function useEndedText(): (ended: Ended) => string {
  const t = useTexts(texts)
  return ({ reason, was, stake }) => {
    if (reason === 'cancelled' && stake > 0) return t('ended_cancelled_coins', { stake })
    const own = `ended_${reason}_${was}`
    if (t.has(own)) return t(own)
    const any = `ended_${reason}`
    return t.has(any) ? t(any) : reason
  }
}

/** Says it on the page that it is about, until one has taken note. */
export function EndedNote() {
  const t = useTexts(texts)
  const say = useEndedText()
  const ended = useEnded()
  if (!ended) return null
  return (
    <div data-ended={ended.reason} role="status">
      <Note tone={ended.reason === 'cancelled' ? 'info' : 'warn'} action={<Button small kind="quiet" icon={Check} data-action="heard" onClick={() => keepEnded(null)}>{t('heard')}</Button>}>{say(ended)}</Note>
    </div>
  )
}
