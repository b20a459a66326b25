import {
  Badge, Button, Coins, Facts, Loading, Note, Page, ReasonDialog, Section, Time, useFormat, useLoad, useRepeat, useToast,
} from '@cuatrola/ui'
import { Ban } from 'lucide'
import { useRoute } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { useMay } from '../session'
import { Felt, type Laid } from './felt'
import { Replay } from './replay'
import './tables.css'
import { useWords } from './words'

type Watched = Schemas['WatchedTable']
type View = Schemas['View']
type Event = Watched['events'][number]

/** How often an open match is looked at, in seconds. */
const every = 1

export default function TablePage() {
  const { t, rules, names: namesOf } = useWords()
  const f = useFormat()
  const may = useMay()
  const toast = useToast()
  const id = useRoute().params['id'] ?? ''
  const match = useLoad((signal) => ask(api.GET('/admin/v1/matches/{matchId}', { params: { path: { matchId: id }, query: { after: seen.current.id === id ? seen.current.seq : 0 } }, signal })), [id])
  const [events, setEvents] = useState<Event[]>([])
  const seen = useRef({ id, seq: 0 })
  const [voiding, setVoiding] = useState(false)
  const { data } = match
  const open = data?.table.status === 'open'
  useRepeat(() => open && match.reload(), every)
  useEffect(() => {
    if (!data || data.table.id !== id) return
    const first = seen.current.id !== id || seen.current.seq === 0
    seen.current = { id, seq: data.view?.seq ?? 0 }
    setEvents((before) => (first ? [...data.events] : [...before, ...data.events.filter((e) => e.seq > (before.at(-1)?.seq ?? 0))]))
  }, [data])
  const names = namesOf(data?.table.seats ?? [])
  return (
    <Page
      title={data ? [0, 2, 1, 3].map((i) => data.table.seats[i]!.name).reduce((all, name, i) => all + (i === 2 ? ` ${t('against')} ` : ', ') + name) : t('match')} back={{ href: '/admin/tables', label: t('back') }}
      badge={data && <Badge tone={data.table.status === 'open' ? 'info' : data.table.status === 'void' ? 'warn' : 'good'}>{t(`state_${data.table.status}`)}</Badge>}
      actions={open && may('tables.void') && <Button kind="danger" icon={Ban} data-action="void" onClick={() => setVoiding(true)}>{t('void')}</Button>}
    >
      <Loading of={match} lines={4} tall>
        {({ table, view }) => (
          <>
            {table.status === 'void' && <Note tone="warn"><span data-raw>{t('void_because', { why: table.void ?? '' })}</span></Note>}
            {!table.readable && table.status === 'open' && <Note tone="bad">{t('unreadable_text')}</Note>}
            <div class="tables-two">
              {table.status === 'over' ? <Section title={t('replay')} lead={t('replay_help')}><Replay id={id} /></Section>
                : view && <Section><Felt laid={laidOf(view, names)} /><Live table={table} /></Section>}
              <div class="stack">
                <Section title={t('facts')}>
                  <Facts
                    of={[
                      [t('mode'), <>{t(`mode_${table.mode}`)}</>],
                      table.stake ? [t('score'), <Coins value={table.stake} />] : null,
                      [t('rules'), <span data-raw>{rules(table.rules)}</span>],
                      [t('began'), <Time value={table.createdAt} />],
                      table.endedAt ? [t('ended'), <Time value={table.endedAt} />] : null,
                      table.deadline ? [t('waits'), <span data-raw>{table.turn !== undefined ? names[table.turn] : t('seeds')} · {f.time(table.deadline)}</span>] : null,
                      table.score ? [t('match_score'), <b class="tables-score">{table.score[0]} – {table.score[1]}</b>] : null,
                      table.winner !== undefined ? [t('winner'), <span data-raw>{names[table.winner]}, {names[table.winner + 2]}</span>] : null,
                      [t('id'), <code>{table.id}</code>],
                    ]}
                  />
                </Section>
                {table.status === 'open' && <Section title={t('events')}><Events of={events} names={names} /></Section>}
              </div>
            </div>
          </>
        )}
      </Loading>
      {voiding && (
        <ReasonDialog
          title={t('void_title')} text={t('void_text')} action={t('void')} danger onClose={() => setVoiding(false)}
          onConfirm={async (reason) => {
            const table = await ask(api.POST('/admin/v1/matches/{matchId}/void', { params: { path: { matchId: id } }, body: { reason } }))
            match.put({ table, events: [] })
            toast.good(t('voided'))
          }}
        />
      )}
    </Page>
  )
}

/** For whom it is to hear: whose turn it is. */
function Live({ table }: { table: Watched['table'] }) {
  const { t, name } = useWords()
  return <p class="hidden" aria-live="polite">{table.turn !== undefined ? `${t('waits')} ${name(table.seats[table.turn]!)}` : ''}</p>
}

/** What whoever watches sees. */
function laidOf(v: View, names: readonly string[]): Laid {
  const dealt = v.phase !== 'seeds' && v.hand > 0
  const played = (seat: number) =>
    v.tricks.reduce((n, trick) => n + (trick.cards.length > 0 ? 1 : 0), 0) + (v.trick.cards.some((c) => c.seat === seat) ? 1 : 0)
  const said = [0, 1, 2, 3].map((seat) => {
    const bid = v.bids.find((b) => b.seat === seat)
    return bid && (v.phase === 'bid' || bid.bid !== 'pass') ? bid.bid : null
  })
  return {
    seats: names.map((name, i) => ({ name, bot: v.seats[i]!.bot, away: v.away.includes(i) })),
    held: [0, 1, 2, 3].map((seat) => (dealt ? Math.max(0, 5 - (v.out === seat ? 0 : played(seat))) : 0)),
    trump: v.trump, dealer: v.dealer, turn: v.turn, out: v.out, taken: null, said,
    trick: v.trick.cards, points: v.points, tricksWon: v.tricksWon, score: v.score,
  }
}

/** The newest first. */
function Events({ of, names }: { of: readonly Event[]; names: readonly string[] }) {
  const { t, action } = useWords()
  const f = useFormat()
  if (of.length === 0) return <p class="soft">{t('events_none')}</p>
  return (
    <ol class="tables-events" tabIndex={0} aria-label={t('events')} reversed>
      {[...of].reverse().slice(0, 60).map((e) => (
        <li key={e.seq}>
          <time dateTime={e.at}>{f.time(e.at)}</time>
          <span data-raw>{e.kind === 'void' ? t('given_up') : <><b>{names[e.seat]}</b> {e.kind === 'seed' ? t('seed_given') : action(e.text)}{e.by === 'clock' && <> <Badge tone="warn">{t('by_clock')}</Badge></>}</>}</span>
        </li>
      ))}
    </ol>
  )
}
