import { Coins } from '@cuatrola/ui'
import { suitOf } from '../cards/card'
import { SuitSign } from '../cards/face'
import { pairOf, type TableState } from '../game/types'
import { bidName, nameOf } from './names'
import { lower, useWords } from './words'

/** What is trump, what was bid and by whom, what it needs and how far it is. */
export function Contract({ state }: { state: TableState }) {
  const { game, t } = useWords()
  const { view, players, stake } = state
  const { trump, hand } = view
  const open = view.phase === 'bid' || view.phase === 'play' || view.phase === 'sing'
  if (!trump || (!open && !state.ended)) return stake ? <p class="contract"><Pot stake={stake} /></p> : <p class="contract" aria-hidden="true">{' '}</p>
  const terms = view.rules.bids.find((bid) => bid.name === hand.bid)
  const who = hand.bidder === null ? null : nameOf(game, players, hand.bidder, view.viewer)
  return (
    <p class="contract" data-contract={hand.bid}>
      <span class="trump-word"><SuitSign suit={suitOf(trump)} /> <span><span class="strip-label">{game('trump')} </span>{game.suit(suitOf(trump))}</span></span>
      <span class="bid-word">
        {who === null || !terms ? (
          view.phase === 'bid' ? t('bidding') : t('no_bid')
        ) : (
          <>
            <b>
              {hand.bidder === view.viewer ? t(view.phase === 'bid' ? 'bidding_mine' : 'bid_mine', { bid: lower(bidName(game, hand.bid)) })
                : view.phase === 'bid' ? t('bidding_at', { bid: bidName(game, hand.bid), who })
                  : game('bid_by', { bid: bidName(game, hand.bid), who })}
            </b>
            {view.phase !== 'bid' && terms.needs !== null && <Progress needs={terms.needs} won={hand.tricksWon[pairOf(hand.bidder!)]} played={hand.tricks.length} />}
            {view.phase !== 'bid' && terms.needs === null && <span>{t('on_points')}</span>}
            <span class="worth">{t('worth', { n: terms.value })}</span>
          </>
        )}
      </span>
      {stake && <Pot stake={stake} />}
    </p>
  )
}

/** The tricks that a bid needs, those that it has, and whether it can still be made. */
function Progress({ needs, won, played }: { needs: number; won: number; played: number }) {
  const { t } = useWords()
  const lost = played - won
  const failed = lost > 5 - needs
  const words = won >= needs ? t('needs_reached') : failed ? t('needs_failed') : t('of_tricks', { won, needs })
  return (
    <span class={`progress${failed ? ' failed' : won >= needs ? ' reached' : ''}`}>
      <span class="pips" aria-hidden="true">{Array.from({ length: needs }, (_, i) => <i key={i} class={i < won ? 'won' : undefined} />)}</span>
      {words}
    </span>
  )
}

function Pot({ stake }: { stake: { entry: number; pot: number } }) {
  const { t } = useWords()
  return <span class="pot" title={t('pot_help')}><span class="strip-label">{t('pot')} </span><Coins value={stake.pot} /></span>
}
