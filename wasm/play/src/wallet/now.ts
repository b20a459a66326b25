import { localTag, useLanguage } from '@cuatrola/ui'
import { useEffect, useState } from 'preact/hooks'

/** The time by this device, in milliseconds; looked at anew every so many seconds. */
export function useNow(seconds: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), seconds * 1000)
    return () => clearInterval(timer)
  }, [seconds])
  return now
}

/** The hour of a moment, such as 21:05. */
export function useHour(): (moment: string) => string {
  const language = useLanguage()
  return (moment) => new Intl.DateTimeFormat(localTag(language), { timeStyle: 'short' }).format(new Date(moment))
}

/** How long something lasts that is counted in minutes; in hours up to three days, as people say it. */
export function useLasting(): (minutes: number) => string {
  const language = useLanguage()
  return (minutes) => {
    const [n, unit] = minutes % 1440 === 0 && minutes > 4320 ? [minutes / 1440, 'day'] : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute']
    return new Intl.NumberFormat(localTag(language), { style: 'unit', unit, unitDisplay: 'long' }).format(n)
  }
}
