import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Face } from '../cards/face'
import { seatOfCard, type Seat, type TableState, type Trick } from '../game/types'
import { flyIn, flyOut, takeLeft } from './motion'
import { nameOf, placeOf } from './names'
import { useWords } from './words'

interface Props {
  state: TableState
  /** The trick was just taken and lies open. */
  resting: boolean
  /** The last trick is looked at again. */
  again: boolean
  /** A taken trick stays until the next is led to: where nothing waits, nobody would see it otherwise. */
  stays: boolean
}

/** The trick on the table; behind its end, while it rests or one looks at it again, the one just taken. */
export function TrickArea({ state, resting, again, stays }: Props) {
  const { game, t } = useWords()
  const { view, players } = state
  const { tricks } = view.hand
  const taken = tricks[tricks.length - 1]
  const between = view.table.cards.length === 0 && taken !== undefined
  const number = tricks.length - (between ? 1 : 0)
  // The trick that has been swept off the table.
  const [swept, setSwept] = useState<string | null>(null)
  // The same before and after the hand's last card.
  const name = `${view.handsFinished - (state.ended ? 1 : 0)}-${number}`
  const area = useRef<HTMLDivElement>(null)
  // What lies there when one comes was played before.
  const came = useRef(false)
  useLayoutEffect(() => void (came.current = true), [])

  // Once it has been seen, a trick goes to who took it.
  useLayoutEffect(() => {
    if (!between || resting || stays || taken.winner === null) return
    const winner = placeOfSeat(taken.winner)
    const cards = [...area.current!.querySelectorAll<HTMLElement>('.played')]
    let left = cards.length
    for (const card of cards) flyOut(card, winner, () => --left === 0 && setSwept(name))
    if (cards.length === 0) setSwept(name)
  }, [between, resting, stays, name])

  const gone = swept === name && between && !stays
  const shown: Trick | null = again && taken ? taken : gone ? null : between ? taken : view.table
  return (
    <div class={`trick${between && !again ? ' past' : ''}${again ? ' again' : ''}`} role="group" aria-label={game('table')} ref={area}>
      {shown?.cards.map((card, i) => {
        const seat = seatOfCard(shown.lead, i, view.out)
        return (
          <Played
            key={`${name}-${again}-${card}`} card={card} seat={seat} state={state} best={shown.winner === seat}
            // Also the card that ends a trick, for as long as that lies open.
            flies={came.current && !again && (!between || resting)}
          />
        )
      })}
      {(again || (between && !gone)) && taken && taken.winner !== null && (
        <p class="taken">
          {taken.winner === view.viewer ? t(again ? 'last_trick_mine' : 'trick_mine')
            : again ? t('last_trick_of', { who: nameOf(game, players, taken.winner, view.viewer) })
              : game('last_trick', { who: nameOf(game, players, taken.winner, view.viewer) })}
        </p>
      )}
    </div>
  )
}

const placeOfSeat = (seat: Seat) => document.querySelector(`.game [data-seat="${seat}"]`)?.getBoundingClientRect() ?? null

function Played({ card, seat, state, best, flies }: { card: string; seat: Seat; state: TableState; best: boolean; flies: boolean }) {
  const { game } = useWords()
  const { view, players } = state
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (!flies) return
    const own = takeLeft(card)
    flyIn(element.current!, own ?? placeOfSeat(seat), { small: !own })
  }, [])
  return (
    <div
      ref={element} class={`card played ${placeOf(seat, view.viewer)}${best ? ' best' : ''}`} role="img"
      aria-label={`${nameOf(game, players, seat, view.viewer)}: ${game.card(card)}`} data-card={card}
    >
      <Face card={card} />
    </div>
  )
}
