import { Problem } from '@cuatrola/client'
import { ConfirmDialog, explain, Icon, useLanguage } from '@cuatrola/ui'
import { ChevronLeft, Layers, MessageCircle, Settings2 } from 'lucide'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { suitOf } from '../cards/card'
import { Face, SuitSign } from '../cards/face'
import { pace } from '../device'
import type { Seat, Table, TableState } from '../game/types'
import type { Translate } from '../i18n'
import './table.css'
import { Actions } from './actions'
import { Announcer, type Line } from './announcer'
import { Contract } from './contract'
import { MatchEnd } from './end'
import { useFeel } from './feel'
import { OwnHand } from './hand'
import { nameOf } from './names'
import { Person } from './person'
import { HandResult } from './result'
import { Score } from './score'
import { Marks, Said, SeatPlace } from './seat'
import { useShown } from './shown'
import { PersonDialog, TalkDialog, useSayings } from './talk'
import { TrickArea } from './trick'
import { useCountdown } from './useTable'
import { useWords } from './words'

interface Props {
  table: Table
  onHome(): void
  onAgain(): void
  onSettings(): void
}

type Opened = { what: 'talk' } | { what: 'leave' } | { what: 'person'; seat: Seat }

export function TableScreen({ table, onHome, onAgain, onSettings }: Props) {
  const { game, t } = useWords()
  const language = useLanguage()
  const { state, resting, hurry } = useShown(table)
  const { view, players } = state
  const [notice, setNotice] = useState<string | null>(null)
  const [told, setTold] = useState<Line | null>(null)
  const [opened, setOpened] = useState<Opened | null>(null)
  const [again, setAgain] = useState(false)
  const { seconds, left } = useCountdown(state.deadline, state.turnLasts)
  const { sayings, last } = useSayings(state)
  const over = view.phase === 'over' && !state.ended
  const ended = state.ended !== null && !resting
  const acting = state.ended || over ? null : view.turn
  const leftOf = (seat: Seat) => (acting !== seat ? null : state.deadline === null ? 1 : left)
  const say = (text: string) => {
    setNotice(text)
    setTold((before) => ({ id: (before?.id ?? 0) + 1, text }))
  }

  useFeel(state, seconds)
  // A refusal is told for as long as the table stays as it is.
  useLayoutEffect(() => setNotice(null), [view.seq, view.handsFinished])
  useEffect(() => setAgain(false), [view.handsFinished, view.hand.tricks.length, view.table.cards.length])
  useEffect(() => {
    if (state.broken) say(t('broken'))
  }, [state.broken])
  useEffect(() => {
    if (state.corrected > 0) say(t('corrected'))
  }, [state.corrected])
  useEffect(() => {
    if (last && last.seat !== view.viewer) setTold((before) => ({ id: (before?.id ?? 0) + 1, text: t('say_said', { who: nameOf(game, players, last.seat, view.viewer), words: last.line.words[language] }) }))
  }, [last?.n])

  const act = (action: string) => {
    setNotice(null)
    // Whoever goes on has seen the trick.
    hurry()
    table.act(action).catch((err: unknown) => {
      // The correction says it better.
      if (table.state.corrected === state.corrected) say(err instanceof Problem ? wordsOf(game, err, () => explain(language, err)) : game('failed', { why: String(err) }))
    })
  }
  const refuse = (code: string) => (resting ? hurry() : say(game.reason(code)))

  const canLookBack = !over && !ended && !resting && view.hand.tricks.length > 0
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || (event.target instanceof HTMLElement && event.target.closest('dialog, select, input, textarea'))) return
      if (event.key.toLowerCase() === 'l' && canLookBack) setAgain((now) => !now)
      else if (event.key === 'Escape') setAgain(false)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })

  const leave = () => (state.stake && !over ? setOpened({ what: 'leave' }) : onHome())
  return (
    <div class={`game${acting === view.viewer ? ' my-turn' : ''}`} data-phase={view.phase} data-seq={view.seq} data-busy={state.busy} data-result={ended ? 'hand' : over ? 'match' : undefined}>
      <header class="bar">
        <button type="button" class="icon-button" aria-label={t('leave')} title={`${t('leave')}. ${game('leave_help')}`} data-action="leave" onClick={leave}><Icon of={ChevronLeft} size={24} /></button>
        <Score state={state} />
        <button type="button" class="icon-button" aria-label={t('settings')} title={t('settings')} data-action="settings" onClick={onSettings}><Icon of={Settings2} size={21} /></button>
        <Contract state={state} />
      </header>

      <main class="felt" id="content" onClick={hurry}>
        <h1 class="hidden">Cuatrola</h1>
        {[0, 1, 2, 3].filter((seat) => seat !== view.viewer).map((seat) => (
          <SeatPlace
            key={seat} state={state} seat={seat} left={leftOf(seat)} saying={saidBy(sayings.get(seat), language)}
            onPerson={table.talk && !players[seat]?.bot ? () => setOpened({ what: 'person', seat }) : null}
          />
        ))}
        {view.trump && !over && (
          <div class="trump" role="img" aria-label={game('trump_is', { card: game.card(view.trump) })} data-trump={view.trump}>
            <span class="card mini"><Face card={view.trump} /></span>
            <span class="trump-name" aria-hidden="true"><SuitSign suit={suitOf(view.trump)} /> {game('trump')}</span>
          </div>
        )}
        {canLookBack && (
          <button type="button" class="look-back" data-action="last-trick" aria-pressed={again} onClick={() => setAgain(!again)}>
            <Icon of={Layers} size={18} /><span>{again ? t('close_last') : t('last_trick_show')}</span>
          </button>
        )}
        {!ended && !over && <TrickArea state={state} resting={resting} again={again} stays={pace() === 0} />}
        {ended && <HandResult state={state} onNext={() => void table.nextHand()} />}
        {over && <MatchEnd table={table} state={state} onAgain={onAgain} onHome={onHome} />}
        {table.talk && <button type="button" class="icon-button talk" aria-label={t('talk')} title={t('talk')} data-action="talk" onClick={() => setOpened({ what: 'talk' })}><Icon of={MessageCircle} size={21} /></button>}
        {state.link === 'reconnecting' && <p class="link">{game('reconnecting')}</p>}
      </main>

      <footer class="rail">
        <div class="me" data-seat={view.viewer}>
          <Person player={players[view.viewer]} left={leftOf(view.viewer)} size={38} />
          <p class={`status${notice || state.broken ? ' notice' : ''}`}>
            <span>{notice ?? prompt(game, t('you_sit_out'), t('broken'), state)}</span>
            {!notice && <Marks state={state} seat={view.viewer} />}
          </p>
          {seconds !== null && acting === view.viewer && <span class={`clock${seconds <= 5 ? ' short' : ''}`} aria-hidden="true" title={game('time_left', { n: seconds })}>{seconds} s</span>}
          <Said state={state} seat={view.viewer} saying={saidBy(sayings.get(view.viewer), language)} />
        </div>
        {state.broken && <div class="actions"><button type="button" class="strong" data-action="reload" onClick={() => location.reload()}>{t('reload')}</button></div>}
        <Actions state={state} onAct={act} onRefused={refuse} />
        <OwnHand state={state} onPlay={act} onRefused={refuse} />
        <p class="keys">{game('keys')}</p>
      </footer>
      <Announcer state={state} seconds={acting === view.viewer ? seconds : null} told={told} />

      {opened?.what === 'talk' && <TalkDialog table={table} onClose={() => setOpened(null)} />}
      {opened?.what === 'person' && <PersonDialog table={table} state={state} seat={opened.seat} onClose={() => setOpened(null)} />}
      {opened?.what === 'leave' && (
        <ConfirmDialog
          title={t('leave_title')} action={t('leave_go')} text={t('leave_stake', { n: state.stake?.entry ?? 0 })} onClose={() => setOpened(null)}
          onConfirm={async () => onHome()}
        />
      )}
    </div>
  )
}

const saidBy = (line: { symbol: string | null; words: Readonly<Record<'es' | 'ca' | 'en', string>> } | undefined, language: 'es' | 'ca' | 'en') =>
  line ? line.symbol ?? line.words[language] : null

/** A refusal by the rules has their words; the rest is explained as on any page. */
function wordsOf(game: Translate, problem: Problem, otherwise: () => string): string {
  const words = game.reason(problem.code)
  return words === problem.code ? otherwise() : words
}

function prompt(game: Translate, sitsOut: string, broken: string, state: TableState): string {
  const { view, players } = state
  if (state.broken) return broken
  const late = state.timedOut ? game('timed_out') + ' ' : ''
  if (state.ended || view.phase === 'over') return late || ' '
  if (view.phase === 'seeds' || view.phase === 'deal') return game('waiting_seeds')
  if (view.turn === view.viewer) return late + game(view.phase === 'bid' ? 'your_turn_bid' : view.phase === 'sing' ? 'your_turn_sing' : 'your_turn_play')
  if (view.out === view.viewer) return late + sitsOut
  if (view.turn === null) return late + game('thinking')
  return late + game('turn_of', { who: nameOf(game, players, view.turn, view.viewer) })
}
