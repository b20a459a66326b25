import {
  Badge, ChoiceField, Coins, Facts, Loading, Section, Stat, Stats, Table, Time, useFormat, useLoad, useQuery, useRepeat,
  useTexts,
} from '@cuatrola/ui'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { Chart, type Series } from '../chart'
import './overview.css'
import { texts } from './texts'

export type Overview = Schemas['Overview']
type History = Schemas['OverviewSeries']

const ranges = { hours: { unit: 'hour', count: 24 }, 7: { unit: 'day', count: 7 }, 30: { unit: 'day', count: 30 }, 90: { unit: 'day', count: 90 }, 365: { unit: 'day', count: 365 } } as const

export const world = (now: Overview) => now.coins.reduce((sum, c) => (['players', 'escrow', 'debt'].includes(c.account) ? sum + c.coins : sum), 0)

/** What the last check of the ledger says, in a word. */
export function useLedger(ledger: Schemas['LedgerCheck']) {
  const t = useTexts(texts)
  const { state } = ledger.job
  if (state === 'never') return { tone: 'neutral', text: t('ledger_never') } as const
  if (state === 'running') return { tone: 'info', text: t('ledger_running') } as const
  if (state !== 'done') return { tone: 'bad', text: t('ledger_failed') } as const
  return ledger.differences > 0 ? ({ tone: 'bad', text: t.plural('ledger_bad', ledger.differences) } as const) : ({ tone: 'good', text: t('ledger_good') } as const)
}

/** How things are, and how they came to be so. */
export function NowTab({ now }: { now: Overview }) {
  const t = useTexts(texts)
  const f = useFormat()
  const [range, setRange] = useQuery('range', '30')
  const chosen = (range in ranges ? range : '30') as keyof typeof ranges
  const { unit, count } = ranges[chosen]
  const history = useLoad((signal) => ask(api.GET('/admin/v1/overview/series', { params: { query: { unit, count } }, signal })), [unit, count])
  useRepeat(history.reload, 60)
  const ledger = useLedger(now.ledger)
  const sum = (key: 'open' | 'begun' | 'ended' | 'waiting') => now.modes.reduce((n, m) => n + m[key], 0)
  const online = now.modes.find((m) => m.mode === 'online')!
  return (
    <>
      <div class="overview-tiles"><Stats>
        <Stat label={t('players')} value={f.number(now.players.all)} hint={t('players_hint', { n: f.number(now.players.new.today) })} trend={history.data ? daily(history.data, 'player_joined') : []} />
        <Stat label={t('active')} value={f.number(now.players.active.today)} hint={t('active_hint', { week: f.number(now.players.active.week), month: f.number(now.players.active.month) })} />
        <Stat label={t('connected')} value={f.number(now.players.connected)} hint={t('connected_hint')} trend={history.data?.connected.map((c) => c.sockets) ?? []} />
        <Stat label={t('playing')} value={f.number(sum('open'))} hint={t('playing_hint', { begun: f.number(sum('begun')), ended: f.number(sum('ended')) })} href="/admin/tables" />
        <Stat label={t('waiting')} value={f.number(sum('waiting'))} hint={online.seated ? t('waiting_hint', { median: f.span(online.medianSeconds), p95: f.span(online.p95Seconds) }) : t('waiting_none')} />
        <Stat label={t('world')} value={f.number(world(now))} hint={t('world_hint', { issued: f.compact(now.issued), sunk: f.compact(now.sunk) })} />
        <Stat label={t('errors')} value={f.number(now.faults.failed)} hint={<>{t('errors_hint', { n: f.compact(now.faults.requests) })} {now.faults.failedLately > 0 && <Badge tone="bad">{t('errors_lately', { n: f.number(now.faults.failedLately) })}</Badge>}</>} href="/admin/overview?tab=faults" />
        <Stat
          label={t('ledger')} value={<span class={ledger.tone === 'bad' ? 'loss' : undefined}>{ledger.text}</span>} href="/admin/overview?tab=faults"
          hint={now.ledger.job.endedAt ? <Time value={now.ledger.job.endedAt} relative /> : t('never')}
        />
      </Stats></div>
      <Section title={t('modes')} flush>
        <Table
          caption={t('modes')} rows={now.modes} rowKey={(m) => m.mode}
          columns={[
            { id: 'mode', title: t('mode'), cell: (m) => <strong>{t(`mode_${m.mode}`)}</strong> },
            { id: 'open', title: t('open'), end: true, cell: (m) => f.number(m.open) },
            { id: 'begun', title: t('begun'), end: true, cell: (m) => f.number(m.begun) },
            { id: 'ended', title: t('ended'), end: true, cell: (m) => f.number(m.ended) },
            { id: 'void', title: t('void'), end: true, cell: (m) => (m.void > 0 ? <Badge tone="warn">{f.number(m.void)}</Badge> : '0') },
            { id: 'waiting', title: t('queue'), end: true, cell: (m) => f.number(m.waiting) },
            { id: 'seated', title: t('seated'), end: true, wideOnly: true, cell: (m) => f.number(m.seated) },
            { id: 'median', title: t('median'), end: true, cell: (m) => (m.seated ? f.span(m.medianSeconds) : '–') },
            { id: 'p95', title: t('p95'), end: true, cell: (m) => (m.seated ? f.span(m.p95Seconds) : '–') },
          ]}
        />
      </Section>
      <div class="overview-range">
        <ChoiceField
          label={t('range')} name="range" bare value={String(chosen)} onChange={setRange}
          options={Object.keys(ranges).sort((a, b) => (a === 'hours' ? -1 : b === 'hours' ? 1 : Number(a) - Number(b))).map((value) => ({ value, label: t(`range_${value}` as 'range_7') }))}
        />
      </div>
      <Loading of={history} lines={2} tall>{(data) => <Histories of={data} now={now} />}</Loading>
    </>
  )
}

