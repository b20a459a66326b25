import {
  Badge, Button, ConfirmDialog, Dialog, Empty, FormDialog, Loading, Note, Page, Section, stay, Table, TextField, Time,
  type Translate, useLoad, useTexts, useToast,
} from '@cuatrola/ui'
import { Fingerprint, KeyRound, ListRestart, LogOut, Plus, Trash2 } from 'lucide'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { useSession } from '../session'
import { RecoveryCodes } from '../sign/recovery'
import { Sessions } from '../staff/sessions'
import { create, supported } from './passkeys'
import { texts } from './texts'

type T = Translate<keyof (typeof texts)['es'] & string>
type Passkey = Schemas['StaffPasskey']

const shortest = 12
const few = 3

type Doing = { what: 'add' | 'password' | 'recovery' | 'end' } | { what: 'codes'; codes: string[] } | { what: 'remove'; passkey: Passkey }

/** What one comes in with oneself, and where one is. */
export default function OwnSecurity() {
  const t = useTexts(texts)
  const { session, refresh } = useSession()
  const toast = useToast()
  const passkeys = useLoad((signal) => ask(api.GET('/admin/v1/self/passkeys', { signal })), [])
  const [doing, setDoing] = useState<Doing | null>(null)
  const [version, setVersion] = useState(0)
  const stop = () => setDoing(null)
  const left = session.recoveryLeft
  return (
    <Page title={t('title')} lead={t('lead')} narrow>
      <Section
        title={t('passkeys')} lead={t('passkeys_lead')} flush
        actions={supported() && <Button icon={Plus} data-action="add-passkey" onClick={() => setDoing({ what: 'add' })}>{t('add')}</Button>}
      >
        {!supported() && <Note tone="neutral">{t('passkeys_unsupported')}</Note>}
        <Loading of={passkeys} lines={2}>
          {(data) => (data.passkeys.length === 0 ? supported() && <Empty icon={Fingerprint} title={t('passkeys_none')}>{t('passkeys_none_help')}</Empty> : (
            <Table
              caption={t('passkeys')} rows={data.passkeys} rowKey={(p) => p.id}
              columns={[
                { id: 'name', title: t('name'), cell: (p) => <span data-raw>{p.name}</span> },
                { id: 'where', title: t('passkeys'), cell: (p) => <Badge>{t(p.backedUp ? 'backed_up' : 'one_device')}</Badge> },
                { id: 'made', title: t('made'), cell: (p) => <Time value={p.createdAt} relative /> },
                { id: 'used', title: t('used'), cell: (p) => (p.usedAt ? <Time value={p.usedAt} relative /> : <span class="soft">{t('never')}</span>) },
                {
                  id: 'remove', title: t('remove'), quiet: true,
                  cell: (p) => <Button small icon={Trash2} data-action="remove-passkey" aria-label={t('remove_of', { name: p.name })} onClick={() => setDoing({ what: 'remove', passkey: p })} />,
                },
              ]}
            />
          ))}
        </Loading>
      </Section>
      <Section title={t('password_title')} lead={t('password_lead')} actions={<Button icon={KeyRound} data-action="password" onClick={() => setDoing({ what: 'password' })}>{t('change_password')}</Button>}>
        {null}
      </Section>
      <Section title={t('recovery')} lead={t.plural('recovery_left', left)} actions={<Button icon={ListRestart} data-action="recovery" onClick={() => setDoing({ what: 'recovery' })}>{t('recovery_make')}</Button>}>
        {left <= few && <Note tone="warn">{t('recovery_few')}</Note>}
      </Section>
      <Section title={t('sessions')} lead={t('sessions_lead')} flush actions={<Button icon={LogOut} data-action="end-others" onClick={() => setDoing({ what: 'end' })}>{t('end_others')}</Button>}>
        <Sessions version={version} />
      </Section>

      {doing?.what === 'add' && (
        <AddDialog
          t={t} onClose={stop}
          onDone={() => {
            toast.good(t('toast_added'))
            passkeys.reload()
          }}
        />
      )}
      {doing?.what === 'remove' && (
        <ConfirmDialog
          title={t('remove_of', { name: doing.passkey.name })} text={t('remove_text')} action={t('remove')} danger onClose={stop}
          onConfirm={async () => {
            await ask(api.DELETE('/admin/v1/self/passkeys/{passkeyId}', { params: { path: { passkeyId: doing.passkey.id } } }))
            toast.good(t('toast_removed'))
            passkeys.reload()
          }}
        />
      )}
      {doing?.what === 'password' && (
        <PasswordDialog
          t={t} onClose={stop}
          onDone={() => {
            toast.good(t('toast_password'))
            setVersion((n) => n + 1)
          }}
        />
      )}
      {doing?.what === 'recovery' && (
        <RecoveryDialog
          t={t} onClose={stop}
          onDone={(codes) => {
            setDoing({ what: 'codes', codes })
            void refresh()
          }}
        />
      )}
      {doing?.what === 'codes' && (
        <Dialog title={t('recovery_title')} keep onClose={stop} footer={<Button kind="strong" data-action="kept" onClick={stop}>{t('done')}</Button>}>
          <RecoveryCodes codes={doing.codes} />
        </Dialog>
      )}
      {doing?.what === 'end' && (
        <ConfirmDialog
          title={t('end_others')} text={t('end_others_text')} action={t('end_others')} danger onClose={stop}
          onConfirm={async () => {
            await ask(api.DELETE('/admin/v1/self/sessions'))
            toast.good(t('toast_ended'))
            setVersion((n) => n + 1)
          }}
        />
      )}
    </Page>
  )
}

