import { Search, X } from 'lucide'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { useTexts } from './i18n'
import { Icon } from './icon'
import { texts } from './texts'

export interface FieldProps {
  label: string
  /** What belongs into it, below. */
  hint?: ComponentChildren
  /** What is wrong with it, below and said aloud. */
  error?: string | null | undefined
  name?: string
  required?: boolean
  disabled?: boolean
  /** The label is only for who cannot see what it is, such as in a table's filter. */
  bare?: boolean
}

interface Control {
  id: string
  name?: string | undefined
  required?: boolean | undefined
  disabled?: boolean | undefined
  'aria-invalid'?: true | undefined
  'aria-describedby'?: string | undefined
}

/** The frame of a field: label, control, help and fault, tied together. */
export function Field({ label, hint, error, name, required, disabled, bare, unit, children }: FieldProps & {
  unit?: ComponentChildren
  children: (control: Control) => ComponentChildren
}) {
  const id = useId()
  const described = [error ? id + '-e' : '', hint ? id + '-h' : ''].filter(Boolean).join(' ') || undefined
  return (
    <div class={'field' + (error ? ' wrong' : '')}>
      <label for={id} class={bare ? 'hidden' : undefined}>{label}</label>
      <div class="control">
        {children({ id, name, required, disabled, 'aria-invalid': error ? true : undefined, 'aria-describedby': described })}
        {unit && <span class="unit">{unit}</span>}
      </div>
      {error && <p class="fault" id={id + '-e'} role="alert">{error}</p>}
      {hint && <p class="hint" id={id + '-h'}>{hint}</p>}
    </div>
  )
}

interface InputProps {
  autocomplete?: string
  inputMode?: 'numeric' | 'decimal' | 'email' | 'search'
  spellcheck?: boolean
  maxLength?: number
  placeholder?: string
  autofocus?: boolean
}

export function TextField({ value, onChange, type = 'text', input, unit, ...field }: FieldProps & {
  value: string
  onChange: (value: string) => void
  type?: 'text' | 'email' | 'password' | 'url' | 'tel'
  unit?: ComponentChildren
  /** More of the element, such as autocomplete. */
  input?: InputProps
}) {
  return (
    <Field {...field} unit={unit}>
      {(control) => <input {...input} {...control} type={type as 'text'} value={value} onInput={(e) => onChange(e.currentTarget.value)} />}
    </Field>
  )
}

export function TextArea({ value, onChange, rows = 3, area, ...field }: FieldProps & {
  value: string
  onChange: (value: string) => void
  rows?: number
  area?: JSX.IntrinsicElements['textarea']
}) {
  return (
    <Field {...field}>
      {(control) => <textarea {...area} {...control} rows={rows} value={value} onInput={(e) => onChange(e.currentTarget.value)} />}
    </Field>
  )
}

/**
 * A number. What is not one, or out of bounds, is said below, and the value is then null. An empty field is null as well,
 * and a fault only if it is required.
 */
export function NumberField({ value, onChange, min, max, whole = true, unit, ...field }: FieldProps & {
  value: number | null
  onChange: (value: number | null) => void
  min?: number
  max?: number
  whole?: boolean
  unit?: ComponentChildren
}) {
  const t = useTexts(texts)
  const [text, setText] = useState(value === null ? '' : String(value))
  const [fault, setFault] = useState<string | null>(null)
  // A value from outside replaces what was typed, unless that means the same or is not a number yet.
  useEffect(() => {
    if (value !== null && Number(text.replace(',', '.')) !== value) {
      setText(String(value))
      setFault(null)
    } else if (value === null && !fault) setText('')
  }, [value])
  const take = (typed: string) => {
    setText(typed)
    const trimmed = typed.trim()
    const n = Number(trimmed.replace(',', '.'))
    let wrong: string | null = null
    if (trimmed === '') wrong = field.required ? t('required') : null
    else if (!Number.isFinite(n)) wrong = t('not_a_number')
    else if (whole && !Number.isSafeInteger(n)) wrong = t('not_whole')
    else if (min !== undefined && n < min) wrong = t('at_least', { n: min })
    else if (max !== undefined && n > max) wrong = t('at_most', { n: max })
    setFault(wrong)
    onChange(trimmed === '' || wrong ? null : n)
  }
  return (
    <Field {...field} error={field.error ?? fault} unit={unit}>
      {(control) => (
        <input {...control} type="text" class="number" inputMode={whole && (min ?? -1) >= 0 ? 'numeric' : 'decimal'} autocomplete="off" value={text} onInput={(e) => take(e.currentTarget.value)} />
      )}
    </Field>
  )
}

/** An amount of coins. */
export function CoinsField(props: Omit<Parameters<typeof NumberField>[0], 'unit' | 'whole'>) {
  return <NumberField {...props} unit={<svg class="coin" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="6.6" /><circle cx="8" cy="8" r="3.4" /></svg>} />
}

