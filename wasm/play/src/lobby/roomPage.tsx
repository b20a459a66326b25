import './lobby.css'
import { Button, ButtonLink, Empty, Note, Page, ProblemNote, Section, Skeleton, TextField, useAction, useTexts, type Problem } from '@cuatrola/ui'
import { DoorClosed, DoorOpen } from 'lucide'
import { useLocation, useRoute } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Face } from '../cards/face'
import { useSession } from '../session'
import { PlayerCard } from '../cards/playerCard'
import { EndedNote, useEnded, useEndedText } from './ended'
import { keepEnded } from './engaged'
import { useHeadingFocus } from './focus'
import { Away } from './queuePage'
import { Room } from './room'
import { joinRoom, leaveQueue, leaveRoom } from './rooms'
import { cleanCode, CodeForm, Engaged } from './roomsPage'
import { texts } from './roomTexts'

/**
 * A room by its code, which is also the link that one sends to friends: whoever is in it sees it, whoever is not comes in with
 * a tap. Somebody who is nobody yet becomes a guest with it.
 */
export default function RoomPage() {
  const t = useTexts(texts)
  const { params } = useRoute()
  const code = cleanCode(params['code'] ?? '')
  const { player, engagement, up } = useSession()
  const { route } = useLocation()
  const ended = useEnded()
  const inside = engagement?.kind === 'room' && engagement.room?.code === code
  // Which of this page's faces is shown. Whoever becomes somebody here still is at the door.
  const door = useRef(false)
  const face = inside ? 'inside' : !player ? 'invited' : !engagement ? (door.current ? 'invited' : undefined) : engagement.kind !== 'none' ? 'engaged' : ended?.was === 'room' ? 'gone' : 'invited'
  door.current = face === 'invited'
  useHeadingFocus(face)
  // One has played on from here, and a reload leads back to the match.
  const [was, setWas] = useState(inside)
  useEffect(() => {
    if (inside) setWas(true)
    else if (was && engagement?.kind === 'match') route(`/matches/${engagement.id}`, true)
  }, [inside, engagement?.kind])

  if (inside) return <Room engagement={engagement} room={engagement.room!} />
  if (up === false) return <Away title={t('title')} />
  switch (face) {
    case undefined:
      return <Page title={t('room', { code })} narrow><Skeleton lines={4} tall /></Page>
    case 'engaged':
      return <Elsewhere code={code} />
    case 'gone':
      return <Gone />
    default:
      return <Invited key={code} code={code} />
  }
}

/** The way in: a tap, and a name for somebody who has none. */
function Invited({ code }: { code: string }) {
  const t = useTexts(texts)
  const { player, enter, engage, engagement } = useSession()
  const { route } = useLocation()
  const [name, setName] = useState('')
  const { run, busy, problem } = useAction(async () => {
    await enter(name.trim())
    engage(await joinRoom(engagement, code))
  })
  if (problem?.code === 'not_found') return <Dead code={code} />
  return (
    <Page title={t('invited')} lead={t('invited_lead')} narrow>
      <EndedNote />
      <div class="invitation">
        <span class="little-fan" aria-hidden="true">{['AO', 'RC', 'CE', 'AB'].map((card) => <span class="card" key={card}><Face card={card} /></span>)}</span>
        <span class="code-big">{code}</span>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void run()
          }}
        >
          {player ? <p class="as"><PlayerCard card={player.avatar} /><span>{t('as', { name: player.name })}</span></p>
            : <TextField label={t('your_name')} name="name" value={name} onChange={setName} hint={t('your_name_hint')} input={{ autocomplete: 'nickname', maxLength: 24 }} />}
          {problem && <ProblemNote problem={problem} />}
          <div class="launch"><Button kind="strong" type="submit" icon={DoorOpen} busy={busy} data-action="join">{t('enter_room')}</Button></div>
        </form>
      </div>
      {cannot(problem) && <Section title={t('have_code')}><CodeForm onCode={(other) => route('/r/' + other)} /></Section>}
    </Page>
  )
}

/** Refusals that another try does not help against. */
const cannot = (problem: Problem | null) => problem !== null && ['kicked', 'room_full', 'room_playing', 'players_apart'].includes(problem.code)

function Dead({ code }: { code: string }) {
  const t = useTexts(texts)
  const { route } = useLocation()
  return (
    <Page title={t('dead')} narrow>
      <div data-dead={code}><Note tone="warn">{t('dead_help', { code })}</Note></div>
      <Section title={t('other_code')}><CodeForm onCode={(other) => route('/r/' + other)} /></Section>
      <p><ButtonLink href="/rooms" icon={DoorOpen}>{t('own_room')}</ButtonLink></p>
    </Page>
  )
}

/** One has been in the room, and is not any more. */
function Gone() {
  const t = useTexts(texts)
  const say = useEndedText()
  const ended = useEnded()!
  // Told here; whoever comes back finds the way in again.
  useEffect(() => () => keepEnded(null), [])
  return (
    <Page title={t('gone')} narrow>
      <div data-ended={ended.reason}>
        <Empty icon={DoorClosed} title={say(ended)} action={<ButtonLink kind="strong" href="/rooms" icon={DoorOpen}>{t('own_room')}</ButtonLink>} />
      </div>
    </Page>
  )
}

/** Taken up with something else: it has to be left before. */
function Elsewhere({ code }: { code: string }) {
  const t = useTexts(texts)
  const { engagement, engage, player } = useSession()
  const { run, busy, problem } = useAction(async () => {
    const free = engagement!.kind === 'room' ? await leaveRoom(engagement!, player!.id) : await leaveQueue()
    engage(free)
    engage(await joinRoom(free, code))
  })
  return (
    <Page title={t('room', { code })} narrow>
      <Engaged>
        <Button busy={busy} data-action="switch" onClick={() => void run()}>{t(engagement!.kind === 'room' ? 'leave_and_enter' : 'stop_and_enter')}</Button>
      </Engaged>
      {problem && <ProblemNote problem={problem} />}
    </Page>
  )
}
