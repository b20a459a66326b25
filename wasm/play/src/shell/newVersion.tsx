import { Button, Icon, useTexts } from '@cuatrola/ui'
import { Sparkles } from 'lucide'
import { texts } from './texts'
import { useNewVersion } from './version'

/** Offers a version that has come while the page was open. It waits for as long as one likes. */
export function NewVersion() {
  const t = useTexts(texts)
  const there = useNewVersion()
  return (
    <div role="status" class="strip" hidden={!there} data-new-version={there}>
      {there && (
        <>
          <Icon of={Sparkles} size={17} /><span>{t('new_version')}</span>
          <Button small data-action="update" onClick={() => location.reload()}>{t('new_version_take')}</Button>
        </>
      )}
    </div>
  )
}
