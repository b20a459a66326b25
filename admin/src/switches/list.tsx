import {
  Badge, Button, complete, DateTimeField, Facts, Loading, noWords, Page, ReasonDialog, Section, Time, type Translate,
  useLanguage, useLoad, useTexts, useToast, WordsField,
} from '@cuatrola/ui'
import { CirclePause, CirclePlay, MessageSquareText } from 'lucide'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { useSession } from '../session'
import { texts } from './texts'

type T = Translate<keyof (typeof texts)['es'] & string>
type Switch = Schemas['Switch']

export default function SwitchesPage() {
  const t = useTexts(texts)
  const toast = useToast()
  const list = useLoad((signal) => ask(api.GET('/admin/v1/switches', { signal })), [])
  const [doing, setDoing] = useState<{ what: 'stop' | 'go_on'; of: Switch } | null>(null)
  const stop = () => setDoing(null)
  const change = async (of: Switch, body: Schemas['SwitchChange']) => {
    const now = await ask(api.PUT('/admin/v1/switches/{part}', { params: { path: { part: of.part } }, body }))
    toast.good(t(now.stopped ? 'toast_stopped' : 'toast_on', { part: t(`part_${of.part}`) }))
    list.reload()
  }
  return (
    <Page title={t('title')} lead={t('lead')} narrow>
      <Loading of={list} lines={5} tall>
        {(data) => (
          <div class="stack">
            {data.switches.map((one) => <Card key={one.part} t={t} of={one} onDo={(what) => setDoing({ what, of: one })} />)}
          </div>
        )}
      </Loading>
      {doing?.what === 'stop' && <StopDialog t={t} of={doing.of} onClose={() => {
        stop()
        list.reload()
      }} onDone={(body) => change(doing.of, body)} />}
      {doing?.what === 'go_on' && (
        <ReasonDialog
          title={t('go_on_of', { part: t(`part_${doing.of.part}`) })} text={t('go_on_text')} action={t('go_on')} onClose={stop}
          onConfirm={(reason) => change(doing.of, { stopped: false, version: doing.of.version, reason })}
        />
      )}
    </Page>
  )
}

function Card({ t, of, onDo }: { t: T; of: Switch; onDo: (what: 'stop' | 'go_on') => void }) {
  const { may } = useSession()
  const language = useLanguage()
  const part = t(`part_${of.part}`)
  return (
    <Section title={part} actions={<Badge tone={of.stopped ? 'bad' : 'good'}>{t(of.stopped ? 'stopped' : 'goes')}</Badge>}>
      <div class="switch-card" data-switch={of.part} data-stopped={of.stopped}>
        <p class="soft">{t(`help_${of.part}`)}</p>
        {of.stopped && <blockquote data-raw lang={language} aria-label={t('players_read')}>{of.text[language]}</blockquote>}
        {of.changedAt && (
          <Facts
            of={[
              [t(of.stopped ? 'since' : 'last'), <Time value={of.changedAt} relative />],
              [t('by'), <span data-raw>{of.by}</span>],
              of.stopped && [t('expected'), of.until ? <Time value={of.until} relative /> : <span class="soft">{t('unknown')}</span>],
            ]}
          />
        )}
        {may('switches.change') && (
          <div class="actions">
            {of.stopped ? (
              <>
                <Button kind="strong" icon={CirclePlay} data-action={'go-on-' + of.part} aria-label={t('go_on_of', { part })} onClick={() => onDo('go_on')}>{t('go_on')}</Button>
                <Button icon={MessageSquareText} data-action={'change-' + of.part} aria-label={t('change_of', { part })} onClick={() => onDo('stop')}>{t('change')}</Button>
              </>
            ) : <Button icon={CirclePause} data-action={'stop-' + of.part} aria-label={t('stop_of', { part })} onClick={() => onDo('stop')}>{t('stop')}</Button>}
          </div>
        )}
      </div>
    </Section>
  )
}

function StopDialog({ t, of, onClose, onDone }: { t: T; of: Switch; onClose: () => void; onDone: (body: Schemas['SwitchChange']) => Promise<void> }) {
  const [text, setText] = useState(of.version > 0 ? of.text : noWords)
  const [until, setUntil] = useState<string | null>(of.until ?? null)
  const [tried, setTried] = useState(false)
  const part = t(`part_${of.part}`)
  return (
    <ReasonDialog
      title={t(of.stopped ? 'change_of' : 'stop_of', { part })} text={t(`help_${of.part}`)} action={t(of.stopped ? 'change' : 'stop')} danger={!of.stopped}
      onClose={onClose}
      check={() => {
        setTried(true)
        return complete(text)
      }}
      onConfirm={(reason) => onDone({ stopped: true, text: { ...text }, ...(until ? { until } : {}), version: of.version, reason })}
    >
      <WordsField label={t('text')} name="text" value={text} onChange={setText} rows={2} max={300} hint={t('text_help')} missing={tried ? t('text_missing') : null} />
      <DateTimeField label={t('until')} name="until" value={until} onChange={setUntil} hint={t('until_help')} />
    </ReasonDialog>
  )
}
