import { Coins, Facts, Icon, useFormat, useTexts } from '@cuatrola/ui'
import { ArrowDown, ArrowUp, ChevronRight, Minus } from 'lucide'
import type { Schemas } from '../game/client'
import type { Economy } from '../wallet/economy'
import { Medal } from './medal'
import { texts } from './texts'
import { useDivision, useWeek } from './words'

export type Result = Schemas['LeagueResult']

/** The divisions beside one another, with the own one marked. */
export function Ladder({ divisions, division }: { divisions: readonly string[]; division: string }) {
  const t = useTexts(texts)
  const name = useDivision()
  return (
    <ol class="ladder" aria-label={t('divisions')}>
      {divisions.map((key, level) => (
        <li key={key} class={key === division ? 'here' : undefined} aria-current={key === division ? 'true' : undefined}>
          <Medal level={level} of={divisions.length} small />
          <span>{name(key)}</span>
          {key === division && <span class="hidden">({t('division_yours')})</span>}
        </li>
      ))}
    </ol>
  )
}

/** Where a week has brought one: words, with an arrow. */
export function Moves({ moves, next }: { moves: Result['moves']; next: string }) {
  const t = useTexts(texts)
  const name = useDivision()
  return (
    <span class={`moves ${moves}`}>
      <Icon of={moves === 'up' ? ArrowUp : moves === 'down' ? ArrowDown : Minus} size={15} />
      {t(`result_${moves}`, { next: name(next) })}
    </span>
  )
}

/** How a closed week ended, in a line that leads to it. */
export function ResultLine({ result, divisions, title }: { result: Result; divisions: readonly string[]; title?: string }) {
  const t = useTexts(texts)
  const f = useFormat()
  const week = useWeek()
  return (
    <a class="result-line" href={`/league/weeks/${result.season}`} data-item data-season={result.season}>
      <Medal level={Math.max(0, divisions.indexOf(result.division))} of={divisions.length} small />
      <span class="what"><b>{title ?? week(result.season)}</b> <Moves moves={result.moves} next={result.next} /></span>
      <span class="sum">{result.prize > 0 && <Coins value={result.prize} signed />} <small>{t('past_line', { rank: f.number(result.rank), points: f.number(result.points) })}</small></span>
      <Icon of={ChevronRight} />
    </a>
  )
}

/** How points come, and what each division gives, as the economy has it. */
export function HowItWorks({ economy: { league, matches } }: { economy: Economy }) {
  const t = useTexts(texts)
  const f = useFormat()
  const name = useDivision()
  const [win, lose] = league.points
  const away = matches.away.percent
  return (
    <div class="how">
      <ul>
        <li>{t('how_points', { win: f.number(win), lose: f.number(lose) })}</li>
        {league.botsPercent < 100 && <li>{league.botsPercent === 50 ? t('how_bots_half') : t('how_bots', { percent: f.percent(league.botsPercent / 100, 0) })}</li>}
        {away < 100 && <li>{away > 0 ? t('how_away', { percent: f.percent(away / 100, 0) }) : t('how_away_none')}</li>}
        <li>{t('how_not')}</li>
        <li>{t('how_tie')}</li>
        <li>{t('how_group')}</li>
      </ul>
      <div>
        <h3>{t('ladder')}</h3>
        <ol class="rungs">
          {league.divisions.map((d, level) => (
            <li key={d.name}>
              <Medal level={level} of={league.divisions.length} small />
              <div>
                <b>{name(d.name)}</b>
                <small>{[t('ladder_size', { n: f.number(d.groupSize) }), d.up > 0 && t('ladder_up', { n: f.number(d.up) }), d.down > 0 && t('ladder_down', { n: f.number(d.down) })].filter(Boolean).join(' · ')}</small>
              </div>
              <span class="prizes"><span class="hidden">{t('ladder_prizes')}: </span>{d.prizes.map((prize, i) => <Coins key={i} value={prize} />)}</span>
            </li>
          ))}
        </ol>
      </div>
    </div>
  )
}

/** The numbers of a week, one beside the other. */
export const Numbers = ({ of }: { of: Parameters<typeof Facts>[0]['of'] }) => <div class="league-numbers"><Facts of={of} /></div>

