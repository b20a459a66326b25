import { Badge, Empty, Loading, Table, Time, useLoad, useTexts } from '@cuatrola/ui'
import { MonitorSmartphone } from 'lucide'
import { api, ask } from '../api/client'
import { browserName } from './agent'
import { texts } from './texts'

/** Where a member is signed in; oneself if none is said. */
export function Sessions({ memberId, version = 0 }: { memberId?: string; version?: number }) {
  const t = useTexts(texts)
  const list = useLoad((signal) => (memberId
    ? ask(api.GET('/admin/v1/staff/{memberId}/sessions', { params: { path: { memberId } }, signal }))
    : ask(api.GET('/admin/v1/self/sessions', { signal }))), [memberId, version])
  return (
    <Loading of={list}>
      {(data) => (data.sessions.length === 0 ? <Empty icon={MonitorSmartphone} title={t('sessions_none')} /> : (
        <Table
          caption={t('sessions')} rows={data.sessions} rowKey={(s) => s.id}
          columns={[
            { id: 'agent', title: t('device'), cell: (s) => <span data-raw title={s.agent}>{browserName(s.agent)} {s.current && <Badge tone="good">{t('this_one')}</Badge>}</span> },
            { id: 'address', title: t('address'), cell: (s) => <code>{s.address}</code> },
            { id: 'seen', title: t('seen'), cell: (s) => <Time value={s.seenAt} relative /> },
            { id: 'began', title: t('began'), cell: (s) => <Time value={s.createdAt} /> },
          ]}
        />
      ))}
    </Loading>
  )
}
