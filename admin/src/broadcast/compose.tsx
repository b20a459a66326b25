import {
  Button, complete, DateTimeField, languages, Loading, Note, noWords, NumberField, Page, ReasonDialog, Section, SelectField,
  TextArea, useFormat, useLoad, useTexts, useToast, WordsField,
} from '@cuatrola/ui'
import { Send } from 'lucide'
import { useLocation } from 'preact-iso'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { languageName, Looks, type Filter, type T } from './parts'
import { texts } from './texts'

type Link = NonNullable<Schemas['Broadcast']['link']>
type Three = '' | 'yes' | 'no'
const truth = (value: Three): boolean | undefined => (value === '' ? undefined : value === 'yes')

/** What is typed, before it is a filter. */
interface Typed {
  language: '' | 'es' | 'ca' | 'en'
  division: string
  levelFrom: number | null
  levelTo: number | null
  vip: Three
  bought: Three
  activeDays: number | null
  registeredFrom: string | null
  registeredTo: string | null
  players: string
}
const nothing: Typed = {
  language: '', division: '', levelFrom: null, levelTo: null, vip: '', bought: '', activeDays: null, registeredFrom: null, registeredTo: null, players: '',
}
const playerId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const named = (text: string) => text.split(/[\s,;]+/).filter((id) => id !== '').map((id) => id.toLowerCase())

function filterOf(typed: Typed): Filter {
  const players = named(typed.players)
  const all = {
    language: typed.language || undefined, division: typed.division || undefined, levelFrom: typed.levelFrom ?? undefined, levelTo: typed.levelTo ?? undefined,
    vip: truth(typed.vip), bought: truth(typed.bought), activeDays: typed.activeDays ?? undefined,
    registeredFrom: typed.registeredFrom ?? undefined, registeredTo: typed.registeredTo ?? undefined, players: players.length > 0 ? players : undefined,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Filter
}

/** The last value that stood still for a moment: nobody is counted for each letter. */
function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value)
  const key = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [key])
  return settled
}

export default function ComposePage() {
  const t = useTexts(texts)
  const toast = useToast()
  const { route } = useLocation()
  const [title, setTitle] = useState(noWords)
  const [text, setText] = useState(noWords)
  const [link, setLink] = useState<Link | ''>('')
  const [typed, setTyped] = useState(nothing)
  const [tried, setTried] = useState(false)
  const [sending, setSending] = useState(false)
  // One page is one broadcast, however often it is sent.
  const key = useMemo(() => crypto.randomUUID(), [])
  const options = useLoad((signal) => ask(api.GET('/admin/v1/broadcast-options', { signal })), [])
  const wrong = named(typed.players).find((id) => !playerId.test(id))
  const filter = useSettled(filterOf(typed), 300)
  const size = useLoad(
    (signal) => (wrong ? Promise.resolve(null) : ask(api.POST('/admin/v1/broadcasts/preview', { body: { filter }, signal }))),
    [JSON.stringify(filter), wrong],
  )
  const found = size.data?.players ?? 0
  return (
    <Page
      title={t('new')} back={{ href: '/admin/broadcasts', label: t('title') }}
      actions={
        <Button
          kind="strong" icon={Send} data-action="send" aria-disabled={size.loading || found === 0}
          onClick={() => {
            setTried(true)
            if (!size.loading && found > 0 && complete(title) && complete(text)) setSending(true)
          }}
        >
          {t('send')}
        </Button>
      }
    >
      <div class="compose">
        <div>
          <Section title={t('what')}>
            <div class="stack">
              <WordsField label={t('what_title')} name="title" value={title} onChange={setTitle} max={60} missing={tried ? t('missing') : null} />
              <WordsField label={t('what_text')} name="text" value={text} onChange={setText} rows={2} max={400} missing={tried ? t('missing') : null} />
              <SelectField
                label={t('link')} name="link" value={link} onChange={setLink}
                options={[{ value: '' as Link | '', label: t('link_none') }, ...(options.data?.links ?? []).map((value) => ({ value, label: t(`link_${value}`) }))]}
              />
            </div>
          </Section>
          <Section title={t('who')} lead={t('who_help')}>
            <Who t={t} typed={typed} onChange={(part) => setTyped((all) => ({ ...all, ...part }))} divisions={options.data?.divisions ?? []} wrong={wrong} />
          </Section>
        </div>
        <div>
          <Section title={t('reaches')}>
            <Loading of={size} lines={3}>{(data) => (data ? <Reach t={t} of={data} /> : <p class="soft">—</p>)}</Loading>
          </Section>
          <Section title={t('looks')}><Looks t={t} title={title} text={text} link={link || undefined} /></Section>
        </div>
      </div>
      {sending && (
        <ReasonDialog
          title={t.plural('send_title', found)} text={t('send_text')} action={t('send_action')} onClose={() => setSending(false)}
          onConfirm={async (reason) => {
            const sent = await ask(api.POST('/admin/v1/broadcasts', {
              params: { header: { 'Idempotency-Key': key } },
              body: { title: { ...title }, text: { ...text }, ...(link ? { link } : {}), filter, seen: found, reason },
            }))
            toast.good(t('toast_sent'))
            route(`/admin/broadcasts/${sent.id}`)
          }}
        />
      )}
    </Page>
  )
}

