import { ask } from '@cuatrola/client'
import { Button, Dialog, FormDialog, stay, TextField } from '@cuatrola/ui'
import { useEffect, useState } from 'preact/hooks'
import { api } from '../game/client'
import { useT } from '../i18n'

/** What a link in one of the server's mails asks of the page. */
export interface MailLink {
  kind: 'verify' | 'reset'
  token: string
}

/** The link that the page was opened by, taken out of the address: nobody else shall find it in the history. */
export function takeMailLink(): MailLink | null {
  const found = /^#(verify|reset)=([\w-]+)$/.exec(location.hash)
  if (!found) return null
  history.replaceState(null, '', location.pathname + location.search)
  return { kind: found[1] as MailLink['kind'], token: found[2]! }
}

/** Follows a mail's link when the person says so: programs that only look into mails must not use it up. */
export function MailLinks() {
  const t = useT()
  const [link, setLink] = useState(takeMailLink)
  const [password, setPassword] = useState('')
  const [done, setDone] = useState(false)

  // A link that opens in a tab that has the page already.
  useEffect(() => {
    const look = () => {
      const found = takeMailLink()
      if (!found) return
      setDone(false)
      setLink(found)
    }
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])

  if (!link) return null
  const close = () => setLink(null)
  if (done) {
    return (
      <Dialog key="done" title={t(`mail_${link.kind}`)} onClose={close} footer={<Button kind="strong" data-action="close" onClick={close}>{t('close')}</Button>}>
        <p role="status" data-mail-done={link.kind}>{t(`mail_${link.kind}_done`)}</p>
      </Dialog>
    )
  }
  return (
    <FormDialog
      key={link.token} title={t(`mail_${link.kind}`)} action={t(`mail_${link.kind}`)} onClose={close}
      onSubmit={async () => {
        if (link.kind === 'verify') await ask(api.POST('/v1/email/verify', { body: { token: link.token } }))
        else await ask(api.POST('/v1/email/reset', { body: { token: link.token, password } }))
        setDone(true)
        return stay
      }}
    >
      <p data-mail={link.kind}>{t(`mail_${link.kind}_help`)}</p>
      {link.kind === 'reset' && <TextField label={t('password')} name="password" type="password" required value={password} onChange={setPassword} input={{ autocomplete: 'new-password', maxLength: 128 }} />}
    </FormDialog>
  )
}
