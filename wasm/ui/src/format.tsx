import { useMemo } from 'preact/hooks'
import { useLanguage, type Language } from './i18n'

export interface Format {
  number: (n: number) => string
  /** With its sign, also above zero. */
  signed: (n: number) => string
  /** Short, such as 12,3 mil: for axes and tiles. */
  compact: (n: number) => string
  /** A share: 0.25 is 25 %. */
  percent: (share: number, digits?: number) => string
  /** Money in the currency's smallest unit, as the contract has it. */
  money: (minor: number, currency: string) => string
  date: (moment: string | number | Date) => string
  time: (moment: string | number | Date) => string
  dateTime: (moment: string | number | Date) => string
  /** How long ago or from now, in the largest unit that fits. */
  ago: (moment: string | number | Date) => string
  /** A span in seconds, such as 1 h 20 min. */
  span: (seconds: number) => string
  list: (items: readonly string[]) => string
}

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000], ['month', 2_592_000], ['week', 604_800], ['day', 86_400], ['hour', 3600], ['minute', 60], ['second', 1],
]

/** The language as the browser writes it where it lives, such as en-GB: dates differ within a language. */
export const localTag = (language: Language) => navigator.languages.find((tag) => tag.toLowerCase().split('-')[0] === language) ?? language

function formatter(chosen: Language): Format {
  const language = localTag(chosen)
  const number = new Intl.NumberFormat(language, { useGrouping: true })
  const signed = new Intl.NumberFormat(language, { useGrouping: true, signDisplay: 'exceptZero' })
  const compact = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 })
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
  const time = new Intl.DateTimeFormat(language, { timeStyle: 'medium' })
  const dateTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const list = new Intl.ListFormat(language, { type: 'conjunction' })
  const unit = (n: number, name: string) => new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short' }).format(n)
  const at = (moment: string | number | Date) => new Date(moment)
  return {
    number: (n) => number.format(n),
    signed: (n) => signed.format(n),
    compact: (n) => compact.format(n),
    percent: (share, digits = 1) => new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: digits }).format(share),
    money: (minor, currency) => {
      const money = new Intl.NumberFormat(language, { style: 'currency', currency })
      return money.format(minor / 10 ** (money.resolvedOptions().maximumFractionDigits ?? 2))
    },
    date: (moment) => date.format(at(moment)),
    time: (moment) => time.format(at(moment)),
    dateTime: (moment) => dateTime.format(at(moment)),
    ago: (moment) => {
      const seconds = (at(moment).getTime() - Date.now()) / 1000
      const [name, size] = units.find(([, s]) => Math.abs(seconds) >= s) ?? ['second', 1]
      return relative.format(Math.trunc(seconds / size), name)
    },
    span: (seconds) => {
      const parts: string[] = []
      let rest = Math.round(seconds)
      for (const [name, size] of [['day', 86_400], ['hour', 3600], ['minute', 60], ['second', 1]] as const) {
        const n = Math.floor(rest / size)
        if (n > 0) parts.push(unit(n, name))
        rest -= n * size
      }
      return parts.slice(0, 2).join(' ') || unit(Math.round(seconds * 10) / 10, 'second')
    },
    list: (items) => list.format(items),
  }
}

const formatters = new Map<Language, Format>()

/** Numbers, coins and times as the chosen language writes them; times in the time zone of the browser. */
export function useFormat(): Format {
  const language = useLanguage()
  return useMemo(() => {
    let found = formatters.get(language)
    if (!found) formatters.set(language, (found = formatter(language)))
    return found
  }, [language])
}

/** A moment; the exact one, with its UTC, is in the hint. */
export function Time({ value, relative = false }: { value: string; relative?: boolean }) {
  const f = useFormat()
  return <time dateTime={value} title={`${f.dateTime(value)} · ${value}`}>{relative ? f.ago(value) : f.dateTime(value)}</time>
}

/** An amount of coins, with the coin. */
export function Coins({ value, signed = false }: { value: number; signed?: boolean }) {
  const f = useFormat()
  const tone = signed ? (value > 0 ? ' gain' : value < 0 ? ' loss' : '') : ''
  return (
    <span class={'coins' + tone}>
      <svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="6.6" /><circle cx="8" cy="8" r="3.4" /></svg>
      {signed ? f.signed(value) : f.number(value)}
    </span>
  )
}
