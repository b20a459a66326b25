import { ask } from '@cuatrola/client'
import { Badge, Button, ConfirmDialog, Loading, Section, useFormat, useLoad, useTexts } from '@cuatrola/ui'
import { LogOut } from 'lucide'
import { useState } from 'preact/hooks'
import { api, client, type Schemas } from '../game/client'
import { texts } from './texts'

/** Where one is signed in, and out of it. */
export function Sessions({ player }: { player: Schemas['Player'] }) {
  const t = useTexts(texts)
  const f = useFormat()
  const [asking, setAsking] = useState<'out' | 'all' | null>(null)
  const list = useLoad((signal) => ask(api.GET('/v1/sessions', { signal })), [player.id])
  const end = async (sessionId: string) => {
    await ask(api.DELETE('/v1/sessions/{sessionId}', { params: { path: { sessionId } } })).catch(() => undefined)
    list.reload()
  }
  return (
    <Section title={t('sessions')} actions={<Button small icon={LogOut} data-action="sign-out" onClick={() => setAsking('out')}>{t('sign_out')}</Button>}>
      <Loading of={list} lines={2}>
        {({ sessions }) => (
          <div class="stack">
            <ul class="lines">
              {sessions.map((one) => (
                <li key={one.sessionId} data-session={one.current ? 'here' : 'other'}>
                  <span>
                    <strong>{one.deviceName ?? t('device_unknown')} {one.current && <Badge tone="good">{t('session_here')}</Badge>}</strong>
                    <small class="soft">{t('session_used', { when: f.ago(one.usedAt) })}</small>
                  </span>
                  {!one.current && <Button small data-action="end-session" onClick={() => void end(one.sessionId)}>{t('session_end')}</Button>}
                </li>
              ))}
            </ul>
            {sessions.length > 1 && <div class="row"><Button small data-action="end-sessions" onClick={() => setAsking('all')}>{t('sessions_end')}</Button></div>}
          </div>
        )}
      </Loading>
      {asking === 'out' && (
        <ConfirmDialog
          title={t('sign_out_title')} action={t(player.guest ? 'sign_out_anyway' : 'sign_out')} danger={player.guest}
          text={t(player.guest ? 'sign_out_lost' : 'sign_out_help')} onClose={() => setAsking(null)} onConfirm={() => client.signOut()}
        />
      )}
      {asking === 'all' && (
        <ConfirmDialog
          title={t('sessions_end')} action={t('sessions_end')} text={t('sessions_end_help')} onClose={() => setAsking(null)}
          onConfirm={async () => {
            await ask(api.DELETE('/v1/sessions'))
            // A trusted device comes in again with its next request.
            await ask(api.GET('/v1/me')).catch(() => undefined)
            list.reload()
          }}
        />
      )}
    </Section>
  )
}
