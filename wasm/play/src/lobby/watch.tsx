import { useToast, useTexts } from '@cuatrola/ui'
import { useLocation } from 'preact-iso'
import { useEffect, useRef } from 'preact/hooks'
import { Arrivals } from '../notices/arrivals'
import { useSession } from '../session'
import { begunBetween, endedBetween, keepEnded, lastSeen, see, type Ended } from './engaged'
import { useEndedText } from './ended'
import { texts } from './texts'

/** Where the page itself says how something ended. */
const says = (path: string) => /^\/(queue|rooms|r)(\/|$)/.test(path)

/**
 * Follows what one is taken up with, wherever one is in the page: a match that begins brings one to its table, and what ends
 * without one's doing is told once, also if it ended while the page was closed.
 */
export function LobbyWatch() {
  const t = useTexts(texts)
  const say = useEndedText()
  const toast = useToast()
  const { player, engagement } = useSession()
  const { path, route } = useLocation()
  const at = useRef(path)
  at.current = path
  // What this tab has seen; another tab may have seen more and said it in its own.
  const mine = useRef<ReturnType<typeof lastSeen>>(null)

  useEffect(() => {
    if (!player || !engagement) return
    const before = mine.current?.player === player.id ? mine.current : lastSeen(player.id)
    if (before && engagement.seq < before.seq) return
    mine.current = see(player.id, engagement)
    if (!before) return
    const ended = endedBetween(before, engagement)
    if (ended) tell(ended)
    // What one has begun since makes the past uninteresting.
    else if (engagement.seq > before.seq && engagement.kind !== 'none' && before.kind === 'none') keepEnded(null)
    if (begunBetween(before, engagement) && at.current !== `/matches/${engagement.id}`) {
      toast.good(t('begins'))
      route(`/matches/${engagement.id}`)
    }
  }, [player?.id, engagement])

  const tell = (ended: Ended) => {
    if (says(at.current)) {
      keepEnded(ended)
      return
    }
    if (document.visibilityState === 'visible') {
      toast.bad(say(ended))
      return
    }
    document.addEventListener('visibilitychange', () => toast.bad(say(ended)), { once: true })
  }
  return <Arrivals />
}
