import { Face } from '../cards/face'
import { seatOfCard, type TableState, type Trick } from '../game/types'
import { useT } from '../i18n'
import { nameOf, placeOf } from './names'

/** The trick on the table; between tricks the one just taken, so that everybody can see who took it. */
export function TrickArea({ state }: { state: TableState }) {
  const t = useT()
  const { view, players } = state
  const taken = view.hand.tricks[view.hand.tricks.length - 1]
  const past = view.table.cards.length === 0 && taken !== undefined
  const trick: Trick = past ? taken : view.table
  return (
    <div class={`trick${past ? ' past' : ''}`} role="group" aria-label={t('table')}>
      {trick.cards.map((card, i) => {
        const seat = seatOfCard(trick.lead, i, view.out)
        const who = nameOf(t, players, seat, view.viewer)
        return (
          <div
            key={`${view.handsFinished}-${view.hand.tricks.length - (past ? 1 : 0)}-${card}`}
            class={`card played ${placeOf(seat, view.viewer)}${trick.winner === seat ? ' best' : ''}`}
            role="img"
            aria-label={`${who}: ${t.card(card)}`}
            data-card={card}
          >
            <Face card={card} />
          </div>
        )
      })}
      {past && taken.winner !== null && (
        <p class="taken">{t('last_trick', { who: nameOf(t, players, taken.winner, view.viewer) })}</p>
      )}
    </div>
  )
}
