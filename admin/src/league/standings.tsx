import { Coins, Empty, Icon, Loading, Page, Section, Table, Time, useFormat, useLoad, useRepeat, useTexts } from '@cuatrola/ui'
import { ArrowDown, ArrowUp } from 'lucide'
import { useRoute } from 'preact-iso'
import { api, ask } from '../api/client'
import './league.css'
import { SeasonBadge, useDivision } from './parts'
import { texts } from './texts'

/** The ranks of a group. */
export default function StandingsPage() {
  const t = useTexts(texts)
  const f = useFormat()
  const name = useDivision()
  const { season = '', division = '', group = '' } = useRoute().params
  const load = useLoad(async (signal) => {
    const path = { season }
    const [look, standings] = await Promise.all([
      ask(api.GET('/admin/v1/league/seasons/{season}', { params: { path }, signal })),
      ask(api.GET('/admin/v1/league/seasons/{season}/standings', { params: { path, query: { division, group: Number(group) } }, signal })),
    ])
    return { season: look.season, ranks: standings.ranks }
  }, [season, division, group])
  useRepeat(() => load.data?.season.state !== 'closed' && load.reload(), 10)
  return (
    <Page
      title={`${name(division)} · ${t('group_n', { n: group })}`} back={{ href: `/admin/league/${season}?division=${division}`, label: t('week_of', { day: season }) }}
      badge={load.data && <SeasonBadge season={load.data.season} />} lead={load.data && t(load.data.season.state === 'closed' ? 'standings_help' : 'standings_help_open')}
    >
      <Section title={t('standings')} flush>
        <Loading of={load} lines={8}>
          {({ ranks }) => (ranks.length === 0 ? <Empty title={t('nobody')} /> : (
            <Table
              caption={t('standings')} rows={ranks} rowKey={(r) => r.playerId}
              columns={[
                { id: 'player', title: t('player'), cell: (r) => <span class="league-player"><b>{f.number(r.rank)}</b><span data-raw>{r.name}</span></span> },
                { id: 'points', title: t('points'), end: true, cell: (r) => f.number(r.points) },
                { id: 'matches', title: t('matches'), end: true, cell: (r) => f.number(r.matches) },
                { id: 'reached', title: t('reached'), wideOnly: true, cell: (r) => <Time value={r.reachedAt} /> },
                { id: 'prize', title: t('prize'), end: true, cell: (r) => (r.prize > 0 ? <Coins value={r.prize} /> : '–') },
                {
                  id: 'moves', title: t('moves'),
                  cell: (r) => r.moves === 'stay' ? <span class="soft">{t('moves_stay')}</span>
                    : <span class={r.moves === 'up' ? 'gain' : 'loss'}><Icon of={r.moves === 'up' ? ArrowUp : ArrowDown} size={14} /> {t(`moves_${r.moves}`, { next: name(r.next) })}</span>,
                },
              ]}
            />
          ))}
        </Loading>
      </Section>
    </Page>
  )
}
