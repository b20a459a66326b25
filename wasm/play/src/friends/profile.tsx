import '../lobby/felt.css'
import './friends.css'
import { ask } from '@cuatrola/client'
import { Button, ButtonLink, Empty, Menu, Page, ProblemNote, Section, Skeleton, useAction, useFormat, useLoad, useTexts, useToast } from '@cuatrola/ui'
import { Ban, Check, Flag, UserMinus, UserRoundX, X } from 'lucide'
import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { api, type Schemas } from '../game/client'
import { useT, type Key } from '../i18n'
import { PlayerCard } from '../cards/playerCard'
import { useSession } from '../session'
import { acceptFriend, Asking, dismissFriend, type Question } from './acts'
import { Befriend, SignedOut } from './page'
import { usePlayWith } from './playWith'
import { texts } from './texts'

/** What everybody may know of a player, and what one is to them. */
export default function ProfilePage() {
  const t = useTexts(texts)
  const { params } = useRoute()
  const { player, unread } = useSession()
  const id = params['id']!
  const profile = useLoad(async (signal) => (player ? ask(api.GET('/v1/players/{playerId}', { params: { path: { playerId: id } }, signal })) : null), [id, player?.id, unread])
  if (!player) return <Page title={t('profile_of')} narrow><SignedOut title={t('profile_of')} text={t('sign_in_first')} /></Page>
  if (profile.problem?.status === 404 || profile.problem?.status === 400) {
    return (
      <Page title={t('no_player')} narrow>
        <Empty icon={UserRoundX} title={t('no_player_help')} action={<ButtonLink kind="strong" href="/friends">{t('to_friends')}</ButtonLink>} />
      </Page>
    )
  }
  const { data } = profile
  return (
    <Page title={data?.name ?? t('profile_of')} narrow back={{ href: '/friends', label: t('title') }}>
      {profile.problem && <ProblemNote problem={profile.problem} retry={profile.reload} />}
      {!data && !profile.problem && <Skeleton lines={3} tall />}
      {data && <Shown profile={data} reload={profile.reload} />}
    </Page>
  )
}

function Shown({ profile, reload }: { profile: Schemas['Profile']; reload: () => void }) {
  const t = useTexts(texts)
  const f = useFormat()
  const { route } = useLocation()
  const [question, askFor] = useState<Question | null>(null)
  const { friendship } = profile
  return (
    <>
      <div class="profile-head" data-friendship={friendship}>
        <PlayerCard card={profile.avatar} />
        <div>
          <span class="marks">
            <span class="mark-text">{t('level', { n: profile.level })}</span>
            {profile.division && <span class="mark-text">{t.code('division_' + profile.division, profile.division)}</span>}
          </span>
          <span class="fine">{t('here_since', { when: f.date(profile.createdAt) })}</span>
        </div>
        {friendship !== 'self' && (
          <Menu
            label={t('actions_of', { name: profile.name })} small={false}
            items={[
              ...(friendship === 'friends' ? [{ label: t('end'), icon: UserMinus, onSelect: () => askFor({ kind: 'end' as const, player: profile }) }] : []),
              { label: t('report'), icon: Flag, onSelect: () => askFor({ kind: 'report', player: profile }) },
              { label: t('block'), icon: Ban, danger: true, onSelect: () => askFor({ kind: 'block', player: profile }) },
            ]}
          />
        )}
      </div>
      <Between profile={profile} reload={reload} />
      <Section title={t('statistics')}>
        {profile.statistics.length === 0 ? <p class="soft">{t('statistics_none')}</p>
          : <div class="rule-stats">{profile.statistics.map((one) => <RuleStat key={one.rules} of={one} />)}</div>}
      </Section>
      {question && <Asking question={question} onClose={() => askFor(null)} onDone={(kind) => (kind === 'block' ? route('/friends') : reload())} />}
    </>
  )
}

/** What one is to the player, and the next step. */
function Between({ profile, reload }: { profile: Schemas['Profile']; reload: () => void }) {
  const t = useTexts(texts)
  const toast = useToast()
  const ways = usePlayWith()(profile)
  const { run, busy, problem } = useAction((act: () => Promise<unknown>) => act())
  const answer = (yes: boolean) => run(async () => {
    await (yes ? acceptFriend(profile.id) : dismissFriend(profile.id))
    toast.good(yes ? t('said_friends', { name: profile.name }) : t('said_declined'))
    reload()
  })
  return (
    <>
      <div class="row">
        {profile.friendship === 'self' && <><span class="soft">{t('its_you')}</span><ButtonLink href="/account">{t('edit')}</ButtonLink></>}
        {profile.friendship === 'none' && <Befriend player={profile} onDone={reload} strong />}
        {profile.friendship === 'requested' && <span class="soft">{t('you_asked')}</span>}
        {profile.friendship === 'received' && (
          <>
            <span>{t('wants', { name: profile.name })}</span>
            <Button kind="strong" icon={Check} busy={busy} data-action="accept" onClick={() => void answer(true)}>{t('accept')}</Button>
            <Button icon={X} busy={busy} data-action="decline" onClick={() => void answer(false)}>{t('decline')}</Button>
          </>
        )}
        {profile.friendship === 'friends' && ways.map(({ id, label, icon, run: act }, i) => (
          <Button key={id} kind={i === 0 ? 'strong' : 'plain'} icon={icon!} busy={busy} data-action={id} onClick={() => void run(act)}>{label}</Button>
        ))}
      </div>
      {problem && <ProblemNote problem={problem} />}
    </>
  )
}

function RuleStat({ of }: { of: Schemas['Statistics'] }) {
  const t = useTexts(texts)
  const f = useFormat()
  const game = useT()
  const bids = of.bidsMade + of.bidsLost
  const shares: (readonly [string, number, number])[] = [[t('won'), of.won, of.played], [t('hands'), of.handsWon, of.hands], [t('bids'), of.bidsMade, bids]]
  return (
    <div class="rule-stat" data-rules={of.rules}>
      <h3><span>{of.rules === 'house' ? t('house') : game(('preset_' + of.rules) as Key)}</span><span class="soft">{f.number(of.played)}</span></h3>
      {shares.map(([label, n, total]) => total > 0 && (
        <div class="share" key={label}>
          <span>{label}</span>
          <b>{t('of', { n: f.number(n), total: f.number(total) })}</b>
          <i aria-hidden="true"><Bar share={n / total} /></i>
        </div>
      ))}
    </div>
  )
}

// Through the object model: the page's policy forbids styles in the markup.
const Bar = ({ share }: { share: number }) => <span ref={(element) => void (element && (element.style.width = `${100 * share}%`))} />
