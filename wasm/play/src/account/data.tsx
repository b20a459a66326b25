import { ask } from '@cuatrola/client'
import { Button, ButtonLink, ConfirmDialog, ProblemNote, Section, useAction, useTexts } from '@cuatrola/ui'
import { Download, Trash2, UserX } from 'lucide'
import { useState } from 'preact/hooks'
import { api } from '../game/client'
import { texts } from './texts'

/** All that is kept of one, in a file; and the end of it. */
export function Data() {
  const t = useTexts(texts)
  const [deleting, setDeleting] = useState(false)
  const { run, busy, problem } = useAction(async () => {
    const file = (await ask(api.GET('/v1/me/export', { parseAs: 'blob' }))) as unknown as Blob
    const link = document.createElement('a')
    link.href = URL.createObjectURL(file)
    link.download = 'cuatrola.zip'
    link.click()
    URL.revokeObjectURL(link.href)
  })
  return (
    <Section title={t('data')}>
      <div class="row">
        <Button icon={Download} busy={busy} data-action="export" onClick={() => void run()}>{t('export')}</Button>
        <ButtonLink icon={UserX} href="/friends?tab=blocks">{t('blocked')}</ButtonLink>
        <Button kind="quiet" icon={Trash2} data-action="delete" onClick={() => setDeleting(true)}>{t('delete')}</Button>
      </div>
      {problem && <ProblemNote problem={problem} />}
      {deleting && (
        <ConfirmDialog
          title={t('delete')} action={t('delete')} text={t('delete_help')} danger onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await ask(api.DELETE('/v1/me'))
            // The page above tells until when it can be taken back.
            location.reload()
          }}
        />
      )}
    </Section>
  )
}