const daily = (h: History, what: History['counts'][number]['what']) => {
  const all = h.counts.filter((c) => c.what === what)
  return h.times.map((_, i) => all.reduce((n, c) => n + c.values[i]!, 0))
}

function Histories({ of: h, now }: { of: History; now: Overview }) {
  const t = useTexts(texts)
  const f = useFormat()
  const x = h.times.map((at) => Date.parse(at) / 1000)
  const coins = (account: Schemas['CoinAccount']): Series => ({ label: t(`account_${account}`), values: h.coins.find((c) => c.account === account)!.values })
  // Every kind keeps its colour, whatever else there is.
  const kinds: Schemas['TransferKind'][] = ['reward', 'daily', 'purchase', 'prize', 'welcome', 'grant', 'booster', 'vip', 'clawback', 'debt_settled', 'stake', 'pot', 'refund']
  const flows: Series[] = [
    ...h.issued.map((i) => ({ label: t(`kind_${i.kind}`), values: i.values, colour: kinds.indexOf(i.kind) + 1 })),
    ...h.sunk.map((s) => ({ label: t(`kind_${s.kind}`), values: s.values.map((n) => (n ? -n : 0)), colour: kinds.indexOf(s.kind) + 2 })),
  ]
  const modes = ['online', 'staked', 'friends', 'machine'] as const
  const begun: Series[] = modes.flatMap((mode, i) => {
    const found = h.counts.find((c) => c.what === 'match_begun' && c.label === mode)
    return found ? [{ label: t(`mode_${mode}`), values: found.values, colour: i + 1 }] : []
  })
  const failing = h.counts.filter((c) => c.what === 'requests' && c.label === '5xx')
  const days = h.unit === 'day'
  return (
    <>
      <div class="overview-wide">
        <Section title={t('chart_coins')} lead={t('chart_coins_help')}>
          <Chart bare title={t('chart_coins')} x={x} days={days} stacked kind="area" height={260} series={[coins('players'), coins('escrow'), { ...coins('debt'), colour: 4 }]} />
        </Section>
        <Section title={t('chart_flow')} lead={t('chart_flow_help')}>
          <Chart bare title={t('chart_flow')} x={x} days={days} stacked kind="bars" height={260} series={flows.length > 0 ? flows : [{ label: t('chart_flow'), values: x.map(() => 0) }]} />
        </Section>
        <Section title={t('chart_matches')}>
          <Chart bare title={t('chart_matches')} x={x} days={days} stacked kind="bars" height={220} series={begun.length > 0 ? begun : [{ label: t('chart_matches'), values: x.map(() => 0) }]} />
        </Section>
        <Section title={t('chart_players')}>
          <Chart bare title={t('chart_players')} x={x} days={days} kind="bars" height={220} series={[{ label: t('chart_players'), values: daily(h, 'player_joined'), colour: 3 }]} />
        </Section>
        <Section title={t('chart_connected')} lead={t('connected_hint')}>
          {h.connected.length > 0 && <Chart bare title={t('chart_connected')} x={h.connected.map((c) => Date.parse(c.at) / 1000)} kind="area" height={220} series={[{ label: t('chart_connected'), values: h.connected.map((c) => c.sockets), colour: 6 }]} />}
        </Section>
        <Section title={t('chart_requests')}>
          {failing.every((s) => s.values.every((n) => n === 0)) ? <p class="soft">{t('none_failed')}</p> : <Chart bare title={t('chart_requests')} x={x} days={days} kind="bars" height={220} series={[{ label: t('failing'), values: x.map((_, i) => failing.reduce((n, s) => n + s.values[i]!, 0)), colour: 4 }]} />}
        </Section>
      </div>
      <div class="overview-wide">
        <Section title={t('accounts')} lead={t('accounts_help')} flush>
          <Table
            caption={t('accounts')} rows={now.coins} rowKey={(c) => c.account}
            columns={[
              { id: 'account', title: t('account'), cell: (c) => t(`account_${c.account}`) },
              { id: 'coins', title: t('coins'), end: true, cell: (c) => <Coins value={c.coins} /> },
            ]}
          />
        </Section>
        <Section title={t('league')} actions={<a class="button plain small" href="/admin/league">{t('to_league')}</a>}>
          {now.week.season ? (
            <Facts
              of={[
                [t('week'), <>{now.week.season} <Badge tone={now.week.state === 'open' ? 'good' : 'warn'}>{t(now.week.state === 'open' ? 'league_open' : 'league_closing')}</Badge></>],
                now.week.endsAt ? [t('ends'), <Time value={now.week.endsAt} relative />] : null,
                [t('scored'), f.number(now.week.players)],
                [t('groups'), now.week.state === 'open' ? f.number(now.week.groups) : t('frozen', { n: f.number(now.week.frozen), all: f.number(now.week.groups) })],
                now.week.closedAt ? [t('last_close'), <>{now.week.lastClosed} · <Time value={now.week.closedAt} relative /></>] : null,
              ]}
            />
          ) : <p class="soft">{t('league_none')}</p>}
        </Section>
      </div>
    </>
  )
}
