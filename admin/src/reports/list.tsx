import { Badge, Empty, Page, PagedTable, Section, Time, useFormat, useTexts } from '@cuatrola/ui'
import { Flag } from 'lucide'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { Name } from '../players/person'
import { useSession } from '../session'
import { Reasons } from './parts'
import { texts } from './texts'

type Case = Schemas['PanelCase']

export default function ReportsPage() {
  const t = useTexts(texts)
  const f = useFormat()
  const { session } = useSession()
  return (
    <Page title={t('title')} lead={t('lead')}>
      <Section flush>
        <PagedTable
          caption={t('title')} inputs={[]} rowKey={(c: Case) => c.reported.id} rowHref={(c) => `/admin/reports/${c.reported.id}`}
          empty={<Empty icon={Flag} title={t('none')}>{t('none_help')}</Empty>}
          load={(cursor, signal) => ask(api.GET('/admin/v1/reports', { params: { query: cursor ? { cursor } : {} }, signal }))
            .then((page) => ({ items: page.cases, nextCursor: page.nextCursor }))}
          columns={[
            { id: 'about', title: t('about'), cell: (c) => <Name of={c.reported} /> },
            { id: 'reasons', title: t('reasons'), cell: (c) => <Reasons of={c} /> },
            { id: 'open', title: t('open'), end: true, cell: (c) => <Badge tone={c.open > 2 ? 'bad' : 'warn'}>{f.number(c.open)}</Badge> },
            { id: 'reporters', title: t('reporters'), cell: (c) => t.plural('n_people', c.reporters) },
            { id: 'waits', title: t('waits'), cell: (c) => <Time value={c.firstAt} relative /> },
            {
              id: 'hand', title: t('in_hand'),
              cell: (c) => (c.claimedBy ? <span data-raw>{c.claimedBy.id === session.member.id ? t('you') : c.claimedBy.name}</span> : <span class="soft">{t('nobody')}</span>),
            },
          ]}
        />
      </Section>
    </Page>
  )
}
