import {
  Badge, Coins, Empty, Loading, Page, PagedTable, Section, SelectField, Stat, Stats, Table, Time, useFormat, useLoad,
  useQuery, useRepeat, useTexts,
} from '@cuatrola/ui'
import { useRoute } from 'preact-iso'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import './league.css'
import { CloseButton, SeasonBadge, useDivision } from './parts'
import { texts } from './texts'

type Group = Schemas['GroupPage']['groups'][number]

export default function SeasonPage() {
  const t = useTexts(texts)
  const f = useFormat()
  const division = useDivision()
  const id = useRoute().params['season'] ?? ''
  const [asked, choose] = useQuery('division')
  const path = { season: id }
  const look = useLoad((signal) => ask(api.GET('/admin/v1/league/seasons/{season}', { params: { path }, signal })), [id])
  const preview = useLoad((signal) => ask(api.GET('/admin/v1/league/seasons/{season}/preview', { params: { path }, signal })), [id, look.data?.season.state])
  const closing = look.data && look.data.season.state !== 'closed' && (look.data.season.due || look.data.season.state === 'closing')
  useRepeat(() => closing && look.reload(), 2)
  return (
    <Page
      title={t('week_of', { day: id })} back={{ href: '/admin/league', label: t('back') }} badge={look.data && <SeasonBadge season={look.data.season} />}
      lead={look.data && <>{f.dateTime(look.data.season.startsAt)} – {f.dateTime(look.data.season.endsAt)} · {t('economy')}, {t('version', { n: f.number(look.data.season.economy) })}</>}
      actions={look.data && <CloseButton season={look.data.season} onDone={look.reload} />}
    >
      <Loading of={look} lines={2} tall>
        {({ season, tally, divisions }) => {
          const chosen = divisions.includes(asked) ? asked : divisions[0]
          return (
            <>
              <Stats>
                <Stat label={t('players')} value={f.number(tally.players)} hint={tally.waiting > 0 ? `${t('waiting')}: ${f.number(tally.waiting)}` : undefined} />
                <Stat label={t('groups')} value={f.number(tally.groups)} />
                <Stat label={t('frozen')} value={t('frozen_of', { n: f.number(tally.frozen), all: f.number(tally.groups) })} />
                <Stat label={t('prizes')} value={f.number(tally.prizes)} />
                <Stat label={t('coins')} value={<Coins value={tally.coins} />} />
              </Stats>
              {season.state === 'closing' && <progress class="league-progress" aria-label={t('frozen')} max={tally.groups || 1} value={tally.frozen} />}
              <Section title={t(season.state === 'closed' ? 'preview_done' : 'preview')} lead={season.state === 'closed' ? undefined : t('preview_help')} flush>
                <Loading of={preview} lines={4}>
                  {(forecast) => (
                    <Table
                      caption={t('preview')} rowKey={(d) => d.division}
                      rows={[...forecast.divisions, forecast.divisions.reduce((sum, d) => ({
                        division: '', groups: sum.groups + d.groups, players: sum.players + d.players, prizes: sum.prizes + d.prizes, coins: sum.coins + d.coins, up: sum.up + d.up, down: sum.down + d.down,
                      }), { division: '', groups: 0, players: 0, prizes: 0, coins: 0, up: 0, down: 0 })]}
                      columns={[
                        { id: 'division', title: t('division'), cell: (d) => (d.division ? <span data-raw>{division(d.division)}</span> : <strong>{t('total')}</strong>) },
                        { id: 'groups', title: t('groups'), end: true, cell: (d) => f.number(d.groups) },
                        { id: 'players', title: t('members'), end: true, cell: (d) => f.number(d.players) },
                        { id: 'prizes', title: t('prizes_n'), end: true, cell: (d) => f.number(d.prizes) },
                        { id: 'coins', title: t('coins_n'), end: true, cell: (d) => <Coins value={d.coins} /> },
                        { id: 'up', title: t('up'), end: true, cell: (d) => f.number(d.up) },
                        { id: 'down', title: t('down'), end: true, cell: (d) => f.number(d.down) },
                      ]}
                    />
                  )}
                </Loading>
              </Section>
              {chosen && <Section title={t('groups_of')} flush actions={<SelectField label={t('division')} bare name="division" value={chosen} onChange={choose} options={divisions.map((value) => ({ value, label: division(value) }))} />}>
                <PagedTable<Group>
                  caption={t('groups_of')} inputs={[id, chosen]} version={season.state === 'closed' ? 1 : 0} rowKey={(g) => String(g.number)} rowHref={(g) => `/admin/league/${id}/${chosen}/${g.number}`}
                  load={async (cursor, signal) => {
                    const page = await ask(api.GET('/admin/v1/league/seasons/{season}/groups', { params: { path, query: { division: chosen, ...(cursor ? { cursor } : {}) } }, signal }))
                    return { items: page.groups, nextCursor: page.nextCursor }
                  }}
                  empty={<Empty title={t('no_groups')} />}
                  columns={[
                    { id: 'number', title: t('group'), cell: (g) => t('group_n', { n: f.number(g.number) }) },
                    { id: 'members', title: t('members'), end: true, cell: (g) => f.number(g.members) },
                    { id: 'frozen', title: t('frozen_at'), end: true, cell: (g) => (g.frozenAt ? <Time value={g.frozenAt} /> : <Badge>{t('still_open')}</Badge>) },
                  ]}
                />
              </Section>}
            </>
          )
        }}
      </Loading>
    </Page>
  )
}
