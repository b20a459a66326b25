import { ask } from '@cuatrola/client'
import { Button, Dialog, FormDialog, stay, TextField, useTexts } from '@cuatrola/ui'
import { useState } from 'preact/hooks'
import { api } from '../game/client'
import { useSession } from '../session'
import type { MailLink } from './mailLink'
import { mailTexts } from './mailTexts'

/** Follows a mail's link when the person says so: programs that only look into mails must not use it up. */
export function MailDialog({ link, onClose }: { link: MailLink; onClose(): void }) {
  const t = useTexts(mailTexts)
  const { reload } = useSession()
  const [password, setPassword] = useState('')
  const [done, setDone] = useState(false)
  if (done) {
    return (
      <Dialog key="done" title={t(`mail_${link.kind}`)} onClose={onClose} footer={<Button kind="strong" data-action="close" onClick={onClose}>{t('close')}</Button>}>
        <p role="status" data-mail-done={link.kind}>{t(`mail_${link.kind}_done`)}</p>
      </Dialog>
    )
  }
  return (
    <FormDialog
      title={t(`mail_${link.kind}`)} action={t(`mail_${link.kind}`)} onClose={onClose}
      onSubmit={async () => {
        if (link.kind === 'verify') await ask(api.POST('/v1/email/verify', { body: { token: link.token } }))
        else await ask(api.POST('/v1/email/reset', { body: { token: link.token, password } }))
        // Whoever is signed in here may be a guest no more.
        reload()
        setDone(true)
        return stay
      }}
    >
      <p data-mail={link.kind}>{t(`mail_${link.kind}_help`)}</p>
      {link.kind === 'reset' && (
        <TextField label={t('password')} name="password" type="password" required value={password} onChange={setPassword} input={{ autocomplete: 'new-password', maxLength: 128 }} />
      )}
    </FormDialog>
  )
}
