import { useTexts } from '@cuatrola/ui'
import type { Schemas } from '../api/types'
import { texts } from './texts'

export type Table = Schemas['Table']
export type Seat = Table['seats'][number]

/** Names at a table; those that several have, such as bots, are numbered. */
function told(names: readonly string[]): string[] {
  return names.map((name, i) => {
    const same = names.filter((other) => other === name).length
    return same > 1 ? `${name} ${names.slice(0, i + 1).filter((other) => other === name).length}` : name
  })
}

const isCard = (text: string) => /^[SCR3A][OCEB]$/.test(text)

/** Words for what is seen at a table. */
export function useWords() {
  const t = useTexts(texts)
  const suit = (letter: string) => t.code('suit_' + letter, letter)
  const card = (text: string) => t('card', { rank: t.code('rank_' + text[0], text[0]!), suit: suit(text[1]!) })
  /** A bot goes by how well it plays. */
  const name = (seat: { name: string; bot: boolean }) => (seat.bot ? t.code('level_' + seat.name, seat.name) : seat.name)
  return {
    t, suit, card, name,
    names: (seats: readonly { name: string; bot: boolean }[]) => told(seats.map(name)),
    /** A card, a bid, or a suit that is sung in, such as sing:O. */
    action: (text: string) => {
      if (isCard(text)) return t('act_play', { card: card(text) })
      const sung = /([OCEB])$/.exec(text)
      return sung && text.startsWith('sing') ? t('act_sing', { suit: suit(sung[1]!) }) : t.code('act_' + text, text)
    },
    rules: (rules: unknown) => (typeof rules === 'string' ? rules : `${(rules as { preset?: string }).preset ?? ''}, ${t('house')}`),
  }
}
