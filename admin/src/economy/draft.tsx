import {
  Badge, Button, ChoiceField, ConfirmDialog, FormDialog, Menu, Note, Page, ProblemNote, Section, Skeleton, Tabs, TextArea,
  TextField, useLoad, useQuery, useTexts, useToast,
} from '@cuatrola/ui'
import { Braces, CircleCheck, Copy, FlaskConical, GitCompareArrows, PencilLine, Redo2, Rocket, Trash2, Undo2 } from 'lucide'
import { useLocation, useRoute } from 'preact-iso'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { lazy, Suspense } from 'preact/compat'
import { api, ask } from '../api/client'
import { useMay } from '../session'
import { Begin } from './begin'
import { changed, parse, useHistory } from './document'
import { useFaultText, type Fault } from './faults'
import { FormOf, Members } from './form'
import { Publish } from './publish'
import { useSimulation } from './review'
import { useSaving, type Draft, type Saving } from './saving'
import { pointer, steps, useSchema, useSections, type Json, type Path, type Schema } from './schema'
import { texts } from './texts'
import './economy.css'

// The editor of texts is the largest part, and not everybody opens it.
const Raw = lazy(() => import('./raw').then((m) => ({ default: m.Raw })))

/** Where a draft is worked on. */
export default function DraftPage() {
  const t = useTexts(texts)
  const id = useRoute().params['id']!
  const schema = useSchema()
  const found = useLoad(async (signal) => {
    const [draft, live, versions] = await Promise.all([
      ask(api.GET('/admin/v1/economy/drafts/{draftId}', { params: { path: { draftId: id } }, signal })),
      ask(api.GET('/admin/v1/economy/document', { params: { query: { of: 'live' } }, signal })),
      ask(api.GET('/admin/v1/economy/versions', { params: { query: { limit: 1 } }, signal })),
    ])
    return { draft, live: parse(live.document).value, newest: versions.newest, liveNumber: versions.live }
  }, [id])
  const problem = found.problem ?? schema.problem
  if (!found.data || !schema.data) {
    return (
      <Page title={t('draft')} back={{ href: '/admin/economy', label: t('drafts') }}>
        {problem ? <ProblemNote problem={problem} retry={found.problem ? found.reload : schema.reload} /> : <Skeleton lines={8} />}
      </Page>
    )
  }
  return <Editor key={id} schema={schema.data} loaded={found.data.draft} live={found.data.live} liveNumber={found.data.liveNumber} newest={found.data.newest} />
}

const views = ['form', 'both', 'raw'] as const

