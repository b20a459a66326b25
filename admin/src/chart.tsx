import { defineTexts, localTag, useFormat, useLanguage, useTexts } from '@cuatrola/ui'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

const texts = defineTexts({
  es: { numbers: 'Ver los números', absent: '—' },
  ca: { numbers: 'Mostra els números', absent: '—' },
  en: { numbers: 'Show the numbers', absent: '—' },
})

export interface Series {
  label: string
  /** One for each place of the axis; null where there is none. */
  values: readonly (number | null)[]
  /** Which of the theme's eight colours; by its place if it is not said. */
  colour?: number
  kind?: 'line' | 'bars' | 'area'
  /** A line of dashes, for what is supposed or compared with. */
  dashed?: boolean
}

/** The theme's colours for drawings are --chart-1 to --chart-8. */
const colours = 8

interface Props {
  title: string
  /** Moments (in seconds since 1970), or names that stand in this order. */
  x: readonly number[] | readonly string[]
  series: readonly Series[]
  kind?: 'line' | 'bars' | 'area'
  /** Each series stands upon those before it; what is below zero hangs below. */
  stacked?: boolean
  height?: number
  /** How a value is written; numbers if it is not said. */
  format?: (n: number) => string
  /** The moments are days. */
  days?: boolean
  /** The title is elsewhere. */
  bare?: boolean
}

/** Whether the page is drawn in other colours now: a number that changes with the theme. */
function useThemeTurn(): number {
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const changed = () => setTurn((n) => n + 1)
    const system = matchMedia('(prefers-color-scheme: dark)')
    const chosen = new MutationObserver(changed)
    system.addEventListener('change', changed)
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      system.removeEventListener('change', changed)
      chosen.disconnect()
    }
  }, [])
  return turn
}

/** The heights up to which each series is drawn when they stand upon one another. */
function pile(series: readonly Series[], length: number): (number | null)[][] {
  const above = new Array<number>(length).fill(0)
  const below = new Array<number>(length).fill(0)
  return series.map((s) =>
    Array.from({ length }, (_, i) => {
      const n = s.values[i]
      if (n === null || n === undefined) return null
      const side = n < 0 ? below : above
      side[i]! += n
      return side[i]!
    }),
  )
}

/**
 * A drawing of numbers over time or over names, by uPlot. The legend shows the numbers at the pointer, and a table of all of
 * them is one key away for who does not see the drawing.
 */
