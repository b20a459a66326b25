import './arrivals.css'
import { Button, Coins, ProblemNote, useAction, useLoad, useTexts } from '@cuatrola/ui'
import { DoorOpen, Users, X } from 'lucide'
import { useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'
import { readJSON, writeJSON } from '../device'
import { client, type Schemas } from '../game/client'
import { useT, type Key } from '../i18n'
import { PlayerCard } from '../cards/playerCard'
import { useSession } from '../session'
import { pairInvitations, useYes } from './act'
import { texts } from './texts'

type Notice = Schemas['Notice']

/** For how long an invitation that came is worth standing in the way, in milliseconds. */
const fresh = 5 * 60_000

/** What one has answered on this device, so that it does not stand there again. */
const answered = (player: string): readonly number[] => {
  const kept = readJSON<{ player: string; seqs: number[] }>('answered')
  return kept?.player === player ? kept.seqs : []
}

/** Invitations of the last minutes, over whatever page one is on: yes leads there at once. */
export function Arrivals() {
  const t = useTexts(texts)
  const { player, engagement } = useSession()
  const [notices, setNotices] = useState<readonly Notice[]>([])
  useEffect(() => {
    setNotices([])
    if (!player) return
    let seen = 0
    return client.stream.follow('notices', {
      seq: () => seen,
      frame: (frame) => {
        seen = Math.max(seen, frame.seq)
        const notice = frame.type === 'notice' ? frame.notice : null
        if (!notice || (notice.kind !== 'room_invite' && notice.kind !== 'party_invite') || !notice.from) return
        if (client.now() - Date.parse(notice.at) > fresh || answered(player.id).includes(notice.seq)) return
        // Of the same friend the newest counts.
        setNotices((all) => [...all.filter((one) => one.seq !== notice.seq && one.from!.id !== notice.from!.id), notice].slice(-2))
      },
    })
  }, [player?.id])
  const { path } = useLocation()
  // Where the page itself asks, nothing stands over it.
  if (!player || !engagement || engagement.kind === 'match' || path === '/notices') return null
  const shown = notices.filter((notice) => (notice.room ? notice.room.code !== engagement.room?.code : path !== '/queue'))
  const answer = (notice: Notice) => {
    writeJSON('answered', { player: player.id, seqs: [...answered(player.id).slice(-40), notice.seq] })
    setNotices((all) => all.filter((one) => one !== notice))
  }
  return (
    <aside class="arrivals" aria-label={t('arrivals')} aria-live="polite">
      {shown.map((notice) => notice.kind === 'room_invite'
        ? notice.room && <RoomInvite key={notice.seq} notice={notice} code={notice.room.code} onAnswer={() => answer(notice)} />
        : <PartyInvite key={notice.seq} notice={notice} onAnswer={() => answer(notice)} />)}
    </aside>
  )
}

function RoomInvite({ notice, code, onAnswer }: { notice: Notice; code: string; onAnswer: () => void }) {
  const t = useTexts(texts)
  const yes = useYes()
  const { run, busy } = useAction(async () => {
    await yes.room(code)
    onAnswer()
  })
  return (
    <div class="arrival" data-arrival="room_invite">
      <PlayerCard card={notice.from!.avatar} />
      <p>{t('room_invite', { name: notice.from!.name })}</p>
      <div class="row">
        <Button small kind="strong" icon={DoorOpen} busy={busy} data-action="yes" onClick={() => void run()}>{t('enter_room')}</Button>
        <Button small kind="quiet" icon={X} data-action="later" onClick={onAnswer}>{t('later')}</Button>
      </div>
    </div>
  )
}

function PartyInvite({ notice, onAnswer }: { notice: Notice; onAnswer: () => void }) {
  const t = useTexts(texts)
  const game = useT()
  const yes = useYes()
  const { data } = useLoad((signal) => pairInvitations(signal), [notice.seq])
  const invitation = data?.find((one) => one.from.id === notice.from!.id)
  const { run, busy, problem } = useAction(async () => {
    await yes.pair(invitation!)
    onAnswer()
  })
  // Whoever does not wait any more needs no answer.
  if (!invitation) return null
  return (
    <div class="arrival" data-arrival="party_invite">
      <PlayerCard card={notice.from!.avatar} />
      <p>
        {t('party_invite', { name: notice.from!.name })}
        <small class="soft">{game(('preset_' + invitation.rules) as Key)}{invitation.stake > 0 && <> · <Coins value={invitation.stake} /></>}</small>
      </p>
      <div class="row">
        <Button small kind="strong" icon={Users} busy={busy} data-action="yes" onClick={() => void run()}>{t('join_pair')}</Button>
        <Button small kind="quiet" icon={X} data-action="later" onClick={onAnswer}>{t('later')}</Button>
      </div>
      {problem && <ProblemNote problem={problem} />}
    </div>
  )
}
