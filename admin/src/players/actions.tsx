import {
  ChoiceField, Coins, CoinsField, DateTimeField, Note, ReasonDialog, SelectField, TextArea, TextField, useFormat, useToast,
} from '@cuatrola/ui'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import type { T } from './person'

type File = Schemas['PanelPlayerFile']
type Word = Schemas['PanelSuspend']['word']
type About = Schemas['PanelWarning']['about']
type Provider = Schemas['PanelUnlink']['provider']

/** What can be done to a player. */
export type Doing =
  | { what: 'give' | 'take' | 'suspend' | 'lift' | 'warn' | 'rename' | 'reset' | 'sign_out' | 'export' | 'delete' | 'restore' }
  | { what: 'unlink'; provider: Provider }
  | { what: 'end_session'; sessionId: string }

export const words: readonly Word[] = ['cheating', 'collusion', 'harassment', 'name', 'payments', 'rules']
export const abouts: readonly About[] = ['fairness', 'words', 'name', 'stalling', 'rules']

const days = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString().replace(/\.\d+Z$/, 'Z')
const spans = { day: 1, three: 3, week: 7, month: 30 } as const
type Span = keyof typeof spans | 'date' | 'good'

/** The window for what is being done; `onDone` is told once the server has kept it. */
export function ActionDialog({ t, file, doing, onClose, onDone }: { t: T; file: File; doing: Doing; onClose: () => void; onDone: () => void }) {
  const toast = useToast()
  const { id, name } = file.player
  const params = { path: { playerId: id } }
  const done = (text: string) => {
    toast.good(text)
    onDone()
  }
  const plain = { onClose, title: t(`${doing.what}_title`, { name }), action: t(`${doing.what}_action`) }
  switch (doing.what) {
    case 'give':
    case 'take':
      return <GrantDialog t={t} file={file} take={doing.what === 'take'} onClose={onClose} onDone={done} />
    case 'suspend':
      return <SuspendDialog t={t} file={file} onClose={onClose} onDone={done} />
    case 'warn':
      return <WarnDialog t={t} file={file} onClose={onClose} onDone={done} />
    case 'rename':
      return <RenameDialog t={t} file={file} onClose={onClose} onDone={done} />
    case 'lift':
      return (
        <ReasonDialog
          {...plain} text={t('lift_text')}
          onConfirm={async (reason) => {
            await ask(api.POST('/admin/v1/players/{playerId}/lift', { params, body: { reason } }))
            done(t('toast_lifted', { name }))
          }}
        />
      )
    case 'reset':
      return (
        <ReasonDialog
          {...plain} text={t('reset_text')}
          onConfirm={async (reason) => {
            await ask(api.POST('/admin/v1/players/{playerId}/reset-password', { params, body: { reason } }))
            done(t('toast_mailed'))
          }}
        />
      )
    case 'sign_out':
    case 'end_session':
      return (
        <ReasonDialog
          {...plain} text={t(`${doing.what}_text`)} danger
          onConfirm={async (reason) => {
            await ask(api.POST('/admin/v1/players/{playerId}/sessions/end', {
              params, body: doing.what === 'end_session' ? { sessionId: doing.sessionId, reason } : { reason },
            }))
            done(t('toast_signed_out'))
          }}
        />
      )
    case 'unlink':
      return (
        <ReasonDialog
          {...plain} title={t('unlink_title', { name: t.code(`via_${doing.provider}`, doing.provider) })} text={t('unlink_text')} danger
          onConfirm={async (reason) => {
            await ask(api.POST('/admin/v1/players/{playerId}/unlink', { params, body: { provider: doing.provider, reason } }))
            done(t('toast_unlinked'))
          }}
        />
      )
    case 'export':
      return (
        <ReasonDialog
          {...plain} text={t('export_text')}
          onConfirm={async (reason) => {
            const blob = (await ask(api.POST('/admin/v1/players/{playerId}/export', { params, body: { reason }, parseAs: 'blob' }))) as unknown as Blob
            const link = document.createElement('a')
            link.href = URL.createObjectURL(blob)
            link.download = `cuatrola-${id}.zip`
            link.click()
            setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
            done(t('toast_exported'))
          }}
        />
      )
    case 'delete':
      return (
        <ReasonDialog
          {...plain} text={t('delete_text')} danger
          onConfirm={async (reason) => {
            await ask(api.POST('/admin/v1/players/{playerId}/delete', { params, body: { reason } }))
            done(t('toast_deleted'))
          }}
        />
      )
    case 'restore':
      return (
        <ReasonDialog
          {...plain} text={t('restore_text')}
          onConfirm={async (reason) => {
            await ask(api.POST('/admin/v1/players/{playerId}/restore', { params, body: { reason } }))
            done(t('toast_restored'))
          }}
        />
      )
  }
}

interface Props {
  t: T
  file: File
  onClose: () => void
  onDone: (text: string) => void
}

