import { ChevronLeft, ChevronRight } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useLoad } from './hooks'
import { useTexts } from './i18n'
import { Button } from './button'
import { Empty, ProblemNote, Skeleton } from './notes'
import { texts } from './texts'

export interface Column<Row> {
  id: string
  title: string
  cell: (row: Row) => ComponentChildren
  /** Numbers stand at the end. */
  end?: boolean
  /** Not in the cards of a phone. */
  wideOnly?: boolean
  /** The title is only read aloud, such as that of a column of buttons. */
  quiet?: boolean
}

interface Plain<Row> {
  /** What the table is of; read aloud. */
  caption: string
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  /** Where a row leads; the first column becomes the link, and the whole row takes the click. */
  rowHref?: ((row: Row) => string) | undefined
  /** What a row opens instead, such as a window; the first column becomes the button. */
  onRow?: ((row: Row) => void) | undefined
}

/** Rows that are all there. On a phone each becomes a card. */
export function Table<Row>({ caption, columns, rows, rowKey, rowHref, onRow, busy = false }: Plain<Row> & { rows: readonly Row[]; busy?: boolean }) {
  // On a phone the parts are no table any more to the browser: the roles say what they still are.
  return (
    <div class="table-frame" tabIndex={-1}>
      <table role="table" class={rowHref || onRow ? 'linked' : undefined} aria-busy={busy}>
        <caption class="hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((c) => (
              <th key={c.id} role="columnheader" scope="col" class={(c.end ? 'end' : '') + (c.wideOnly ? ' wide-only' : '')}>
                {c.quiet ? <span class="hidden">{c.title}</span> : c.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={rowKey(row)} role="row" data-row={rowKey(row)}>
              {columns.map((c, i) => (
                <td key={c.id} role="cell" class={(c.end ? 'end' : '') + (c.wideOnly ? ' wide-only' : '') + (c.quiet ? ' quiet' : '')} data-title={c.quiet ? undefined : c.title}>
                  {i > 0 || (!rowHref && !onRow) ? c.cell(row)
                    : rowHref ? <a class="row-link" href={rowHref(row)}>{c.cell(row)}</a>
                    : <button type="button" class="row-link" onClick={() => onRow!(row)}>{c.cell(row)}</button>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export interface PageOf<Row> {
  items: readonly Row[]
  nextCursor?: string | null | undefined
}

/**
 * A list that comes in pages, each by the cursor that the one before gave. Whatever the list depends on beside the cursor,
 * such as filters, is in `inputs`: a change begins at the first page. `version` asks for the same page anew.
 */
export function PagedTable<Row>({ load, inputs, version = 0, empty, ...table }: Plain<Row> & {
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<Row>>
  inputs: readonly unknown[]
  version?: number
  empty?: ComponentChildren
}) {
  const t = useTexts(texts)
  const key = JSON.stringify(inputs)
  // The cursors of the pages that led here; the first page has none.
  const [trail, setTrail] = useState<{ key: string; cursors: (string | undefined)[] }>({ key, cursors: [undefined] })
  const cursors = trail.key === key ? trail.cursors : first
  useEffect(() => {
    if (trail.key !== key) setTrail({ key, cursors: [undefined] })
  }, [key])
  const cursor = cursors[cursors.length - 1]
  const page = useLoad((signal) => load(cursor, signal), [key, cursor, version])
  const shown = useMemo(() => page.data, [page.data])
  const next = shown?.nextCursor
  return (
    <div class={'paged' + (page.loading && shown ? ' stale' : '')}>
      {page.problem && <ProblemNote problem={page.problem} retry={page.reload} />}
      {!shown && !page.problem && <Skeleton lines={6} />}
      {shown && shown.items.length === 0 && cursors.length === 1 && (empty ?? <Empty />)}
      {shown && (shown.items.length > 0 || cursors.length > 1) && <Table {...table} rows={shown.items} busy={page.loading} />}
      {shown && (cursors.length > 1 || next) && (
        <nav class="pager" aria-label={table.caption}>
          <Button
            small icon={ChevronLeft} data-action="previous" aria-disabled={cursors.length === 1}
            onClick={() => cursors.length > 1 && setTrail({ key, cursors: cursors.slice(0, -1) })}
          >
            {t('previous')}
          </Button>
          <span aria-live="polite">{t('page_n', { n: cursors.length })}</span>
          <Button
            small icon={ChevronRight} data-action="next" aria-disabled={!next || page.loading}
            onClick={() => next && !page.loading && setTrail({ key, cursors: [...cursors, next] })}
          >
            {t('next')}
          </Button>
        </nav>
      )}
    </div>
  )
}
const first: readonly (string | undefined)[] = [undefined]
