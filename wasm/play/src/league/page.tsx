import { ask } from '@cuatrola/client'
import { Page, Tabs, useLoad, useQuery, useRepeat, useTexts } from '@cuatrola/ui'
import { Trophy } from 'lucide'
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../game/client'
import { useSession } from '../session'
import { useMore } from '../wallet/more'
import { Nobody } from '../wallet/nobody'
import { Best } from './best'
import { ThisWeek } from './group'
import './league.css'
import { Past } from './past'
import type { Result } from './parts'
import { texts } from './texts'

const tabs = ['group', 'best', 'past'] as const
const week = 7 * 86_400_000

/** The weekly league. */
export default function LeaguePage() {
  const t = useTexts(texts)
  const { player } = useSession()
  return (
    <Page title={t('title')} lead={t('lead')}>
      {player ? <Mine key={player.id} me={player.id} /> : <Nobody icon={Trophy} title={t('nobody')} help={t('nobody_help')} />}
    </Page>
  )
}

function Mine({ me }: { me: string }) {
  const t = useTexts(texts)
  const { engagement, unread } = useSession()
  const [asked, choose] = useQuery('tab', 'group')
  const tab = tabs.find((id) => id === asked) ?? 'group'
  const league = useLoad((signal) => ask(api.GET('/v1/league', { signal })), [])
  const results = useMore<Result>(async (cursor, signal) => {
    const page = await ask(api.GET('/v1/league/seasons', { params: { query: { limit: 10, ...(cursor ? { cursor } : {}) } }, signal }))
    return { items: page.seasons, nextCursor: page.nextCursor }
  }, [])
  // A match has ended, or a week was closed, of which a notice tells; and others play too.
  const first = useRef(true)
  useEffect(() => {
    if (!first.current) {
      league.reload()
      results.reload()
    }
    first.current = false
  }, [engagement?.kind, engagement?.id, unread])
  useRepeat(league.reload, league.data?.season.state === 'closing' ? 5 : 30)
  useEffect(() => {
    const look = () => document.visibilityState === 'visible' && league.reload()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  const newest = results.items?.[0]
  const last = newest && league.data && Date.parse(league.data.season.id) - Date.parse(newest.season) === week ? newest : null
  const divisions = league.data?.divisions ?? []
  return (
    <Tabs label={t('parts')} current={tab} onChange={choose} tabs={tabs.map((id) => ({ id, label: t(`tab_${id}`) }))}>
      {tab === 'group' ? <ThisWeek league={league} last={last} me={me} />
        : tab === 'best' ? <Best divisions={divisions} me={me} />
        : <Past results={results} divisions={divisions} />}
    </Tabs>
  )
}
