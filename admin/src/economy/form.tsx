import {
  Badge, Button, ChoiceField, DateTimeField, Field, Menu, type MenuItem, SelectField, useFormat, useLanguage, useTexts,
} from '@cuatrola/ui'
import { ArrowDown, ArrowUp, Copy, Plus, RotateCcw, Trash2 } from 'lucide'
import type { ComponentChildren } from 'preact'
import { createContext } from 'preact'
import { useContext, useId, useLayoutEffect, useState } from 'preact/hooks'
import { useFaultText, type Fault } from './faults'
import { at, blank, entryTitle, fault, isObject, pointer, resolved, unitOf, variant, words, type Json, type Node, type Path, type Schema } from './schema'
import { texts } from './texts'

/** What the fields of a form share. */
export interface Form {
  schema: Schema
  value: Json
  /** The document that is live, which a field tells beside its own value. */
  live: Json | null
  problems: readonly Fault[]
  disabled: boolean
  set: (path: Path, value: Json | undefined) => void
}

const FormContext = createContext<Form | null>(null)
export const FormOf = FormContext.Provider
const useForm = () => useContext(FormContext)!

/** A field for whatever a node is. */
export function Input({ node: given, path, optional = false, title }: { node: Node; path: Path; optional?: boolean; title?: string | undefined }) {
  const { schema, value } = useForm()
  const node = resolved(schema, given)
  const props = { node, path, optional, title }
  if (node.enum) return <Choice {...props} />
  if (node.oneOf) return <Variants {...props} />
  if (node.prefixItems) return <Tuple {...props} />
  if (node.patternProperties) return <Prices {...props} />
  if (node.type === 'array') return resolved(schema, node.items as Node).type === 'object' ? <Entries {...props} /> : <Numbers {...props} />
  if (node.type === 'object') return <Group {...props} />
  if (node.type === 'integer') return <Amount {...props} />
  if (node.format === 'date-time') return <Moment {...props} />
  return <Text key={typeof at(value, path)} {...props} />
}

interface Props {
  node: Node
  path: Path
  optional: boolean
  title?: string | undefined
}

/** What every field needs: its words, its value, and what is wrong with it. */
function useField({ node, path, optional, title }: Props) {
  const form = useForm()
  const language = useLanguage()
  const t = useTexts(texts)
  const said = useFaultText()
  const value = at(form.value, path)
  const live = form.live === null ? undefined : at(form.live, path)
  const own = fault(node, value)
  const found = own ?? form.problems.find((p) => p.path === pointer(path)) ?? null
  const { title: name, help } = words(node, language)
  return {
    form, language, t, value, live, help, label: (title ?? name) + (optional ? ` (${t('optional')})` : ''),
    error: found && said(found), path: pointer(path),
    differs: form.live !== null && JSON.stringify(value) !== JSON.stringify(live),
    set: (to: Json | undefined) => form.set(path, to),
  }
}

/** The help below a field, with what is live where that is something else. */
function Help({ help, live, differs, shown, onBack, disabled }: {
  help?: string
  live: Json | undefined
  differs: boolean
  shown?: string
  onBack: () => void
  disabled: boolean
}) {
  const t = useTexts(texts)
  const f = useFormat()
  const text = shown ?? (live === undefined ? t('none') : typeof live === 'number' ? f.number(live) : typeof live === 'string' ? live : JSON.stringify(live))
  return (
    <>
      {help}{help && differs && ' '}
      {differs && (
        <span class="was">
          {t('live_value', { value: text })}
          {!disabled && <Button kind="quiet" small icon={RotateCcw} aria-label={t('take_live', { value: text })} onClick={onBack} />}
        </span>
      )}
    </>
  )
}

/** A whole number. Whatever is typed goes into the document, which is what is judged; so that nothing is shown but what is there. */
function Amount(props: Props & { brief?: boolean }) {
  const field = useField(props)
  const { form, value, set } = field
  const unit = unitOf(form.schema, props.node['x-unit'], field.language)
  const shown = value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  const [typed, setTyped] = useState(shown)
  useLayoutEffect(() => {
    if (understood(typed, props.optional) !== value) setTyped(shown)
  }, [shown])
  return (
    <Field
      label={field.label} name={field.path} disabled={form.disabled} error={field.error} unit={props.node['x-unit'] === 'coins' ? <Coin unit={unit} /> : unit}
      hint={props.brief && !field.differs ? undefined : <Help {...field} help={props.brief ? '' : field.help} disabled={form.disabled} onBack={() => set(field.live)} />}
    >
      {(control) => (
        <input
          {...control} type="text" class={field.differs ? 'number differs' : 'number'} inputMode="numeric" autocomplete="off" value={typed} data-path={field.path}
          onInput={(e) => {
            setTyped(e.currentTarget.value)
            set(understood(e.currentTarget.value, props.optional))
          }}
        />
      )}
    </Field>
  )
}

