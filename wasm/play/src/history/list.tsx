import { ask } from '@cuatrola/client'
import {
  asProblem, Button, ButtonLink, ChoiceField, Coins, Empty, Filters, Note, Page, ProblemNote, Section, Skeleton, Time, useFormat, useQuery, useTexts, type Problem,
} from '@cuatrola/ui'
import { unreachable } from '@cuatrola/client'
import { FolderOpen, History } from 'lucide'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { api, type Schemas } from '../game/client'
import { finishedMatches, mostMatches, type FinishedMatch } from '../game/finished'
import { keptRecord } from '../game/kept'
import { type HouseRules, type Player } from '../game/types'
import { useT } from '../i18n'
import { useSession } from '../session'
import { outcomeOf, OutcomeBadge, type Outcome } from './parts'
import './history.css'
import { texts } from './texts'
import { peopleOf, useOpponents, useRulesName } from './words'

interface Row {
  id: string
  href: string
  device: boolean
  people: Player[]
  me: number
  rules: HouseRules
  mode: Schemas['Mode'] | 'device' | null
  outcome: Outcome
  score: readonly [number, number] | null
  hands: number | null
  stake: number | null
  /** When it was made, by which the list is in order, and when it ended. */
  began: string
  ended: string | null
}

const ofServer = (match: Schemas['MatchSummary']): Row => ({
  id: match.matchId,
  href: match.status === 'open' ? `/matches/${match.matchId}` : `/history/${match.matchId}`,
  device: false,
  people: peopleOf(match.seats),
  me: match.you,
  rules: match.rules as HouseRules,
  mode: match.mode ?? null,
  outcome: match.status === 'void' ? 'void' : outcomeOf((match.result?.winner ?? null) as 0 | 1 | null, match.you),
  score: (match.result?.score as [number, number] | undefined) ?? null,
  hands: match.result?.hands ?? null,
  stake: match.stake ?? null,
  began: match.createdAt,
  ended: match.endedAt,
})

const ofDevice = (match: FinishedMatch): Row => ({
  id: match.id, href: `/history/local/${match.id}`, device: true, people: peopleOf(match.players), me: 0, rules: match.rules, mode: 'device',
  outcome: outcomeOf(match.winner, 0), score: match.score, hands: match.hands, stake: null, began: match.startedAt ?? match.endedAt, ended: match.endedAt,
})

/** What was played on this device alone, the match that is not over first. */
function deviceRows(): Row[] {
  const finished = finishedMatches()
  const open = keptRecord()
  const rows = finished.map(ofDevice)
  if (open && !finished.some((match) => match.id === open.id)) {
    rows.unshift({
      id: open.id ?? 'local', href: '/table', device: true, people: peopleOf(open.players), me: 0, rules: open.rules, mode: 'device',
      outcome: 'open', score: null, hands: null, stake: null, began: open.startedAt ?? new Date().toISOString(), ended: null,
    })
  }
  return rows
}

const pageSize = 20

/** One's matches on the server, page after page as they are asked for. */
function useServerRows(player: string | null, asked: boolean) {
  const [state, setState] = useState<{ rows: Row[]; next: string | null; loading: boolean; problem: Problem | null }>({ rows: [], next: null, loading: asked, problem: null })
  const asking = useRef<AbortController | null>(null)
  const load = useCallback(async (cursor: string | null) => {
    asking.current?.abort()
    const { signal } = (asking.current = new AbortController())
    setState((s) => ({ ...s, loading: true, problem: null }))
    try {
      const page = await ask(api.GET('/v1/matches', { params: { query: { limit: pageSize, ...(cursor && { cursor }) } }, signal }))
      if (signal.aborted) return
      setState((s) => ({ rows: [...(cursor ? s.rows : []), ...page.matches.map(ofServer)], next: page.nextCursor ?? null, loading: false, problem: null }))
    } catch (err) {
      if (!signal.aborted) setState((s) => ({ ...s, loading: false, problem: asProblem(err) }))
    }
  }, [])
  useEffect(() => {
    setState({ rows: [], next: null, loading: asked && player !== null, problem: null })
    if (asked && player !== null) void load(null)
    return () => asking.current?.abort()
  }, [player, asked])
  return { ...state, more: () => void load(state.next), again: () => void load(null) }
}

