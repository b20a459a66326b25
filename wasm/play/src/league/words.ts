import { localTag, useLanguage, useTexts } from '@cuatrola/ui'
import { texts } from './texts'

/** What a division is called: those that the game brings have a name in each language, others what the operator calls them. */
export function useDivision(): (key: string) => string {
  const t = useTexts(texts)
  return (key) => t.code('division_' + key, key.charAt(0).toUpperCase() + key.slice(1))
}

/** A week's days by its Monday, such as 16–22 Mar; by the league's calendar, wherever the browser is. */
export function useWeek(): (monday: string) => string {
  const language = useLanguage()
  return (monday) => {
    const from = new Date(monday + 'T00:00:00Z')
    const to = new Date(from.getTime() + 6 * 86_400_000)
    return new Intl.DateTimeFormat(localTag(language), { day: 'numeric', month: 'long', timeZone: 'UTC' }).formatRange(from, to)
  }
}

/** The day of the week and the hour of a moment, by the browser's own clock. */
export function useDayAndHour(): (moment: string) => string {
  const language = useLanguage()
  return (moment) => new Intl.DateTimeFormat(localTag(language), { weekday: 'long', hour: '2-digit', minute: '2-digit' }).format(new Date(moment))
}