function understood(typed: string, optional: boolean): Json | undefined {
  const text = typed.trim()
  if (text === '') return optional ? undefined : null
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text
}

const Coin = ({ unit }: { unit: string | undefined }) => (
  <><svg class="coin" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="6.6" /><circle cx="8" cy="8" r="3.4" /></svg><span class="hidden">{unit}</span></>
)

function Text(props: Props) {
  const field = useField(props)
  const { form, value, set } = field
  const zones = props.path.at(-1) === 'timeZone' ? Intl.supportedValuesOf('timeZone') : null
  const list = useId()
  const shown = value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  return (
    <Field
      label={field.label} name={field.path} disabled={form.disabled} error={field.error}
      hint={<Help {...field} disabled={form.disabled} onBack={() => set(field.live)} />}
    >
      {(control) => (
        <>
          <input
            {...control} type="text" class={field.differs ? 'differs' : undefined} autocomplete="off" spellcheck={props.node.pattern === undefined} data-path={field.path}
            value={shown} list={zones ? list : undefined}
            onInput={(e) => set(e.currentTarget.value === '' && props.optional ? undefined : e.currentTarget.value)}
          />
          {zones && <datalist id={list}>{zones.map((zone) => <option key={zone} value={zone} />)}</datalist>}
        </>
      )}
    </Field>
  )
}

function Moment(props: Props) {
  const field = useField(props)
  const f = useFormat()
  const { form, value, set } = field
  return (
    <DateTimeField
      label={field.label} name={field.path} disabled={form.disabled} error={field.error} value={typeof value === 'string' ? value : null}
      hint={<Help {...field} shown={typeof field.live === 'string' ? f.dateTime(field.live) : field.t('none')} disabled={form.disabled} onBack={() => set(field.live)} />}
      onChange={(moment) => set(moment ?? undefined)}
    />
  )
}

function Choice(props: Props) {
  const field = useField(props)
  const { form, value, set, language, t } = field
  const name = (v: string) => props.node['x-names']?.[v]?.[language] ?? v
  const options = props.node.enum!.map((v) => ({ value: v, label: name(v) }))
  const hint = <Help {...field} shown={typeof field.live === 'string' ? name(field.live) : t('none')} disabled={form.disabled} onBack={() => set(field.live)} />
  return (
    <SelectField
      label={field.label} name={field.path} disabled={form.disabled} error={field.error} hint={hint} value={typeof value === 'string' ? value : ''}
      options={props.optional || !props.node.enum!.includes(value as string) ? [{ value: '', label: t('none') }, ...options] : options}
      onChange={(v) => set(v === '' ? undefined : v)}
    />
  )
}

/** One of several forms, such as a time or a number of matches. */
function Variants(props: Props) {
  const field = useField(props)
  const { form, value, set, language } = field
  const forms = props.node.oneOf!.map((one) => resolved(form.schema, one))
  const current = variant(form.schema, props.node, value)
  return (
    <div class="variants">
      <ChoiceField
        label={field.label} name={field.path} disabled={form.disabled} hint={field.error ? <span class="fault">{field.error}</span> : field.help}
        value={String(forms.indexOf(current!))} options={forms.map((one, i) => ({ value: String(i), label: words(one, language).title }))}
        onChange={(i) => set(blank(form.schema, forms[Number(i)]!))}
      />
      {current && Object.entries(current.properties ?? {}).map(([name, node]) => <Input key={name} node={node} path={[...props.path, name]} />)}
    </div>
  )
}

/** A part with a heading of its own. */
function Part({ label, help, error, actions, children, heading = true }: {
  label: string
  help?: string
  error?: string | null
  actions?: ComponentChildren
  children?: ComponentChildren
  heading?: boolean
}) {
  const id = useId()
  return (
    <div class="part" role="group" aria-labelledby={id}>
      <div class="part-head">
        <div>
          <h3 id={id} class={heading ? undefined : 'hidden'}>{label}</h3>
          {help && <p class="hint">{help}</p>}
        </div>
        {actions}
      </div>
      {error && <p class="fault" role="alert">{error}</p>}
      {children}
    </div>
  )
}

function Group(props: Props) {
  const field = useField(props)
  const { form, value, set, t } = field
  const members = Object.entries(props.node.properties ?? {})
  const there = value !== undefined
  if (!there && props.optional) {
    return (
      <Part
        label={field.label} help={field.help}
        actions={!form.disabled && <Button small icon={Plus} onClick={() => set(blank(form.schema, props.node))}>{t('add_part')}</Button>}
      >
        {field.differs && <p class="hint">{t('live_has_it')}</p>}
      </Part>
    )
  }
  return (
    <Part
      label={field.label} help={field.help} error={field.error}
      actions={props.optional && !form.disabled && <Button small kind="quiet" icon={Trash2} onClick={() => set(undefined)}>{t('leave_out')}</Button>}
    >
      <Members node={props.node} path={props.path} members={members.map(([name]) => name)} />
    </Part>
  )
}

