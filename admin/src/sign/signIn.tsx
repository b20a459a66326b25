import { Button, Dialog, Problem, ProblemNote, TextField, useAction, useTexts } from '@cuatrola/ui'
import { Fingerprint } from 'lucide'
import { useEffect, useState } from 'preact/hooks'
import { api, ask, readSession, useToken } from '../api/client'
import type { Session } from '../api/types'
import { sign, supported } from '../security/passkeys'
import { Preferences } from '../shell/preferences'
import { Mark } from '../shell/shell'
import { texts as shellTexts } from '../shell/texts'
import { texts } from './texts'

/** Asks who one is. Over a page whose session has ended it is a window, and the page stays as it was. */
export function SignIn({ onDone, over = false }: { onDone: (session: Session) => void; over?: boolean }) {
  const t = useTexts(texts)
  const s = useTexts(shellTexts)
  useEffect(() => {
    if (!over) document.title = `${t('sign_in')} · Cuatrola`
  }, [t, over])
  if (over) {
    return (
      <Dialog title={t('sign_in_again')} onClose={() => {}} keep>
        <p>{t('sign_in_again_help')}</p>
        <Credentials onDone={onDone} />
      </Dialog>
    )
  }
  return (
    <main class="sign" data-page="sign-in">
      <div class="brand"><Mark /><span>Cuatrola<small>{s('panel')}</small></span></div>
      <div class="card">
        <h1>{t('sign_in')}</h1>
        <Credentials onDone={onDone} />
      </div>
      <Preferences />
    </main>
  )
}

/** The refusal of a passkey in words of its own. */
function unknownPasskey(err: unknown): never {
  if (err instanceof Problem && err.code === 'invalid_credentials') throw new Problem('passkey_unknown', err.status, err.detail)
  throw err
}

function Credentials({ onDone }: { onDone: (session: Session) => void }) {
  const t = useTexts(texts)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [tried, setTried] = useState(false)
  const { run, busy, problem } = useAction(async () => {
    const session = await ask(api.POST('/admin/v1/session', { body: { email: email.trim(), password, code: code.trim() } }))
    useToken(session.csrfToken)
    onDone(session)
  })
  const passkey = useAction(async () => {
    const asked = await ask(api.POST('/admin/v1/session/passkey/options'))
    const credential = await sign(asked.publicKey)
    const session = await ask(api.POST('/admin/v1/session/passkey', { body: { ceremonyId: asked.ceremonyId, credential } })).catch(unknownPasskey)
    useToken(session.csrfToken)
    onDone(session)
  })
  // Another tab may have signed in meanwhile.
  useEffect(() => {
    const look = () => document.visibilityState === 'visible' && void readSession().then((found) => found && onDone(found), () => {})
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  const missing = (value: string) => (tried && value.trim() === '' ? t('fill_in') : null)
  return (
    <form
      class="form" noValidate
      onSubmit={(e) => {
        e.preventDefault()
        setTried(true)
        if (email.trim() && password && code.trim()) void run()
      }}
    >
      <TextField label={t('email')} name="email" type="email" required value={email} onChange={setEmail} error={missing(email)} input={{ autocomplete: 'username', spellcheck: false, autofocus: true }} />
      <TextField label={t('password')} name="password" type="password" required value={password} onChange={setPassword} error={missing(password)} input={{ autocomplete: 'current-password' }} />
      <TextField label={t('code')} name="code" required value={code} onChange={setCode} error={missing(code)} hint={t('code_help')} input={{ autocomplete: 'one-time-code', spellcheck: false, maxLength: 40 }} />
      {problem && <ProblemNote problem={problem} />}
      <Button kind="strong" type="submit" busy={busy} data-action="sign-in">{t('sign_in')}</Button>
      {supported() && (
        <>
          <p class="or" aria-hidden="true">{t('or')}</p>
          {passkey.problem && <ProblemNote problem={passkey.problem} />}
          <Button icon={Fingerprint} busy={passkey.busy} data-action="passkey" onClick={() => void passkey.run()}>{t('by_passkey')}</Button>
        </>
      )}
    </form>
  )
}
