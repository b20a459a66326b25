import { Coins, Facts, FormDialog, Icon, Note, ReasonDialog, stay, TextField, useFormat, useToast } from '@cuatrola/ui'
import { ArrowRight } from 'lucide'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { Name, type T } from './person'

type Merged = Schemas['PanelMerged']

/** A guest becomes part of an account: two codes, a look at whose they are, and then it is done. */
export function MergeDialog({ t, onClose, onDone }: { t: T; onClose: () => void; onDone: () => void }) {
  const [guestCode, setGuest] = useState('')
  const [accountCode, setAccount] = useState('')
  const [tried, setTried] = useState(false)
  const [preview, setPreview] = useState<Merged | null>(null)
  const f = useFormat()
  const toast = useToast()
  if (preview) {
    return (
      <ReasonDialog
        title={t('merge_title')} text={t('merge_text')} action={t('merge_action')} danger onClose={onClose}
        onConfirm={async (reason) => {
          const done = await ask(api.POST('/admin/v1/players/merge', { body: { guestCode, accountCode, preview: false, reason } }))
          toast.good(t('toast_merged', { name: done.account.name }))
          onDone()
          return stay
        }}
      >
        <p class="merging"><strong><Name of={preview.guest} /></strong> <Icon of={ArrowRight} /> <strong><Name of={preview.account} /></strong></p>
        <Facts
          of={[
            [t('coins'), <Coins value={preview.coins} />],
            preview.debt > 0 && [t('debt'), <Coins value={preview.debt} />],
            [t('experience'), f.number(preview.experience)],
          ]}
        />
        <Note tone="warn">{t('merge_warning')}</Note>
      </ReasonDialog>
    )
  }
  const code = (label: string, hint: string, name: string, value: string, set: (value: string) => void) => (
    <TextField
      label={label} hint={hint} name={name} required value={value} onChange={(v) => set(v.toUpperCase())}
      error={tried && value.trim() === '' ? t('code_missing') : null} input={{ autocomplete: 'off', spellcheck: false, maxLength: 12, placeholder: 'K7QW-2MNA' }}
    />
  )
  return (
    <FormDialog
      title={t('merge_title')} action={t('merge_look')} onClose={onClose}
      check={() => {
        setTried(true)
        return guestCode.trim() !== '' && accountCode.trim() !== ''
      }}
      onSubmit={async () => {
        setPreview(await ask(api.POST('/admin/v1/players/merge', { body: { guestCode, accountCode, preview: true } })))
        return stay
      }}
    >
      <p>{t('merge_help')}</p>
      {code(t('guest_code'), t('guest_code_help'), 'guestCode', guestCode, setGuest)}
      {code(t('account_code'), t('account_code_help'), 'accountCode', accountCode, setAccount)}
    </FormDialog>
  )
}