function Who({ t, typed, onChange, divisions, wrong }: { t: T; typed: Typed; onChange: (part: Partial<Typed>) => void; divisions: readonly string[]; wrong: string | undefined }) {
  const any = { value: '', label: t('any') } as const
  return (
    <div class="stack">
      <div class="columns">
        <SelectField
          label={t('language')} name="language" value={typed.language} onChange={(language) => onChange({ language })}
          options={[any, ...languages.map(({ code, name }) => ({ value: code, label: name }))]}
        />
        <SelectField
          label={t('division')} name="division" value={typed.division} onChange={(division) => onChange({ division })}
          options={[{ value: '', label: t('any') }, ...divisions.map((name) => ({ value: name, label: name }))]}
        />
        <SelectField
          label={t('vip')} name="vip" value={typed.vip} onChange={(vip) => onChange({ vip })}
          options={[any, { value: 'yes', label: t('vip_yes') }, { value: 'no', label: t('vip_no') }]}
        />
        <SelectField
          label={t('bought')} name="bought" value={typed.bought} onChange={(bought) => onChange({ bought })}
          options={[any, { value: 'yes', label: t('bought_yes') }, { value: 'no', label: t('bought_no') }]}
        />
        <NumberField label={t('level_from')} name="level-from" value={typed.levelFrom} onChange={(levelFrom) => onChange({ levelFrom })} min={1} max={10_000} />
        <NumberField label={t('level_to')} name="level-to" value={typed.levelTo} onChange={(levelTo) => onChange({ levelTo })} min={1} max={10_000} />
        <NumberField label={t('active')} name="active" value={typed.activeDays} onChange={(activeDays) => onChange({ activeDays })} min={1} max={3650} unit={t('days')} />
        <DateTimeField label={t('registered_from')} name="from" value={typed.registeredFrom} onChange={(registeredFrom) => onChange({ registeredFrom })} />
        <DateTimeField label={t('registered_to')} name="to" value={typed.registeredTo} onChange={(registeredTo) => onChange({ registeredTo })} />
      </div>
      <TextArea
        label={t('players')} name="players" value={typed.players} onChange={(players) => onChange({ players })} rows={2} hint={t('players_help')}
        error={wrong ? t('players_wrong', { id: wrong }) : null} area={{ spellcheck: false }}
      />
    </div>
  )
}

/** How many, and some of them. */
function Reach({ t, of }: { t: T; of: Schemas['BroadcastPreview'] }) {
  const f = useFormat()
  if (of.players === 0) return <Note tone="warn">{t('nobody')}</Note>
  return (
    <div class="stack" data-reach={of.players}>
      <div class="stat-line"><strong class="value">{t.plural('people', of.players)}</strong></div>
      <dl class="facts">
        <div><dt>{t('devices')}</dt><dd>{f.number(of.devices)}</dd></div>
        <div><dt>{t('by_language')}</dt><dd>{(['es', 'ca', 'en'] as const).filter((l) => of.languages[l] > 0).map((l) => `${languageName(l)} ${f.number(of.languages[l])}`).join(' · ')}</dd></div>
        <div><dt>{t('some')}</dt><dd data-raw>{f.list(of.some.map((p) => p.name))}</dd></div>
      </dl>
    </div>
  )
}
