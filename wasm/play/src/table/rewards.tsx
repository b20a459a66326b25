import { ask } from '@cuatrola/client'
import { Coins, useFormat, useLoad } from '@cuatrola/ui'
import { api, type Schemas } from '../game/client'
import { useWords } from './words'

/** What a match has brought, from one's statement. */
interface Earned {
  coins: number
  pot: number
  experience: number
  leaguePoints: number
}

/** What is looked through: a match's transfers are among the newest. */
const newest = 20

async function earned(match: string): Promise<Earned> {
  const { transfers } = await ask(api.GET('/v1/wallet/transfers', { params: { query: { limit: newest } } }))
  const ours = transfers.filter(({ details }) => details?.['match'] === match)
  const sum = (of: (transfer: Schemas['Transfer']) => unknown) => ours.reduce((total, transfer) => total + (Number(of(transfer)) || 0), 0)
  return {
    coins: sum(({ kind, amount }) => (kind === 'reward' ? amount : 0)),
    pot: sum(({ kind, amount }) => (kind === 'pot' ? amount : 0)),
    experience: sum(({ kind, details }) => (kind === 'reward' ? details?.['experience'] : 0)),
    leaguePoints: sum(({ kind, details }) => (kind === 'reward' ? details?.['leaguePoints'] : 0)),
  }
}

/** What a server's match has brought: coins, experience, points in the league. */
export function Rewards({ match }: { match: string }) {
  const { t } = useWords()
  const f = useFormat()
  const { data } = useLoad(() => earned(match), [match])
  if (!data) return <p class="rewards soft" aria-busy="true">{t('earning')}</p>
  const { coins, pot, experience, leaguePoints } = data
  if (coins + pot + experience + leaguePoints === 0) return <p class="rewards soft" data-rewards="none">{t('nothing_earned')}</p>
  return (
    <dl class="rewards" data-rewards={coins + pot}>
      {pot > 0 && <div><dt>{t('pot_won')}</dt><dd><Coins value={pot} signed /></dd></div>}
      {coins > 0 && <div><dt>{t('coins')}</dt><dd><Coins value={coins} signed /></dd></div>}
      {experience > 0 && <div><dt>{t('experience')}</dt><dd>{f.signed(experience)}</dd></div>}
      {leaguePoints > 0 && <div><dt>{t('league_points')}</dt><dd>{f.signed(leaguePoints)}</dd></div>}
    </dl>
  )
}
