import { Button, Coins, Page, ProblemNote, useAction, useFormat, useTexts } from '@cuatrola/ui'
import { LogOut } from 'lucide'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Schemas } from '../game/client'
import { warmUp } from '../game/engine'
import { useT, type Key } from '../i18n'
import { useSession } from '../session'
import { clock, secondsBetween, useNow } from './clock'
import { EndedNote } from './ended'
import { Felt, Place } from './felt'
import { texts } from './queueTexts'
import { leaveQueue } from './rooms'

/** A staked table that fills: who has sat down, what is in the pot, and until when it waits. */
export function StakedTable({ table }: { engagement: Schemas['Engagement']; table: Schemas['StakedTable'] }) {
  const t = useTexts(texts)
  const f = useFormat()
  const game = useT()
  const { player, engage } = useSession()
  const { run, busy, problem } = useAction(async () => engage(await leaveQueue()))
  useEffect(warmUp, [])
  const others = table.people.filter((one) => one.id !== player?.id)
  const me = table.people.find((one) => one.id === player?.id)
  const missing = 4 - table.people.length
  const left = missing === 0 ? t('full') : t.plural('missing', missing)
  return (
    <Page title={t('table_title', { n: f.number(table.stake) })} lead={t('table_lead', { pot: f.number(4 * table.stake), prize: f.number(2 * table.stake) })} narrow>
      <EndedNote />
      <Felt
        label={t('at_table')}
        middle={
          <>
            <span class="big" data-pot={table.stake * table.people.length}><Coins value={table.stake * table.people.length} /></span>
            <span class="fine">{t('pot')}</span>
            <span class="title">{left}</span>
            <span class="fine">{game(('preset_' + table.rules) as Key)}</span>
          </>
        }
      >
        {/* Seats are given when the match begins: until then everybody sits as they came. */}
        {[me, ...others, null, null, null].slice(0, 4).map((one, i) => (
          <Place
            key={i} at={i} avatar={one?.avatar} lit={!!one} waits={!one} data-place={one ? one.name : 'nobody'}
            name={!one ? t('nobody') : one === me ? t('you') : one.name}
          >
            {one && <span class="tags"><span class="tag ready"><Coins value={table.stake} /><span class="hidden">{t('paid')}</span></span></span>}
          </Place>
        ))}
      </Felt>
      <Deadline at={table.deadline} />
      {problem && <ProblemNote problem={problem} />}
      <div class="launch centre">
        <Button icon={LogOut} busy={busy} data-action="stand-up" onClick={() => void run()}>{t('stand_up')}</Button>
      </div>
      <Comings people={table.people} missing={left} />
    </Page>
  )
}

function Deadline({ at }: { at: string }) {
  const t = useTexts(texts)
  const left = secondsBetween(useNow(), Date.parse(at))
  return <p class="deadline" role="timer" data-deadline>{left > 0 ? t('left', { time: clock(left) }) : t('closing')}</p>
}

/** Says aloud who comes and goes. */
function Comings({ people, missing }: { people: readonly Schemas['Person'][]; missing: string }) {
  const t = useTexts(texts)
  const before = useRef(people)
  const [said, say] = useState('')
  useEffect(() => {
    const come = people.find((one) => !before.current.some((was) => was.id === one.id))
    const gone = people.length < before.current.length
    before.current = people
    if (come) say(t('came', { name: come.name, missing }))
    else if (gone) say(t('went', { missing }))
  }, [people])
  return <p class="hidden" role="status">{said}</p>
}
