import { Button, Coins, Page, ProblemNote, useAction, useTexts } from '@cuatrola/ui'
import { X } from 'lucide'
import { useEffect } from 'preact/hooks'
import { client, type Schemas } from '../game/client'
import { warmUp } from '../game/engine'
import { useT, type Key } from '../i18n'
import { useSession } from '../session'
import { clock, secondsBetween, useNow } from './clock'
import { EndedNote } from './ended'
import { Felt, Place } from './felt'
import { texts } from './queueTexts'
import { leaveQueue } from './rooms'

/** The wait for people: who is there, how long it has been, when bots come. */
export function Waiting({ engagement, ticket }: { engagement: Schemas['Engagement']; ticket: Schemas['Ticket'] }) {
  const t = useTexts(texts)
  const game = useT()
  const { player, engage } = useSession()
  const { run, busy, problem } = useAction(async () => engage(await leaveQueue()))
  // What the match needs is there when it begins.
  useEffect(warmUp, [])
  const me = ticket.members.find((one) => one.id === player?.id)
  const partner = ticket.members.find((one) => one.id !== player?.id)
  const pair = ticket.invited !== null
  return (
    <Page title={t(pair ? 'waiting_pair' : 'waiting')} lead={t(pair ? 'waiting_pair_lead' : 'waiting_lead')} narrow>
      <EndedNote />
      <Felt
        label={t('at_table')}
        middle={
          <>
            <Waited since={ticket.since} />
            <span class="fine">{game(('preset_' + ticket.rules) as Key)}{ticket.stake > 0 && <> · <Coins value={ticket.stake} /></>}</span>
            <Bots ticket={ticket} pair={pair} />
          </>
        }
      >
        <Place at={0} avatar={me?.avatar} name={t('you')} lit data-place="me" />
        <Place at={1} name={<span class="hidden">{t('nobody')}</span>} waits={!pair} />
        {partner ? <Place at={2} avatar={partner.avatar} name={partner.name} lit data-place="partner" />
          : <Place at={2} name={pair ? t('your_partner') : <span class="hidden">{t('nobody')}</span>} waits />}
        <Place at={3} name={<span class="hidden">{t('nobody')}</span>} waits={!pair} />
      </Felt>
      {problem && <ProblemNote problem={problem} />}
      <div class="launch centre">
        <Button icon={X} busy={busy} data-action="cancel" onClick={() => void run()}>{t('cancel')}</Button>
        <GivesUp key={engagement.id} at={ticket.expiresAt} />
      </div>
    </Page>
  )
}

function Waited({ since }: { since: string }) {
  const t = useTexts(texts)
  useNow()
  return (
    <>
      <span class="big" role="timer">{clock(secondsBetween(client.localTime(since)!, Date.now()))}</span>
      <span class="fine">{t('waited')}</span>
    </>
  )
}

/** When the machine takes the open seats, if it does. */
function Bots({ ticket, pair }: { ticket: Schemas['Ticket']; pair: boolean }) {
  const t = useTexts(texts)
  const now = useNow()
  if (pair) return null
  if (ticket.botsAt === null) return <span class="fine">{t('no_bots')}</span>
  const left = secondsBetween(now, Date.parse(ticket.botsAt))
  return <span class="fine" data-bots>{left > 0 ? t('bots_in', { time: clock(left) }) : t('bots_now')}</span>
}

function GivesUp({ at }: { at: string }) {
  const t = useTexts(texts)
  const now = useNow()
  return <span class="soft number">{t('gives_up', { time: clock(secondsBetween(now, Date.parse(at))) })}</span>
}
