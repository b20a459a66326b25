import { init, type Cuatrola, type MatchRecord } from '@cuatrola/rules'
import { Button, ButtonLink, Loading, Note, SelectField, useLoad } from '@cuatrola/ui'
import { BadgeCheck, ChevronFirst, ChevronLast, ChevronLeft, ChevronRight, Download, Pause, Play } from 'lucide'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import { Felt, type Laid } from './felt'
import { useWords } from './words'

/** Milliseconds between two steps while it plays. */
const pace = 900

let engine: Promise<Cuatrola> | null = null
// Again after a failure, such as a lost connection.
const loadEngine = () => (engine ??= init().catch((err: unknown) => {
  engine = null
  throw err
}))

interface Step {
  hand: number
  /** How many of the hand's actions have been done. */
  done: number
}

/** A match that is over, played back by the rules' own module. */
export function Replay({ id }: { id: string }) {
  const { t } = useWords()
  const load = useLoad(async (signal) => {
    const [record, rules] = await Promise.all([
      ask(api.GET('/admin/v1/matches/{matchId}/record', { params: { path: { matchId: id } }, signal })),
      loadEngine(),
    ])
    const found = record as unknown as MatchRecord
    return { record: found, rules, seats: rules.trace(found).trace }
  }, [id])
  return <Loading of={load} lines={4} tall>{(data) => (data.seats ? <Player {...data} id={id} /> : <Note tone="bad">{t('no_module')}</Note>)}</Loading>
}

function Player({ id, record, rules, seats }: { id: string; record: MatchRecord; rules: Cuatrola; seats: readonly { hand: number; i: number; seat: number }[] }) {
  const { t, action, names } = useWords()
  const steps = useMemo<Step[]>(() => record.hands.flatMap((h, hand) => Array.from({ length: h.actions.length + 1 }, (_, done) => ({ hand, done }))), [record])
  const [at, setAt] = useState(0)
  const [playing, setPlaying] = useState(false)
  const [verdict, setVerdict] = useState<{ tone: 'good' | 'bad'; text: string } | null>(null)
  useEffect(() => {
    if (!playing) return
    const timer = setInterval(() => setAt((n) => Math.min(n + 1, steps.length - 1)), pace)
    return () => clearInterval(timer)
  }, [playing, steps])
  useEffect(() => {
    if (at === steps.length - 1) setPlaying(false)
  }, [at])
  const step = steps[at]!
  const seatOf = useMemo(() => new Map(seats.map((s) => [`${s.hand}/${s.i}`, s.seat])), [seats])
  const laid = useMemo(() => laidAt(rules, record, step, seatOf, names(record.players!), action), [rules, record, step, action])
  const go = (n: number) => {
    setPlaying(false)
    setAt(Math.max(0, Math.min(steps.length - 1, n)))
  }
  const last = step.done > 0 ? record.hands[step.hand]!.actions[step.done - 1]! : null
  const who = last === null ? '' : laid.seats[seatOf.get(`${step.hand}/${step.done - 1}`)!]?.name ?? ''
  const verify = () => {
    const v = rules.verifyFair(record)
    setVerdict(v.fair !== 'ok' ? { tone: 'bad', text: t('not_verified', { why: v.fair, hand: v.hand + 1 }) }
      : v.valid ? { tone: 'good', text: t('verified', { n: v.hands }) } : { tone: 'bad', text: t('invalid_replay') })
  }
  return (
    <div class="stack" data-replay>
      <Felt laid={laid} />
      <p class="replay-said" aria-live="polite" data-raw>{last === null ? t('dealt') : <><b>{who}</b> {action(last)}</>}</p>
      <label class="replay-slider">
        <span>{t('step_n', { n: at + 1, all: steps.length })}</span>
        <input type="range" min={0} max={steps.length - 1} value={at} aria-label={t('step')} onInput={(e) => go(Number(e.currentTarget.value))} />
      </label>
      <div class="replay-controls">
        <div class="row">
          <Button icon={ChevronFirst} aria-label={t('first')} data-action="first" aria-disabled={at === 0} onClick={() => go(0)} />
          <Button icon={ChevronLeft} aria-label={t('previous')} data-action="previous-step" aria-disabled={at === 0} onClick={() => go(at - 1)} />
          <Button kind="strong" icon={playing ? Pause : Play} data-action="play" onClick={() => (playing ? setPlaying(false) : (at === steps.length - 1 && setAt(0), setPlaying(true)))}>{t(playing ? 'pause' : 'play')}</Button>
          <Button icon={ChevronRight} aria-label={t('next')} data-action="next-step" aria-disabled={at === steps.length - 1} onClick={() => go(at + 1)} />
          <Button icon={ChevronLast} aria-label={t('last')} data-action="last" aria-disabled={at === steps.length - 1} onClick={() => go(steps.length - 1)} />
        </div>
        <SelectField
          label={t('go_hand')} bare name="hand" value={String(step.hand)} onChange={(hand) => go(steps.findIndex((s) => s.hand === Number(hand)))}
          options={record.hands.map((_, i) => ({ value: String(i), label: t('hand_n', { n: i + 1 }) }))}
        />
        <div class="row">
          <Button icon={BadgeCheck} data-action="verify" onClick={verify}>{t('verify')}</Button>
          <ButtonLink icon={Download} href={`/admin/v1/matches/${id}/record`} download={`cuatrola-${id}.json`}>{t('download')}</ButtonLink>
        </div>
      </div>
      {verdict && <Note tone={verdict.tone}><span data-verdict={verdict.tone}>{verdict.text}</span></Note>}
    </div>
  )
}