function GrantDialog({ t, file, take, onClose, onDone }: Props & { take: boolean }) {
  const f = useFormat()
  const [coins, setCoins] = useState<number | null>(null)
  const [tried, setTried] = useState(false)
  // One for this window: sent twice, it is given once.
  const [key] = useState(() => crypto.randomUUID())
  const { each, day, used } = file.allowance
  const most = Math.max(0, Math.min(each, day - used, take ? file.coins : each))
  return (
    <ReasonDialog
      title={t(take ? 'take_title' : 'give_title', { name: file.player.name })} action={t(take ? 'take_action' : 'give_action')} danger={take} onClose={onClose}
      text={t(take ? 'take_text' : 'give_text')}
      check={() => {
        setTried(true)
        return coins !== null && coins > 0
      }}
      onConfirm={async (reason) => {
        const { balance } = await ask(api.POST('/admin/v1/players/{playerId}/grant', {
          params: { path: { playerId: file.player.id } }, body: { coins: take ? -coins! : coins!, key, reason },
        }))
        onDone(t('toast_coins', { name: file.player.name, coins: f.number(balance) }))
      }}
    >
      <p class="soft">{t('has_coins')} <Coins value={file.coins} /></p>
      <CoinsField
        label={t('how_many')} name="coins" required min={1} max={most} value={coins} onChange={setCoins}
        hint={t('allowance', { each: f.number(each), left: f.number(Math.max(0, day - used)) })}
        error={tried && coins === null ? t('coins_missing', { most: f.number(most) }) : null}
      />
    </ReasonDialog>
  )
}

function SuspendDialog({ t, file, onClose, onDone }: Props) {
  const f = useFormat()
  const [word, setWord] = useState<Word>('harassment')
  const [text, setText] = useState('')
  const [span, setSpan] = useState<Span>('three')
  const [date, setDate] = useState<string | null>(days(7))
  const [tried, setTried] = useState(false)
  const missing = span === 'date' && (date === null || Date.parse(date) <= Date.now())
  return (
    <ReasonDialog
      title={t('suspend_title', { name: file.player.name })} text={t('suspend_text')} action={t('suspend_action')} danger wide onClose={onClose}
      check={() => {
        setTried(true)
        return !missing
      }}
      onConfirm={async (reason) => {
        const until = span === 'good' ? null : span === 'date' ? date : days(spans[span])
        await ask(api.POST('/admin/v1/players/{playerId}/suspend', {
          params: { path: { playerId: file.player.id } }, body: { word, reason, ...(text.trim() ? { text: text.trim() } : {}), ...(until ? { until } : {}) },
        }))
        onDone(until ? t('toast_suspended_until', { name: file.player.name, when: f.dateTime(until) }) : t('toast_suspended', { name: file.player.name }))
      }}
    >
      {file.sanction && <Note tone="warn">{t('suspend_replaces')}</Note>}
      <ChoiceField
        label={t('how_long')} name="span" value={span} onChange={setSpan}
        options={[
          { value: 'day', label: t('span_day') }, { value: 'three', label: t('span_three') }, { value: 'week', label: t('span_week') },
          { value: 'month', label: t('span_month') }, { value: 'date', label: t('span_date') }, { value: 'good', label: t('span_good') },
        ]}
      />
      {span === 'date' && (
        <DateTimeField label={t('until')} name="until" value={date} onChange={setDate} error={tried && missing ? t('until_past') : null} />
      )}
      <SelectField label={t('word')} name="word" value={word} onChange={setWord} hint={t('word_help')} options={words.map((value) => ({ value, label: t(`word_${value}`) }))} />
      <TextArea label={t('own_words')} name="text" rows={2} value={text} onChange={setText} hint={t('own_words_help')} area={{ maxLength: 500 }} />
    </ReasonDialog>
  )
}

function WarnDialog({ t, file, onClose, onDone }: Props) {
  const [about, setAbout] = useState<About>('words')
  const [text, setText] = useState('')
  return (
    <ReasonDialog
      title={t('warn_title', { name: file.player.name })} text={t('warn_text')} action={t('warn_action')} onClose={onClose}
      onConfirm={async (reason) => {
        await ask(api.POST('/admin/v1/players/{playerId}/warn', {
          params: { path: { playerId: file.player.id } }, body: { about, reason, ...(text.trim() ? { text: text.trim() } : {}) },
        }))
        onDone(t('toast_warned', { name: file.player.name }))
      }}
    >
      <SelectField label={t('about')} name="about" value={about} onChange={setAbout} options={abouts.map((value) => ({ value, label: t(`about_${value}`) }))} />
      <TextArea label={t('own_words')} name="text" rows={2} value={text} onChange={setText} hint={t('own_words_help')} area={{ maxLength: 500 }} />
    </ReasonDialog>
  )
}

function RenameDialog({ t, file, onClose, onDone }: Props) {
  const [name, setName] = useState('')
  return (
    <ReasonDialog
      title={t('rename_title', { name: file.player.name })} text={t('rename_text')} action={t('rename_action')} danger onClose={onClose}
      onConfirm={async (reason) => {
        const { after } = await ask(api.POST('/admin/v1/players/{playerId}/rename', {
          params: { path: { playerId: file.player.id } }, body: { reason, ...(name.trim() ? { name: name.trim() } : {}) },
        }))
        onDone(t('toast_renamed', { name: after }))
      }}
    >
      <TextField label={t('new_name')} name="name" value={name} onChange={setName} hint={t('new_name_help')} input={{ autocomplete: 'off', spellcheck: false, maxLength: 24 }} />
    </ReasonDialog>
  )
}
