import { Badge, Coins, Empty, Note, Section, Stat, Stats, Table, Tabs, type Translate, useFormat, useTexts } from '@cuatrola/ui'
import { useState } from 'preact/hooks'
import type { Schemas } from '../api/types'
import { Chart } from '../chart'
import { texts, type Key } from './texts'

type Result = Schemas['SimulationResult']
type Group = Schemas['SimulationGroup']

/** How a simulation came out: what was, and what would have been. */
export function Outcome({ of: r, live, from, to }: { of: Result; live: number; from: string; to: string }) {
  const t = useTexts(texts)
  const f = useFormat()
  const { before, after } = r.total
  const share = (was: number, would: number) => (was === 0 ? null : (would - was) / was)
  const days = everyDay(r.byDay, from, to)
  const moments = days.map((d) => Date.parse(d.key + 'T12:00:00Z') / 1000)
  const was = (n: number) => t('tile_was', { n: f.number(n) })
  return (
    <>
      <Note tone="warn" title={t('warning_title')}>{t('warning')}</Note>
      {r.inferred > 0 && <Note>{t.plural('inferred', r.inferred)}</Note>}
      {r.unexplained > 0 && <Note tone="warn">{t('unexplained', { n: f.number(r.unexplained) })}</Note>}
      <Stats>
        <Stat label={t('tile_issued')} value={<Coins value={after.issued} />} change={share(before.issued, after.issued)} better="neither" hint={was(before.issued)} />
        <Stat label={t('tile_sunk')} value={<Coins value={after.sunk} />} change={share(before.sunk, after.sunk)} better="neither" hint={was(before.sunk)} />
        <Stat label={t('tile_net')} value={<Coins value={after.issued - after.sunk} />} hint={was(before.issued - before.sunk)} />
        <Stat
          label={t('against_live', { n: live })} hint={t('against_live_hint')}
          value={<span data-change>{r.issuanceChange === undefined ? '–' : (r.issuanceChange > 0 ? '+' : '') + f.percent(r.issuanceChange)}</span>}
        />
        <Stat label={t('tile_matches')} value={f.number(r.matches)} hint={t.plural('tile_players', r.players)} />
      </Stats>
      <Section title={t('by_day')}>
        {r.byDay.length === 0 ? <Empty title={t('no_rows')} /> : (
          <div class="simulation-charts">
            <Chart
              title={t('chart_issued')} x={moments} days kind="line" height={220}
              series={[
                { label: t('was'), values: days.map((d) => d.before.issued), dashed: true, colour: 8 },
                { label: t('would_be'), values: days.map((d) => d.after.issued), colour: 1, kind: 'area' },
              ]}
            />
            <Chart
              title={t('chart_sunk')} x={moments} days kind="line" height={220}
              series={[
                { label: t('was'), values: days.map((d) => d.before.sunk), dashed: true, colour: 8 },
                { label: t('would_be'), values: days.map((d) => d.after.sunk), colour: 4, kind: 'area' },
              ]}
            />
          </div>
        )}
      </Section>
      <Groups of={r} />
      <Affected of={r} />
    </>
  )
}

/** The days of the period, those on which nothing happened as well. */
function everyDay(groups: readonly Group[], from: string, to: string): Group[] {
  const known = new Map(groups.map((g) => [g.key, g]))
  const none = { issued: 0, sunk: 0 }
  // In the document's time zone the first and the last day may be others than here.
  const first = [from.slice(0, 10), groups[0]?.key ?? from].sort()[0]!
  const last = [to.slice(0, 10), groups[groups.length - 1]?.key ?? to].sort()[1]!
  const all: Group[] = []
  for (let at = Date.parse(first.slice(0, 10)); at <= Date.parse(last.slice(0, 10)); at += 86_400_000) {
    const key = new Date(at).toISOString().slice(0, 10)
    all.push(known.get(key) ?? { key, count: 0, before: none, after: none })
  }
  return all
}

const parts = ['source', 'mode', 'position', 'division', 'vip', 'booster'] as const
type Part = (typeof parts)[number]
const members: Record<Part, 'bySource' | 'byMode' | 'byPosition' | 'byDivision' | 'byVip' | 'byBooster'> = {
  source: 'bySource', mode: 'byMode', position: 'byPosition', division: 'byDivision', vip: 'byVip', booster: 'byBooster',
}

