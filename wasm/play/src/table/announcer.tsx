import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { sortHand, suitOf } from '../cards/card'
import type { TableState } from '../game/types'
import { nameOf } from './names'
import { happenings, news, type Happening } from './happenings'
import { tell, useWords, type Words } from './words'

/** So many lines stay to be read again. */
const mostLines = 60

interface Line {
  id: number
  text: string
}

/**
 * Tells everything that happens once, in order, to whoever listens to the page instead of looking at it; also what is to be
 * done, and what could not be. `told` are lines from elsewhere: an answer to what one tried, somebody's words.
 */
export function Announcer({ state, seconds, told }: { state: TableState; seconds: number | null; told: Line | null }) {
  const words = useWords()
  const [lines, setLines] = useState<Line[]>([])
  const last = useRef<TableState | null>(null)
  const count = useRef(0)
  const say = (texts: readonly string[]) => {
    if (texts.length > 0) setLines((before) => [...before, ...texts.map((text) => ({ id: ++count.current, text }))].slice(-mostLines))
  }

  useLayoutEffect(() => {
    const before = last.current
    last.current = state
    say(before ? whatIsNew(words, before, state) : whatStands(words, state))
  }, [state])

  useLayoutEffect(() => {
    if (told) say([told.text])
  }, [told?.id])

  const mine = state.view.turn === state.view.viewer && !state.ended
  useLayoutEffect(() => {
    if (mine && (seconds === 10 || seconds === 5)) say([words.t('say_time', { n: seconds })])
  }, [seconds, mine])

  return (
    <div class="hidden" role="log" aria-live="polite" aria-relevant="additions">
      {lines.map((line) => <p key={line.id}>{line.text}</p>)}
    </div>
  )
}

/** What one comes to: the hand, what is played, and what lies on the table. */
function whatStands(words: Words, state: TableState): string[] {
  const { players, view } = state
  const all = happenings(state)
  const onTable = view.table.cards.length
  const told = all.filter((h, i) => h.kind === 'deal' || h.kind === 'contract' || h.kind === 'match' || (h.kind === 'card' && i >= all.length - onTable))
  return [...told.map((h) => tell(words, h, players, view.viewer)), ...cards(words, state), ...turn(words, state)]
}

function whatIsNew(words: Words, before: TableState, state: TableState): string[] {
  const { players, view } = state
  const told: string[] = []
  const all = news(before, state)
  for (const happening of all) {
    told.push(tell(words, happening, players, view.viewer))
    if (happening.kind === 'deal') told.push(...cards(words, state))
  }
  players.forEach((player, seat) => {
    if (seat === view.viewer || !!player.away === !!before.players[seat]?.away) return
    told.push(words.t(player.away ? 'say_away' : 'say_back', { who: nameOf(words.game, players, seat, view.viewer) }))
  })
  if (state.link !== before.link && state.link !== 'local') told.push(words.t(state.link === 'live' ? 'say_link' : 'say_lost_link'))
  if (state.timedOut && !before.timedOut) told.push(words.game('timed_out'))
  const asked = (s: TableState) => !s.ended && s.view.turn === s.view.viewer && `${s.view.phase} ${s.view.seq}`
  if (asked(state) && asked(state) !== asked(before)) told.push(...turn(words, state))
  return told
}

/** In the order in which they lie, so that one knows which key is which card. */
function cards({ game, t }: Words, { view }: TableState): string[] {
  const held = sortHand(view.cards, view.trump && suitOf(view.trump))
  return held.length > 0 ? [t('say_cards', { cards: held.map((card) => game.card(card)).join(', ') })] : []
}

function turn({ game }: Words, { view, ended }: TableState): string[] {
  if (ended || view.turn !== view.viewer) return []
  return [game(view.phase === 'bid' ? 'your_turn_bid' : view.phase === 'sing' ? 'your_turn_sing' : 'your_turn_play')]
}

export type { Happening, Line }
