import { Note, useFormat, useLanguage, useTexts } from '@cuatrola/ui'
import { useSession } from '../session'
import type { Schemas } from '../game/client'
import { texts } from './texts'

/** What the house says of parts that it has stopped. */
export function HouseSays({ parts }: { parts: readonly Schemas['StoppedPart']['part'][] }) {
  const t = useTexts(texts)
  const f = useFormat()
  const language = useLanguage()
  const { stopped } = useSession()
  return (
    <>
      {stopped.filter(({ part }) => parts.includes(part)).map(({ part, text, until }) => (
        <div key={part} data-stopped={part}>
          <Note tone="warn" title={until ? t('stopped_until', { when: f.dateTime(until) }) : t('stopped')}>{text[language]}</Note>
        </div>
      ))}
    </>
  )
}
