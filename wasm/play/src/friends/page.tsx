import '../lobby/felt.css'
import './friends.css'
import { ask } from '@cuatrola/client'
import {
  Button, CopyButton, Empty, Loading, Menu, Page, ProblemNote, SearchField, Section, Skeleton, useAction, useFormat, useLoad, useTexts, useToast,
} from '@cuatrola/ui'
import { Ban, Check, Flag, UserMinus, UserPlus, UserRound, Users, X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { api, type Schemas } from '../game/client'
import { PlayerCard } from '../cards/playerCard'
import { useSession } from '../session'
import { acceptFriend, Asking, askFriend, dismissFriend, unblock, type Person, type Question } from './acts'
import { usePeople } from './people'
import { usePlayWith } from './playWith'
import { texts } from './texts'

/** One's friends, who asks and was asked, whom one has blocked, and how one is found. */
export default function FriendsPage() {
  const t = useTexts(texts)
  const { player } = useSession()
  return player ? <Mine key={player.id} player={player} /> : (
    <Page title={t('title')} narrow><SignedOut title={t('signed_out')} text={t('signed_out_help')} /></Page>
  )
}

/** The way to be somebody. */
export function SignedOut({ title, text }: { title: string; text: string }) {
  const t = useTexts(texts)
  const { enter } = useSession()
  const { run, busy, problem } = useAction(enter)
  return (
    <>
      <Empty icon={Users} title={title} action={<Button kind="strong" busy={busy} data-action="enter" onClick={() => void run()}>{t('begin')}</Button>}>{text}</Empty>
      {problem && <ProblemNote problem={problem} />}
    </>
  )
}

function Mine({ player }: { player: Schemas['Player'] }) {
  const t = useTexts(texts)
  const { unread } = useSession()
  // A notice tells of what others have done to these lists.
  const people = usePeople(unread)
  const [question, ask] = useState<Question | null>(null)
  const { asked, friends, sent, blocked } = people
  return (
    <Page title={t('title')} lead={t('lead')} narrow>
      {(asked.data?.people.length ?? 0) > 0 && (
        <Section title={t('asked_you')}>
          <List of={asked.data!.people}>{(friend) => <Request player={friend} onDone={people.reload} />}</List>
          <More of={asked.data!} add={asked.more} />
        </Section>
      )}
      <Section title={t('list')}>
        {friends.problem && <ProblemNote problem={friends.problem} retry={people.reload} />}
        {!friends.data && !friends.problem && <Skeleton lines={3} />}
        {friends.data?.people.length === 0 && <Empty icon={Users} title={t('none')}>{t('none_help')}</Empty>}
        {(friends.data?.people.length ?? 0) > 0 && (
          <>
            <List of={friends.data!.people} since>{(friend) => <Friend player={friend} ask={ask} />}</List>
            <More of={friends.data!} add={friends.more} />
          </>
        )}
      </Section>
      <Find me={player} onDone={people.reload} />
      {(sent.data?.people.length ?? 0) > 0 && (
        <Section title={t('sent')}>
          <List of={sent.data!.people}>{(friend) => <TakeBack player={friend} onDone={people.reload} />}</List>
          <More of={sent.data!} add={sent.more} />
        </Section>
      )}
      {(blocked.data?.people.length ?? 0) > 0 && (
        <Section title={t('blocked')} lead={t('blocked_help')}>
          <List of={blocked.data!.people} plain>{(other) => <Unblock player={other} onDone={people.reload} />}</List>
          <More of={blocked.data!} add={blocked.more} />
        </Section>
      )}
      {question && <Asking question={question} onClose={() => ask(null)} onDone={people.reload} />}
    </Page>
  )
}

/** People one below the other, each with what can be done at the end. */
function List({ of, since = false, plain = false, children }: {
  of: readonly Schemas['Friend'][]
  /** Says since when it is so. */
  since?: boolean
  /** Without the way to the profile, which one does not see. */
  plain?: boolean
  children: (player: Person) => ComponentChildren
}) {
  const t = useTexts(texts)
  const f = useFormat()
  return (
    <ul class="people">
      {of.map((one) => (
        <li key={one.player.id} data-person={one.player.name}>
          <PlayerCard card={one.player.avatar} />
          <span class="name">
            {plain ? one.player.name : <a href={`/players/${one.player.id}`}>{one.player.name}</a>}
            {since && <small>{t('since', { when: f.date(one.since) })}</small>}
          </span>
          {children(one.player)}
        </li>
      ))}
    </ul>
  )
}

function More({ of, add }: { of: Schemas['FriendPage']; add: () => Promise<void> }) {
  const t = useTexts(texts)
  const { run, busy } = useAction(add)
  return of.nextCursor ? <div class="row"><Button small busy={busy} data-action="more" onClick={() => void run()}>{t('more')}</Button></div> : null
}

function Friend({ player, ask }: { player: Person; ask: (question: Question) => void }) {
  const t = useTexts(texts)
  const { route } = useLocation()
  const ways = usePlayWith()(player)
  const { run, busy, problem } = useAction((act: () => Promise<void>) => act())
  const [first, ...others] = ways
  return (
    <>
      {first && <Button small icon={first.icon!} busy={busy} data-action={first.id} onClick={() => void run(first.run)}>{first.label}</Button>}
      <Menu
        label={t('actions_of', { name: player.name })}
        items={[
          ...others.map(({ label, icon, run: act }) => ({ label, icon: icon!, onSelect: () => void run(act) })),
          { label: t('profile'), icon: UserRound, onSelect: () => route(`/players/${player.id}`) },
          { label: t('end'), icon: UserMinus, onSelect: () => ask({ kind: 'end', player }) },
          { label: t('report'), icon: Flag, onSelect: () => ask({ kind: 'report', player }) },
          { label: t('block'), icon: Ban, danger: true, onSelect: () => ask({ kind: 'block', player }) },
        ]}
      />
      {problem && <ProblemNote problem={problem} />}
    </>
  )
}

function Request({ player, onDone }: { player: Person; onDone: () => void }) {
  const t = useTexts(texts)
  const toast = useToast()
  const { run, busy, problem } = useAction(async (yes: boolean) => {
    await (yes ? acceptFriend(player.id) : dismissFriend(player.id))
    toast.good(yes ? t('said_friends', { name: player.name }) : t('said_declined'))
    onDone()
  })
  return (
    <>
      <span class="row">
        <Button small kind="strong" icon={Check} busy={busy} data-action="accept" aria-label={`${t('accept')}: ${player.name}`} onClick={() => void run(true)}>{t('accept')}</Button>
        <Button small icon={X} busy={busy} data-action="decline" aria-label={`${t('decline')}: ${player.name}`} onClick={() => void run(false)}>{t('decline')}</Button>
      </span>
      {problem && <ProblemNote problem={problem} />}
    </>
  )
}

function TakeBack({ player, onDone }: { player: Person; onDone: () => void }) {
  const t = useTexts(texts)
  const { run, busy, problem } = useAction(async () => {
    await dismissFriend(player.id)
    onDone()
  })
  return (
    <>
      <Button small icon={X} busy={busy} data-action="take-back" aria-label={`${t('take_back')}: ${player.name}`} onClick={() => void run()}>{t('take_back')}</Button>
      {problem && <ProblemNote problem={problem} />}
    </>
  )
}

function Unblock({ player, onDone }: { player: Person; onDone: () => void }) {
  const t = useTexts(texts)
  const toast = useToast()
  const { run, busy, problem } = useAction(async () => {
    await unblock(player.id)
    toast.good(t('said_unblocked', { name: player.name }))
    onDone()
  })
  return (
    <>
      <Button small busy={busy} data-action="unblock" aria-label={`${t('unblock')}: ${player.name}`} onClick={() => void run()}>{t('unblock')}</Button>
      {problem && <ProblemNote problem={problem} />}
    </>
  )
}

/** How one is found, and how one finds others. */
function Find({ me, onDone }: { me: Schemas['Player']; onDone: () => void }) {
  const t = useTexts(texts)
  const [name, setName] = useState('')
  const found = useLoad(async (signal) => (name ? (await ask(api.GET('/v1/players', { params: { query: { name } }, signal }))).players : null), [name])
  return (
    <Section title={t('find')} lead={t('find_help')}>
      <div class="find">
        <SearchField value={name} onSearch={setName} label={t('find')} name="player" />
        <div role="status">
          {name !== '' && (
            <Loading of={found} lines={1}>
              {(players) => players?.length === 0 ? <p class="soft" data-nobody>{t('nobody')}</p> : players && (
                <ul class="people">
                  {players.map((player) => (
                    <li key={player.id} data-found={player.name}>
                      <PlayerCard card={player.avatar} />
                      <span class="name"><a href={`/players/${player.id}`}>{player.name}</a></span>
                      {player.id === me.id ? <span class="soft">{t('that_is_you')}</span> : <Befriend player={player} onDone={onDone} />}
                    </li>
                  ))}
                </ul>
              )}
            </Loading>
          )}
        </div>
        <div class="you-are">
          <PlayerCard card={me.avatar} />
          <div><small class="soft">{t('you_are')}</small><strong>{me.name}</strong></div>
          {'clipboard' in navigator && <span class="row"><CopyButton text={me.name} label={t('copy_name')} /><CopyButton text={`${location.origin}/players/${me.id}`} label={t('copy_link')} /></span>}
        </div>
      </div>
    </Section>
  )
}

/** Asks a player to be friends, and says what they are to one another then. */
export function Befriend({ player, onDone, strong = false }: { player: Person; onDone: () => void; strong?: boolean }) {
  const t = useTexts(texts)
  const toast = useToast()
  const [state, setState] = useState<Schemas['FriendshipState'] | null>(null)
  const { run, busy, problem } = useAction(async () => {
    const { friendship } = await askFriend(player.id)
    setState(friendship)
    toast.good(t(friendship === 'friends' ? 'said_friends' : 'said_asked', { name: player.name }))
    onDone()
  })
  if (state === 'friends' || state === 'requested') return <span class="soft" data-friendship={state}>{t(state === 'friends' ? 'are_friends' : 'asked')}</span>
  return (
    <>
      <Button kind={strong ? 'strong' : 'plain'} small={!strong} icon={UserPlus} busy={busy} data-action="ask" onClick={() => void run()}>{t('ask')}</Button>
      {problem && <ProblemNote problem={problem} />}
    </>
  )
}
