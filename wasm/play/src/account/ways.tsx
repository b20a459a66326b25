import { ask } from '@cuatrola/client'
import { Button, ConfirmDialog, FormDialog, Loading, Note, Section, stay, TextField, useLoad, useTexts } from '@cuatrola/ui'
import { Mail } from 'lucide'
import { useState } from 'preact/hooks'
import { api, type Schemas } from '../game/client'
import { texts } from './texts'

/** One's ways in; for a guest, why to have another than this device. */
export function Ways({ player }: { player: Schemas['Player'] }) {
  const t = useTexts(texts)
  const [linking, setLinking] = useState(false)
  const [unlinking, setUnlinking] = useState<Schemas['Provider'] | null>(null)
  const ways = useLoad((signal) => ask(api.GET('/v1/me/identities', { signal })), [player.id, player.guest])
  return (
    <Section title={t(player.guest ? 'keep' : 'ways')}>
      <div class="stack">
        {player.guest && <Note tone="warn">{t('keep_help')}</Note>}
        <Loading of={ways} lines={2}>
          {({ identities }) => (
            <>
              {!player.guest && (
                <ul class="lines">
                  {identities.map((way) => (
                    <li key={way.provider} data-way-in={way.provider}>
                      <span><strong>{t(`way_${way.provider}`)}</strong>{way.email && <small class="soft">{way.email}</small>}</span>
                      {identities.length > 1 && <Button small onClick={() => setUnlinking(way.provider)}>{t('unlink')}</Button>}
                    </li>
                  ))}
                </ul>
              )}
              <div class="row">
                <Button kind={player.guest ? 'strong' : 'plain'} icon={Mail} data-action="link-email" onClick={() => setLinking(true)}>
                  {t(identities.some((way) => way.provider === 'email') ? 'change_email' : 'link_email')}
                </Button>
              </div>
            </>
          )}
        </Loading>
      </div>
      {linking && <LinkEmail onClose={() => setLinking(false)} />}
      {unlinking && (
        <ConfirmDialog
          title={t('unlink_title')} action={t('unlink')} text={t('unlink_help')} danger onClose={() => setUnlinking(null)}
          onConfirm={async () => {
            await ask(api.DELETE('/v1/me/identities/{provider}', { params: { path: { provider: unlinking } } }))
            ways.reload()
          }}
        />
      )}
    </Section>
  )
}

/** An address and a password, which become the player's once the mail's link is followed. */
function LinkEmail({ onClose }: { onClose(): void }) {
  const t = useTexts(texts)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [sent, setSent] = useState(false)
  if (sent) return <FormDialog key="sent" title={t('link_email')} action="OK" onClose={onClose} onSubmit={async () => undefined}><p role="status" data-sent>{t('link_sent', { email })}</p></FormDialog>
  return (
    <FormDialog
      title={t('link_email')} action={t('link_send')} onClose={onClose}
      onSubmit={async () => {
        await ask(api.POST('/v1/me/identities/email', { body: { email: email.trim(), password } }))
        setSent(true)
        return stay
      }}
    >
      <TextField label={t('email')} name="email" type="email" required value={email} onChange={setEmail} input={{ autocomplete: 'email' }} />
      <TextField label={t('password')} name="password" type="password" required value={password} onChange={setPassword} hint={t('password_hint')} input={{ autocomplete: 'new-password', maxLength: 128 }} />
    </FormDialog>
  )
}
