import './lobby.css'
import { Button, ButtonLink, Empty, Page, ProblemNote, Skeleton, useAction, useTexts } from '@cuatrola/ui'
import { WifiOff } from 'lucide'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useSession } from '../session'
import { Choose } from './choose'
import { EndedNote } from './ended'
import { texts as around } from './texts'
import { useHeadingFocus } from './focus'
import { texts } from './queueTexts'
import { leaveRoom } from './rooms'
import { StakedTable } from './stakedTable'
import { Waiting } from './waiting'

/** Looking for people: what to play, the wait, the staked table that fills. What is shown follows what one is taken up with. */
export default function QueuePage() {
  const { player, engagement, up } = useSession()
  const { route } = useLocation()
  // Whoever becomes somebody by looking for people still is where they chose.
  const choosing = useRef(false)
  const kind = player ? (engagement?.kind ?? (choosing.current ? 'none' : undefined)) : 'none'
  choosing.current = kind === 'none'
  useHeadingFocus(kind)
  const match = kind === 'match' ? engagement!.id : null
  useEffect(() => {
    if (match) route(`/matches/${match}`, true)
  }, [match])
  switch (kind) {
    case 'ticket':
      return <Waiting engagement={engagement!} ticket={engagement!.ticket!} />
    case 'table':
      return <StakedTable key={engagement!.id} engagement={engagement!} table={engagement!.table!} />
    case 'room':
      return <Elsewhere />
    case 'none':
      return up === false ? <Away /> : <Choose />
    default:
      return up === false ? <Away /> : <Coming />
  }
}

/** As long as it is not known what one is taken up with. */
function Coming() {
  const t = useTexts(around)
  return <Page title={t('quick')} narrow><Skeleton lines={4} tall /></Page>
}

/** No server, no people. */
export function Away({ title }: { title?: string }) {
  const t = useTexts(texts)
  const words = useTexts(around)
  return (
    <Page title={title ?? words('quick')} narrow>
      <EndedNote />
      <Empty icon={WifiOff} title={t('away')} action={<ButtonLink kind="strong" href="/bots">{t('to_bots')}</ButtonLink>}>{t('away_help')}</Empty>
    </Page>
  )
}

function Elsewhere() {
  const t = useTexts(texts)
  const words = useTexts(around)
  const { engagement, engage, player } = useSession()
  const room = engagement!.room!
  const { run, busy, problem } = useAction(async () => engage(await leaveRoom(engagement!, player!.id)))
  return (
    <Page title={words('quick')} narrow>
      <Empty
        title={t('elsewhere')}
        action={
          <div class="row">
            <ButtonLink kind="strong" href={`/r/${room.code}`}>{t('to_room')}</ButtonLink>
            <Button busy={busy} data-action="leave" onClick={() => void run()}>{t('leave_room')}</Button>
          </div>
        }
      >
        {t('elsewhere_help')}
      </Empty>
      {problem && <ProblemNote problem={problem} />}
    </Page>
  )
}
