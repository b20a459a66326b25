import {
  Button, CopyButton, Loading, Note, Problem, ProblemNote, QR, SwitchField, TextField, type Translate, useAction, useLoad,
  useTexts,
} from '@cuatrola/ui'
import { useEffect, useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Invitation as Link } from '../api/types'
import { Preferences } from '../shell/preferences'
import { Mark } from '../shell/shell'
import { RecoveryCodes } from './recovery'
import { texts } from './texts'

type T = Translate<keyof (typeof texts)['es'] & string>

/** Takes the token out of the address at once: it must not stay in the history. */
function takeToken(): string {
  const token = decodeURIComponent(location.hash.slice(1))
  if (token) history.replaceState(null, '', location.pathname)
  return token
}

/** Where a link to the panel leads: name, password and second factor, and then the recovery codes. */
export function Invitation({ onDone }: { onDone: () => void }) {
  const t = useTexts(texts)
  const [token] = useState(takeToken)
  useEffect(() => {
    document.title = `${t('invitation')} · Cuatrola`
  }, [t])
  return (
    <main class="sign wide" data-page="invitation">
      <div class="brand"><Mark /><span>Cuatrola</span></div>
      <div class="card">{token ? <Asked t={t} token={token} onDone={onDone} /> : <Note tone="warn" title={t('no_token')}>{t('no_token_help')}</Note>}</div>
      <Preferences />
    </main>
  )
}

function Asked({ t, token, onDone }: { t: T; token: string; onDone: () => void }) {
  const link = useLoad(() => ask(api.POST('/admin/v1/invitation', { body: { token } })), [token])
  return <Loading of={link} lines={5}>{(data) => <Steps t={t} token={token} link={data} onDone={onDone} />}</Loading>
}

const shortest = 12

function Steps({ t, token, link, onDone }: { t: T; token: string; link: Link; onDone: () => void }) {
  const [step, setStep] = useState(0)
  const [tried, setTried] = useState(false)
  const [name, setName] = useState(link.name ?? '')
  const [email, setEmail] = useState(link.email)
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [code, setCode] = useState('')
  const [kept, setKept] = useState(false)
  const [codes, setCodes] = useState<string[]>([])
  const { run, busy, problem, clear } = useAction(async () => {
    try {
      const answer = await ask(api.POST('/admin/v1/invitation/accept', {
        body: { token, name: name.trim(), ...(link.email ? {} : { email: email.trim() }), password, code: code.replace(/\s/g, '') },
      }))
      setCodes(answer.recoveryCodes)
      setStep(2)
    } catch (err) {
      // What is wrong with the first step is shown there.
      if (err instanceof Problem && ['name', 'email', 'password'].includes(err.field ?? '')) setStep(0)
      throw err
    }
  })
  const long = [...password].length >= shortest
  const first = name.trim() !== '' && email.trim() !== '' && long && again === password
  const missing = (value: string) => (tried && value.trim() === '' ? t('fill_in') : null)
  return (
    <>
      <div>
        <h1>{link.kind === 'reset' ? t('reset') : t('invitation')}</h1>
        <p class="soft">{link.kind === 'reset' ? t('reset_for', { name: link.name ?? link.email }) : t('invited_as', { role: t(`role_${link.role}`) })}</p>
      </div>
      <div class="steps" role="img" aria-label={t('step_n', { n: step + 1, total: 3 })}>{[0, 1, 2].map((i) => <i key={i} class={i <= step ? 'done' : ''} />)}</div>
      {step === 0 && (
        <form
          class="form" noValidate key="0"
          onSubmit={(e) => {
            e.preventDefault()
            setTried(true)
            if (!first) return
            setTried(false)
            clear()
            setStep(1)
          }}
        >
          <h2>{t('you')}</h2>
          <TextField label={t('your_name')} name="name" required value={name} onChange={setName} error={missing(name)} hint={t('your_name_help')} input={{ autocomplete: 'name', maxLength: 60 }} />
          <TextField label={t('email')} name="email" type="email" required disabled={link.email !== ''} value={email} onChange={setEmail} error={missing(email)} input={{ autocomplete: 'username', spellcheck: false }} />
          <TextField label={t('new_password')} name="password" type="password" required value={password} onChange={setPassword} error={tried && !long ? t('password_short') : null} hint={t('new_password_help')} input={{ autocomplete: 'new-password' }} />
          <TextField label={t('password_again')} name="again" type="password" required value={again} onChange={setAgain} error={tried && again !== password ? t('password_differs') : null} input={{ autocomplete: 'new-password' }} />
          {problem && <ProblemNote problem={problem} />}
          <Button kind="strong" type="submit" data-action="next">{t('next')}</Button>
        </form>
      )}
      {step === 1 && (
        <form
          class="form" noValidate key="1"
          onSubmit={(e) => {
            e.preventDefault()
            setTried(true)
            if (code.trim()) void run()
          }}
        >
          <h2>{t('second_factor')}</h2>
          <p>{t('scan')}</p>
          <QR text={link.totpUri} label={t('qr')} />
          <div class="stack">
            <p class="soft">{t('by_hand')}</p>
            <p class="row"><span class="secret" data-secret={link.totpSecret}>{link.totpSecret.match(/.{1,4}/g)!.join(' ')}</span> <CopyButton text={link.totpSecret} /></p>
            <a href={link.totpUri}>{t('open_app')}</a>
          </div>
          <TextField label={t('code_now')} name="code" required value={code} onChange={setCode} error={missing(code)} input={{ autocomplete: 'one-time-code', inputMode: 'numeric', maxLength: 7 }} />
          {problem && <ProblemNote problem={problem} />}
          <Button kind="strong" type="submit" busy={busy} data-action="finish">{t('finish')}</Button>
          <Button onClick={() => setStep(0)} data-action="back">{t('back')}</Button>
        </form>
      )}
      {step === 2 && (
        <div class="form" key="2">
          <RecoveryCodes codes={codes} />
          <SwitchField label={t('kept')} name="kept" checked={kept} onChange={setKept} />
          <Button kind="strong" aria-disabled={!kept} onClick={() => kept && onDone()} data-action="done">{t('to_panel')}</Button>
        </div>
      )}
    </>
  )
}
