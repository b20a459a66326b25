import type { MatchRecord } from '@cuatrola/rules'
import { ask } from '@cuatrola/client'
import { ButtonLink, Coins, Empty, Page, ProblemNote, Skeleton, useLoad, useTexts, type Problem } from '@cuatrola/ui'
import { Ban, CircleHelp, Hourglass, KeyRound, UsersRound, type IconNode } from 'lucide'
import { useRoute } from 'preact-iso'
import { useCallback } from 'preact/hooks'
import { api, type Schemas } from '../game/client'
import { keptPromise } from '../game/finished'
import { useSession } from '../session'
import { Lead, outcomeOf, OutcomeBadge, Outgoing } from './parts'
import { tidy } from './records'
import { texts } from './texts'
import { MatchView } from './view'
import { peopleOf, useOpponents } from './words'

/** A match that the server keeps, after its end. */
export default function MatchPage() {
  const t = useTexts(texts)
  const { player } = useSession()
  const id = useRoute().params['id']!
  const back = { href: '/history', label: t('match_back') }
  const load = useLoad(async (signal) => {
    const at = { params: { path: { matchId: id } }, signal }
    const view = await ask(api.GET('/v1/matches/{matchId}', at))
    const record = view.phase === 'over' ? tidy((await ask(api.GET('/v1/matches/{matchId}/record', at))) as Record<string, unknown>) : null
    return { view, record }
  }, [id, player?.id])
  const { data, problem } = load
  if (data?.record) return <Over key={id} view={data.view} record={data.record} back={back} />
  const told = data ? (data.view.phase === 'void' ? 'void' : 'not_over') : problem && reasonOf(problem)
  return (
    <Page title={t('match')} back={back}>
      {told ? <Told what={told} id={id} /> : problem ? <ProblemNote problem={problem} retry={load.reload} /> : <Skeleton lines={3} tall />}
    </Page>
  )
}

type Kind = 'void' | 'not_over' | 'foreign' | 'unknown' | 'signed_out'

/** What a refusal means to somebody who has followed a link; null for what is no answer to the question. */
function reasonOf({ status }: Problem): Kind | null {
  if (status === 403) return 'foreign'
  if (status === 404 || status === 400) return 'unknown'
  return status === 401 ? 'signed_out' : null
}

const icons: Record<Kind, IconNode> = { void: Ban, not_over: Hourglass, foreign: UsersRound, unknown: CircleHelp, signed_out: KeyRound }

/** Why there is nothing to see, kindly. */
function Told({ what, id }: { what: Kind; id: string }) {
  const t = useTexts(texts)
  const action = what === 'not_over' ? <ButtonLink kind="strong" href={`/matches/${id}`}>{t('to_table')}</ButtonLink>
    : what === 'foreign' ? <ButtonLink kind="strong" href="/check">{t('check_title')}</ButtonLink>
    : <ButtonLink kind="strong" href={what === 'signed_out' ? '/sign-in' : '/history'}>{t(what === 'signed_out' ? 'to_sign_in' : 'to_list')}</ButtonLink>
  return <div data-told={what}><Empty icon={icons[what]} title={t(`${what}_title`)} action={action}>{t(`${what}_text`)}</Empty></div>
}

function Over({ view, record, back }: { view: Schemas['View']; record: MatchRecord; back: { href: string; label: string } }) {
  const t = useTexts(texts)
  const opponents = useOpponents()
  const me = view.you ?? 0
  const { title, partner } = opponents(peopleOf(record.players), me)
  const known = useCallback(async () => ({ promised: keptPromise(view.matchId), copy: null }), [view.matchId])
  return (
    <Page
      title={title} back={back} badge={<OutcomeBadge outcome={outcomeOf(view.winner as 0 | 1 | null, me)} />}
      lead={<><Lead of={{ score: view.score as [number, number], me, partner, rules: record.rules, mode: view.mode ? t(`mode_${view.mode}`) : null, when: view.endedAt }} />{view.stake && <span class="match-lead"> {t('stake')} <Coins value={view.stake} /></span>}</>}
      actions={<Outgoing record={record} title={title} />}
    >
      <MatchView record={record} me={me} known={known} dealtBy="server" copyOf={null} />
    </Page>
  )
}
