import { ButtonLink, Empty, Page, PagedTable, Section, Time, useFormat, useLanguage, useRepeat, useTexts } from '@cuatrola/ui'
import { Megaphone, Plus } from 'lucide'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import { useSession } from '../session'
import { filterText, State, type Broadcast } from './parts'
import { texts } from './texts'

export default function BroadcastsPage() {
  const t = useTexts(texts)
  const f = useFormat()
  const language = useLanguage()
  const { may } = useSession()
  const [version, setVersion] = useState(0)
  const [sending, setSending] = useState(false)
  useRepeat(() => sending && setVersion((n) => n + 1), 2)
  const compose = may('broadcast.send') && <ButtonLink kind="strong" icon={Plus} href="/admin/broadcasts/new" data-action="new">{t('new')}</ButtonLink>
  return (
    <Page title={t('title')} lead={t('lead')} actions={compose}>
      <Section flush>
        <PagedTable
          caption={t('title')} inputs={[]} version={version} rowKey={(b: Broadcast) => b.id} rowHref={(b) => `/admin/broadcasts/${b.id}`}
          load={async (cursor, signal) => {
            const page = await ask(api.GET('/admin/v1/broadcasts', { params: { query: cursor ? { cursor } : {} }, signal }))
            setSending(page.broadcasts.some((b) => b.state === 'sending'))
            return { items: page.broadcasts, nextCursor: page.nextCursor }
          }}
          empty={<Empty icon={Megaphone} title={t('none')}>{t('none_help')}</Empty>}
          columns={[
            { id: 'message', title: t('message'), cell: (b) => <span class="two-lines" data-raw>{b.title[language]}<small>{filterText(t, f, b.filter)}</small></span> },
            { id: 'state', title: t('state'), cell: (b) => <State t={t} of={b.state} /> },
            { id: 'sent', title: t('sent'), end: true, cell: (b) => (b.sent === b.planned ? f.number(b.sent) : t('sent_of', { sent: f.number(b.sent), planned: f.number(b.planned) })) },
            { id: 'read', title: t('read'), end: true, cell: (b) => (b.sent > 0 ? t('read_share', { n: f.number(b.read), share: f.percent(b.read / b.sent, 0) }) : '—') },
            { id: 'author', title: t('author'), cell: (b) => <span data-raw>{b.author}</span> },
            { id: 'when', title: t('when'), cell: (b) => <Time value={b.createdAt} relative /> },
          ]}
        />
      </Section>
    </Page>
  )
}
