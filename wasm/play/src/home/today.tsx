import { ask } from '@cuatrola/client'
import { useFormat, useLoad, useTexts } from '@cuatrola/ui'
import { Gift, Trophy } from 'lucide'
import { api } from '../game/client'
import { useSession } from '../session'
import { usePurse } from '../wallet/purse'
import { texts } from './texts'
import { Tile } from './tile'

/** For who is signed in: the day's reward, and how the week goes. */
export function Today() {
  const t = useTexts(texts)
  const f = useFormat()
  const { player, engagement } = useSession()
  const { data: purse, problem: noPurse } = usePurse()
  // A match that is over may have brought points.
  const { data: league, problem: noLeague } = useLoad(async (signal) => ask(api.GET('/v1/league', { signal })), [player?.id, engagement?.kind])
  if (!purse && noPurse && !league && noLeague) return null
  const { score, waiting } = league ?? {}
  // What is still asked for has its place already, so that nothing jumps when it comes.
  return (
    <section aria-labelledby="today" class="today">
      <h2 id="today">{t('today')}</h2>
      <div class="tiles">
        {(purse || !noPurse) && (
          <Tile href="/wallet" name="daily" icon={Gift} title={t('daily')} bright={purse?.daily.available ?? false}>
            {purse ? t(purse.daily.available ? 'daily_get' : 'daily_next', { n: f.number(purse.daily.coins) }) : '\u00a0'}
          </Tile>
        )}
        {(league || !noLeague) && (
          <Tile href="/league" name="league" icon={Trophy} title={t('league')}>
            {!league ? '\u00a0' : !score ? t('league_none') : waiting ? t('league_waiting', { points: f.number(score.points) }) : t('league_rank', { rank: f.number(score.rank ?? 1), points: f.number(score.points) })}
          </Tile>
        )}
      </div>
    </section>
  )
}
