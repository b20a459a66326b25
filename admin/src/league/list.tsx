import { Empty, Page, PagedTable, Section, Time, useFormat, useRepeat, useTexts } from '@cuatrola/ui'
import { Trophy } from 'lucide'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { CloseButton, JobNote, SeasonBadge, type Season } from './parts'
import { texts } from './texts'

export default function LeaguePage() {
  const t = useTexts(texts)
  const f = useFormat()
  const [version, setVersion] = useState(0)
  const [first, setFirst] = useState<Schemas['SeasonPage'] | null>(null)
  const again = () => setVersion((n) => n + 1)
  useRepeat(again, 5)
  const due = first?.seasons.find((s) => s.due)
  return (
    <Page title={t('title')} lead={t('lead')} actions={due && <CloseButton season={due} onDone={again} />}>
      {first && <JobNote job={first.job} />}
      <Section title={t('seasons')} flush>
        <PagedTable<Season>
          caption={t('seasons')} inputs={[]} version={version} rowKey={(s) => s.id} rowHref={(s) => `/admin/league/${s.id}`}
          load={async (cursor, signal) => {
            const page = await ask(api.GET('/admin/v1/league/seasons', { params: { query: cursor ? { cursor } : {} }, signal }))
            if (!cursor) setFirst(page)
            return { items: page.seasons, nextCursor: page.nextCursor }
          }}
          empty={<Empty icon={Trophy} title={t('none')}>{t('none_help')}</Empty>}
          columns={[
            { id: 'week', title: t('week'), cell: (s) => s.id },
            { id: 'state', title: t('state'), cell: (s) => <SeasonBadge season={s} /> },
            { id: 'from', title: t('from'), cell: (s) => <Time value={s.startsAt} />, wideOnly: true },
            { id: 'to', title: t('to'), cell: (s) => <Time value={s.endsAt} /> },
            { id: 'closed', title: t('closed_at'), cell: (s) => (s.closedAt ? <Time value={s.closedAt} /> : '–') },
            { id: 'economy', title: t('economy'), wideOnly: true, end: true, cell: (s) => t('version', { n: f.number(s.economy) }) },
          ]}
        />
      </Section>
    </Page>
  )
}