/** The table after so many actions of a hand, all cards open, as the rules say. */
function laidAt(rules: Cuatrola, record: MatchRecord, { hand, done }: Step, seatOf: Map<string, number>, names: readonly string[], action: (text: string) => string): Laid {
  const current = record.hands[hand]!
  const before = current.actions.slice(0, done)
  const match = rules.resume({ ...record, hands: [...record.hands.slice(0, hand), { ...current, actions: before }] })
  const v = match.view(4)
  // A hand that has just ended is still on the table, though the rules have dealt the next one.
  const ended = done === current.actions.length ? match.results[hand] : undefined
  const shown = ended ?? v.hand
  const trick = ended ? ended.tricks.at(-1)! : v.table
  const said: (string | null)[] = [null, null, null, null]
  before.forEach((text, i) => {
    const seat = seatOf.get(`${hand}/${i}`)
    if (seat === undefined || /^[SCR3A][OCEB]$/.test(text)) return
    // A bid and what is sung stay to be seen; who passes does while others bid, who keeps silent for the moment.
    const stays = text === 'pass' ? v.phase === 'bid' && !ended : text !== 'silent'
    if (stays || i === done - 1) said[seat] = action(text)
  })
  // Who bid plays alone: the partner has none of the cards that were played.
  const idle = [0, 1, 2, 3].find((seat) => current.deal[seat]!.every((card) => !before.includes(card)))
  const out = ended ? (ended.bidder === null ? null : idle ?? null) : v.out
  const order = (lead: number) => [0, 1, 2, 3].map((n) => (lead + n) % 4).filter((seat) => seat !== out)
  return {
    seats: names.map((name, i) => ({ name, bot: record.players![i]!.bot, away: false })),
    held: current.deal.map((cards) => cards.filter((card) => !before.includes(card))),
    trump: current.trump, dealer: current.dealer, turn: ended ? null : match.turn, out, said,
    trick: trick.cards.map((card, i) => ({ seat: order(trick.lead)[i]!, card })), taken: ended || trick.cards.length === 4 ? trick.winner : null,
    points: shown.points, tricksWon: shown.tricksWon, score: ended?.score ?? v.score,
  }
}
