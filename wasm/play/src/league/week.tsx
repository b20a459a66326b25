import { ask } from '@cuatrola/client'
import { ButtonLink, Coins, Empty, Loading, Page, Section, useFormat, useLoad, useTexts } from '@cuatrola/ui'
import { CalendarDays } from 'lucide'
import { useRoute } from 'preact-iso'
import { api, type Schemas } from '../game/client'
import { useSession } from '../session'
import { Nobody } from '../wallet/nobody'
import './league.css'
import { Medal } from './medal'
import { Moves, Numbers } from './parts'
import { Standings } from './standings'
import { texts } from './texts'
import { useDivision, useWeek } from './words'

type League = Schemas['League']

/** A week that is closed, with one's group as it ended. */
export default function WeekPage() {
  const t = useTexts(texts)
  const days = useWeek()
  const { player } = useSession()
  const season = useRoute().params['season'] ?? ''
  const known = /^\d{4}-\d{2}-\d{2}$/.test(season) && !Number.isNaN(Date.parse(season))
  return (
    <Page title={t('week', { when: known ? days(season) : season })} back={{ href: '/league?tab=past', label: t('all_weeks') }}>
      {!player ? <Nobody /> : known ? <Week key={player.id} season={season} me={player.id} /> : <Missing />}
    </Page>
  )
}

function Week({ season, me }: { season: string; me: string }) {
  const t = useTexts(texts)
  const league = useLoad((signal) => ask(api.GET('/v1/league/seasons/{season}', { params: { path: { season } }, signal })), [season])
  if (league.problem?.code === 'not_found') return <Missing />
  return (
    <Loading of={league} lines={3} tall>
      {(closed) => (
        <>
          <Outcome league={closed} />
          <Section title={t('table')} flush><Standings league={closed} me={me} /></Section>
        </>
      )}
    </Loading>
  )
}

function Outcome({ league: { score, group, divisions, division } }: { league: League }) {
  const t = useTexts(texts)
  const f = useFormat()
  const name = useDivision()
  if (!score || !group) return null
  const level = divisions.indexOf(division)
  const next = divisions[level + (score.moves === 'up' ? 1 : score.moves === 'down' ? -1 : 0)] ?? division
  return (
    <section class="pitch" aria-label={t('division_of', { name: name(division) })} data-closed data-prize={score.prize}>
      <Medal level={level} of={divisions.length} />
      <div class="pitch-title">
        <h2>{t('result', { n: f.number(score.rank ?? 0) })}</h2>
        <p>{t('division_of', { name: name(division) })} · {t('group_n', { n: f.number(group.number) })}</p>
      </div>
      <Numbers
        of={[
          [t('place'), <><b>{f.number(score.rank ?? 0)}</b> <small>{t('place_of', { n: f.number(group.members.length) })}</small></>],
          [t('points'), <><b>{f.number(score.points)}</b> <small>{t.plural('matches', score.matches)}</small></>],
          score.prize > 0 ? [t('column_prize'), <b><Coins value={score.prize} signed /></b>] : null,
        ]}
      />
      <p class="said"><Moves moves={score.moves} next={next} /></p>
    </section>
  )
}

function Missing() {
  const t = useTexts(texts)
  return (
    <section class="section">
      <Empty icon={CalendarDays} title={t('week_missing')} action={<ButtonLink href="/league?tab=past">{t('all_weeks')}</ButtonLink>} />
    </section>
  )
}
