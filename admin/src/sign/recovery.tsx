import { CopyButton, Icon, useTexts } from '@cuatrola/ui'
import { Download } from 'lucide'
import { useEffect, useMemo } from 'preact/hooks'
import { texts } from './texts'

/** The codes that are shown once, with ways to keep them. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const t = useTexts(texts)
  const text = codes.join('\n') + '\n'
  const url = useMemo(() => URL.createObjectURL(new Blob([text], { type: 'text/plain' })), [text])
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  return (
    <div class="stack">
      <h2>{t('recovery')}</h2>
      <p>{t('recovery_help')}</p>
      <ul class="codes" aria-label={t('recovery')}>{codes.map((code) => <li key={code}>{code}</li>)}</ul>
      <div class="row">
        <CopyButton text={text} />
        <a class="button plain small" href={url} download="cuatrola-recovery.txt"><Icon of={Download} size={15} />{t('download')}</a>
      </div>
    </div>
  )
}
