import { ask, type Problem } from '@cuatrola/client'
import { Button, ChoiceField, Dialog, FormDialog, ProblemNote, Skeleton, TextArea, useAction, useLanguage, useLoad, useToast } from '@cuatrola/ui'
import { Flag, UserPlus, Volume2, VolumeX } from 'lucide'
import { useEffect, useState } from 'preact/hooks'
import { api, type Schemas } from '../game/client'
import type { Seat, Table, TableState } from '../game/types'
import { nameOf } from './names'
import { useWords } from './words'

export type TalkLine = Schemas['TalkLine']

let catalogue: Promise<TalkLine[]> | null = null

/** What can be said, asked for once. */
const talkLines = () => (catalogue ??= ask(api.GET('/v1/talk')).then(({ lines }) => lines, (err: Problem) => {
  catalogue = null
  throw err
}))

/** How long what is said stands beside its seat. */
const stands = 4500

/** What each seat says just now, and the line that was said last. */
export function useSayings(state: TableState): { sayings: ReadonlyMap<Seat, TalkLine>; last: { n: number; seat: Seat; line: TalkLine } | null } {
  const [lines, setLines] = useState<TalkLine[]>([])
  const [sayings, setSayings] = useState<ReadonlyMap<Seat, TalkLine>>(new Map())
  const [last, setLast] = useState<{ n: number; seat: Seat; line: TalkLine } | null>(null)
  const { said } = state
  useEffect(() => {
    if (state.link !== 'local') talkLines().then(setLines, () => undefined)
  }, [state.link])
  useEffect(() => {
    const line = said && lines.find((one) => one.say === said.say)
    if (!line) return
    setSayings((now) => new Map(now).set(said.seat, line))
    setLast({ n: said.n, seat: said.seat, line })
    const timer = setTimeout(() => setSayings((now) => {
      const next = new Map(now)
      if (next.get(said.seat) === line) next.delete(said.seat)
      return next
    }), stands)
    return () => clearTimeout(timer)
  }, [said?.n, lines])
  return { sayings, last }
}

/** The lines that can be said, a tap each. */
export function TalkDialog({ table, onClose }: { table: Table; onClose(): void }) {
  const { t } = useWords()
  const language = useLanguage()
  const lines = useLoad(talkLines, [])
  const say = useAction(async (code: string) => {
    await table.talk!.say(code)
    onClose()
  })
  const part = (kind: TalkLine['kind']) => (
    <div class={`lines ${kind}s`}>
      {lines.data?.filter((line) => line.kind === kind).map((line) => (
        <button
          type="button" class="line" key={line.say} data-say={line.say} aria-label={t('say_it', { words: line.words[language] })}
          title={line.words[language]} onClick={() => void say.run(line.say)}
        >
          {line.symbol ?? line.words[language]}
        </button>
      ))}
    </div>
  )
  return (
    <Dialog title={t('talk_title')} onClose={onClose}>
      {lines.problem && <ProblemNote problem={lines.problem} retry={lines.reload} />}
      {say.problem && (say.problem.code === 'rate_limited' ? <p class="note warn" role="alert">{t('talk_wait')}</p> : <ProblemNote problem={say.problem} />)}
      {lines.data ? <>{part('reaction')}{part('phrase')}</> : !lines.problem && <Skeleton lines={4} />}
    </Dialog>
  )
}

const reasons = ['stalling', 'harassment', 'cheating', 'name', 'other'] as const

/** What can be done about a person at the table: mute, befriend, report. */
export function PersonDialog({ table, state, seat, onClose }: { table: Table; state: TableState; seat: Seat; onClose(): void }) {
  const { game, t } = useWords()
  const toast = useToast()
  const [reporting, setReporting] = useState(false)
  const [reason, setReason] = useState<(typeof reasons)[number]>('stalling')
  const [text, setText] = useState('')
  const player = state.players[seat]!
  const who = nameOf(game, state.players, seat, state.view.viewer)
  const muted = state.muted.includes(seat)
  const mute = useAction(async () => {
    await table.talk!.mute(seat, !muted)
    onClose()
  })
  const befriend = useAction(async () => {
    await ask(api.POST('/v1/friends/requests', { body: { playerId: player.person!.id } }))
    toast.good(t('friend_asked'))
    onClose()
  })

  if (reporting) {
    return (
      <FormDialog
        title={t('report', { who })} action={t('report_send')} onClose={() => setReporting(false)}
        onSubmit={async () => {
          await ask(api.POST('/v1/reports', { body: { playerId: player.person!.id, matchId: table.id, reason, text } }))
          toast.good(t('report_sent'))
          onClose()
        }}
      >
        <ChoiceField
          label={t('report_reason')} name="reason" value={reason} onChange={setReason}
          options={reasons.map((value) => ({ value, label: t(`report_${value}`) }))}
        />
        <TextArea label={t('report_text')} name="text" value={text} onChange={setText} area={{ maxLength: 500 }} />
      </FormDialog>
    )
  }
  const problem = mute.problem ?? befriend.problem
  return (
    <Dialog title={who} onClose={onClose}>
      <div class="stack">
        {problem && <ProblemNote problem={problem} />}
        <Button icon={muted ? Volume2 : VolumeX} data-action="mute" busy={mute.busy} onClick={() => void mute.run()}>{t(muted ? 'unmute' : 'mute', { who })}</Button>
        {!muted && <p class="soft">{t('mute_help')}</p>}
        {player.person ? (
          <>
            <Button icon={UserPlus} data-action="befriend" busy={befriend.busy} onClick={() => void befriend.run()}>{t('add_friend')}</Button>
            <Button kind="danger" icon={Flag} data-action="report" onClick={() => setReporting(true)}>{t('report', { who })}</Button>
          </>
        ) : (
          <p class="soft">{t('profile_missing')}</p>
        )}
      </div>
    </Dialog>
  )
}