/** Some members of an object: small fields beside one another, parts below one another. */
export function Members({ node, path, members }: { node: Node; path: Path; members: readonly string[] }) {
  const { schema } = useForm()
  const runs: { small: boolean; names: string[] }[] = []
  for (const name of members) {
    const member = resolved(schema, node.properties![name]!)
    const small = !member.properties && !member.items && !member.prefixItems && !member.oneOf && !member.patternProperties
    if (runs.at(-1)?.small === small && small) runs.at(-1)!.names.push(name)
    else runs.push({ small, names: [name] })
  }
  return (
    <>
      {runs.map((run) => {
        const fields = run.names.map((name) => (
          <Input key={name} node={node.properties![name]!} path={[...path, name]} optional={!node.required?.includes(name)} />
        ))
        return run.small ? <div class="columns" key={run.names[0]}>{fields}</div> : fields
      })}
    </>
  )
}

/** Amounts by position. */
function Tuple(props: Props) {
  const field = useField(props)
  return (
    <Part label={field.label} help={field.help} error={field.error}>
      <div class="columns few">
        {props.node.prefixItems!.map((item, i) => (
          <Amount
            key={i} brief optional={false} path={[...props.path, i]}
            node={{ ...resolved(field.form.schema, item), ...(props.node['x-unit'] ? { 'x-unit': props.node['x-unit'] } : {}) }}
          />
        ))}
      </div>
    </Part>
  )
}

/** A list of amounts, such as the days of a streak. */
function Numbers(props: Props) {
  const field = useField(props)
  const { form, value, set, language, t } = field
  const list = Array.isArray(value) ? value : []
  const item = resolved(form.schema, props.node.items as Node)
  const most = props.node.maxItems ?? Infinity
  const least = props.node.minItems ?? 0
  return (
    <Part
      label={field.label} help={field.help} error={field.error}
      actions={!form.disabled && (
        <div class="row">
          {list.length > least && <Button small kind="quiet" icon={Trash2} onClick={() => set(list.slice(0, -1))}>{t('remove_last')}</Button>}
          {list.length < most && <Button small icon={Plus} data-add={field.path} onClick={() => set([...list, list.at(-1) ?? blank(form.schema, item)])}>{t('add')}</Button>}
        </div>
      )}
    >
      <div class="columns many">
        {list.map((_, i) => <Amount key={i} brief optional={false} node={item} path={[...props.path, i]} title={entryTitle(props.node, undefined, i, language)} />)}
      </div>
      {list.length === 0 && <p class="hint">{t('empty_list')}</p>}
    </Part>
  )
}

/** A list of things: each closed until it is worked on. */
function Entries(props: Props) {
  const field = useField(props)
  const { form, value, set, language, t } = field
  const list = Array.isArray(value) ? value : []
  const item = resolved(form.schema, props.node.items as Node)
  const [opened, setOpened] = useState<number | null>(null)
  const most = props.node.maxItems ?? Infinity
  const least = props.node.minItems ?? 0
  const moved = (from: number, to: number) => {
    const next = [...list]
    next.splice(to, 0, ...next.splice(from, 1))
    setOpened(opened === from ? to : opened)
    set(next)
  }
  const copied = (entry: Json, index: number) => {
    const key = props.node['x-label']
    const copy = structuredClone(entry)
    if (key && isObject(copy)) copy[key] = unused(String(copy[key] ?? ''), list.map((e) => (isObject(e) ? String(e[key]) : '')))
    set([...list.slice(0, index + 1), copy, ...list.slice(index + 1)])
    setOpened(index + 1)
  }
  return (
    <Part
      label={field.label} help={field.help} error={field.error}
      actions={!form.disabled && list.length < most && (
        <Button
          small icon={Plus} data-add={field.path}
          onClick={() => {
            const entry = blank(form.schema, item)
            const key = props.node['x-label']
            if (key && isObject(entry)) entry[key] = unused(t('new_key'), list.map((e) => (isObject(e) ? String(e[key]) : '')))
            set([...list, entry])
            setOpened(list.length)
          }}
        >
          {t('add')}
        </Button>
      )}
    >
      <ol class="entries">
        {list.map((entry, i) => {
          const path = [...props.path, i]
          const faults = form.problems.filter((p) => p.path === pointer(path) || p.path.startsWith(pointer(path) + '/')).length
          const name = entryTitle(props.node, entry, i, language)
          const actions: MenuItem[] = form.disabled ? [] : [
            ...(i > 0 ? [{ label: t('move_up'), icon: ArrowUp, onSelect: () => moved(i, i - 1) }] : []),
            ...(i < list.length - 1 ? [{ label: t('move_down'), icon: ArrowDown, onSelect: () => moved(i, i + 1) }] : []),
            ...(list.length < most ? [{ label: t('copy'), icon: Copy, onSelect: () => copied(entry, i) }] : []),
            ...(list.length > least ? [{ label: t('remove'), icon: Trash2, danger: true, onSelect: () => {
              set(list.filter((_, j) => j !== i))
              setOpened(null)
            } }] : []),
          ]
          return (
            <li key={i} class={opened === i ? 'entry open' : 'entry'}>
              <div class="entry-head">
                <button
                  type="button" class="entry-name" aria-expanded={opened === i} data-entry={pointer(path)}
                  onClick={() => setOpened(opened === i ? null : i)}
                >
                  <strong>{name}</strong>
                  <Summary entry={entry} />
                  {faults > 0 && <Badge tone="bad">{t.plural('faults', faults)}</Badge>}
                </button>
                <Menu label={t('actions_of', { name })} items={actions} />
              </div>
              {opened === i && (
                <div class="entry-body">
                  <EntryFaults path={path} node={item} />
                  <Members node={item} path={path} members={Object.keys(item.properties ?? {})} />
                </div>
              )}
            </li>
          )
        })}
      </ol>
      {list.length === 0 && <p class="hint">{t('empty_list')}</p>}
    </Part>
  )
}

