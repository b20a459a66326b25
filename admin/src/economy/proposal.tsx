import {
  Badge, Button, Facts, Note, Page, ProblemNote, ReasonDialog, Section, Skeleton, Time, useLoad, useTexts, useToast,
} from '@cuatrola/ui'
import { Check, FilePlus2, Undo2, X } from 'lucide'
import { useMemo, useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { api, ask } from '../api/client'
import { useMay } from '../session'
import { Begin } from './begin'
import { Changes } from './changes'
import { parse } from './document'
import { verdictTone } from './tones'
import { Judgement, useSimulation } from './review'
import { useSchema } from './schema'
import { texts } from './texts'
import './economy.css'

/** What somebody wants to publish, for a second person to decide. */
export default function ProposalPage() {
  const t = useTexts(texts)
  const may = useMay()
  const toast = useToast()
  const simulation = useSimulation()
  const { route } = useLocation()
  const id = useRoute().params['id']!
  const schema = useSchema()
  const found = useLoad((signal) => ask(api.GET('/admin/v1/economy/proposals/{proposalId}', { params: { path: { proposalId: id } }, signal })), [id])
  const p = found.data
  const open = p?.state === 'open'
  // What it was decided on is compared with what was there then.
  const against = p ? (open ? 'live' : `version:${p.base}`) : null
  const compared = useLoad(async (signal) => (against === null ? null : (await ask(api.GET('/admin/v1/economy/comparison', {
    params: { query: { before: against, after: `proposal:${id}` } }, signal,
  }))).changes), [id, against])
  const review = useLoad((signal) => ask(api.GET('/admin/v1/economy/review', { params: { query: { of: `proposal:${id}` } }, signal })), [id])
  const [doing, setDoing] = useState<'approve' | 'refuse' | 'take-back' | 'begin' | null>(null)
  const documents = useMemo(() => (p?.document === undefined ? [] : [parse(p.document).value]), [p])
  const back = { href: '/admin/economy?tab=proposals', label: t('proposals') }
  if (!p) return <Page title={t('proposal')} back={back}>{found.problem ? <ProblemNote problem={found.problem} retry={found.reload} /> : <Skeleton lines={6} />}</Page>
  const params = { path: { proposalId: id } }
  return (
    <Page
      title={t('proposal')} back={back} badge={<Badge tone={verdictTone[p.state]}>{t(`verdict_${p.state}`)}</Badge>} lead={p.reason}
      actions={
        <>
          {may('economy.edit') && <Button icon={FilePlus2} data-action="begin" onClick={() => setDoing('begin')}>{t('draft_of_it')}</Button>}
          {open && p.own && may('economy.publish') && <Button icon={Undo2} data-action="take-back" onClick={() => setDoing('take-back')}>{t('take_back')}</Button>}
          {open && !p.own && may('economy.approve') && (
            <>
              <Button kind="danger" icon={X} data-action="refuse" onClick={() => setDoing('refuse')}>{t('refuse')}</Button>
              <Button kind="strong" icon={Check} data-action="approve" onClick={() => setDoing('approve')}>{t('approve')}</Button>
            </>
          )}
        </>
      }
    >
      {open && p.own && <Note tone="info">{t('waits_for_other')}</Note>}
      <Section>
        <Facts
          of={[
            [t('author'), p.author],
            [t('proposed_at'), <Time value={p.createdAt} />],
            [t('takes_over'), p.liveFrom === undefined ? t('when_approved') : <Time value={p.liveFrom} />],
            open ? [t('until'), <Time value={p.expiresAt} />] : null,
            p.restores !== undefined && [t('restores'), <a href={`/admin/economy/versions/${p.restores}`}>{t('version_n', { n: p.restores })}</a>],
            p.decidedBy !== undefined && [t('decided_by'), p.decidedBy],
            p.decidedAt !== undefined && [t('decided_at'), <Time value={p.decidedAt} />],
            p.decision !== undefined && [t('decision'), p.decision],
            p.version !== undefined && [t('version'), <a href={`/admin/economy/versions/${p.version}`}>{t('version_n', { n: p.version })}</a>],
          ]}
        />
      </Section>
      <Section title={t('judgement')}>
        <Judgement need={p.need} forecast={(open ? review.data?.forecast : undefined) ?? p.forecast} share={review.data?.share ?? null} simulate={open ? simulation(`proposal:${id}`) : null} />
      </Section>
      <Section title={t('changes')} lead={open ? t('against_live') : t('against_n', { n: p.base })}>
        {(compared.problem ?? schema.problem) && <ProblemNote problem={(compared.problem ?? schema.problem)!} retry={compared.reload} />}
        {compared.data && schema.data
          ? <Changes schema={schema.data} changes={compared.data} documents={documents} label={t('changes')} before={open ? t('source_live_short') : t('version_n', { n: p.base })} after={t('proposal')} />
          : !compared.problem && <Skeleton lines={3} />}
      </Section>
      {doing === 'approve' && (
        <ReasonDialog
          title={t('approve_title')} action={t('approve')} text={t('approve_text', { author: p.author })} onClose={() => setDoing(null)}
          onConfirm={async (reason) => {
            const version = await ask(api.POST('/admin/v1/economy/proposals/{proposalId}/approve', { params, body: { reason } }))
            toast.good(t(version.state === 'coming' ? 'published_later' : 'published_now', { n: version.number }))
            route(`/admin/economy/versions/${version.number}`)
          }}
        />
      )}
      {doing === 'refuse' && (
        <ReasonDialog
          title={t('refuse_title')} action={t('refuse')} danger text={t('refuse_text', { author: p.author })} onClose={() => setDoing(null)}
          onConfirm={async (reason) => {
            await ask(api.POST('/admin/v1/economy/proposals/{proposalId}/refuse', { params, body: { reason } }))
            toast.good(t('refused'))
            found.reload()
          }}
        />
      )}
      {doing === 'take-back' && (
        <ReasonDialog
          title={t('take_back_title')} action={t('take_back')} onClose={() => setDoing(null)}
          onConfirm={async (reason) => {
            await ask(api.POST('/admin/v1/economy/proposals/{proposalId}/take-back', { params, body: { reason } }))
            toast.good(t('taken_back'))
            found.reload()
          }}
        />
      )}
      {doing === 'begin' && <Begin fixed from={`proposal:${id}`} onClose={() => setDoing(null)} />}
    </Page>
  )
}