export function Chart({ title, x, series, kind = 'line', stacked = false, height = 240, format, days = false, bare = false }: Props) {
  const t = useTexts(texts)
  const f = useFormat()
  const language = useLanguage()
  const turn = useThemeTurn()
  const frame = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<number | null>(null)
  const write = format ?? f.number
  const named = typeof x[0] === 'string'
  const nameAt = (i: number) => (named ? String(x[i]) : days ? f.date(Number(x[i]) * 1000) : f.dateTime(Number(x[i]) * 1000))

  const data = useMemo(() => {
    const places = named ? x.map((_, i) => i) : (x as readonly number[])
    const heights = stacked ? pile(series, x.length) : series.map((s) => [...s.values])
    // The highest pile first, so that the lower ones are drawn over it.
    return [[...places], ...(stacked ? heights.reverse() : heights)] as uPlot.AlignedData
  }, [x, series, stacked])

  useLayoutEffect(() => {
    const element = frame.current!
    const style = getComputedStyle(element)
    const token = (name: string) => style.getPropertyValue(name).trim()
    const colour = (s: Series, i: number) => token(`--chart-${((s.colour ?? i + 1) - 1) % colours + 1}`)
    const font = `12px ${token('--font')}`
    const beside = stacked ? [] : series.filter((s) => (s.kind ?? kind) === 'bars')
    const drawn = series.map((s, i): uPlot.Series => {
      const how = s.kind ?? kind
      const ink = colour(s, i)
      const full = stacked ? ink : `color-mix(in srgb, ${ink} ${how === 'bars' ? 100 : 16}%, transparent)`
      const fill = how === 'line' ? undefined : mixed(element, full)
      return {
        label: s.label, stroke: ink, width: how === 'bars' ? 0 : 2, spanGaps: false, points: { show: how !== 'bars' && x.length < 3 },
        ...(s.dashed ? { dash: [6, 5] } : {}),
        ...(fill ? { fill } : {}),
        ...(how === 'bars' ? { paths: uPlot.paths.bars!({ size: [0.72, 44], radius: stacked ? 0 : 0.12, ...(beside.length > 1 ? sideBySide(beside.indexOf(s), beside.length) : {}) }) } : {}),
      }
    })
    const grid = { stroke: token('--line-soft'), width: 1 }
    const axis = { stroke: token('--ink-soft'), font, ticks: { show: false }, grid } satisfies uPlot.Axis
    const bars = series.some((s) => (s.kind ?? kind) === 'bars')
    const plot = new uPlot(
      {
        width: element.clientWidth, height, padding: [8, 8, 0, 0],
        legend: { show: false },
        cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
        scales: {
          x: {
            time: !named,
            // Half a bar more at both ends.
            range: (_, low, high) => {
              const step = bars ? (x.length > 1 ? (high - low) / (x.length - 1) / 2 : named ? 0.5 : 43_200) : 0
              return [low - step, high + step]
            },
          },
          y: {
            range: (_, low, high) => {
              const [from, to] = uPlot.rangeNum(Math.min(0, low ?? 0), Math.max(0, high ?? 0), 0.08, true)
              // Nought is an end of the axis unless there is something on both sides of it.
              return [(low ?? 0) >= 0 ? 0 : from, (high ?? 0) <= 0 && (low ?? 0) < 0 ? 0 : to || 1]
            },
          },
        },
        axes: [
          {
            ...axis, grid: { show: false }, space: named ? 44 : 64, size: 30,
            values: named
              ? (_, splits) => splits.map((i) => (Number.isInteger(i) && x[i] !== undefined ? String(x[i]) : ''))
              : (_, splits, __, ___, step) => moments(localTag(language), splits, step),
          },
          { ...axis, size: (_, values) => 16 + 7 * Math.max(2, ...(values ?? []).map((v) => v.length)), values: (_, splits) => splits.map((n) => f.compact(n)) },
        ],
        series: [{}, ...(stacked ? drawn.reverse() : drawn)],
        hooks: { setCursor: [(u) => setAt(u.cursor.idx ?? null)] },
      },
      data,
      element,
    )
    const watch = new ResizeObserver(() => element.clientWidth > 0 && plot.setSize({ width: element.clientWidth, height }))
    watch.observe(element)
    return () => {
      watch.disconnect()
      plot.destroy()
    }
  }, [data, kind, height, language, turn])

  return (
    <figure class="chart">
      <figcaption class={bare ? 'hidden' : undefined}>{title}</figcaption>
      <div class="legend" aria-hidden="true">
        {(series.length > 1 || at !== null) && series.map((s, i) => (
          <span key={s.label}>
            <i class={`swatch chart-${((s.colour ?? i + 1) - 1) % colours + 1}${s.dashed ? ' dashed' : ''}`} />
            {s.label}
            {at !== null && s.values[at] !== null && s.values[at] !== undefined && <b>{write(s.values[at]!)}</b>}
          </span>
        ))}
        {at !== null && x[at] !== undefined && <em>{nameAt(at)}</em>}
      </div>
      <div ref={frame} class="plot" aria-hidden="true" />
      <details>
        <summary>{t('numbers')}</summary>
        <div class="table-frame small" tabIndex={0} role="group" aria-label={title}>
          <table>
            <caption class="hidden">{title}</caption>
            <thead><tr><td /> {series.map((s) => <th key={s.label} scope="col" class="end">{s.label}</th>)}</tr></thead>
            <tbody>
              {x.map((_, i) => (
                <tr key={i}>
                  <th scope="row">{nameAt(i)}</th>
                  {series.map((s) => <td key={s.label} class="end">{s.values[i] === null || s.values[i] === undefined ? t('absent') : write(s.values[i]!)}</td>)}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}

/** Where the bars of one of several series stand: together they take what a single one would. */
function sideBySide(place: number, of: number): uPlot.Series.BarsPathBuilderOpts {
  const step = (u: uPlot) => {
    const x = u.data[0]
    return x.length > 1 ? (x[x.length - 1]! - x[0]!) / (x.length - 1) : 1
  }
  const width = (u: uPlot) => (0.72 * step(u)) / of
  return {
    disp: {
      x0: { unit: 1, values: (u) => Array.from(u.data[0], (x) => x + width(u) * (place - of / 2)) },
      size: { unit: 1, values: (u) => [width(u)] },
    },
  }
}

/** A colour that CSS works out, as the canvas can take it. */
function mixed(element: HTMLElement, colour: string): string {
  const probe = document.createElement('i')
  probe.style.color = colour
  element.append(probe)
  const out = getComputedStyle(probe).color
  probe.remove()
  return out
}

/** Moments on an axis: hours within a day, days, or months. */
function moments(language: string, splits: readonly number[], step: number): string[] {
  const parts: Intl.DateTimeFormatOptions =
    step < 86_400 ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } : step < 28 * 86_400 ? { day: 'numeric', month: 'short' } : { month: 'short', year: '2-digit' }
  const format = new Intl.DateTimeFormat(language, parts)
  const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' })
  return splits.map((s) => {
    const d = new Date(s * 1000)
    return step < 86_400 && d.getHours() === 0 && d.getMinutes() === 0 ? day.format(d) : format.format(d)
  })
}
