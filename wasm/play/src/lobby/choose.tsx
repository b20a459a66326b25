import { ask } from '@cuatrola/client'
import {
  Button, ButtonLink, Coins, Note, Page, ProblemNote, Section, SelectField, useAction, useFormat, useLoad, useTexts,
} from '@cuatrola/ui'
import { Gift, Search, ShoppingBag, Users } from 'lucide'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { readJSON, writeJSON } from '../device'
import { api, type Schemas } from '../game/client'
import type { Preset } from '../game/types'
import { useT, type Key } from '../i18n'
import { randomHex } from '../random'
import { useSession } from '../session'
import { usePurse } from '../wallet/purse'
import { PlayerCard } from '../cards/playerCard'
import { RulesChips, StakeChips } from './chips'
import { useTableTerms } from './economy'
import { EndedNote } from './ended'
import { HouseSays } from './house'
import { texts } from './queueTexts'
import { texts as around } from './texts'

/** What was chosen last on this device. */
interface Wish {
  rules: Preset
  stake: number
}

/** The choice of what to play with people, for how much, and with whom. */
export function Choose() {
  const t = useTexts(texts)
  const words = useTexts(around)
  const f = useFormat()
  const { query } = useLocation()
  const { player, enter, engage, stopped } = useSession()
  const terms = useTableTerms()
  const purse = usePurse()
  const stakes = terms.data?.stakes ?? []
  const [kept, setKept] = useState<Wish>(() => ({ rules: 'mesa', stake: 0, ...readJSON<Wish>('wish') }))
  // The address may ask for a stake, and for one that exists.
  const [asked, setAsked] = useState('stake' in query ? Number(query['stake']) || -1 : null)
  const stake = wanted(asked ?? kept.stake, stakes)
  const [partner, setPartner] = useState(query['with'] ?? '')
  const friends = useLoad(async (signal) => (player ? (await ask(api.GET('/v1/friends', { params: { query: { limit: 50 } }, signal }))).people : []), [player?.id])
  const friend = friends.data?.find((one) => one.player.id === partner)?.player
  const change = (part: Partial<Wish>) => {
    const next = { ...kept, stake, ...part }
    setKept(next)
    setAsked(null)
    writeJSON('wish', next)
  }

  const { run, busy, problem } = useAction(async (wish: Schemas['NewTicket']) => {
    await enter()
    engage(await ask(api.POST('/v1/queue', { params: { header: { 'Idempotency-Key': randomHex(16) } }, body: wish })))
  })
  const wallet = purse.data
  const short = stake > 0 && wallet ? (wallet.debt > 0 ? 'debt' : wallet.coins < stake ? 'few' : null) : null
  const halted = stopped.some(({ part }) => part === 'queue' || (part === 'stakes' && stake > 0))

  return (
    <Page title={stake > 0 ? words('staked') : words('quick')} lead={stake > 0 ? undefined : t('lead')} narrow>
      <EndedNote />
      <HouseSays parts={['queue', 'stakes']} />
      <Invitations onYes={(invitation) => void run({ rules: invitation.rules, stake: invitation.stake, partnerId: invitation.from.id })} busy={busy} />
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (!short && !halted) void run({ rules: kept.rules, stake, ...(friend && { partnerId: friend.id }) })
        }}
      >
        <Section>
          <div class="form">
            <RulesChips value={kept.rules} onChange={(rules) => change({ rules })} />
            <StakeChips stakes={stakes} fill={terms.data?.fill ?? 90} value={stake} onChange={(value) => change({ stake: value })} />
            {terms.data && stakes.length === 0 && <p class="soft">{t('stakes_closed')}</p>}
            {(friends.data?.length ?? 0) > 0 && (
              <SelectField
                label={t('partner')} name="partner" value={friend?.id ?? ''} onChange={setPartner} hint={friend ? t('partner_help') : undefined}
                options={[{ value: '', label: t('partner_any') }, ...friends.data!.map((one) => ({ value: one.player.id, label: one.player.name }))]}
              />
            )}
          </div>
        </Section>
        {short && wallet && <Short kind={short} stake={stake} purse={wallet} onPurse={purse.put} />}
        {problem && <ProblemNote problem={problem} />}
        <div class="launch stick">
          <Button kind="strong" type="submit" icon={friend ? Users : Search} busy={busy} aria-disabled={short !== null || halted} data-action="search">
            {friend ? t('search_with', { name: friend.name }) : stake > 0 ? t('search_staked', { n: f.number(stake) }) : t('search')}
          </Button>
        </div>
      </form>
    </Page>
  )
}

/** The entry that is meant: -1 is any, and one that the house has not is none. */
function wanted(stake: number, stakes: readonly number[]): number {
  if (stake < 0) return stakes[0] ?? 0
  return stakes.includes(stake) ? stake : 0
}

/** Why one cannot pay the entry, and what to do about it. */
function Short({ kind, stake, purse, onPurse }: { kind: 'few' | 'debt'; stake: number; purse: Schemas['Purse']; onPurse: (purse: Schemas['Purse']) => void }) {
  const t = useTexts(texts)
  const f = useFormat()
  const claim = useAction(async () => onPurse(await ask(api.POST('/v1/wallet/daily'))))
  return (
    <div data-short={kind} role="status">
      <Note
        tone="warn"
        action={
          <div class="row">
            {purse.daily.available && <Button small icon={Gift} busy={claim.busy} data-action="daily" onClick={() => void claim.run()}>{t('daily', { n: f.number(purse.daily.coins) })}</Button>}
            <ButtonLink small icon={ShoppingBag} href="/shop">{t('to_shop')}</ButtonLink>
          </div>
        }
      >
        {kind === 'debt' ? t('debt', { n: f.number(purse.debt) }) : t('too_few', { n: f.number(stake - purse.coins) })}
      </Note>
      {claim.problem && <ProblemNote problem={claim.problem} />}
    </div>
  )
}

/** Friends who wait for one to play as a pair. */
function Invitations({ onYes, busy }: { onYes: (invitation: Schemas['QueueInvitation']) => void; busy: boolean }) {
  const t = useTexts(texts)
  const game = useT()
  const { player, unread } = useSession()
  const { data } = useLoad(async (signal) => (player ? (await ask(api.GET('/v1/queue/invitations', { signal }))).invitations : []), [player?.id, unread])
  if (!data?.length) return null
  return (
    <Section title={t('invitations')}>
      <ul class="people">
        {data.map((one) => (
          <li key={one.from.id} data-invitation={one.from.name}>
            <PlayerCard card={one.from.avatar} />
            <span class="name">
              {t('invited_by', { name: one.from.name })}
              <small>{game(('preset_' + one.rules) as Key)} · {one.stake === 0 ? t('free_match') : <Coins value={one.stake} />}</small>
            </span>
            <Button icon={Users} busy={busy} data-action="join-pair" onClick={() => onYes(one)}>{t('join_pair', { name: one.from.name })}</Button>
          </li>
        ))}
      </ul>
    </Section>
  )
}