function Editor({ schema, loaded, live, liveNumber, newest }: { schema: Schema; loaded: Draft; live: Json; liveNumber: number; newest: number }) {
  const t = useTexts(texts)
  const may = useMay()
  const toast = useToast()
  const { route } = useLocation()
  const simulation = useSimulation()
  const said = useFaultText()
  const edits = may('economy.edit')
  const history = useHistory(loaded.document ?? '')
  const { text } = history
  const saving = useSaving(loaded, text, edits)
  const { draft } = saving
  const parsed = useMemo(() => parse(text), [text])
  // While the text is no JSON, the form shows what it last was.
  const last = useRef<Json>({})
  if (!parsed.broken) last.current = parsed.value
  const problems = useProblems(text, parsed.broken !== null, edits, loaded.problems)
  const sections = useSections(schema)
  const [section, setSection] = useQuery('section', sections[0]!.key)
  const [view, setView] = useQuery('view', 'form')
  const current = sections.find((s) => s.key === section) ?? sections[0]!
  const shown = views.find((v) => v === view) ?? 'form'
  const [doing, setDoing] = useState<'publish' | 'describe' | 'discard' | 'copy' | null>(null)

  const set = useCallback((path: Path, value: Json | undefined) => {
    history.change(changed(schema, text, path, value), pointer(path))
  }, [text, schema])
  useKeys(edits, history.undo, history.redo)

  const sectionOf = (path: string) => schema.properties[steps(path)[0] ?? '']?.['x-section'] ?? sections[0]!.key
  const changedMembers = useMemo(() => new Set(Object.keys(schema.properties).filter((name) => JSON.stringify(member(last.current, name)) !== JSON.stringify(member(live, name)))), [parsed])
  const form = useMemo(() => ({ schema, value: last.current, live, problems, disabled: !edits || parsed.broken !== null, set }), [schema, parsed, live, problems, edits, set])
  const rawProblems = useMemo(() => problems.map((p) => ({ path: p.path, message: said(p) })), [problems, said])
  const broken = useCallback((line: number, column: number) => t('broken_at', { line, column }), [t])
  const faults = edits ? problems.length : loaded.problems
  const simulate = simulation(`draft:${draft.id}`)
  const comparison = `/admin/economy/compare?before=live&after=draft:${draft.id}`
  const rest = problems.filter((p) => !schema.properties[steps(p.path)[0] ?? ''])

  return (
    <Page
      title={draft.name} back={{ href: '/admin/economy', label: t('drafts') }} lead={draft.description || undefined}
      badge={<SaveState saving={saving} edits={edits} />}
      actions={
        <>
          {edits && (
            <>
              <Button icon={Undo2} aria-label={t('undo')} title={t('undo')} data-action="undo" aria-disabled={!history.canUndo} onClick={() => history.undo()} />
              <Button icon={Redo2} aria-label={t('redo')} title={t('redo')} data-action="redo" aria-disabled={!history.canRedo} onClick={() => history.redo()} />
            </>
          )}
          {may('economy.publish') && (
            <Button
              kind="strong" icon={Rocket} data-action="publish"
              onClick={() => void saving.flush().then((kept) => kept && setDoing('publish'))}
            >
              {t('publish')}
            </Button>
          )}
          <Menu
            label={t('actions_of', { name: draft.name })} small={false}
            items={[
              { label: t('compare'), icon: GitCompareArrows, onSelect: () => void saving.flush().then((kept) => kept && route(comparison)) },
              ...(simulate ? [{ label: t('simulate'), icon: FlaskConical, onSelect: () => void saving.flush().then((kept) => kept && route(simulate)) }] : []),
              ...(edits ? [
                { label: t('describe'), icon: PencilLine, onSelect: () => setDoing('describe') },
                { label: t('copy'), icon: Copy, onSelect: () => void saving.flush().then((kept) => kept && setDoing('copy')) },
                { label: t('discard'), icon: Trash2, danger: true, onSelect: () => setDoing('discard') },
              ] : []),
            ]}
          />
        </>
      }
    >
      {!edits && <Note>{t('only_read')}</Note>}
      {saving.state === 'failed' && saving.problem && <Lost saving={saving} text={text} onTheirs={history.reset} />}
      {newest > draft.base && (
        <Note
          tone="warn"
          action={edits && <Button small icon={CircleCheck} onClick={() => void saving.change({ base: newest }).then(() => toast.good(t('base_taken')))}>{t('take_base')}</Button>}
        >
          {t('published_since', { n: newest, base: draft.base })}
        </Note>
      )}
      {parsed.broken && (
        <Note tone="bad" title={t('broken_at', parsed.broken)} action={shown === 'form' && <Button small icon={Braces} onClick={() => setView('both')}>{t('view_raw')}</Button>}>
          {t('broken_help')}
        </Note>
      )}
      {rest.length > 0 && !parsed.broken && <Note tone="bad"><ul>{rest.map((p) => <li key={p.path + p.code}><code>{p.path || '/'}</code> {said(p)}</li>)}</ul></Note>}
      <div class="editor-bar">
        <ChoiceField bare label={t('view')} name="view" value={shown} onChange={setView} options={views.map((v) => ({ value: v, label: t(`view_${v}`) }))} />
        <p class="soft" aria-live="polite">
          {parsed.broken ? t('unusable') : faults > 0 ? t.plural('faults', faults) : t('usable')}
          {' · '}{changedMembers.size === 0 ? t('same_as_live', { n: liveNumber }) : <a href={comparison}>{t('differs_from_live', { n: liveNumber })}</a>}
        </p>
      </div>
      <div class={`editor ${shown}`}>
        {shown !== 'raw' && (
          <FormOf value={form}>
            <Tabs
              label={t('parts')} current={current.key} onChange={setSection}
              tabs={sections.map((s) => {
                const here = problems.filter((p) => p.path !== '' && sectionOf(p.path) === s.key).length
                return {
                  id: s.key,
                  label: (
                    <>
                      {s.title}
                      {here > 0 ? <> <Badge tone="bad">{here}<span class="hidden"> {t('faults_word')}</span></Badge></> : s.members.some((m) => changedMembers.has(m)) && <span class="dot" title={t('has_changes')}><span class="hidden"> {t('has_changes')}</span></span>}
                    </>
                  ),
                }
              })}
            >
              <Section {...(current.members.length > 1 ? { title: current.title, lead: current.help } : {})}>
                {current.members.length === 1 && <h2 class="hidden">{current.title}</h2>}
                <div class="form parts"><Members node={schema} path={[]} members={current.members} /></div>
              </Section>
            </Tabs>
          </FormOf>
        )}
        {shown !== 'form' && (
          <section class="raw-frame" aria-label={t('document')}>
            <Suspense fallback={<Skeleton lines={12} />}>
              <Raw
                text={text} label={t('document')} problems={rawProblems} broken={broken} reveal={current.members[0]} undo={history.undo} redo={history.redo}
                {...(edits ? { onChange: (typed: string) => history.change(typed, 'raw') } : {})}
              />
            </Suspense>
            <p class="hint">{t('raw_help')}</p>
          </section>
        )}
      </div>
      {doing === 'publish' && <Publish schema={schema} draft={draft} onClose={() => setDoing(null)} onPublished={() => undefined} />}
      {doing === 'describe' && <Describe saving={saving} onClose={() => setDoing(null)} />}
      {doing === 'copy' && <Begin fixed from={`draft:${draft.id}`} name={t('copy_of', { name: draft.name }).slice(0, 80)} onClose={() => setDoing(null)} />}
      {doing === 'discard' && (
        <ConfirmDialog
          title={t('discard_title', { name: draft.name })} action={t('discard')} danger text={t('discard_text')} onClose={() => setDoing(null)}
          onConfirm={async () => {
            await saving.flush()
            await ask(api.DELETE('/admin/v1/economy/drafts/{draftId}', { params: { path: { draftId: draft.id }, query: { revision: saving.draft.revision } } }))
            toast.good(t('discarded', { name: draft.name }))
            route('/admin/economy')
          }}
        />
      )}
    </Page>
  )
}

