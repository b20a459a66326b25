import {
  Button, ButtonLink, Empty, Filters, Note, Page, PagedTable, ProblemNote, Section, SelectField, Tabs, Time, useAction,
  useFormat, useLoad, useQuery, useRepeat, useTexts,
} from '@cuatrola/ui'
import { Radar, SearchCheck, SlidersHorizontal } from 'lucide'
import { useEffect, useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { useSession } from '../session'
import { kinds, says, seldom, states, type Case, type T } from './parts'
import { texts } from './texts'

type Search = Schemas['FairnessSearch']
const goesOn = (s: Search | undefined) => s?.state === 'asked' || s?.state === 'running'

export default function FairnessPage() {
  const t = useTexts(texts)
  const f = useFormat()
  const { may } = useSession()
  const [state, setState] = useQuery('state', 'open')
  const [kind, setKind] = useQuery('kind')
  const [player, setPlayer] = useQuery('player')
  const [counts, setCounts] = useState<Schemas['FairnessCasePage']['counts'] | null>(null)
  const [version, setVersion] = useState(0)
  const searches = useLoad((signal) => ask(api.GET('/admin/v1/fairness/searches', { signal })).then((l) => l.searches), [])
  const last = searches.data?.[0]
  const busy = goesOn(last)
  const start = useAction(async () => {
    await ask(api.POST('/admin/v1/fairness/searches'))
    searches.reload()
  })
  useRepeat(() => busy && searches.reload(), 1)
  useEffect(() => {
    // What it has found.
    if (last?.endedAt) setVersion((n) => n + 1)
  }, [last?.id, last?.endedAt])

  const query = Object.fromEntries(Object.entries({ state, kind, player }).filter(([, value]) => value !== ''))
  const shown = states.find((s) => s === state) ?? 'open'
  return (
    <Page
      title={t('title')} lead={t('lead')}
      actions={
        <>
          {may('economy.read') && <ButtonLink icon={SlidersHorizontal} href="/admin/economy" data-action="thresholds">{t('thresholds')}</ButtonLink>}
          {may('fairness.search') && (
            <Button kind="strong" icon={SearchCheck} busy={start.busy || busy} data-action="search" onClick={() => void start.run()}>
              {busy ? t('searching') : t('search_now')}
            </Button>
          )}
        </>
      }
    >
      {start.problem && <ProblemNote problem={start.problem} />}
      <LastSearch t={t} last={last} />
      {player && <Note tone="neutral" action={<Button small onClick={() => setPlayer('')}>{t('show_all')}</Button>}>{t('only_player')}</Note>}
      <Section flush>
        <Filters>
          <SelectField
            label={t('kind')} name="kind" value={kind} onChange={setKind}
            options={[{ value: '', label: t('kind_all') }, ...kinds.map((value) => ({ value: value as string, label: t(`kind_${value}`) }))]}
          />
        </Filters>
        <Tabs
          label={t('state')} current={shown} onChange={setState}
          tabs={states.map((id) => ({ id, label: counts ? `${t(`state_${id}`)} (${f.number(counts[id])})` : t(`state_${id}`) }))}
        >
          <PagedTable
            caption={t('title')} inputs={[query]} version={version} rowKey={(c: Case) => c.id} rowHref={(c) => '/admin/fairness/' + c.id}
            load={(cursor, signal) => ask(api.GET('/admin/v1/fairness/cases', { params: { query: { ...query, ...(cursor ? { cursor } : {}) } }, signal }))
              .then((page) => {
                setCounts(page.counts)
                return { items: page.cases, nextCursor: page.nextCursor }
              })}
            empty={<Empty icon={Radar} title={t('none')}>{t('none_help')}</Empty>}
            columns={[
              { id: 'kind', title: t('kind'), cell: (c) => t(`kind_${c.kind}`) },
              { id: 'players', title: t('players'), cell: (c) => <span data-raw>{f.list(c.players.map((p) => p.name))}</span> },
              { id: 'evidence', title: t('evidence'), cell: (c) => <span data-raw>{says(t, f, c)}</span> },
              { id: 'seldom', title: t('seldom'), end: true, cell: (c) => seldom(t, f, c) },
              { id: 'seen', title: t('last_seen'), cell: (c) => <Time value={c.lastSeen} relative /> },
            ]}
          />
        </Tabs>
      </Section>
    </Page>
  )
}

/** How the last search went, or how far it is. */
function LastSearch({ t, last }: { t: T; last: Search | undefined }) {
  const f = useFormat()
  if (last?.state === 'failed') return <Note tone="bad">{t('search_failed')}</Note>
  return (
    <p class="soft" role="status" data-search={last?.state ?? 'none'}>
      {t('last_search')}:{' '}
      {!last ? t('never') : goesOn(last) ? (
        <>
          <progress max={last.steps} value={last.step} aria-label={t('searching')} /> {t('step_of', { step: Math.min(last.step + 1, last.steps), steps: last.steps })}
        </>
      ) : (
        <>
          <Time value={last.endedAt ?? last.askedAt} relative /> · {t('search_done', { matches: f.number(last.matches), found: f.number(last.found), fresh: f.number(last.new) })}
        </>
      )}
    </p>
  )
}
