import { Note, useFormat, useLanguage, useTexts } from '@cuatrola/ui'
import { useSession } from '../session'
import { texts } from './texts'

/** What the house has stopped for a while, in its own words. */
export function Stopped() {
  const t = useTexts(texts)
  const f = useFormat()
  const language = useLanguage()
  const { stopped } = useSession()
  return (
    <>
      {stopped.map(({ part, text, until }) => (
        <div key={part} data-stopped={part}>
          <Note tone="warn">{text[language]} {until && t('back', { when: f.dateTime(until) })}</Note>
        </div>
      ))}
    </>
  )
}
