import { ChoiceField, DateTimeField, Dialog, Note, ProblemNote, ReasonDialog, Skeleton, useLoad, useTexts, useToast } from '@cuatrola/ui'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { Changes } from './changes'
import { useFaultText } from './faults'
import { Judgement, useSimulation } from './review'
import { parse } from './document'
import type { Schema } from './schema'
import { texts } from './texts'

type Outcome = Schemas['EconomyOutcome']

/** Goes on to what has come of publishing, and says it. */
export function useOutcome() {
  const t = useTexts(texts)
  const toast = useToast()
  const { route } = useLocation()
  return ({ version, proposal }: Outcome) => {
    if (version) {
      toast.good(t(version.state === 'coming' ? 'published_later' : 'published_now', { n: version.number }))
      route(`/admin/economy/versions/${version.number}`)
    } else if (proposal) {
      toast.good(t('proposed'))
      route(`/admin/economy/proposals/${proposal.id}`)
    }
  }
}

/** Publishes a draft, now or at a time: what will change, what a simulation said, and who has to agree. */
export function Publish({ schema, draft, onClose, onPublished }: { schema: Schema; draft: Schemas['EconomyDraft']; onClose: () => void; onPublished: () => void }) {
  const t = useTexts(texts)
  const said = useFaultText()
  const done = useOutcome()
  const simulation = useSimulation()
  const review = useLoad((signal) => ask(api.GET('/admin/v1/economy/review', { params: { query: { of: `draft:${draft.id}` } }, signal })), [draft.id, draft.revision])
  const [when, setWhen] = useState<'now' | 'later'>('now')
  const [from, setFrom] = useState<string | null>(null)
  const [missing, setMissing] = useState(false)
  const title = t('publish_title', { name: draft.name })
  useEffect(() => setMissing(false), [from, when])
  const found = review.data
  if (!found) {
    return <Dialog title={title} onClose={onClose} wide>{review.problem ? <ProblemNote problem={review.problem} retry={review.reload} /> : <Skeleton lines={5} />}</Dialog>
  }
  if (found.problems.length > 0) {
    return (
      <Dialog title={title} onClose={onClose}>
        <Note tone="bad" title={t('unusable')}><ul>{found.problems.slice(0, 8).map((p) => <li key={p.path + p.code}><code>{p.path || '/'}</code> {said(p)}</li>)}</ul></Note>
      </Dialog>
    )
  }
  const documents = draft.document === undefined ? [] : [parse(draft.document).value]
  return (
    <ReasonDialog
      title={title} wide onClose={onClose} action={found.need ? t('propose') : when === 'now' ? t('publish_now') : t('publish_later')}
      check={() => {
        const late = when === 'later' && (!from || new Date(from) <= new Date())
        setMissing(late)
        return !late
      }}
      onConfirm={async (reason) => {
        const outcome = await ask(api.POST('/admin/v1/economy/drafts/{draftId}/publish', {
          params: { path: { draftId: draft.id } },
          body: { revision: draft.revision, base: found.newest, reason, ...(when === 'later' && from ? { from } : {}) },
        }))
        onPublished()
        done(outcome)
      }}
    >
      {found.undone.length > 0 && (
        <Note tone="warn" title={t('undoes_title')}>
          <Changes schema={schema} changes={found.undone} before={t('version_n', { n: found.live })} after={t('this_draft')} documents={documents} label={t('undoes_title')} most={10} />
        </Note>
      )}
      <div class="stack">
        <h3>{t('will_change', { n: found.live })}</h3>
        <Changes schema={schema} changes={found.changes} before={t('version_n', { n: found.live })} after={t('this_draft')} documents={documents} label={t('changes')} most={40} />
      </div>
      <Judgement need={found.need} forecast={found.forecast} share={found.share} simulate={simulation(`draft:${draft.id}`)} />
      <ChoiceField
        label={t('when')} name="when" value={when} onChange={setWhen}
        options={[{ value: 'now', label: found.need ? t('when_approved') : t('when_now') }, { value: 'later', label: t('when_later') }]}
      />
      {when === 'later' && (
        <DateTimeField label={t('from')} name="from" required value={from} onChange={setFrom} min={new Date().toISOString()} hint={t('from_help')} error={missing ? t('from_missing') : null} />
      )}
    </ReasonDialog>
  )
}

/** Publishes an older version's document again. */
export function Restore({ schema, number, onClose }: { schema: Schema; number: number; onClose: () => void }) {
  const t = useTexts(texts)
  const done = useOutcome()
  const simulation = useSimulation()
  const review = useLoad((signal) => ask(api.GET('/admin/v1/economy/review', { params: { query: { of: `version:${number}` } }, signal })), [number])
  const title = t('restore_title', { n: number })
  const found = review.data
  if (!found) {
    return <Dialog title={title} onClose={onClose} wide>{review.problem ? <ProblemNote problem={review.problem} retry={review.reload} /> : <Skeleton lines={5} />}</Dialog>
  }
  return (
    <ReasonDialog
      title={title} wide onClose={onClose} action={found.need ? t('propose') : t('restore')} text={t('restore_text', { n: number })}
      onConfirm={async (reason) => done(await ask(api.POST('/admin/v1/economy/versions/{number}/restore', {
        params: { path: { number } }, body: { base: found.newest, reason },
      })))}
    >
      <Changes schema={schema} changes={found.changes} before={t('version_n', { n: found.live })} after={t('version_n', { n: number })} label={t('changes')} most={40} />
      <Judgement need={found.need} forecast={found.forecast} share={found.share} back={found.back} simulate={simulation(`version:${number}`)} />
    </ReasonDialog>
  )
}