const member = (value: Json, name: string): Json | undefined => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value[name] : undefined)

/** What the server says against a text, a moment after the last change. */
function useProblems(text: string, broken: boolean, may: boolean, known: number): readonly Fault[] {
  const [problems, setProblems] = useState<readonly Fault[]>([])
  useEffect(() => {
    // Who may only read has no right to ask, and nothing to correct.
    if (broken || !may) return
    const asked = new AbortController()
    const timer = setTimeout(() => {
      ask(api.POST('/admin/v1/economy/validate', { body: { document: text }, signal: asked.signal })).then(
        (answer) => asked.signal.aborted || setProblems(answer.problems),
        // What cannot be asked now is asked with the next change, and when it is published.
        () => undefined,
      )
    }, known >= 0 ? 250 : 0)
    return () => {
      clearTimeout(timer)
      asked.abort()
    }
  }, [text, broken, may])
  return broken ? none : problems
}
const none: readonly Fault[] = []

/** Undo and redo by keyboard wherever the focus is, but in a field, which has its own. */
function useKeys(active: boolean, undo: () => void, redo: () => void) {
  useEffect(() => {
    if (!active) return
    const keys = (e: KeyboardEvent) => {
      if (!(e.ctrlKey || e.metaKey) || e.altKey) return
      const within = e.composedPath()[0]
      if (within instanceof HTMLElement && (within.isContentEditable || /^(input|textarea|select)$/i.test(within.tagName))) return
      const key = e.key.toLowerCase()
      if (key === 'z' && !e.shiftKey) undo()
      else if (key === 'y' || (key === 'z' && e.shiftKey)) redo()
      else return
      e.preventDefault()
    }
    addEventListener('keydown', keys)
    return () => removeEventListener('keydown', keys)
  }, [active])
}

function SaveState({ saving, edits }: { saving: Saving; edits: boolean }) {
  const t = useTexts(texts)
  if (!edits) return null
  const tone = { saved: 'good', unsaved: 'neutral', saving: 'neutral', failed: 'bad' } as const
  return <span role="status" data-saved={saving.state}><Badge tone={tone[saving.state]}>{t(`save_${saving.state}`)}</Badge></span>
}

/** What could not be saved: another has saved meanwhile, or the server was not there. */
function Lost({ saving, text, onTheirs }: { saving: Saving; text: string; onTheirs: (text: string) => void }) {
  const t = useTexts(texts)
  const toast = useToast()
  const { route } = useLocation()
  const { problem, draft } = saving
  if (problem!.code !== 'economy_draft_changed') return <ProblemNote problem={problem!} retry={() => void saving.flush()} />
  return (
    <Note
      tone="bad" title={t('changed_by_other')}
      action={
        <div class="row">
          <Button
            small data-action="theirs"
            onClick={() => void ask(api.GET('/admin/v1/economy/drafts/{draftId}', { params: { path: { draftId: draft.id } } })).then((theirs) => {
              saving.accept(theirs)
              onTheirs(theirs.document ?? '')
            })}
          >
            {t('take_theirs')}
          </Button>
          <Button
            small kind="strong" data-action="mine"
            onClick={() => void (async () => {
              const copy = await ask(api.POST('/admin/v1/economy/drafts', { body: { name: t('copy_of', { name: draft.name }).slice(0, 80), description: draft.description, from: `draft:${draft.id}` } }))
              await ask(api.PATCH('/admin/v1/economy/drafts/{draftId}', { params: { path: { draftId: copy.id } }, body: { revision: copy.revision, document: text } }))
              toast.good(t('kept_as_copy'))
              route(`/admin/economy/drafts/${copy.id}`)
            })()}
          >
            {t('keep_mine')}
          </Button>
        </div>
      }
    >
      {t('changed_by_other_help')}
    </Note>
  )
}

function Describe({ saving, onClose }: { saving: Saving; onClose: () => void }) {
  const t = useTexts(texts)
  const [name, setName] = useState(saving.draft.name)
  const [description, setDescription] = useState(saving.draft.description)
  return (
    <FormDialog
      title={t('describe')} action={t('save')} onClose={onClose} check={() => name.trim() !== ''}
      onSubmit={() => saving.change({ name: name.trim(), description })}
    >
      <TextField label={t('name')} name="name" required value={name} onChange={setName} input={{ maxLength: 80 }} error={name.trim() === '' ? t('name_missing') : null} />
      <TextArea label={t('description')} name="description" value={description} onChange={setDescription} rows={2} area={{ maxLength: 500 }} hint={t('description_help')} />
    </FormDialog>
  )
}
