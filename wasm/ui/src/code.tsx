import { Check, Copy } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { useTexts } from './i18n'
import { Button } from './button'
import { useFormat } from './format'
import { texts } from './texts'

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const t = useTexts(texts)
  const [done, setDone] = useState(false)
  return (
    <Button
      small icon={done ? Check : Copy}
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => {
          setDone(true)
          setTimeout(() => setDone(false), 2000)
        })
      }}
    >
      {done ? t('copied') : label ?? t('copy')}
    </Button>
  )
}

const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** The words of a JSON text, each in the colour of its kind. */
function coloured(text: string): ComponentChildren[] {
  const out: ComponentChildren[] = []
  let end = 0
  for (const found of text.matchAll(token)) {
    const at = found.index
    if (at > end) out.push(text.slice(end, at))
    const [all, string, colon] = found
    const kind = string ? (colon ? 'key' : 'string') : /^[tfn]/.test(all) ? 'word' : 'number'
    out.push(<span class={'json-' + kind}>{string ?? all}</span>)
    if (colon) out.push(colon)
    end = at + all.length
  }
  out.push(text.slice(end))
  return out
}

/** A text in the letters of code. */
export function Code({ text, label, lang, copy = true, wrap = false }: { text: string; label: string; lang?: 'json'; copy?: boolean; wrap?: boolean }) {
  const shown = useMemo(() => (lang === 'json' ? coloured(text) : text), [text, lang])
  return (
    <div class="code">
      {copy && <CopyButton text={text} />}
      <pre class={wrap ? 'wrap' : undefined} tabIndex={0} role="group" aria-label={label}>{shown}</pre>
    </div>
  )
}

/** A JSON value, indented. */
export const JsonView = ({ value, label }: { value: unknown; label: string }) => (
  <Code text={JSON.stringify(value, null, 2) ?? ''} label={label} lang="json" />
)

export interface Change {
  /** Where, such as `rewards.win[0].coins`; empty for the whole. */
  path: string
  before: unknown
  after: unknown
}

const isObject = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null && !Array.isArray(v)

/** What is different between two JSON values, leaf by leaf, in the order of the first. A value that is absent is undefined. */
export function differences(before: unknown, after: unknown, path = ''): Change[] {
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap((key) => differences(before[key], after[key], path ? `${path}.${key}` : key))
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    return Array.from({ length: Math.max(before.length, after.length) }, (_, i) => differences(before[i], after[i], `${path}[${i}]`)).flat()
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  // What came or went as a whole is told leaf by leaf too.
  if (isObject(before) && (after === undefined || after === null) && Object.keys(before).length > 0) return Object.keys(before).flatMap((key) => differences(before[key], undefined, path ? `${path}.${key}` : key))
  if (isObject(after) && (before === undefined || before === null) && Object.keys(after).length > 0) return Object.keys(after).flatMap((key) => differences(undefined, after[key], path ? `${path}.${key}` : key))
  return [{ path, before, after }]
}

/** What has changed between two JSON values, side by side; `name` may give a path words. */
export function Diff({ before, after, label, name }: { before: unknown; after: unknown; label: string; name?: (path: string) => string }) {
  const t = useTexts(texts)
  const changes = useMemo(() => differences(before, after), [before, after])
  if (changes.length === 0) return <p class="soft">{t('same')}</p>
  return (
    <div class="table-frame small diff">
      <table role="table">
        <caption class="hidden">{label}</caption>
        <thead role="rowgroup">
          <tr role="row"><th role="columnheader" scope="col">{t('what')}</th><th role="columnheader" scope="col">{t('before')}</th><th role="columnheader" scope="col">{t('after')}</th></tr>
        </thead>
        <tbody role="rowgroup">
          {changes.map((c) => (
            <tr role="row" key={c.path} data-path={c.path}>
              <th role="rowheader" scope="row">{name?.(c.path) ?? (c.path || t('total'))}</th>
              <td role="cell" data-title={t('before')}><Leaf value={c.before} kind="del" /></td>
              <td role="cell" data-title={t('after')}><Leaf value={c.after} kind="ins" /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Leaf({ value, kind: Kind }: { value: unknown; kind: 'del' | 'ins' }) {
  const t = useTexts(texts)
  const f = useFormat()
  if (value === undefined || value === null) return <span class="soft">{t('absent')}</span>
  const text = typeof value === 'number' ? f.number(value) : typeof value === 'boolean' ? t(value ? 'on' : 'off') : typeof value === 'string' ? value : JSON.stringify(value)
  return <Kind>{text}</Kind>
}
