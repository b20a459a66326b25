import {
  Badge, Button, ButtonLink, Code, Facts, Page, ProblemNote, ReasonDialog, Section, Skeleton, Time, useLoad, useTexts,
  useToast,
} from '@cuatrola/ui'
import { FilePlus2, GitCompareArrows, RotateCcw, Undo2 } from 'lucide'
import { useMemo, useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { api, ask } from '../api/client'
import { useMay } from '../session'
import { Begin } from './begin'
import { Changes } from './changes'
import { parse } from './document'
import { stateTone } from './tones'
import { Restore } from './publish'
import { useSchema } from './schema'
import { texts } from './texts'
import './economy.css'

/** A version: who published it and why, what it changed, and going back to it. */
export default function VersionPage() {
  const t = useTexts(texts)
  const may = useMay()
  const toast = useToast()
  const number = Number(useRoute().params['number'])
  const schema = useSchema()
  const found = useLoad((signal) => ask(api.GET('/admin/v1/economy/versions/{number}', { params: { path: { number } }, signal })), [number])
  const compared = useLoad(async (signal) => (number <= 1 ? null : (await ask(api.GET('/admin/v1/economy/comparison', {
    params: { query: { before: `version:${number - 1}`, after: `version:${number}` } }, signal,
  }))).changes), [number])
  const [doing, setDoing] = useState<'restore' | 'begin' | 'withdraw' | null>(null)
  const v = found.data
  const documents = useMemo(() => (v?.document === undefined ? [] : [parse(v.document).value]), [v])
  const back = { href: '/admin/economy?tab=history', label: t('history') }
  if (!v) return <Page title={t('version_n', { n: number })} back={back}>{found.problem ? <ProblemNote problem={found.problem} retry={found.reload} /> : <Skeleton lines={6} />}</Page>
  return (
    <Page
      title={t('version_n', { n: v.number })} back={back} badge={<Badge tone={stateTone[v.state]}>{t(`state_${v.state}`)}</Badge>} lead={v.reason}
      actions={
        <>
          <ButtonLink icon={GitCompareArrows} href={`/admin/economy/compare?before=version:${v.number}&after=live`}>{t('compare')}</ButtonLink>
          {may('economy.edit') && <Button icon={FilePlus2} data-action="begin" onClick={() => setDoing('begin')}>{t('draft_of_it')}</Button>}
          {may('economy.publish') && v.state === 'coming' && <Button kind="danger" icon={Undo2} data-action="withdraw" onClick={() => setDoing('withdraw')}>{t('withdraw')}</Button>}
          {may('economy.publish') && (v.state === 'past' || v.state === 'withdrawn') && schema.data && (
            <Button kind="strong" icon={RotateCcw} data-action="restore" onClick={() => setDoing('restore')}>{t('restore')}</Button>
          )}
        </>
      }
    >
      <Section>
        <Facts
          of={[
            [t('live_from'), <Time value={v.liveFrom} />],
            [t('published_at'), <Time value={v.createdAt} />],
            [t('who'), v.author],
            v.approver !== undefined && [t('approver'), v.approver],
            v.restores !== undefined && [t('restores'), <a href={`/admin/economy/versions/${v.restores}`}>{t('version_n', { n: v.restores })}</a>],
            v.withdrawnAt !== undefined && [t('withdrawn_at'), <Time value={v.withdrawnAt} />],
          ]}
        />
      </Section>
      {number > 1 && (
        <Section title={t('changed_in_it')} lead={t('against_n', { n: number - 1 })}>
          {(compared.problem ?? schema.problem) && <ProblemNote problem={(compared.problem ?? schema.problem)!} retry={compared.reload} />}
          {compared.data && schema.data && (
            <Changes
              schema={schema.data} changes={compared.data} documents={documents} label={t('changed_in_it')}
              before={t('version_n', { n: number - 1 })} after={t('version_n', { n: number })}
            />
          )}
          {!compared.data && !compared.problem && <Skeleton lines={3} />}
        </Section>
      )}
      <Section title={t('document')}><Code text={v.document ?? ''} lang="json" label={t('document')} /></Section>
      {doing === 'restore' && schema.data && <Restore schema={schema.data} number={number} onClose={() => setDoing(null)} />}
      {doing === 'begin' && <Begin fixed from={`version:${number}`} onClose={() => setDoing(null)} />}
      {doing === 'withdraw' && (
        <ReasonDialog
          title={t('withdraw_title', { n: number })} action={t('withdraw')} danger text={t('withdraw_text')} onClose={() => setDoing(null)}
          onConfirm={async (reason) => {
            await ask(api.POST('/admin/v1/economy/versions/{number}/withdraw', { params: { path: { number } }, body: { reason } }))
            toast.good(t('withdrawn', { n: number }))
            found.reload()
          }}
        />
      )}
    </Page>
  )
}
