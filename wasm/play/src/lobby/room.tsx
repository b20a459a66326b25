import { ask } from '@cuatrola/client'
import { Button, ConfirmDialog, Facts, FormDialog, Note, Page, ProblemNote, Section, useAction, useTexts, useToast } from '@cuatrola/ui'
import { Check, LogOut, Pencil, Play, Undo2 } from 'lucide'
import { useLocation } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'
import { api, type Schemas } from '../game/client'
import { warmUp } from '../game/engine'
import { useT } from '../i18n'
import { randomHex } from '../random'
import { useSession } from '../session'
import { clock, secondsBetween, useNow } from './clock'
import { EndedNote } from './ended'
import { Felt } from './felt'
import { HouseSays } from './house'
import { Invite } from './invite'
import { inRoom, leaveRoom } from './rooms'
import { optionName, pauseName, presetName, roomOf, SettingsFields, settingsOf, turnName, useLength, type Settings } from './rulesForm'
import { SeatPlace, type SeatAct } from './seat'
import { texts } from './roomTexts'

/** A room that one is in: its seats, what is played, the way in for others, and the start. */
export function Room({ engagement, room }: { engagement: Schemas['Engagement']; room: Schemas['Room'] }) {
  const t = useTexts(texts)
  const game = useT()
  const toast = useToast()
  const { player, engage } = useSession()
  const { route } = useLocation()
  useEffect(warmUp, [])
  const [kicking, setKicking] = useState<Schemas['Person'] | null>(null)

  const me = room.seats.find((seat) => seat.player?.id === player?.id)
  const owns = room.owner === player?.id
  const owner = room.seats.find((seat) => seat.player?.id === room.owner)?.player?.name ?? ''
  const settings = settingsOf(room)
  const length = useLength(settings)
  const path = { roomId: room.id }
  const shown = (next: Schemas['Room']) => engage(inRoom(engagement, next))

  const seating = useAction(async (seat: number, body: Schemas['SeatChange']) => {
    shown(await ask(api.PUT('/v1/rooms/{roomId}/seats/{seat}', { params: { path: { ...path, seat } }, body })))
  })
  const readying = useAction(async (ready: boolean) => {
    shown(await ask(api.PUT('/v1/rooms/{roomId}/ready', { params: { path }, body: { ready } })))
  })
  const starting = useAction(async () => {
    const { matchId } = await ask(api.POST('/v1/rooms/{roomId}/start', { params: { path, header: { 'Idempotency-Key': randomHex(16) } } }))
    route('/matches/' + matchId)
  })
  const leaving = useAction(async () => {
    engage(await leaveRoom(engagement, player!.id))
    route('/rooms')
  })
  const act: SeatAct = { change: (seat, body) => void seating.run(seat, body), kick: setKicking, busy: seating.busy }

  const missing = room.seats.filter((seat) => seat.taken === 'open').length
  const people = room.seats.filter((seat) => seat.taken === 'person')
  const undecided = people.filter((seat) => !seat.ready && seat.player!.id !== room.owner).map((seat) => seat.player!.name)
  const why = missing > 0 ? t('why_seats') : people.length < 2 ? t('why_alone') : undecided.length > 0 ? t('why_ready', { names: undecided.join(', ') }) : null
  const problem = seating.problem ?? readying.problem ?? starting.problem ?? leaving.problem

  return (
    <Page title={t('room', { code: room.code })} lead={owns ? t('room_lead_owner') : t('room_lead', { name: owner })}>
      <EndedNote />
      <HouseSays parts={['rooms']} />
      <div class="room">
        <div class="stack">
          <Felt
            label={t('table')}
            middle={
              <>
                <span class="title">{presetName(game, settings.preset)}</span>
                <span class="fine">{length}</span>
                <span class="fine" data-missing={missing}>{missing > 0 ? t.plural('missing', missing) : why ? t('all_here') : t('all_ready')}</span>
              </>
            }
          >
            {room.seats.map((seat) => (
              <SeatPlace key={seat.seat} room={room} seat={seat} mine={me?.seat ?? 0} owns={owns} act={act} />
            ))}
          </Felt>
          {problem && <ProblemNote problem={problem} />}
          <div class="launch centre room-launch">
            {owns ? (
              <>
                <Button kind="strong" icon={Play} busy={starting.busy} aria-disabled={why !== null} data-action="start-room" onClick={() => why === null && void starting.run()}>
                  {t(starting.busy ? 'starting' : 'start')}
                </Button>
                {why && <span class="soft why">{why}</span>}
              </>
            ) : (
              <>
                {me?.ready
                  ? <Button key="not" icon={Undo2} busy={readying.busy} data-action="not-ready" onClick={() => void readying.run(false)}>{t('not_ready')}</Button>
                  : <Button key="ready" kind="strong" icon={Check} busy={readying.busy} data-action="ready" onClick={() => void readying.run(true)}>{t('i_am_ready')}</Button>}
                {me?.ready && <span class="soft why">{t('waiting_start', { name: owner })}</span>}
              </>
            )}
            <Button kind="quiet" small icon={LogOut} busy={leaving.busy} data-action="leave" onClick={() => void leaving.run()}>{t('leave')}</Button>
          </div>
        </div>
        <div class="stack">
          <Invite room={room} owns={owns} open={missing > 0} />
          <Rules room={room} owns={owns} settings={settings} onChange={shown} />
        </div>
      </div>
      {kicking && (
        <ConfirmDialog
          title={t('kick_title', { name: kicking.name })} text={t('kick_text')} action={t('kick')} danger onClose={() => setKicking(null)}
          onConfirm={async () => {
            await ask(api.DELETE('/v1/rooms/{roomId}/members/{playerId}', { params: { path: { ...path, playerId: kicking.id } } }))
            toast.good(t('said_left', { name: kicking.name }))
          }}
        />
      )}
      {room.expiresAt && <Closes at={room.expiresAt} />}
      <Doings room={room} me={player?.id ?? ''} />
    </Page>
  )
}

