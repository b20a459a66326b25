import './lobby.css'
import { Button, ButtonLink, Empty, Page, ProblemNote, Section, TextField, useAction, useTexts } from '@cuatrola/ui'
import { DoorOpen, KeyRound } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { readJSON, writeJSON } from '../device'
import { randomHex } from '../random'
import { useSession } from '../session'
import { EndedNote } from './ended'
import { HouseSays } from './house'
import { Away } from './queuePage'
import { createRoom } from './rooms'
import { roomOf, SettingsFields, usualSettings, type Settings } from './rulesForm'
import { texts } from './roomTexts'

/** A room of one's own, or a friend's by its code. */
export default function RoomsPage() {
  const t = useTexts(texts)
  const { up, engagement } = useSession()
  const { route } = useLocation()
  if (up === false) return <Away title={t('title')} />
  return (
    <Page title={t('title')} lead={t('lead')} narrow>
      <EndedNote />
      <HouseSays parts={['rooms']} />
      {engagement && engagement.kind !== 'none' ? <Engaged /> : (
        <>
          <OpenRoom />
          <Section title={t('have_code')}>
            <CodeForm onCode={(code) => route('/r/' + code)} />
          </Section>
        </>
      )}
    </Page>
  )
}

/** What one is taken up with instead. */
export function Engaged({ children }: { children?: ComponentChildren }) {
  const t = useTexts(texts)
  const { engagement } = useSession()
  switch (engagement!.kind) {
    case 'room': {
      const code = engagement!.room!.code
      return (
        <Empty icon={DoorOpen} title={t('already')} action={<div class="row"><ButtonLink kind="strong" href={`/r/${code}`} data-action="back">{t('to_room')}</ButtonLink>{children}</div>}>
          {t('already_help', { code })}
        </Empty>
      )
    }
    case 'match':
      return (
        <Empty title={t('busy_match')} action={<ButtonLink kind="strong" href={`/matches/${engagement!.id}`} data-action="back">{t('to_match')}</ButtonLink>}>
          {t('busy_match_help')}
        </Empty>
      )
    default:
      return (
        <Empty title={t('busy_queue')} action={<div class="row"><ButtonLink kind="strong" href="/queue" data-action="back">{t('to_queue')}</ButtonLink>{children}</div>}>
          {t('busy_queue_help')}
        </Empty>
      )
  }
}

function OpenRoom() {
  const t = useTexts(texts)
  const { enter, engage, engagement, stopped } = useSession()
  const { route } = useLocation()
  const [settings, set] = useState<Settings>(() => ({ ...usualSettings, ...readJSON<Settings>('room') }))
  const { run, busy, problem } = useAction(async () => {
    await enter()
    const next = await createRoom(engagement, roomOf(settings), randomHex(16))
    engage(next)
    route('/r/' + next.room!.code)
  })
  const halted = stopped.some(({ part }) => part === 'rooms')
  return (
    <Section title={t('open_room')}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!halted) void run()
        }}
      >
        <SettingsFields
          value={settings}
          onChange={(next) => {
            set(next)
            writeJSON('room', next)
          }}
        />
        {problem && <ProblemNote problem={problem} />}
        <div class="launch"><Button kind="strong" type="submit" icon={DoorOpen} busy={busy} aria-disabled={halted} data-action="open">{t('open')}</Button></div>
      </form>
    </Section>
  )
}

/** A room's code, typed in. */
export function CodeForm({ onCode }: { onCode: (code: string) => void }) {
  const t = useTexts(texts)
  const [code, setCode] = useState('')
  const clean = cleanCode(code)
  return (
    <form
      class="code-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (clean) onCode(clean)
      }}
    >
      <TextField label={t('code')} name="code" value={code} onChange={setCode} hint={t('code_hint')} input={{ autocomplete: 'off', spellcheck: false, maxLength: 12 }} />
      <Button type="submit" icon={KeyRound} aria-disabled={!clean} data-action="enter-code">{t('enter')}</Button>
    </form>
  )
}

/** However it was typed. */
export const cleanCode = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]/g, '')