/** One's matches: those that the server has, and those that this device alone has. */
export default function MatchList() {
  const t = useTexts(texts)
  const { player } = useSession()
  const [shown, setShown] = useQuery('from', 'all')
  const device = useMemo(deviceRows, [])
  const server = useServerRows(player?.id ?? null, shown !== 'device')
  const away = server.problem?.code === unreachable

  const rows = useMemo(() => {
    const local = shown === 'server' ? [] : device
    // As times, not as texts: a server leaves out the zeros at the end of a second's fraction.
    const at = (row: Row) => Date.parse(row.began)
    const all = [...server.rows, ...local].sort((a, b) => at(b) - at(a))
    // What is older than the server's last so far may have others of the server's before it.
    const oldest = server.next ? server.rows.at(-1) : undefined
    return oldest ? all.filter((row) => at(row) >= at(oldest)) : all
  }, [server.rows, server.next, device, shown])

  const loading = server.loading && server.rows.length === 0
  return (
    <Page
      title={t('title')} lead={t('lead')} back={{ href: '/', label: t('home') }}
      actions={<ButtonLink icon={FolderOpen} href="/check" data-action="file">{t('file')}</ButtonLink>}
    >
      <Section>
        <Filters>
          <ChoiceField
            label={t('shown')} name="from" bare value={shown} onChange={setShown}
            options={[{ value: 'all', label: t('shown_all') }, { value: 'server', label: t('shown_server') }, { value: 'device', label: t('shown_device') }]}
          />
        </Filters>
        {away ? <Note tone="warn" action={<Button small onClick={server.again}>{t('again')}</Button>}><span data-server="away">{t('server_away')}</span></Note>
          : server.problem && <ProblemNote problem={server.problem} retry={server.again} />}
        {shown === 'server' && !player && <p class="soft">{t('sign_in_first')}</p>}
        {rows.length > 0 && <ul class="past-matches" aria-label={t('list')}>{rows.map((row) => <Match key={row.id} row={row} />)}</ul>}
        {loading && <Skeleton lines={4} />}
        {rows.length === 0 && !loading && !server.problem && (
          <Empty icon={History} title={t(shown === 'device' ? 'empty_device' : 'empty_title')} action={<ButtonLink kind="strong" href="/bots">{t('empty_play')}</ButtonLink>}>{t('empty_text')}</Empty>
        )}
        {server.next && shown !== 'device' && <div class="row more"><Button busy={server.loading} data-action="more" onClick={server.more}>{t('more')}</Button></div>}
        {shown === 'device' && device.length > 0 && <p class="soft smaller">{t('kept_here', { n: mostMatches })}</p>}
      </Section>
    </Page>
  )
}

function Match({ row }: { row: Row }) {
  const t = useTexts(texts)
  const game = useT()
  const f = useFormat()
  const rules = useRulesName()
  const { title, partner } = useOpponents()(row.people, row.me)
  const levels = [...new Set(row.people.flatMap((person) => person.level ?? []))]
  const ours = row.me & 1
  return (
    <li class={row.outcome} data-match={row.id} data-outcome={row.outcome} data-kept={row.device ? 'device' : 'server'}>
      <a href={row.href}>
        <span class="match-who">
          <strong>{title}{partner && <span> {partner}</span>}</strong>
          <small>
            {[
              rules(row.rules), row.mode && row.mode !== 'machine' && t(`mode_${row.mode}`),
              levels.length > 0 && f.list(levels.map((level) => game(`level_${level}`))), row.hands !== null && t.plural('hands', row.hands),
            ].filter(Boolean).join(' · ')}
          </small>
        </span>
        <span class="match-how">
          {row.score ? <b>{row.score[ours]} – {row.score[1 - ours]}</b> : row.outcome === 'open' && <b class="go-on">{t('continue')}</b>}
          <OutcomeBadge outcome={row.outcome} />
        </span>
        <span class="match-when">
          {row.stake !== null && <Coins value={row.stake} />}
          <Time value={row.ended ?? row.began} relative />
        </span>
      </a>
    </li>
  )
}
