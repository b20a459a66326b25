import {
  Badge, Button, Coins, Facts, Loading, Page, ReasonDialog, Section, Stat, Stats, Table, Time, useFormat, useLoad, useTexts,
  useToast,
} from '@cuatrola/ui'
import { EyeOff, RotateCcw, Telescope } from 'lucide'
import { useRoute } from 'preact-iso'
import { useMemo, useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import { useSession } from '../session'
import { Chart } from '../chart'
import { about, chance, says, seldom, span, tones, type Case, type T } from './parts'
import { texts } from './texts'

type State = Case['state']
type Bout = NonNullable<Case['evidence']['bouts']>[number]

export default function CasePage() {
  const t = useTexts(texts)
  const { params } = useRoute()
  const id = params.id!
  const loaded = useLoad((signal) => ask(api.GET('/admin/v1/fairness/cases/{caseId}', { params: { path: { caseId: id } }, signal })), [id])
  return <Loading of={loaded}>{(c) => <Shown t={t} c={c} put={loaded.put} />}</Loading>
}

function Shown({ t, c, put }: { t: T; c: Case; put: (c: Case) => void }) {
  const f = useFormat()
  const { may } = useSession()
  const toast = useToast()
  const [deciding, setDeciding] = useState<State | null>(null)
  const { evidence: e } = c
  return (
    <Page
      title={t(`kind_${c.kind}`)} lead={t(`what_${c.kind}`)} back={{ href: '/admin/fairness', label: t('back') }}
      badge={<Badge tone={tones[c.state]}>{t(`one_${c.state}`)}</Badge>}
      actions={may('fairness.decide') && (
        <>
          {c.state !== 'watching' && <Button icon={Telescope} data-action="watch" onClick={() => setDeciding('watching')}>{t('watch')}</Button>}
          {c.state !== 'dismissed' && <Button icon={EyeOff} data-action="dismiss" onClick={() => setDeciding('dismissed')}>{t('dismiss')}</Button>}
          {c.state !== 'open' && <Button icon={RotateCcw} data-action="reopen" onClick={() => setDeciding('open')}>{t('reopen')}</Button>}
        </>
      )}
    >
      <Section title={t('players')} lead={<span data-raw>{says(t, f, c)}, {t('days', { n: e.days })}</span>}>
        <ul class="plain">
          {c.players.map((p) => <li key={p.id}><a href={'/admin/players/' + p.id} data-raw data-player={p.id}>{p.name}</a></li>)}
        </ul>
      </Section>
      <Numbers t={t} c={c} />
      {e.bouts && c.kind !== 'company' && <Course t={t} kind={c.kind} bouts={e.bouts} />}
      {e.pace && <PaceChart t={t} c={c} />}
      {e.flows && (
        <Section title={t('flows')} flush>
          <Table
            caption={t('flows')} rows={e.flows} rowKey={(s) => s.from + s.to}
            columns={[
              { id: 'from', title: t('from'), cell: (s) => <span data-raw>{nameOf(c, s.from)}</span> },
              { id: 'to', title: t('to'), cell: (s) => <span data-raw>{nameOf(c, s.to)}</span> },
              { id: 'coins', title: t('coins'), end: true, cell: (s) => <Coins value={s.coins} /> },
              { id: 'won', title: t('won'), end: true, cell: (s) => `${f.number(s.won)} / ${f.number(s.matches)}` },
              { id: 'chance', title: t('chance'), end: true, cell: (s) => chance(f, s.probability) },
            ]}
          />
        </Section>
      )}
      {e.apart && (
        <Section title={t('apart')} lead={c.kind === 'company' ? t('apart_company') : t('apart_pair')} flush>
          <Table
            caption={t('apart')} rows={e.apart} rowKey={(r) => r.player}
            columns={[
              { id: 'player', title: t('player'), cell: (r) => <span data-raw>{nameOf(c, r.player)}</span> },
              { id: 'matches', title: t('matches'), end: true, cell: (r) => f.number(r.matches) },
              ...(c.kind === 'company' ? [] : [
                { id: 'won', title: t('share_won'), end: true, cell: (r: { matches: number; won: number }) => (r.matches > 0 ? `${f.number(r.won)} · ${f.percent(r.won / r.matches, 0)}` : '—') },
              ]),
            ]}
          />
        </Section>
      )}
      {(e.bouts || e.pace) && <Matches t={t} c={c} />}
      <Section title={t('decision')}>
        <Facts
          of={[
            [t('seen_since'), <><Time value={c.firstSeen} /> – <Time value={c.lastSeen} /></>],
            [t('seldom'), seldom(t, f, c)],
            c.decidedAt ? [t('decision'), <span data-raw>{t('decided', { name: c.decidedBy ?? '', when: f.dateTime(c.decidedAt) })}</span>] : [t('decision'), t('undecided')],
          ]}
        />
        {c.reason && <blockquote data-raw>{c.reason}</blockquote>}
        {c.cameBack > 0 && <p class="soft">{t('came_back', { n: c.cameBack })}</p>}
      </Section>
      {deciding && (
        <ReasonDialog
          title={t(word[deciding])} action={t(word[deciding])} text={t(`${word[deciding]}_text`)} onClose={() => setDeciding(null)}
          onConfirm={async (reason) => {
            put(await ask(api.POST('/admin/v1/fairness/cases/{caseId}/decision', { params: { path: { caseId: c.id } }, body: { state: deciding, reason } })))
            toast.good(t('kept'))
          }}
        />
      )}
    </Page>
  )
}

const word = { open: 'reopen', watching: 'watch', dismissed: 'dismiss' } as const
const nameOf = (c: Case, id: string) => c.players.find((p) => p.id === id)?.name ?? '—'

/** What the case comes down to. */
function Numbers({ t, c }: { t: T; c: Case }) {
  const f = useFormat()
  const { evidence: e } = c
  const p = e.pace
  return (
    <Stats>
      {c.kind === 'company' ? (
        <>
          <Stat label={t('met')} value={f.number(e.matches)} />
          <Stat label={t('met_expected')} value={about(f, e.expected ?? 0)} />
        </>
      ) : e.matches > 0 && (
        <>
          <Stat label={t('matches')} value={f.number(e.matches)} />
          <Stat label={t('won')} value={f.number(e.won)} hint={f.percent(e.won / e.matches, 0)} />
          <Stat label={t('expected')} value={about(f, e.expected ?? 0)} hint={t('expected_help')} />
        </>
      )}
      {e.coins !== undefined && <Stat label={c.kind === 'relay' ? t('coins_passed') : t('coins')} value={f.number(e.coins)} />}
      {p && (
        <>
          <Stat label={t('actions')} value={f.number(p.actions)} />
          <Stat label={t('median')} value={span(f, p.median)} hint={p.fast && t('too_fast')} />
          <Stat label={t('middle')} value={`${span(f, p.tenth)} – ${span(f, p.ninetieth)}`} hint={p.even && t('too_even')} />
        </>
      )}
      {e.probability !== undefined && <Stat label={t('chance')} value={chance(f, e.probability)} hint={t('chance_help', { n: f.number(e.lookedAt ?? 1) })} />}
    </Stats>
  )
}

/** What was won, and what was to be expected, match by match; of a flow, the coins. */
function Course({ t, kind, bouts }: { t: T; kind: Case['kind']; bouts: readonly Bout[] }) {
  const f = useFormat()
  const drawn = useMemo(() => {
    let won = 0
    let expected = 0
    let coins = 0
    const sums = bouts.map((b) => ({ won: (won += b.won ? 1 : 0), expected: (expected += b.chance), coins: (coins += b.coins ?? 0) }))
    return {
      x: bouts.map((_, i) => String(i + 1)),
      series: kind === 'flow'
        ? [{ label: t('course_coins'), values: sums.map((s) => s.coins), kind: 'area' as const }]
        : [
            { label: t('course_won'), values: sums.map((s) => s.won) },
            { label: t('course_expected'), values: sums.map((s) => Math.round(s.expected * 10) / 10), dashed: true },
          ],
    }
  }, [bouts, kind, t])
  return <Section title={t('course')}><Chart bare title={t('course')} x={drawn.x} series={drawn.series} height={200} format={f.number} /></Section>
}

/** How many actions took how long. */
function PaceChart({ t, c }: { t: T; c: Case }) {
  const f = useFormat()
  const histogram = c.evidence.pace!.histogram
  const drawn = useMemo(() => ({
    x: histogram.map((h, i) => (h.below ? '<' + f.number(h.below / 1000) : '≥' + f.number((histogram[i - 1]?.below ?? 0) / 1000))),
    series: [{ label: t('actions'), values: histogram.map((h) => h.actions) }],
  }), [histogram, f, t])
  return <Section title={t('pace')}><Chart bare title={t('pace')} x={drawn.x} series={drawn.series} kind="bars" height={200} /></Section>
}

/** The matches, to be looked at one by one. */
function Matches({ t, c }: { t: T; c: Case }) {
  const f = useFormat()
  const bouts = [...(c.evidence.bouts ?? [])].reverse()
  if (bouts.length === 0) {
    return (
      <Section title={t('list_matches')} lead={t('list_matches_help')}>
        <ul class="plain">{c.evidence.pace?.matchIds.map((id) => <li key={id}><a href={'/admin/tables/' + id}><code>{id}</code></a></li>)}</ul>
      </Section>
    )
  }
  return (
    <Section title={t('list_matches')} lead={t('list_matches_help')} flush>
      <Table
        caption={t('list_matches')} rows={bouts} rowKey={(b) => b.matchId} rowHref={(b) => '/admin/tables/' + b.matchId}
        columns={[
          { id: 'when', title: t('when'), cell: (b) => <Time value={b.at} /> },
          ...(c.kind === 'company' ? [] : [
            { id: 'result', title: t('result'), cell: (b: Bout) => <Badge tone={b.won ? 'good' : 'neutral'}>{b.won ? t('result_won') : t('result_lost')}</Badge> },
            { id: 'chance', title: t('result_chance'), end: true, cell: (b: Bout) => f.percent(b.chance, 0) },
            { id: 'coins', title: t('coins'), end: true, cell: (b: Bout) => <Coins value={b.coins ?? 0} signed /> },
          ]),
          { id: 'match', title: t('match'), wideOnly: true, cell: (b) => <code>…{b.matchId.slice(-8)}</code> },
        ]}
      />
    </Section>
  )
}
