import { Empty, Section, useTexts } from '@cuatrola/ui'
import { CalendarDays } from 'lucide'
import { MoreList, type More } from '../wallet/more'
import { ResultLine, type Result } from './parts'
import { texts } from './texts'

/** The weeks that are behind one, with what each brought. */
export function Past({ results, divisions }: { results: More<Result>; divisions: readonly string[] }) {
  const t = useTexts(texts)
  return (
    <Section title={t('past')} flush>
      <div data-past>
        <MoreList of={results} empty={<Empty icon={CalendarDays} title={t('past_empty')}>{t('past_empty_help')}</Empty>}>
          {(items) => <ul>{items.map((result) => <li key={result.season}><ResultLine result={result} divisions={divisions} /></li>)}</ul>}
        </MoreList>
      </div>
    </Section>
  )
}
