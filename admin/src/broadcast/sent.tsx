import {
  Button, Facts, Loading, Page, ReasonDialog, Section, Stat, Stats, Time, useFormat, useLanguage, useLoad, useRepeat,
  useTexts, useToast,
} from '@cuatrola/ui'
import { CircleStop } from 'lucide'
import { useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import { useSession } from '../session'
import { filterText, Looks, State } from './parts'
import { texts } from './texts'

export default function SentPage() {
  const t = useTexts(texts)
  const f = useFormat()
  const language = useLanguage()
  const { may } = useSession()
  const toast = useToast()
  const broadcastId = useRoute().params.id ?? ''
  const path = { params: { path: { broadcastId } } }
  const one = useLoad((signal) => ask(api.GET('/admin/v1/broadcasts/{broadcastId}', { ...path, signal })), [broadcastId])
  const [cancelling, setCancelling] = useState(false)
  const b = one.data
  const sending = b?.state === 'sending'
  useRepeat(() => sending && one.reload(), 1)
  return (
    <Page
      title={b ? b.title[language] : t('title')} back={{ href: '/admin/broadcasts', label: t('title') }} badge={b && <State t={t} of={b.state} />}
      actions={sending && may('broadcast.send') && <Button kind="danger" icon={CircleStop} data-action="cancel" onClick={() => setCancelling(true)}>{t('cancel')}</Button>}
    >
      <Loading of={one} lines={6}>
        {(d) => (
          <>
            <Stats>
              <Stat label={t('sent')} value={f.number(d.sent)} hint={t('sent_of', { sent: f.number(d.sent), planned: f.number(d.planned) })} />
              <Stat label={t('read')} value={f.number(d.read)} hint={d.sent > 0 ? f.percent(d.read / d.sent, 0) : '—'} />
            </Stats>
            {d.state === 'sending' && <progress value={d.sent} max={Math.max(d.planned, 1)} aria-label={t('progress')} />}
            <div class="grid">
              <Section title={t('looks')}><Looks t={t} title={d.title} text={d.text} link={d.link} /></Section>
              <Section title={t('filter')}>
                <Facts
                  of={[
                    [t('who'), <span data-raw>{filterText(t, f, d.filter)}</span>], [t('author'), <span data-raw>{d.author}</span>],
                    [t('reason'), <span data-raw>{d.reason}</span>], [t('started'), <Time value={d.createdAt} />],
                    !!d.endedAt && [t('ended'), <Time value={d.endedAt} />],
                  ]}
                />
              </Section>
            </div>
          </>
        )}
      </Loading>
      {cancelling && (
        <ReasonDialog
          title={t('cancel')} text={t('cancel_text')} action={t('cancel')} danger onClose={() => setCancelling(false)}
          onConfirm={async (reason) => {
            one.put(await ask(api.POST('/admin/v1/broadcasts/{broadcastId}/cancel', { ...path, body: { reason } })))
            toast.good(t('toast_cancelled'))
          }}
        />
      )}
    </Page>
  )
}
