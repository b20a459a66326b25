import {
  Badge, Coins, Empty, Filters, Page, PagedTable, Section, SelectField, Tabs, Time, useFormat, useQuery, useRepeat,
} from '@cuatrola/ui'
import { Spade } from 'lucide'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import './tables.css'
import { useWords, type Seat, type Table } from './words'

const modes = ['online', 'staked', 'friends', 'machine'] as const
type Status = 'open' | 'over'

export default function TablesPage() {
  const { t, rules } = useWords()
  const f = useFormat()
  const [asked, setStatus] = useQuery('status', 'open')
  const [mode, setMode] = useQuery('mode')
  const status: Status = asked === 'over' ? 'over' : 'open'
  const [version, setVersion] = useState(0)
  useRepeat(() => status === 'open' && setVersion((n) => n + 1), 5)
  const pair = (row: Table, a: number, b: number) => <><Name seat={row.seats[a]!} />, <Name seat={row.seats[b]!} /></>
  return (
    <Page title={t('title')} lead={t('lead')}>
      <Tabs<Status> label={t('which')} current={status} onChange={setStatus} tabs={[{ id: 'open', label: t('open') }, { id: 'over', label: t('over') }]}>
        <Section flush>
          <Filters>
            <SelectField label={t('mode')} name="mode" value={mode} onChange={setMode} options={[{ value: '', label: t('all_modes') }, ...modes.map((value) => ({ value, label: t(`mode_${value}`) }))]} />
          </Filters>
          <PagedTable<Table>
            caption={t('title')} inputs={[status, mode]} version={version} rowKey={(row) => row.id} rowHref={(row) => `/admin/tables/${row.id}`}
            load={async (cursor, signal) => {
              const page = await ask(api.GET('/admin/v1/matches', { params: { query: { status, ...(mode ? { mode: mode as Schemas['Mode'] } : {}), ...(cursor ? { cursor } : {}) } }, signal }))
              return { items: page.tables, nextCursor: page.nextCursor }
            }}
            empty={<Empty icon={Spade} title={t(status === 'open' ? 'none_open' : 'none_over')}>{status === 'open' ? t('none_open_help') : null}</Empty>}
            columns={[
              { id: 'players', title: t('players'), cell: (row) => <span class="two-lines" data-raw>{pair(row, 0, 2)}<small>{t('against')} {pair(row, 1, 3)}</small></span> },
              {
                id: 'mode', title: t('mode'),
                cell: (row) => <span class="two-lines">{t(`mode_${row.mode}`)}{row.stake ? <small><Coins value={row.stake} /></small> : null}</span>,
              },
              { id: 'rules', title: t('rules'), wideOnly: true, cell: (row) => <span data-raw>{rules(row.rules)}</span> },
              {
                id: 'score', title: t('score'),
                cell: (row) => (row.score ? <span class="two-lines"><b class="tables-score">{row.score[0]} – {row.score[1]}</b><small>{status === 'open' ? t('hand_n', { n: row.hand ?? 0 }) : t('hands_n', { n: row.hand ?? 0 })}</small></span> : <span class="soft">–</span>),
              },
              ...(status === 'open' ? [
                {
                  id: 'waits', title: t('waits'),
                  cell: (row: Table) => !row.readable ? <Badge tone="bad">{t('unreadable')}</Badge>
                    : row.phase === 'seeds' ? <span class="two-lines">{t('seeds')}{row.deadline && <small>{t('deadline', { time: f.time(row.deadline) })}</small>}</span>
                    : row.turn !== undefined ? <span class="two-lines" data-raw><Name seat={row.seats[row.turn]!} />{row.deadline && <small>{t('deadline', { time: f.time(row.deadline) })}</small>}</span>
                    : <span class="soft">–</span>,
                },
                { id: 'since', title: t('since'), cell: (row: Table) => <Time value={row.createdAt} relative /> },
              ] : [
                { id: 'state', title: t('state'), cell: (row: Table) => <Badge tone={row.status === 'void' ? 'warn' : 'good'}>{t(`state_${row.status}`)}</Badge> },
                { id: 'ended', title: t('ended'), cell: (row: Table) => (row.endedAt ? <Time value={row.endedAt} relative /> : '–') },
              ]),
            ]}
          />
        </Section>
      </Tabs>
    </Page>
  )
}

function Name({ seat }: { seat: Seat }) {
  const { t, name } = useWords()
  return <>{name(seat)}{seat.bot && <> <Badge>{t('bot')}</Badge></>}{seat.away && <> <Badge tone="warn">{t('away')}</Badge></>}</>
}
