import { FormDialog, TextArea, TextField, useTexts } from '@cuatrola/ui'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { api, ask } from '../api/client'
import { SourceField } from './sources'
import { texts } from './texts'

/** Begins a draft; `from` is what it begins from, or what is offered first. */
export function Begin({ from, fixed = false, name: suggested = '', onClose }: { from: string; fixed?: boolean; name?: string; onClose: () => void }) {
  const t = useTexts(texts)
  const { route } = useLocation()
  const [name, setName] = useState(suggested)
  const [description, setDescription] = useState('')
  const [source, setSource] = useState(from)
  const [missing, setMissing] = useState(false)
  return (
    <FormDialog
      title={t('new_draft')} action={t('begin')} onClose={onClose}
      check={() => {
        setMissing(name.trim() === '')
        return name.trim() !== ''
      }}
      onSubmit={async () => {
        const draft = await ask(api.POST('/admin/v1/economy/drafts', { body: { name: name.trim(), description, from: source } }))
        route(`/admin/economy/drafts/${draft.id}`)
      }}
    >
      <TextField
        label={t('name')} name="name" required value={name} onChange={setName} input={{ maxLength: 80, autofocus: true, autocomplete: 'off' }} hint={t('name_help')}
        error={missing && name.trim() === '' ? t('name_missing') : null}
      />
      <TextArea label={t('description')} name="description" value={description} onChange={setDescription} rows={2} area={{ maxLength: 500 }} hint={t('description_help')} />
      {!fixed && <SourceField label={t('begins_from')} name="source" value={source} onChange={setSource} />}
    </FormDialog>
  )
}