export interface Option<Value extends string = string> {
  value: Value
  label: string
}

export function SelectField<Value extends string>({ value, onChange, options, ...field }: FieldProps & {
  value: Value
  onChange: (value: Value) => void
  options: readonly Option<Value>[]
}) {
  return (
    <Field {...field}>
      {(control) => (
        <select {...control} value={value} onChange={(e) => onChange(e.currentTarget.value as Value)}>
          {options.map((o) => <option key={o.value} value={o.value} selected={o.value === value}>{o.label}</option>)}
        </select>
      )}
    </Field>
  )
}

/** One of few, all of them in sight. */
export function ChoiceField<Value extends string>({ label, value, onChange, options, name, hint, bare, disabled }: FieldProps & {
  value: Value
  onChange: (value: Value) => void
  options: readonly (Option<Value> & { help?: string })[]
}) {
  const id = useId()
  return (
    <fieldset class="field choice" disabled={disabled} aria-describedby={hint ? id + '-h' : undefined}>
      <legend class={bare ? 'hidden' : undefined}>{label}</legend>
      <div class={options.some((o) => o.help) ? 'choices tall' : 'choices'}>
        {options.map((o) => (
          <label key={o.value}>
            <input type="radio" name={name ?? id} value={o.value} checked={o.value === value} onChange={() => onChange(o.value)} />
            <span>{o.label}{o.help && <small>{o.help}</small>}</span>
          </label>
        ))}
      </div>
      {hint && <p class="hint" id={id + '-h'}>{hint}</p>}
    </fieldset>
  )
}

export function SwitchField({ label, checked, onChange, hint, name, disabled }: Omit<FieldProps, 'bare' | 'required' | 'error'> & {
  checked: boolean
  onChange: (checked: boolean) => void
}) {
  const id = useId()
  return (
    <div class="field switch">
      <input
        id={id} type="checkbox" role="switch" name={name} checked={checked} disabled={disabled}
        aria-describedby={hint ? id + '-h' : undefined} onChange={(e) => onChange(e.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && <p class="hint" id={id + '-h'}>{hint}</p>}
    </div>
  )
}

const two = (n: number) => String(n).padStart(2, '0')

/** A moment as datetime-local wants it, in the time zone of the browser. */
function toLocal(moment: string | null): string {
  if (!moment) return ''
  const d = new Date(moment)
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}T${two(d.getHours())}:${two(d.getMinutes())}`
}

/** A moment; the value is RFC 3339 in UTC as in the contract, what is shown is the browser's own time. */
export function DateTimeField({ value, onChange, min, ...field }: FieldProps & {
  value: string | null
  onChange: (value: string | null) => void
  min?: string
}) {
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control} type="datetime-local" value={toLocal(value)} min={min && toLocal(min)}
          onInput={(e) => {
            const d = new Date(e.currentTarget.value)
            onChange(Number.isNaN(d.getTime()) ? null : d.toISOString().replace(/\.\d+Z$/, 'Z'))
          }}
        />
      )}
    </Field>
  )
}

/** How long one may pause in the middle of a word, in milliseconds. */
const pause = 220

/**
 * A search: taken with Enter or when the field is left, so that no half word is asked for; with `live` also when one stops
 * typing.
 */
export function SearchField({ value, onSearch, label, placeholder, name = 'search', live = false }: {
  value: string
  onSearch: (text: string) => void
  label?: string
  placeholder?: string
  name?: string
  live?: boolean
}) {
  const t = useTexts(texts)
  const id = useId()
  const [text, setText] = useState(value)
  // What was typed meanwhile is not taken back by what it was when the search began.
  useEffect(() => setText((typed) => (typed.trim() === value ? typed : value)), [value])
  useEffect(() => {
    if (!live || text.trim() === value) return
    const timer = setTimeout(() => take(text), pause)
    return () => clearTimeout(timer)
  }, [text, live])
  const take = (typed: string) => typed.trim() !== value && onSearch(typed.trim())
  return (
    <form
      class="search" role="search"
      onSubmit={(e) => {
        e.preventDefault()
        take(text)
      }}
    >
      <label for={id} class="hidden">{label ?? t('search')}</label>
      <Icon of={Search} size={16} />
      <input
        id={id} type="text" name={name} value={text} placeholder={placeholder ?? label ?? t('search')} autocomplete="off" spellcheck={false}
        enterkeyhint="search" onInput={(e) => setText(e.currentTarget.value)} onBlur={() => take(text)}
      />
      {text !== '' && (
        <button
          type="button" class="button quiet small bare" aria-label={t('clear')}
          onClick={() => {
            setText('')
            onSearch('')
            document.getElementById(id)?.focus()
          }}
        >
          <Icon of={X} size={15} />
        </button>
      )}
    </form>
  )
}
