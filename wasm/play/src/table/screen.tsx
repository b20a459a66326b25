import { Problem } from '@cuatrola/client'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { suitOf } from '../cards/card'
import { Face, SuitSign } from '../cards/face'
import type { Table, TableState } from '../game/types'
import { useT, type Translate } from '../i18n'
import './table.css'
import { Actions } from './actions'
import { MatchEnd } from './end'
import { OwnHand } from './hand'
import { bidName, nameOf } from './names'
import { HandResult } from './result'
import { Score } from './score'
import { SeatPlace } from './seat'
import { TrickArea } from './trick'
import { useCountdown, useTable } from './useTable'

interface Props {
  table: Table
  onHome(): void
  onAgain(): void
  onSettings(): void
}

export function TableScreen({ table, onHome, onAgain, onSettings }: Props) {
  const t = useT()
  const state = useTable(table)
  const { view } = state
  const [notice, setNotice] = useState<string | null>(null)
  const seconds = useCountdown(state.deadline)
  const over = view.phase === 'over' && !state.ended

  // A refusal is told for as long as the table stays as it is.
  useLayoutEffect(() => setNotice(null), [view.seq, view.handsFinished])

  const act = (action: string) => {
    setNotice(null)
    table.act(action).catch((err: unknown) => {
      setNotice(err instanceof Problem ? t.reason(err.code) : t('failed', { why: String(err) }))
    })
  }
  const refuse = (code: string) => setNotice(t.reason(code))

  return (
    <div class={`game${view.turn === view.viewer ? ' my-turn' : ''}`} data-phase={view.phase} data-seq={view.seq}>
      <header class="bar">
        <button type="button" class="icon" aria-label={t('leave')} title={`${t('leave')}. ${t('leave_help')}`} data-action="leave" onClick={onHome}>
          <svg viewBox="0 0 20 20" aria-hidden="true"><path d="M12 4 6 10l6 6" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" /></svg>
        </button>
        <Score state={state} />
        <button type="button" class="icon" aria-label={t('settings')} title={t('settings')} data-action="settings" onClick={onSettings}>
          <svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 6h8m4 0h2M3 14h2m4 0h8M11 4v4M9 12v4" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" /></svg>
        </button>
      </header>

      <main class="felt" id="content">
        <h1 class="hidden">Cuatrola</h1>
        {[0, 1, 2, 3].map((seat) => <SeatPlace key={seat} state={state} seat={seat} />)}
        {view.trump && !over && (
          <div class="trump" role="img" aria-label={t('trump_is', { card: t.card(view.trump) })} data-trump={view.trump}>
            <span class="card mini"><Face card={view.trump} /></span>
            <span class="trump-name" aria-hidden="true"><SuitSign suit={suitOf(view.trump)} /> {t('trump')}</span>
          </div>
        )}
        {!state.ended && !over && <TrickArea state={state} />}
        {state.ended && <HandResult state={state} onNext={() => table.nextHand()} />}
        {over && <MatchEnd table={table} state={state} onAgain={onAgain} onHome={onHome} />}
        {state.link === 'reconnecting' && <p class="link" role="status">{t('reconnecting')}</p>}
      </main>

      <footer class="rail">
        <p class={`status${notice ? ' notice' : ''}`} role="status" aria-live="polite">
          <span>{notice ?? prompt(t, state)}</span>
          {seconds !== null && !over && (
            <span class={`clock${seconds <= 5 ? ' short' : ''}`} aria-hidden="true" title={t('time_left', { n: seconds })}>{seconds} s</span>
          )}
        </p>
        <Actions state={state} onAct={act} onRefused={refuse} />
        <OwnHand state={state} onPlay={act} onRefused={refuse} />
        <p class="keys">{t('keys')}</p>
      </footer>
      <Log state={state} />
    </div>
  )
}

function prompt(t: Translate, state: TableState): string {
  const { view, players } = state
  const late = state.timedOut ? t('timed_out') + ' ' : ''
  if (state.ended || view.phase === 'over') return late || ' '
  if (view.phase === 'seeds' || view.phase === 'deal') return t('waiting_seeds')
  if (view.turn === view.viewer) return late + t(view.phase === 'bid' ? 'your_turn_bid' : view.phase === 'sing' ? 'your_turn_sing' : 'your_turn_play')
  if (view.turn === null) return late + t('thinking')
  return late + t('turn_of', { who: nameOf(t, players, view.turn, view.viewer) })
}

/** Tells a screen reader what the others did: each card, bid and cante once. */
function Log({ state }: { state: TableState }) {
  const t = useT()
  const { view, players } = state
  const seen = useRef(view.seq)
  const [line, setLine] = useState('')
  useLayoutEffect(() => {
    if (seen.current === view.seq) return
    seen.current = view.seq
    const last = view.table.cards.length > 0 ? view.table : view.hand.tricks[view.hand.tricks.length - 1]
    if (view.phase === 'bid') {
      const bid = view.bids[view.bids.length - 1]
      if (bid) setLine(bidName(t, bid))
    } else if (last) {
      const said = last.cards.map((card) => t.card(card)).join(', ')
      setLine(view.table.cards.length > 0 || last.winner === null ? said : `${said}. ${t('last_trick', { who: nameOf(t, players, last.winner, view.viewer) })}`)
    }
  }, [view.seq])
  return <p class="hidden" role="log" aria-live="polite">{line}</p>
}