/** What a group is called. Divisions have the names that the document gives them. */
const groupName = (t: Translate<Key>, part: Part, key: string) => (key === '' ? t('nowhere') : part === 'division' ? key : t.code(`${part}_key_${key}`, key))

function Groups({ of: r }: { of: Result }) {
  const t = useTexts(texts)
  const f = useFormat()
  const [part, setPart] = useState<Part>('source')
  const rows = r[members[part]]
  const most = Math.max(1, ...rows.flatMap((g) => [g.before.issued, g.after.issued, g.before.sunk, g.after.sunk]))
  const both = (was: number, would: number) => (
    <span class="two-lines">
      {f.number(would)}
      <small>{t('tile_was', { n: f.number(was) })}</small>
    </span>
  )
  const change = (g: Group) => g.after.issued - g.after.sunk - (g.before.issued - g.before.sunk)
  return (
    <Section title={t('groups')} flush>
      <Tabs label={t('groups')} tabs={parts.map((id) => ({ id, label: t(`by_${id}`) }))} current={part} onChange={setPart}>
        {rows.length === 0 ? <Empty title={t('no_rows')} /> : (
          <Table
            caption={`${t('groups')}: ${t(`by_${part}`)}`} rows={rows} rowKey={(g) => g.key}
            columns={[
              { id: 'group', title: t(`by_${part}`), cell: (g) => <span data-raw>{groupName(t, part, g.key)}</span> },
              { id: 'pair', title: t('compare'), quiet: true, wideOnly: true, cell: (g) => <Pair of={g} most={most} /> },
              { id: 'issued', title: t('issued'), end: true, cell: (g) => both(g.before.issued, g.after.issued) },
              { id: 'sunk', title: t('sunk'), end: true, cell: (g) => both(g.before.sunk, g.after.sunk) },
              { id: 'change', title: t('change'), end: true, cell: (g) => <Coins value={change(g)} signed /> },
              { id: 'count', title: t('count'), end: true, wideOnly: true, cell: (g) => f.number(g.count) },
            ]}
          />
        )}
      </Tabs>
      <p class="simulation-legend soft">
        <span><i class="bar was" />{t('was')}</span>
        <span><i class="bar" />{t('would_be')}</span>
      </p>
    </Section>
  )
}

/** Two bars, above what was and below what would be: of what is issued, or of what is taken where nothing is. */
function Pair({ of: g, most }: { of: Group; most: number }) {
  const taken = g.before.issued === 0 && g.after.issued === 0
  const width = (n: number) => ({ width: `${Math.max(n > 0 ? 1 : 0, (n / most) * 100)}%` })
  return (
    <span class="simulation-pair" aria-hidden="true">
      <i class="bar was" style={width(taken ? g.before.sunk : g.before.issued)} />
      <i class={taken ? 'bar taken' : 'bar'} style={width(taken ? g.after.sunk : g.after.issued)} />
    </span>
  )
}

function Affected({ of: r }: { of: Result }) {
  const t = useTexts(texts)
  const f = useFormat()
  return (
    <Section title={t('affected')} lead={t('affected_lead')} flush>
      {r.affected.length === 0 ? <Empty title={t('affected_none')} /> : (
        <Table
          caption={t('affected')} rows={r.affected} rowKey={(p) => p.pseudonym}
          columns={[
            { id: 'player', title: t('player'), cell: (p) => <code>{p.pseudonym}</code> },
            { id: 'division', title: t('division'), cell: (p) => <span data-raw>{p.division || t('nowhere')}</span> },
            { id: 'vip', title: t('vip'), cell: (p) => (p.vip ? <Badge tone="warn">{t('vip')}</Badge> : <span class="soft">{t('no')}</span>) },
            { id: 'matches', title: t('matches'), end: true, cell: (p) => f.number(p.matches) },
            { id: 'before', title: t('was'), end: true, cell: (p) => <Coins value={p.before} /> },
            { id: 'after', title: t('would_be'), end: true, cell: (p) => <Coins value={p.after} /> },
            { id: 'change', title: t('change'), end: true, cell: (p) => <Coins value={p.after - p.before} signed /> },
          ]}
        />
      )}
    </Section>
  )
}
