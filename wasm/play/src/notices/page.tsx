import '../lobby/felt.css'
import './notices.css'
import { ask } from '@cuatrola/client'
import {
  Badge, Button, ButtonLink, Empty, Icon, Page, ProblemNote, Section, Skeleton, Time, useAction, useFormat, useLanguage, useLoad, useTexts, useToast,
} from '@cuatrola/ui'
import { ArrowRight, BellOff, Check, DoorOpen, Megaphone, Trophy, UserRound, Users, X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { acceptFriend, dismissFriend } from '../friends/acts'
import { SignedOut } from '../friends/page'
import { api, type Schemas } from '../game/client'
import { PlayerCard } from '../cards/playerCard'
import { useSession } from '../session'
import { pairInvitations, useYes } from './act'
import { texts } from './texts'

type Notice = Schemas['Notice']

const limit = 30
const page = (cursor: string | undefined, signal?: AbortSignal) =>
  ask(api.GET('/v1/notices', { params: { query: { limit, ...(cursor && { cursor }) } }, ...(signal && { signal }) }))

/** What one was told, newest first. Whatever is shown is read. */
export default function NoticesPage() {
  const t = useTexts(texts)
  const { player } = useSession()
  return player ? <Mine key={player.id} /> : (
    <Page title={t('title')} narrow><SignedOut title={t('signed_out')} text={t('signed_out_help')} /></Page>
  )
}

function Mine() {
  const t = useTexts(texts)
  const { unread } = useSession()
  const list = useLoad((signal) => page(undefined, signal), [])
  // Those that were new when they were first shown stay marked as such.
  const [news, setNews] = useState<ReadonlySet<number>>(new Set())
  const { data } = list
  // One more has come, or was read elsewhere.
  useEffect(() => {
    if (data && unread > 0) list.reload()
  }, [unread])
  useEffect(() => {
    const fresh = data?.notices.filter((one) => !one.read).map((one) => one.seq) ?? []
    if (fresh.length === 0) return
    setNews((all) => new Set([...all, ...fresh]))
    ask(api.POST('/v1/notices/read', { body: { upTo: data!.last } })).catch(() => undefined)
  }, [data])
  const more = useAction(async () => {
    const next = await page(data!.nextCursor ?? undefined)
    list.put({ ...next, notices: [...data!.notices, ...next.notices] })
  })
  const known = data?.notices.filter((one) => one.kind in kinds)
  return (
    <Page title={t('title')} narrow>
      {list.problem && <ProblemNote problem={list.problem} retry={list.reload} />}
      {!known && !list.problem && <Skeleton lines={4} tall />}
      {known?.length === 0 && <Empty icon={BellOff} title={t('none')}>{t('none_help')}</Empty>}
      {known && known.length > 0 && (
        <Section>
          <ul class="notices">
            {known.map((notice) => {
              const Kind = kinds[notice.kind]
              return (
                <li key={notice.seq} data-notice={notice.kind} class={news.has(notice.seq) ? 'new' : undefined}>
                  <Kind notice={notice} fresh={news.has(notice.seq)} />
                </li>
              )
            })}
          </ul>
        </Section>
      )}
      {data?.nextCursor && <div class="row"><Button busy={more.busy} data-action="more" onClick={() => void more.run()}>{t('more')}</Button></div>}
      {more.problem && <ProblemNote problem={more.problem} />}
    </Page>
  )
}

interface Shown {
  notice: Notice
  fresh: boolean
}

/** How each kind is told. A kind that is not here is passed over. */
const kinds: Record<Notice['kind'], (shown: Shown) => ComponentChildren> = {
  friend_request: FriendRequest,
  friend_accepted: (shown) => <Told {...shown} action={<Profile of={shown.notice.from} />} />,
  room_invite: RoomInvite,
  party_invite: PartyInvite,
  league_closed: LeagueClosed,
  broadcast: Broadcast,
  system: System,
}

/** One notice: a picture, the words, when, and where it leads. */
function Told({ notice, fresh, picture, title, children, action }: Shown & { picture?: ComponentChildren; title?: string; children?: ComponentChildren; action?: ComponentChildren }) {
  const t = useTexts(texts)
  return (
    <>
      <span class="picture">{picture ?? (notice.from ? <PlayerCard card={notice.from.avatar} /> : <Icon of={UserRound} size={22} />)}</span>
      <div class="told">
        {title && <strong>{title}</strong>}
        <p>{children ?? t.code(notice.kind, notice.kind).replace('{name}', notice.from?.name ?? t('somebody'))}</p>
        <small class="soft"><Time value={notice.at} relative />{fresh && <Badge tone="info">{t('new')}</Badge>}</small>
      </div>
      {action && <div class="row">{action}</div>}
    </>
  )
}

function Profile({ of }: { of: Schemas['Person'] | null }) {
  const t = useTexts(texts)
  return of && <ButtonLink small icon={UserRound} href={`/players/${of.id}`}>{t('to_profile')}</ButtonLink>
}

function FriendRequest({ notice, fresh }: Shown) {
  const t = useTexts(texts)
  const toast = useToast()
  const from = notice.from
  // What one has answered, or they have taken back, is only told.
  const state = useLoad(async (signal) => (from ? (await ask(api.GET('/v1/players/{playerId}', { params: { path: { playerId: from.id } }, signal }))).friendship : null), [notice.seq])
  const { run, busy, problem } = useAction(async (yes: boolean) => {
    await (yes ? acceptFriend(from!.id) : dismissFriend(from!.id))
    if (yes) toast.good(t('said_friends', { name: from!.name }))
    state.put(yes ? 'friends' : 'none')
  })
  return (
    <>
      <Told
        notice={notice} fresh={fresh}
        action={state.data === 'received' ? (
          <>
            <Button small kind="strong" icon={Check} busy={busy} data-action="accept" onClick={() => void run(true)}>{t('accept')}</Button>
            <Button small icon={X} busy={busy} data-action="decline" onClick={() => void run(false)}>{t('decline')}</Button>
          </>
        ) : <Profile of={from} />}
      />
      {problem && <ProblemNote problem={problem} />}
    </>
  )
}

function RoomInvite({ notice, fresh }: Shown) {
  const t = useTexts(texts)
  const yes = useYes()
  const code = notice.room?.code
  const { run, busy } = useAction(() => yes.room(code!))
  return <Told notice={notice} fresh={fresh} action={code && <Button small icon={DoorOpen} busy={busy} data-action="enter-room" onClick={() => void run()}>{t('enter_room')}</Button>} />
}

function PartyInvite({ notice, fresh }: Shown) {
  const t = useTexts(texts)
  const yes = useYes()
  const { data } = useLoad((signal) => pairInvitations(signal), [notice.seq])
  const waiting = data?.find((one) => one.from.id === notice.from?.id)
  const { run, busy, problem } = useAction(() => yes.pair(waiting!))
  return (
    <>
      <Told
        notice={notice} fresh={fresh}
        action={waiting ? <Button small icon={Users} busy={busy} data-action="join-pair" onClick={() => void run()}>{t('join_pair')}</Button> : data && <span class="soft">{t('over')}</span>}
      />
      {problem && <ProblemNote problem={problem} />}
    </>
  )
}

function LeagueClosed({ notice, fresh }: Shown) {
  const t = useTexts(texts)
  const f = useFormat()
  const league = notice.league
  const division = (name: string) => t.code('division_' + name, name)
  return (
    <Told
      notice={notice} fresh={fresh} picture={<span class="sign"><Icon of={Trophy} size={20} /></span>}
      action={<ButtonLink small icon={Trophy} href="/league">{t('to_league')}</ButtonLink>}
    >
      {league && [
        t('league_closed', { rank: league.rank, division: division(league.division) }), league.prize > 0 && t('league_prize', { n: f.number(league.prize) }),
        t(`moves_${league.moves}`, { next: division(league.next) }),
      ].filter(Boolean).join(' ')}
    </Told>
  )
}

/** Where the house's words may lead. */
const places: Readonly<Record<string, string>> = {
  play: '/queue', stakes: '/queue?stake', rooms: '/rooms', league: '/league', shop: '/shop', wallet: '/wallet', friends: '/friends', profile: '/account',
}

function Broadcast({ notice, fresh }: Shown) {
  const t = useTexts(texts)
  const language = useLanguage()
  const said = notice.broadcast
  if (!said) return null
  const href = said.link && places[said.link]
  return (
    <Told
      notice={notice} fresh={fresh} picture={<span class="sign"><Icon of={Megaphone} size={20} /></span>} title={said.title[language]}
      action={href && <ButtonLink small icon={ArrowRight} href={href}>{t('go')}</ButtonLink>}
    >
      {said.text[language]}
    </Told>
  )
}

function System({ notice, fresh }: Shown) {
  const t = useTexts(texts)
  const language = useLanguage()
  const text = notice.text?.[language] ?? notice.text?.['es'] ?? Object.values(notice.text ?? {})[0]
  return <Told notice={notice} fresh={fresh} picture={<span class="sign"><Icon of={Megaphone} size={20} /></span>} title={t('house')}>{text ?? ''}</Told>
}
