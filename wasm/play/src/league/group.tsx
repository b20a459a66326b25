import { Button, ButtonLink, Empty, Loading, Note, Section, useFormat, useTexts, type Loaded } from '@cuatrola/ui'
import { LocateFixed, Play, Trophy } from 'lucide'
import { client, type Schemas } from '../game/client'
import { useEconomy } from '../wallet/economy'
import { useNow } from '../wallet/now'
import { Medal } from './medal'
import { HowItWorks, Ladder, Numbers, ResultLine, type Result } from './parts'
import { Standings } from './standings'
import { texts } from './texts'
import { useDayAndHour, useDivision, useWeek } from './words'

type League = Schemas['League']

/** The week that is going on: where one stands, and the group. */
export function ThisWeek({ league, last, me }: { league: Loaded<League>; last: Result | null; me: string }) {
  const t = useTexts(texts)
  const economy = useEconomy()
  return (
    <Loading of={league} lines={3} tall>
      {(now) => (
        <>
          <Standing league={now} />
          {last && <section class="section flush" data-last-week><ResultLine result={last} divisions={now.divisions} title={t('last_week')} /></section>}
          <Group league={now} me={me} />
          <Section title={t('how')}><Loading of={economy} lines={5}>{(live) => <HowItWorks economy={live} />}</Loading></Section>
        </>
      )}
    </Loading>
  )
}

/** Where one stands, at a glance. */
function Standing({ league: { season, score, group, divisions, division } }: { league: League }) {
  const t = useTexts(texts)
  const f = useFormat()
  const name = useDivision()
  const week = useWeek()
  const dayAndHour = useDayAndHour()
  const now = useNow(20)
  const level = divisions.indexOf(division)
  const left = Math.max(0, (client.localTime(season.endsAt) ?? 0) - now) / 1000
  return (
    <section class="pitch" aria-label={t('division_of', { name: name(division) })} data-division={division} data-state={season.state}>
      <Medal level={level} of={divisions.length} />
      <div class="pitch-title">
        <h2>{t('division_of', { name: name(division) })}</h2>
        <p>{week(season.id)}{group && <> · {t('group_n', { n: f.number(group.number) })}</>}</p>
      </div>
      <Numbers
        of={[
          score?.rank && group ? [t('place'), <><b data-place={score.rank}>{f.number(score.rank)}</b> <small>{t('place_of', { n: f.number(group.members.length) })}</small></>] : null,
          score ? [t('points'), <><b data-points={score.points}>{f.number(score.points)}</b> <small>{t.plural('matches', score.matches)}</small></>] : null,
          [t('time_left'), <><b>{season.state === 'open' ? f.span(left < 60 ? left : left - (left % 60)) : '–'}</b> <small>{t('ends', { when: dayAndHour(season.endsAt) })}</small></>],
        ]}
      />
      {season.state !== 'open' && <p class="said">{t('closing')}</p>}
      {season.state === 'open' && score?.rank && (
        <p class="said">
          {t(`if_so_${score.moves}`, { name: name(division), next: name(divisions[level + (score.moves === 'up' ? 1 : -1)] ?? division) })}
          {score.prize > 0 && <> {t('if_so_prize', { n: f.number(score.prize) })}</>}
        </p>
      )}
      <Ladder divisions={divisions} division={division} />
    </section>
  )
}

function Group({ league, me }: { league: League; me: string }) {
  const t = useTexts(texts)
  const f = useFormat()
  const name = useDivision()
  const { score, group, waiting, division } = league
  if (waiting) return <div data-waiting><Note title={t('waiting', { n: f.number(score?.points ?? 0) })}>{t('waiting_help')}</Note></div>
  if (!group) {
    return (
      <section class="section" data-none>
        <Empty icon={Trophy} title={t('none')} action={<ButtonLink kind="strong" icon={Play} href="/queue" data-action="play">{t('play')}</ButtonLink>}>
          {t('none_help', { name: name(division) })}
        </Empty>
      </section>
    )
  }
  return (
    <Section
      title={t('table')} flush
      actions={group.members.length > 8 && (
        <Button
          small icon={LocateFixed} data-action="to-me"
          onClick={() => document.querySelector('.standings tr.me')?.scrollIntoView({ block: 'center', behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' })}
        >
          {t('to_me')}
        </Button>
      )}
    >
      <Standings league={league} me={me} />
    </Section>
  )
}
