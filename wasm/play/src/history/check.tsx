import type { MatchRecord } from '@cuatrola/rules'
import { ask } from '@cuatrola/client'
import { Button, Icon, Note, Page, Section, SelectField, TextArea, useTexts } from '@cuatrola/ui'
import { FileUp, KeyRound, Layers, ListChecks, RotateCcw } from 'lucide'
import { useLocation } from 'preact-iso'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { api, client } from '../game/client'
import { finishedMatches, finishedRecord, keptPromise } from '../game/finished'
import './history.css'
import { Outgoing } from './parts'
import { longest, recordsIn, tidy } from './records'
import type { Keeper } from './report'
import { texts } from './texts'
import { MatchView } from './view'

/** Opens a match from a file, however it comes: chosen, dropped or pasted. It is checked, replayed and reviewed right here. */
export default function CheckPage() {
  const t = useTexts(texts)
  const [records, setRecords] = useState<MatchRecord[] | null>(null)
  const [which, setWhich] = useState(0)
  const [fault, setFault] = useState<'unreadable' | 'too_big' | null>(null)

  const { route } = useLocation()

  const take = useCallback((text: string) => {
    const found = recordsIn(text)
    // Another match is looked at from its beginning.
    route('/check', true)
    setFault(found ? null : text.length > longest ? 'too_big' : 'unreadable')
    setRecords(found)
    setWhich(0)
  }, [])
  const takeFile = useCallback(async (file: File) => {
    // A file that is too long is not even read.
    if (file.size > longest) setFault('too_big')
    else take(await file.text())
  }, [take])
  const over = useDropped(takeFile, take)

  const back = { href: '/history', label: t('match_back') }
  if (!records) {
    return (
      <Page title={t('check_title')} lead={t('check_lead')} narrow back={back}>
        <Entrance over={over} fault={fault} onFile={takeFile} onText={take} />
      </Page>
    )
  }
  const record = records[Math.min(which, records.length - 1)]!
  return (
    <Page
      title={t('from_file')} back={back}
      actions={<><Button icon={RotateCcw} data-action="other" onClick={() => setRecords(null)}>{t('check_other')}</Button><Outgoing record={record} title={t('from_file')} /></>}
    >
      {records.length > 1 && (
        <div class="record-which">
          <SelectField
            label={t('check_which')} name="which" value={String(which)} onChange={(value) => setWhich(Number(value))}
            options={records.map((_, i) => ({ value: String(i), label: t('check_which_n', { n: i + 1 }) }))}
          />
        </div>
      )}
      <FromFile key={which} record={record} />
    </Page>
  )
}

function FromFile({ record }: { record: MatchRecord }) {
  const id = record.fair?.matchId ?? record.id ?? ''
  const promised = useMemo(() => keptPromise(id), [id])
  const here = useMemo(() => finishedMatches().some((match) => match.id === record.id), [record])
  const [copyOf, setCopyOf] = useState<Keeper | null>(null)
  const known = useCallback(async () => {
    const copy = here ? finishedRecord(record.id!) : await fromServer(record.id)
    setCopyOf(copy && (here ? 'device' : 'server'))
    return { promised, copy }
  }, [record, here, promised])
  return <MatchView record={record} me={promised?.seat ?? (here ? 0 : null)} known={known} dealtBy={here ? 'device' : null} copyOf={copyOf} first="check" />
}

/** The server's own record of a match, if it is one of the player's and the server is there. */
async function fromServer(id: string | undefined): Promise<MatchRecord | null> {
  if (!id || !client.player) return null
  try {
    return tidy((await ask(api.GET('/v1/matches/{matchId}/record', { params: { path: { matchId: id } } }))) as Record<string, unknown>)
  } catch {
    // Not there, or not the player's: then there is nothing to hold it against.
    return null
  }
}

/** Where a file comes in. */
function Entrance({ over, fault, onFile, onText }: { over: boolean; fault: 'unreadable' | 'too_big' | null; onFile(file: File): Promise<void>; onText(text: string): void }) {
  const t = useTexts(texts)
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  return (
    <>
      <Section>
        <div class={`record-entrance${over ? ' over' : ''}`} data-over={over || undefined}>
          <input
            ref={input} class="hidden" type="file" id="record-file" accept=".json,.jsonl,.txt,application/json" tabIndex={-1} aria-label={t('check_choose')}
            onChange={(event) => {
              const file = event.currentTarget.files?.[0]
              event.currentTarget.value = ''
              if (file) void onFile(file)
            }}
          />
          <Button kind="strong" icon={FileUp} data-action="choose" onClick={() => input.current?.click()}>{t(over ? 'check_drop' : 'check_choose')}</Button>
          <p class="soft">{t('check_or')}</p>
        </div>
        {fault && (
          <div data-fault={fault}>
            <Note tone="bad" title={fault === 'too_big' ? t('check_too_big') : t('check_unreadable')}>{t('check_unreadable_help')}</Note>
          </div>
        )}
        <details class="record-pasting">
          <summary>{t('check_paste')}</summary>
          <form
            class="form"
            onSubmit={(event) => {
              event.preventDefault()
              onText(text)
            }}
          >
            <TextArea label={t('check_text')} name="text" rows={5} value={text} onChange={setText} area={{ spellcheck: false }} />
            <div class="row"><Button type="submit" data-action="take">{t('check_go')}</Button></div>
          </form>
        </details>
      </Section>
      <Section title={t('check_what')}>
        <ul class="proof-looks">
          {([[KeyRound, 'seeds'], [Layers, 'deals'], [ListChecks, 'plays']] as const).map(([icon, what]) => <li key={what}><Icon of={icon} size={22} /><p>{t(`check_what_${what}`)}</p></li>)}
        </ul>
      </Section>
    </>
  )
}

/** Takes what is dropped anywhere on the page or pasted into it. Answers whether something is held over it. */
function useDropped(onFile: (file: File) => void, onText: (text: string) => void): boolean {
  const [over, setOver] = useState(false)
  useEffect(() => {
    let within = 0
    const take = (data: DataTransfer | null): boolean => {
      const file = data?.files[0]
      const text = data?.getData('text')
      if (file) onFile(file)
      else if (text) onText(text)
      return Boolean(file || text)
    }
    const listeners: Partial<{ [Name in keyof WindowEventMap]: (event: WindowEventMap[Name]) => void }> = {
      dragenter: () => setOver(++within > 0),
      dragleave: () => setOver(--within > 0),
      dragover: (event) => event.preventDefault(),
      drop: (event) => {
        event.preventDefault()
        within = 0
        setOver(false)
        take(event.dataTransfer)
      },
      paste: (event) => {
        if (event.target instanceof HTMLElement && event.target.closest('input, textarea')) return
        if (take(event.clipboardData)) event.preventDefault()
      },
    }
    const all = Object.entries(listeners) as [string, EventListener][]
    for (const [name, listener] of all) addEventListener(name, listener)
    return () => all.forEach(([name, listener]) => removeEventListener(name, listener))
  }, [onFile, onText])
  return over
}
