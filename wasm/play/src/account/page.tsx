import './account.css'
import { ask } from '@cuatrola/client'
import { Button, ButtonLink, Empty, explain, Note, Page, ProblemNote, Section, useAction, useFormat, useLanguage, useLoad, useTexts, useToast } from '@cuatrola/ui'
import { LogIn, UserRound } from 'lucide'
import { api } from '../game/client'
import { useSession } from '../session'
import { Data } from './data'
import { Profile, Statistics } from './profile'
import { Sessions } from './sessions'
import { Support } from './support'
import { texts } from './texts'
import { Ways } from './ways'

/** Who one is, how one comes in, and what is kept of one. */
export default function AccountPage() {
  const t = useTexts(texts)
  const language = useLanguage()
  const { player, keptOut } = useSession()
  return (
    <Page title={t('title')} narrow>
      {keptOut && <Note tone="bad">{explain(language, keptOut)}</Note>}
      {player ? (
        <>
          <Deleting />
          <Profile player={player} />
          <Ways player={player} />
          <Statistics player={player} />
          <Sessions player={player} />
          <Support />
          <Data />
        </>
      ) : <Nobody />}
    </Page>
  )
}

function Nobody() {
  const t = useTexts(texts)
  const { enter } = useSession()
  const { run, busy, problem } = useAction(enter)
  return (
    <Section>
      <Empty
        icon={UserRound} title={t('nobody')}
        action={
          <div class="row">
            <Button kind="strong" busy={busy} data-action="enter" onClick={() => void run()}>{t('begin')}</Button>
            <ButtonLink icon={LogIn} href="/sign-in">{t('sign_in')}</ButtonLink>
          </div>
        }
      >
        {t('nobody_help')}
      </Empty>
      {problem && <ProblemNote problem={problem} />}
    </Section>
  )
}

/** That the account is about to be deleted, and the way back. */
function Deleting() {
  const t = useTexts(texts)
  const f = useFormat()
  const toast = useToast()
  const { player } = useSession()
  const deletion = useLoad(async (signal) => {
    try {
      return await ask(api.GET('/v1/me/deletion', { signal }))
    } catch {
      // Nothing to tell: it is not to be deleted, or nobody can say.
      return null
    }
  }, [player?.id])
  const { run, busy, problem } = useAction(async () => {
    await ask(api.POST('/v1/me/restore'))
    toast.good(t('restored'))
    deletion.reload()
  })
  return (
    <>
      {deletion.data && (
        <div data-deletes>
          <Note tone="warn" action={<Button small busy={busy} data-action="restore" onClick={() => void run()}>{t('restore')}</Button>}>{t('deletes', { when: f.dateTime(deletion.data.deletesAt) })}</Note>
          {problem && <ProblemNote problem={problem} />}
        </div>
      )}
    </>
  )
}
