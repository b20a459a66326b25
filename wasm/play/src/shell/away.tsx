import { Icon, useTexts } from '@cuatrola/ui'
import { CloudOff } from 'lucide'
import { useSession } from '../session'
import { texts } from './texts'

/** Says on every page that the server does not answer, and what one can do all the same. */
export function Away() {
  const t = useTexts(texts)
  const { up } = useSession()
  return (
    <div role="status" class="strip warn" hidden={up !== false} data-away={up === false}>
      {up === false && <><Icon of={CloudOff} size={17} /><span>{t('away')}</span></>}
    </div>
  )
}
