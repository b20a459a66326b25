import { TrendingDown, TrendingUp } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useTexts } from './i18n'
import { useFormat } from './format'
import { Icon } from './icon'
import { texts } from './texts'

/** A number that matters, large; what it was is its change, and its course a small line. */
export function Stat({ label, value, change, better = 'up', hint, href, trend }: {
  label: string
  value: ComponentChildren
  /** By which share it has changed: 0.1 is ten per cent more. */
  change?: number | null
  /** Whether more is good; neither colours nothing. */
  better?: 'up' | 'down' | 'neither'
  hint?: ComponentChildren
  href?: string
  trend?: readonly number[]
}) {
  const t = useTexts(texts)
  const f = useFormat()
  const tone = !change || better === 'neither' ? '' : (change > 0) === (better === 'up') ? ' gain' : ' loss'
  const inside = (
    <>
      <dt>{label}</dt>
      <dd class="value">{value}</dd>
      {(hint || (change !== undefined && change !== null)) && (
        <dd class="hint">
          {change !== undefined && change !== null && (
            <span class={'change' + tone}>
              {change !== 0 && <Icon of={change > 0 ? TrendingUp : TrendingDown} size={14} />}
              {change !== 0 && <span class="hidden">{change > 0 ? t('up') : t('down')} </span>}
              {f.percent(Math.abs(change))}
            </span>
          )}
          {hint && <span>{hint}</span>}
        </dd>
      )}
      {trend && trend.length > 1 && <dd class="spark"><Sparkline of={trend} /></dd>}
    </>
  )
  return href ? <a class="stat" href={href}><dl>{inside}</dl></a> : <dl class="stat">{inside}</dl>
}

/** Tiles beside one another. */
export const Stats = ({ children }: { children: ComponentChildren }) => <div class="stats">{children}</div>

/** The course of something, without numbers. */
export function Sparkline({ of }: { of: readonly number[] }) {
  const low = Math.min(...of)
  const high = Math.max(...of)
  const at = (n: number, i: number) => `${((i / (of.length - 1)) * 100).toFixed(2)},${(22 - ((n - low) / (high - low || 1)) * 20).toFixed(2)}`
  const line = of.map(at).join(' ')
  return (
    <svg class="sparkline" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,24 ${line} 100,24`} />
      <polyline points={line} />
    </svg>
  )
}
