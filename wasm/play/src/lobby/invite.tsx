import { ask } from '@cuatrola/client'
import { Button, CopyButton, Dialog, ProblemNote, QR, Section, TextField, useAction, useLoad, useTexts, useToast } from '@cuatrola/ui'
import { BellRing, QrCode, Send, Share2 } from 'lucide'
import { useState } from 'preact/hooks'
import { api, type Schemas } from '../game/client'
import { useSession } from '../session'
import { PlayerCard } from '../cards/playerCard'
import { texts } from './roomTexts'

/** The link that brings others into a room, and friends to be told. */
export function Invite({ room, owns, open }: { room: Schemas['Room']; owns: boolean; open: boolean }) {
  const t = useTexts(texts)
  const [qr, setQr] = useState(false)
  const link = `${location.origin}/r/${room.code}`
  return (
    <Section title={t('invite')} lead={t('invite_help')}>
      <div class="stack">
        <output class="room-code" aria-label={t('code')}>{room.code}</output>
        <div class="row">
          {/* Not there on a plain-HTTP page of a home network. */}
          {'clipboard' in navigator && <CopyButton text={link} label={t('copy_link')} />}
          {'share' in navigator && (
            <Button small icon={Share2} data-action="share" onClick={() => void navigator.share({ title: 'Cuatrola', text: t('share_text', { code: room.code }), url: link }).catch(() => undefined)}>
              {t('share')}
            </Button>
          )}
          <Button small icon={QrCode} data-action="qr" onClick={() => setQr(true)}>{t('qr')}</Button>
        </div>
        {owns && open && <Friends room={room} />}
      </div>
      {qr && (
        <Dialog title={t('room', { code: room.code })} onClose={() => setQr(false)}>
          <p>{t('qr_help')}</p>
          <QR text={link} label={t('qr_label', { code: room.code })} />
          <p class="room-link"><a href={link}>{link}</a></p>
        </Dialog>
      )}
    </Section>
  )
}

/** Friends, and anybody by name, to be told of the room. */
function Friends({ room }: { room: Schemas['Room'] }) {
  const t = useTexts(texts)
  const toast = useToast()
  const { player } = useSession()
  const [name, setName] = useState('')
  const [told, setTold] = useState<readonly string[]>([])
  const friends = useLoad(async (signal) => (await ask(api.GET('/v1/friends', { params: { query: { limit: 50 } }, signal }))).people, [player?.id])
  const { run, busy, problem } = useAction(async (body: Schemas['RoomInvite']) => {
    const person = await ask(api.POST('/v1/rooms/{roomId}/invites', { params: { path: { roomId: room.id } }, body }))
    setTold((all) => [...all, person.id])
    setName('')
    toast.good(t('invited_toast', { name: person.name }))
  })
  const there = new Set(room.seats.map((seat) => seat.player?.id))
  const absent = (friends.data ?? []).filter(({ player: friend }) => !there.has(friend.id))
  return (
    <div class="stack">
      <h3>{t('friends')}</h3>
      {absent.length > 0 && (
        <ul class="people few">
          {absent.map(({ player: friend }) => (
            <li key={friend.id} data-friend={friend.name}>
              <PlayerCard card={friend.avatar} />
              <span class="name"><a href={`/players/${friend.id}`}>{friend.name}</a></span>
              {told.includes(friend.id)
                ? <span class="soft told">{t('invited_one')}</span>
                : <Button small icon={BellRing} busy={busy} data-action="invite" aria-label={`${t('invite_one')}: ${friend.name}`} onClick={() => void run({ playerId: friend.id })}>{t('invite_one')}</Button>}
            </li>
          ))}
        </ul>
      )}
      {friends.data?.length === 0 && <p class="soft">{t('no_friends')}</p>}
      <form
        class="code-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim()) void run({ name: name.trim() })
        }}
      >
        <TextField label={t('by_name')} name="invite-name" value={name} onChange={setName} input={{ autocomplete: 'off', spellcheck: false, maxLength: 24 }} />
        <Button type="submit" icon={Send} busy={busy} aria-disabled={!name.trim()} data-action="invite-name">{t('invite_one')}</Button>
      </form>
      {problem && <ProblemNote problem={problem} />}
    </div>
  )
}
