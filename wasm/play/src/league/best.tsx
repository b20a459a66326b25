import { ask } from '@cuatrola/client'
import { Empty, Section, SelectField, useFormat, useQuery, useTexts } from '@cuatrola/ui'
import { Trophy } from 'lucide'
import { api, type Schemas } from '../game/client'
import { MoreList, useMore } from '../wallet/more'
import { Medal } from './medal'
import { Person } from './person'
import { texts } from './texts'
import { useDivision } from './words'

type Entry = Schemas['LeaderboardEntry']

/** The best of the week, in one division or in all. */
export function Best({ divisions, me }: { divisions: readonly string[]; me: string }) {
  const t = useTexts(texts)
  const f = useFormat()
  const name = useDivision()
  const [asked, choose] = useQuery('division', 'all')
  const division = divisions.includes(asked) ? asked : 'all'
  const list = useMore<Entry>(async (cursor, signal) => {
    const page = await ask(api.GET('/v1/league/leaderboard', { params: { query: { limit: 20, ...(cursor ? { cursor } : {}), ...(division === 'all' ? {} : { division }) } }, signal }))
    return { items: page.entries, nextCursor: page.nextCursor }
  }, [division])
  return (
    <Section
      title={t('best')} flush
      actions={
        <SelectField
          label={t('best_division')} bare name="division" value={division} onChange={choose}
          options={[{ value: 'all', label: t('best_all') }, ...divisions.map((value) => ({ value, label: name(value) }))]}
        />
      }
    >
      <div class="leaderboard" data-leaderboard>
        <MoreList of={list} lines={8} empty={<Empty icon={Trophy} title={t('best_empty')} />}>
          {(items) => (
            <table class="standings">
              <caption class="hidden">{t('best')}</caption>
              <thead>
                <tr>
                  <th scope="col" class="place"><span class="hidden">{t('column_place')}</span></th>
                  <th scope="col">{t('column_player')}</th>
                  <th scope="col" class="wide">{t('best_division')}</th>
                  <th scope="col" class="end">{t('column_points')}</th>
                </tr>
              </thead>
              <tbody>
                {items.map((entry) => (
                  <tr key={entry.player.id} class={entry.player.id === me ? 'me' : undefined} data-item tabIndex={-1} data-position={entry.position} data-me={entry.player.id === me || undefined}>
                    <td class="place"><b class={entry.position <= 3 ? `prize p${entry.position}` : undefined}>{f.number(entry.position)}</b></td>
                    <th scope="row"><Person of={entry.player} you={entry.player.id === me ? t('you') : undefined} /></th>
                    <td class="wide"><span class="with-medal"><Medal level={Math.max(0, divisions.indexOf(entry.division))} of={divisions.length} small />{name(entry.division)}</span></td>
                    <td class="end points">{f.number(entry.points)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </MoreList>
      </div>
    </Section>
  )
}
