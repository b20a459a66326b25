import { Button, ButtonLink, Empty, ProblemNote, useAction, useTexts } from '@cuatrola/ui'
import { WalletMinimal, type IconNode } from 'lucide'
import { useSession } from '../session'
import { texts } from './texts'

/** In place of what is somebody's, as long as nobody is signed in: how to be somebody at once. */
export function Nobody({ icon = WalletMinimal, title, help }: { icon?: IconNode; title?: string; help?: string }) {
  const t = useTexts(texts)
  const { enter } = useSession()
  const { run, busy, problem } = useAction(enter)
  return (
    <div class="section" data-nobody>
      <Empty
        icon={icon} title={title ?? t('nobody')}
        action={
          <div class="row">
            <Button kind="strong" busy={busy} data-action="enter" onClick={() => void run()}>{t('nobody_begin')}</Button>
            <ButtonLink href="/account">{t('nobody_sign_in')}</ButtonLink>
          </div>
        }
      >
        {help ?? t('nobody_help')}
      </Empty>
      {problem && <ProblemNote problem={problem} />}
    </div>
  )
}
