import { useLayoutEffect, useRef } from 'preact/hooks'
import { suitOf } from '../cards/card'
import { SuitSign } from '../cards/face'
import { whyNot, type TableState } from '../game/types'
import { useT } from '../i18n'
import { bidName } from './names'
import { useWords } from './words'
import type { Suit } from '../cards/card'

interface Props {
  state: TableState
  onAct(action: string): void
  onRefused(code: string): void
}

const keys: Record<string, string> = { p: 'pass', s: 'solo', c: 'cuatrola', q: 'quintola' }

/** What can be said now: bids, or whether one sings. */
export function Actions({ state, onAct, onRefused }: Props) {
  const t = useT()
  const { view } = state
  const mine = view.turn === view.viewer
  const bidding = mine && view.phase === 'bid'
  const singing = mine && view.phase === 'sing'
  const first = useRef<HTMLButtonElement>(null)

  const attempt = (action: string) => {
    const refused = whyNot(state, action)
    if (refused) onRefused(refused)
    else if (!state.busy) onAct(action)
  }

  // Like the focus below before anything is painted: no key that follows what one sees may be lost.
  useLayoutEffect(() => {
    if (!bidding) return
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.target instanceof HTMLElement && event.target.closest('dialog, select, input, textarea')) return
      const action = keys[event.key.toLowerCase()]
      if (action) attempt(action)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })

  // The question takes the focus when it comes, so that a keyboard answers at once.
  useLayoutEffect(() => {
    if (bidding || singing) first.current?.focus({ preventScroll: true })
  }, [bidding, singing])

  if (bidding) {
    return (
      <div class="actions" role="group" aria-label={t('your_turn_bid')}>
        {['pass', ...view.rules.bids.map((b) => b.name)].map((bid, i) => {
          const why = whyNot(state, bid)
          return (
            <button
              type="button"
              key={bid}
              ref={i === 0 ? first : undefined}
              class={bid === 'pass' ? 'plain' : 'strong'}
              aria-disabled={why !== null || state.busy}
              title={why ? t.reason(why) : undefined}
              data-action={bid}
              onClick={() => attempt(bid)}
            >
              <span>{bidName(t, bid)}</span>
              {bid !== 'pass' && <Terms state={state} bid={bid} />}
            </button>
          )
        })}
      </div>
    )
  }
  if (singing) {
    return (
      <div class="actions singing" role="group" aria-label={t('your_turn_sing')}>
        {view.legal.map((action, i) => {
          const suit = action.startsWith('sing:') ? action.slice(5) : null
          return (
            <button
              type="button"
              key={action}
              ref={i === 0 ? first : undefined}
              class={suit ? 'strong' : 'plain'}
              aria-disabled={state.busy}
              data-action={action}
              onClick={() => attempt(action)}
            >
              {suit ? (
                <span>
                  <SuitSign suit={suit as Suit} />
                  {t('sing', { suit: t.suit(suit), n: view.trump && suitOf(view.trump) === suit ? 40 : 20 })}
                </span>
              ) : (
                t('silent')
              )}
            </button>
          )
        })}
      </div>
    )
  }
  return null
}

/** What a bid needs and what it is worth. */
function Terms({ state, bid }: { state: TableState; bid: string }) {
  const { t } = useWords()
  const found = state.view.rules.bids.find((b) => b.name === bid)
  if (!found) return null
  return (
    <small>
      <span>{found.needs === null ? t('on_points') : t('n_tricks', { n: found.needs })}</span> <span>{t('worth', { n: found.value })}</span>
    </small>
  )
}