/** What is wrong with an entry as a whole. */
function EntryFaults({ path, node }: { path: Path; node: Node }) {
  const { error } = useField({ node, path, optional: false })
  return error ? <p class="fault" role="alert">{error}</p> : null
}

/** A key like another that is not there yet. */
function unused(key: string, taken: readonly string[]): string {
  const stem = key.replace(/-\d+$/, '') || 'new'
  for (let n = taken.includes(key) || key === '' ? 2 : 1; ; n++) {
    const tried = n === 1 ? key : `${stem}-${n}`
    if (!taken.includes(tried)) return tried
  }
}

/** What one wants to know of an entry before opening it: a product's title, what it gives and costs; a division's size and prizes. */
function Summary({ entry }: { entry: Json }) {
  const f = useFormat()
  const t = useTexts(texts)
  const language = useLanguage()
  if (!isObject(entry)) return null
  const number = (v: Json | undefined) => (typeof v === 'number' ? v : 0)
  const parts: string[] = []
  if (isObject(entry['title']) && typeof entry['title'][language] === 'string') parts.push(entry['title'][language] as string)
  if (isObject(entry['prices'])) {
    for (const [currency, minor] of Object.entries(entry['prices'])) if (/^[A-Z]{3}$/.test(currency) && typeof minor === 'number') parts.push(f.money(minor, currency))
  }
  if (Array.isArray(entry['prizes'])) {
    parts.push(t('group_of', { n: f.number(number(entry['groupSize'])) }), t('prizes_in_all', { n: f.number(entry['prizes'].reduce<number>((sum, p) => sum + number(p), 0)) }))
  }
  return <small>{parts.join(' · ')}</small>
}

const common = ['EUR', 'USD', 'GBP', 'MXN', 'ARS', 'BRL', 'CHF']

/** Amounts by currency. */
function Prices(props: Props) {
  const field = useField(props)
  const { form, value, set, t, language } = field
  const f = useFormat()
  const prices = isObject(value) ? value : {}
  const node = Object.values(props.node.patternProperties!)[0]!
  const names = new Intl.DisplayNames(language, { type: 'currency' })
  const rest = [...new Set([...common, ...Intl.supportedValuesOf('currency')])].filter((c) => !(c in prices))
  return (
    <Part label={field.label} help={field.help} error={field.error}>
      <div class="columns">
        {Object.entries(prices).map(([currency, minor]) => {
          const path = [...props.path, currency]
          return (
            <div class="price" key={currency}>
              <Amount node={{ ...resolved(form.schema, node), 'x-unit': '' }} path={path} optional={false} brief title={currency} />
              <span class="soft">{typeof minor === 'number' && /^[A-Z]{3}$/.test(currency) ? f.money(minor, currency) : ''}</span>
              {!form.disabled && Object.keys(prices).length > 1 && (
                <Button small kind="quiet" icon={Trash2} aria-label={t('remove_currency', { currency })} onClick={() => form.set(path, undefined)} />
              )}
            </div>
          )
        })}
        {!form.disabled && (
          <SelectField
            label={t('add_currency')} value="" name={field.path + '/+'}
            options={[{ value: '', label: '…' }, ...rest.map((c) => ({ value: c, label: `${c} · ${names.of(c) ?? c}` }))]}
            onChange={(c) => c && set({ ...prices, [c]: Object.values(prices)[0] ?? 199 })}
          />
        )}
      </div>
    </Part>
  )
}
