import { useEffect, useRef, useState } from 'preact/hooks'
import type { Server } from './api/client'
import { Refusal } from './game/types'
import { useT } from './i18n'

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

interface Props {
  link: MailLink
  server: Server
  onClose(): void
}

/** Follows the link when the person says so: programs that only look into mails must not use it up. */
export function MailLinkDialog({ link, server, onClose }: Props) {
  const t = useT()
  const dialog = useRef<HTMLDialogElement>(null)
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [done, setDone] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => dialog.current?.showModal(), [])

  const follow = async () => {
    setBusy(true)
    setFailure(null)
    try {
      if (link.kind === 'verify') await server.verifyEmail(link.token)
      else await server.resetPassword(link.token, password)
      setDone(true)
    } catch (err) {
      setFailure(err instanceof Refusal ? t.reason(err.code) : t('failed', { why: String(err) }))
    } finally {
      setBusy(false)
    }
  }

  return (
    <dialog ref={dialog} class="panel settings" aria-label={t(`mail_${link.kind}`)} onClose={onClose} data-mail={link.kind}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (done) dialog.current?.close()
          else void follow()
        }}
      >
        <h2>{t(`mail_${link.kind}`)}</h2>
        {link.kind === 'reset' && !done && (
          <label>
            <span>{t('password')}</span>
            <input
              type="password" name="password" autocomplete="new-password" required minLength={8} maxLength={128}
              value={password} onInput={(event) => setPassword(event.currentTarget.value)}
            />
          </label>
        )}
        <p role="status" data-done={done}>{done ? t(`mail_${link.kind}_done`) : failure ?? t(`mail_${link.kind}_help`)}</p>
        <div class="row">
          <button type="submit" class="strong" data-action="follow" disabled={busy}>{t(done ? 'close' : `mail_${link.kind}`)}</button>
          {!done && <button type="button" class="plain" data-action="close" onClick={() => dialog.current?.close()}>{t('close')}</button>}
        </div>
      </form>
    </dialog>
  )
}
