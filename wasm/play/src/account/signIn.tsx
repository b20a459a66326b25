import './account.css'
import { ask } from '@cuatrola/client'
import { Button, Note, Page, ProblemNote, Section, Tabs, TextField, useAction, useTexts, useToast, LanguageContext } from '@cuatrola/ui'
import { useLocation } from 'preact-iso'
import { useContext, useState } from 'preact/hooks'
import { deviceName, languageChosen } from '../device'
import { api, client } from '../game/client'
import { useSession } from '../session'
import { texts } from './texts'

/** Into one's account on this device, or a new one. */
export default function SignIn() {
  const t = useTexts(texts)
  const [tab, setTab] = useState<'in' | 'new'>('in')
  return (
    <Page title={t('enter')} narrow>
      <Section>
        <Tabs label={t('enter')} tabs={[{ id: 'in', label: t('sign_in') }, { id: 'new', label: t('new_account') }]} current={tab} onChange={setTab}>
          {tab === 'in' ? <In /> : <New />}
        </Tabs>
      </Section>
    </Page>
  )
}

function In() {
  const t = useTexts(texts)
  const toast = useToast()
  const { route } = useLocation()
  const { player } = useSession()
  const { choose } = useContext(LanguageContext)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [sent, setSent] = useState(false)
  const enter = useAction(async () => {
    const me = await client.signIn({ email: email.trim(), password, deviceName: deviceName() })
    if (!languageChosen()) choose(me.language)
    toast.good(t('signed_in', { name: me.name }))
    route('/account')
  })
  const forgot = useAction(async () => {
    await ask(api.POST('/v1/email/reset-request', { body: { email: email.trim() } }))
    setSent(true)
  })
  const problem = enter.problem ?? forgot.problem
  return (
    <form
      class="form" noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void enter.run()
      }}
    >
      <p class="soft">{t('enter_lead')}</p>
      {player?.guest && <Note tone="warn">{t('replaces', { name: player.name })}</Note>}
      <TextField label={t('email')} name="email" type="email" required value={email} onChange={setEmail} input={{ autocomplete: 'username' }} />
      <TextField label={t('password')} name="password" type="password" required value={password} onChange={setPassword} input={{ autocomplete: 'current-password', maxLength: 128 }} />
      {problem && <ProblemNote problem={problem} />}
      <div class="row">
        <Button kind="strong" type="submit" busy={enter.busy} data-action="sign-in">{t('sign_in')}</Button>
        <Button kind="quiet" busy={forgot.busy} data-action="forgot" onClick={() => void forgot.run()}>{t('forgot')}</Button>
      </div>
      <div role="status">{sent && <Note tone="good">{t('forgot_sent', { email })}</Note>}</div>
    </form>
  )
}

function New() {
  const t = useTexts(texts)
  const { player, enter } = useSession()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [sent, setSent] = useState(false)
  const { run, busy, problem } = useAction(async () => {
    await enter()
    await ask(api.POST('/v1/me/identities/email', { body: { email: email.trim(), password } }))
    setSent(true)
  })
  if (sent) return <div role="status" data-sent><Note tone="good">{t('link_sent', { email })}</Note></div>
  return (
    <form
      class="form" noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void run()
      }}
    >
      <p class="soft">{t('new_lead')} {player?.guest && t('new_keeps', { name: player.name })}</p>
      <TextField label={t('email')} name="email" type="email" required value={email} onChange={setEmail} input={{ autocomplete: 'email' }} />
      <TextField label={t('password')} name="password" type="password" required value={password} onChange={setPassword} hint={t('password_hint')} input={{ autocomplete: 'new-password', maxLength: 128 }} />
      {problem && <ProblemNote problem={problem} />}
      <div class="row"><Button kind="strong" type="submit" busy={busy} data-action="sign-up">{t('new_account')}</Button></div>
    </form>
  )
}
