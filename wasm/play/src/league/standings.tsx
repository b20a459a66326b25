import { Coins, Icon, useFormat, useTexts } from '@cuatrola/ui'
import { ArrowDown, ArrowUp, Minus, type IconNode } from 'lucide'
import type { Schemas } from '../game/client'
import { Person } from './person'
import { texts } from './texts'
import { useDivision } from './words'

type League = Schemas['League']
type Member = Schemas['LeagueMember']

const icons: Record<Member['moves'], IconNode> = { up: ArrowUp, stay: Minus, down: ArrowDown }

/** A group by rank, cut into those who move up, stay and move down. One's own row stays in sight. */
export function Standings({ league: { group, divisions, division }, me }: { league: League; me: string }) {
  const t = useTexts(texts)
  const f = useFormat()
  const name = useDivision()
  if (!group) return null
  const level = divisions.indexOf(division)
  const next = (by: number) => name(divisions[level + by] ?? division)
  const zones = (['up', 'stay', 'down'] as const).map((moves) => ({ moves, members: group.members.filter((m) => m.moves === moves) })).filter((z) => z.members.length > 0)
  const title = { up: t('zone_up', { next: next(1) }), stay: t('zone_stay', { name: name(division) }), down: t('zone_down', { next: next(-1) }) }
  return (
    <table class="standings">
      <caption class="hidden">{t('table')}</caption>
      <thead>
        <tr>
          <th scope="col" class="place"><span class="hidden">{t('column_place')}</span></th>
          <th scope="col">{t('column_player')}</th>
          <th scope="col" class="end wide">{t('column_matches')}</th>
          <th scope="col" class="end">{t('column_points')}</th>
          <th scope="col" class="end">{t('column_prize')}</th>
        </tr>
      </thead>
      {zones.map(({ moves, members }) => (
        <tbody key={moves} class={moves}>
          <tr class="zone"><th scope="rowgroup" colSpan={5}><Icon of={icons[moves]} size={14} />{title[moves]}</th></tr>
          {members.map((m) => (
            <tr key={m.player.id} class={m.player.id === me ? 'me' : undefined} data-rank={m.rank} data-me={m.player.id === me || undefined}>
              <td class="place"><b class={m.prize > 0 ? `prize p${m.rank}` : undefined}>{f.number(m.rank)}</b></td>
              <th scope="row"><Person of={m.player} you={m.player.id === me ? t('you') : undefined} /></th>
              <td class="end wide">{f.number(m.matches)}</td>
              <td class="end points">{f.number(m.points)}</td>
              <td class="end">{m.prize > 0 ? <Coins value={m.prize} /> : <span class="soft">–</span>}</td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  )
}
