import { useFormat, useLanguage, useTexts } from '@cuatrola/ui'
import { useMemo } from 'preact/hooks'
import type { Schemas } from '../api/types'
import { isObject, place, steps, unitOf, type Json, type Schema } from './schema'
import { texts } from './texts'

export type Change = Schemas['EconomyChange']

/** What differs between two documents, side by side, in the words of the schema. */
export function Changes({ schema, changes, before, after, documents = [], label, most }: {
  schema: Schema
  changes: readonly Change[]
  /** What the two columns are called. */
  before: string
  after: string
  /** The documents, the later first: they tell the entries of lists apart. */
  documents?: readonly (Json | undefined)[]
  label: string
  /** How many are shown at first. */
  most?: number
}) {
  const t = useTexts(texts)
  const f = useFormat()
  const language = useLanguage()
  const lines = useMemo(() => changes.map((change) => ({ change, ...place(schema, steps(change.path), documents, language) })), [changes, schema, documents, language])
  if (lines.length === 0) return <p class="soft">{t('no_changes')}</p>
  const shown = most === undefined ? lines : lines.slice(0, most)
  return (
    <>
      <div class="table-frame small diff changes">
        <table role="table">
          <caption class="hidden">{label}</caption>
          <thead role="rowgroup">
            <tr role="row">
              <th role="columnheader" scope="col">{t('what')}</th>
              <th role="columnheader" scope="col" class="end">{before}</th>
              <th role="columnheader" scope="col" class="end">{after}</th>
              <th role="columnheader" scope="col" class="end">{t('difference')}</th>
            </tr>
          </thead>
          <tbody role="rowgroup">
            {shown.map(({ change, titles, node, unit }) => {
              const by = typeof change.before === 'number' && typeof change.after === 'number' ? change.after - change.before : null
              const said = (v: unknown) => <Value value={v as Json | undefined} name={typeof v === 'string' ? node?.['x-names']?.[v]?.[language] : undefined} />
              return (
                <tr role="row" key={change.path} data-path={change.path}>
                  <th role="rowheader" scope="row">
                    <span><span class="trail">{titles.slice(0, -1).map((title, i) => <small key={i}>{title} › </small>)}</span>{titles.at(-1) ?? t('everything')}</span>
                  </th>
                  <td role="cell" class="end" data-title={before}>{change.before === undefined ? <span class="soft">—</span> : <del>{said(change.before)}</del>}</td>
                  <td role="cell" class="end" data-title={after}>{change.after === undefined ? <span class="soft">—</span> : <ins>{said(change.after)}</ins>}</td>
                  <td role="cell" class="end" data-title={t('difference')}>
                    {by === null ? '' : <span>{f.signed(by)} <small class="soft">{unitOf(schema, unit, language)}</small>{change.before !== 0 && unit !== '%' && <small class="soft"> · {percent(f.percent(by / (change.before as number)), by)}</small>}</span>}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {shown.length < lines.length && <p class="soft">{t('and_more', { n: f.number(lines.length - shown.length) })}</p>}
    </>
  )
}

const percent = (text: string, by: number) => (by > 0 ? '+' + text : text)

function Value({ value, name }: { value: Json | undefined; name: string | undefined }) {
  const f = useFormat()
  if (name) return <>{name}</>
  if (typeof value === 'number') return <>{f.number(value)}</>
  if (typeof value === 'string') return <>{value}</>
  if (Array.isArray(value) && value.every((v) => typeof v === 'number')) return <>{value.map((v) => f.number(v as number)).join(' · ')}</>
  if (isObject(value)) return <code class="thing">{JSON.stringify(value, null, 1)}</code>
  return <>{JSON.stringify(value)}</>
}
