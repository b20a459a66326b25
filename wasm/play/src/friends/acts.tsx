import { ask } from '@cuatrola/client'
import { ConfirmDialog, FormDialog, SelectField, TextArea, useTexts, useToast } from '@cuatrola/ui'
import { useState } from 'preact/hooks'
import { api, type Schemas } from '../game/client'
import { texts } from './texts'

export type Person = Schemas['Person']

// What one may do about another player, each with the words that it is said to be done with.

export const askFriend = (id: string) => ask(api.POST('/v1/friends/requests', { body: { playerId: id } }))
export const acceptFriend = (id: string) => ask(api.POST('/v1/friends/requests/{playerId}/accept', { params: { path: { playerId: id } } }))
export const dismissFriend = (id: string) => ask(api.DELETE('/v1/friends/requests/{playerId}', { params: { path: { playerId: id } } }))
export const unblock = (id: string) => ask(api.DELETE('/v1/blocks/{playerId}', { params: { path: { playerId: id } } }))

/** What is asked about a player before it is done. */
export type Question = { kind: 'end' | 'block' | 'report'; player: Person }

/** The window that asks; `onDone` comes when it was done. */
export function Asking({ question: { kind, player }, onClose, onDone }: { question: Question; onClose: () => void; onDone: (kind: Question['kind']) => void }) {
  const t = useTexts(texts)
  const toast = useToast()
  const path = { playerId: player.id }
  const { name } = player
  if (kind === 'report') return <ReportDialog player={player} onClose={onClose} onDone={() => onDone(kind)} />
  return kind === 'end' ? (
    <ConfirmDialog
      title={t('end_title', { name })} text={t('end_text')} action={t('end')} danger onClose={onClose}
      onConfirm={async () => {
        await ask(api.DELETE('/v1/friends/{playerId}', { params: { path } }))
        toast.good(t('said_ended'))
        onDone(kind)
      }}
    />
  ) : (
    <ConfirmDialog
      title={t('block_title', { name })} text={t('block_text')} action={t('block')} danger onClose={onClose}
      onConfirm={async () => {
        await ask(api.PUT('/v1/blocks/{playerId}', { params: { path } }))
        toast.good(t('said_blocked', { name }))
        onDone(kind)
      }}
    />
  )
}

const reasons = ['cheating', 'harassment', 'name', 'stalling', 'other'] as const

function ReportDialog({ player, onClose, onDone }: { player: Person; onClose: () => void; onDone: () => void }) {
  const t = useTexts(texts)
  const toast = useToast()
  const [reason, setReason] = useState<(typeof reasons)[number]>('harassment')
  const [text, setText] = useState('')
  return (
    <FormDialog
      title={t('report_title', { name: player.name })} action={t('report_send')} onClose={onClose}
      onSubmit={async () => {
        await ask(api.POST('/v1/reports', { body: { playerId: player.id, reason, text: text.trim() } }))
        toast.good(t('said_reported'))
        onDone()
      }}
    >
      <SelectField label={t('report_reason')} name="reason" value={reason} onChange={setReason} options={reasons.map((value) => ({ value, label: t(`reason_${value}`) }))} />
      <TextArea label={t('report_text')} name="text" value={text} onChange={setText} hint={t('report_text_hint')} area={{ maxLength: 500 }} />
    </FormDialog>
  )
}