/** One's own password, before something that only oneself may do. */
function Password({ t, value, onChange, tried }: { t: T; value: string; onChange: (value: string) => void; tried: boolean }) {
  return (
    <TextField
      label={t('password')} name="password" type="password" required value={value} onChange={onChange} hint={t('password_why')}
      error={tried && value === '' ? t('password_missing') : null} input={{ autocomplete: 'current-password' }}
    />
  )
}

function AddDialog({ t, onClose, onDone }: { t: T; onClose: () => void; onDone: () => void }) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [tried, setTried] = useState(false)
  return (
    <FormDialog
      title={t('add_title')} action={t('add_action')} onClose={onClose}
      check={() => {
        setTried(true)
        return name.trim() !== '' && password !== ''
      }}
      onSubmit={async () => {
        const asked = await ask(api.POST('/admin/v1/self/passkeys/options', { body: { password } }))
        const credential = await create(asked.publicKey)
        await ask(api.POST('/admin/v1/self/passkeys', { body: { ceremonyId: asked.ceremonyId, name: name.trim(), credential } }))
        onDone()
      }}
    >
      <TextField
        label={t('name')} name="name" required value={name} onChange={setName} hint={t('name_help')}
        error={tried && name.trim() === '' ? t('name_missing') : null} input={{ autocomplete: 'off', maxLength: 60 }}
      />
      <Password t={t} value={password} onChange={setPassword} tried={tried} />
    </FormDialog>
  )
}

function PasswordDialog({ t, onClose, onDone }: { t: T; onClose: () => void; onDone: () => void }) {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [again, setAgain] = useState('')
  const [tried, setTried] = useState(false)
  const long = [...next].length >= shortest
  return (
    <FormDialog
      title={t('change_password')} action={t('change_password')} onClose={onClose}
      check={() => {
        setTried(true)
        return current !== '' && long && next === again
      }}
      onSubmit={async () => {
        await ask(api.POST('/admin/v1/self/password', { body: { current, password: next } }))
        onDone()
      }}
    >
      <TextField label={t('current')} name="current" type="password" required value={current} onChange={setCurrent} error={tried && current === '' ? t('password_missing') : null} input={{ autocomplete: 'current-password' }} />
      <TextField label={t('next')} name="next" type="password" required value={next} onChange={setNext} hint={t('next_help')} error={tried && !long ? t('short') : null} input={{ autocomplete: 'new-password' }} />
      <TextField label={t('again')} name="again" type="password" required value={again} onChange={setAgain} error={tried && next !== again ? t('differs') : null} input={{ autocomplete: 'new-password' }} />
    </FormDialog>
  )
}

function RecoveryDialog({ t, onClose, onDone }: { t: T; onClose: () => void; onDone: (codes: string[]) => void }) {
  const [password, setPassword] = useState('')
  const [tried, setTried] = useState(false)
  return (
    <FormDialog
      title={t('recovery_title')} action={t('recovery_make')} onClose={onClose}
      check={() => {
        setTried(true)
        return password !== ''
      }}
      onSubmit={async () => {
        onDone((await ask(api.POST('/admin/v1/self/recovery', { body: { password } }))).recoveryCodes)
        return stay
      }}
    >
      <p>{t('recovery_text')}</p>
      <Password t={t} value={password} onChange={setPassword} tried={tried} />
    </FormDialog>
  )
}
