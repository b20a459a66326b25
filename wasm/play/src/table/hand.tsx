import { useLayoutEffect, useRef } from 'preact/hooks'
import { sortHand, suitOf } from '../cards/card'
import { Face } from '../cards/face'
import { whyNot, type TableState } from '../game/types'
import { useT } from '../i18n'
import { leaveFrom } from './motion'

interface Props {
  state: TableState
  onPlay(card: string): void
  onRefused(code: string): void
}

/**
 * The player's own cards. An illegal card stays reachable, since who tries it is told why; the module says so before
 * anything is sent.
 */
export function OwnHand({ state, onPlay, onRefused }: Props) {
  const t = useT()
  const { view } = state
  const row = useRef<HTMLDivElement>(null)
  const cards = sortHand(view.phase === 'over' ? [] : view.cards, view.trump && suitOf(view.trump))
  const myTurn = view.turn === view.viewer && view.phase === 'play' && !state.busy

  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.target instanceof HTMLElement && event.target.closest('dialog, select, input, textarea')) return
      const buttons = [...(row.current?.querySelectorAll('button') ?? [])]
      const n = Number(event.key)
      if (n >= 1 && n <= buttons.length) {
        buttons[n - 1]!.focus()
        event.preventDefault()
      } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
        if (buttons.length === 0) return
        const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
        const step = event.key === 'ArrowRight' ? 1 : -1
        buttons[at < 0 ? (step > 0 ? 0 : buttons.length - 1) : (at + step + buttons.length) % buttons.length]!.focus()
        event.preventDefault()
      }
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])

  // A card that is played takes the focus with it; what is left of the hand keeps it.
  const held = useRef(false)
  useLayoutEffect(() => {
    if (held.current && document.activeElement === document.body) row.current?.querySelector('button')?.focus({ preventScroll: true })
    held.current = false
  }, [cards.join()])

  return (
    <div class={`own${view.out === view.viewer ? ' out' : ''}`} ref={row} role="group" aria-label={t('your_cards')}>
      {cards.map((card) => {
        const why = myTurn ? whyNot(state, card) : null
        return (
          <button
            type="button"
            key={card}
            class={`card own-card${myTurn ? (why ? ' illegal' : ' legal') : ''}`}
            data-card={card}
            aria-disabled={!myTurn || why !== null}
            aria-label={why ? `${t.card(card)}. ${t.reason(why)}` : t.card(card)}
            title={why ? t.reason(why) : t.card(card)}
            onClick={(event) => {
              const refused = whyNot(state, card)
              if (refused) return onRefused(refused)
              if (state.busy) return
              leaveFrom(card, event.currentTarget.getBoundingClientRect())
              held.current = document.activeElement === event.currentTarget
              onPlay(card)
            }}
          >
            <Face card={card} />
          </button>
        )
      })}
    </div>
  )
}
