import { Button, Empty, Filters, Loading, Page, SearchField, Section, Table, Time, useLoad, useQuery, useTexts } from '@cuatrola/ui'
import { Merge, UserRoundSearch } from 'lucide'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import { useMay } from '../session'
import { MergeDialog } from './merge'
import { Badges, Name } from './person'
import { texts } from './texts'

export default function PlayersPage() {
  const t = useTexts(texts)
  const may = useMay()
  const [q, setQ] = useQuery('q')
  const [merging, setMerging] = useState(false)
  const list = useLoad((signal) => ask(api.GET('/admin/v1/players', { params: { query: q ? { q } : {} }, signal })), [q])
  return (
    <Page
      title={t('title')} lead={t('lead')}
      actions={may('players.merge') && <Button icon={Merge} data-action="merge" onClick={() => setMerging(true)}>{t('merge')}</Button>}
    >
      <Section flush>
        <Filters><SearchField live name="q" value={q} onSearch={setQ} label={t('find')} placeholder={t('find_placeholder')} /></Filters>
        <Loading of={list} lines={6}>
          {(data) => (data.players.length === 0 ? <Empty icon={UserRoundSearch} title={t('none')}>{t('none_help')}</Empty> : (
            <Table
              caption={q ? t('found') : t('newest')} rows={data.players} rowKey={(p) => p.id} rowHref={(p) => `/admin/players/${p.id}`} busy={list.loading}
              columns={[
                { id: 'name', title: t('name'), cell: (p) => <Name of={p} /> },
                { id: 'state', title: t('state'), cell: (p) => <span class="badges"><Badges of={p} />{!p.guest && !p.keptOut && !p.deletedAt && <span class="soft">{t('account')}</span>}</span> },
                { id: 'seen', title: t('seen'), cell: (p) => (p.seenAt ? <Time value={p.seenAt} relative /> : <span class="soft">—</span>) },
                { id: 'since', title: t('since'), cell: (p) => <Time value={p.createdAt} /> },
                { id: 'id', title: t('id'), wideOnly: true, cell: (p) => <code class="soft" title={p.id}>…{p.id.slice(-8)}</code> },
              ]}
            />
          ))}
        </Loading>
      </Section>
      {merging && (
        <MergeDialog
          t={t} onClose={() => setMerging(false)}
          onDone={() => {
            setMerging(false)
            list.reload()
          }}
        />
      )}
    </Page>
  )
}
