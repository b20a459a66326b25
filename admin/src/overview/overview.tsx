import { Loading, Page, Tabs, useFormat, useLoad, useQuery, useRepeat, useTexts } from '@cuatrola/ui'
import { api, ask } from '../api/client'
import { FaultsTab } from './faults'
import { MoneyTab } from './money'
import { NowTab } from './now'
import { texts } from './texts'

type TabId = 'now' | 'money' | 'faults'

export default function OverviewPage() {
  const t = useTexts(texts)
  const f = useFormat()
  const [tab, setTab] = useQuery('tab', 'now')
  const numbers = useLoad((signal) => ask(api.GET('/admin/v1/overview', { signal })), [])
  useRepeat(numbers.reload, 10)
  return (
    <Page title={t('title')} lead={numbers.data ? t('lead', { time: f.time(numbers.data.at), zone: numbers.data.zone }) : ' '}>
      <Tabs<TabId>
        label={t('parts')} current={tab === 'money' || tab === 'faults' ? tab : 'now'} onChange={setTab}
        tabs={[{ id: 'now', label: t('tab_now') }, { id: 'money', label: t('tab_money') }, { id: 'faults', label: t('tab_faults') }]}
      >
        {tab === 'money' ? <MoneyTab /> : (
          <Loading of={numbers} lines={3} tall>
            {(data) => (tab === 'faults' ? <FaultsTab now={data} reload={numbers.reload} /> : <NowTab now={data} />)}
          </Loading>
        )}
      </Tabs>
    </Page>
  )
}