/** What is played there. */
function Rules({ room, owns, settings, onChange }: { room: Schemas['Room']; owns: boolean; settings: Settings; onChange: (room: Schemas['Room']) => void }) {
  const t = useTexts(texts)
  const game = useT()
  const length = useLength(settings)
  const [draft, setDraft] = useState<Settings | null>(null)
  const house = Object.entries(settings.options).filter(([, value]) => value)
  return (
    <Section title={t('rules')} actions={owns && <Button small icon={Pencil} data-action="rules" onClick={() => setDraft(settings)}>{t('change')}</Button>}>
      <Facts
        of={[
          [t('preset_fact'), presetName(game, settings.preset)],
          [t('length_fact'), length ?? '…'],
          [t('turn_fact'), turnName(t, settings.turnSeconds)],
          [t('pause_fact'), pauseName(t, settings.botPauseMs)],
          ...house.map(([name, value]) => [game(`option_${name}` as Parameters<typeof game>[0]), optionName(game, name, value)] as const),
        ]}
      />
      {draft && (
        <FormDialog
          title={t('rules')} action={t('save')} onClose={() => setDraft(null)}
          onSubmit={async () => onChange(await ask(api.PATCH('/v1/rooms/{roomId}', { params: { path: { roomId: room.id } }, body: roomOf(draft) })))}
        >
          <SettingsFields value={draft} onChange={setDraft} />
          <p class="soft">{t('change_help')}</p>
        </FormDialog>
      )}
    </Section>
  )
}

/** Minutes before the room closes in which that is said. */
const closesSoon = 5

function Closes({ at }: { at: string }) {
  const t = useTexts(texts)
  const left = secondsBetween(useNow(), Date.parse(at))
  if (left > closesSoon * 60) return null
  return <Note tone="warn">{t('closes', { time: clock(left) })}</Note>
}

/** Says aloud what the others do. */
function Doings({ room, me }: { room: Schemas['Room']; me: string }) {
  const t = useTexts(texts)
  const before = useRef(room)
  const [said, say] = useState('')
  useEffect(() => {
    const was = before.current
    before.current = room
    const there = (r: Schemas['Room']) => r.seats.flatMap((seat) => (seat.player && seat.player.id !== me ? [{ ...seat.player, ready: seat.ready }] : []))
    const [old, now] = [there(was), there(room)]
    const parts = [
      ...now.filter((one) => !old.some((o) => o.id === one.id)).map((one) => t('said_came', { name: one.name })),
      ...old.filter((one) => !now.some((n) => n.id === one.id)).map((one) => t('said_left', { name: one.name })),
      ...now.filter((one) => one.ready && old.some((o) => o.id === one.id && !o.ready)).map((one) => t('said_ready', { name: one.name })),
    ]
    if (room.owner === me && was.owner !== me) parts.push(t('said_owner'))
    if (JSON.stringify(room.rules) !== JSON.stringify(was.rules)) parts.push(t('said_rules'))
    if (parts.length > 0) say(parts.join(' '))
  }, [room.version])
  return <p class="hidden" role="status" data-said>{said}</p>
}
