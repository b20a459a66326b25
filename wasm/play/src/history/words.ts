import type { HandResult, HouseRules, MatchRecord, Pair, Seat } from '@cuatrola/rules'
import { useFormat, useLanguage, useTexts } from '@cuatrola/ui'
import { useMemo } from 'preact/hooks'
import { suitOf } from '../cards/card'
import { levelOf, pairOf, partnerOf, type Player } from '../game/types'
import { useT } from '../i18n'
import { nameOf } from '../table/names'
import type { Frame } from './protocol'
import { texts } from './texts'

/** Who sat where, as a record or a list of matches names them: a bot's name is its level, and the table names its seat. */
export const peopleOf = (players: MatchRecord['players']): Player[] =>
  [0, 1, 2, 3].map((seat) => {
    const { name, bot } = players?.[seat] ?? { name: '', bot: false }
    return bot ? { name: '', bot, level: levelOf(name) } : { name, bot }
  })

/** The game's words for a match. `me` is one's own seat, null in a match that one has not played. */
export function useWords(people: readonly Player[], me: Seat | null) {
  const language = useLanguage()
  const t = useTexts(texts)
  const game = useT()
  const f = useFormat()
  return useMemo(() => {
    const who = (seat: Seat): string => {
      if (me !== null) return nameOf(game, people, seat, me)
      const { name, level } = people[seat]!
      // Of several bots of one level each has its seat's number.
      return name || (level ? `${game(`level_${level}`)} ${seat + 1}` : t('seat_n', { n: seat + 1 }))
    }
    const bid = (action: string) => t.code('act_' + action, action)
    const act = (action: string, trump: string): string => {
      if (/^[A3RCS][OCEB]$/.test(action)) return game.card(action)
      const suit = action.startsWith('sing:') ? action.slice(5) : null
      return suit ? t('act_sing', { n: suit === suitOf(trump) ? 40 : 20, suit: game.suit(suit) }) : bid(action)
    }
    const pair = (p: Pair): string => {
      if (me !== null && pairOf(me) === p) return game('us')
      if (me !== null) return game('them')
      return t('pair_of', { a: who(p), b: who(partnerOf(p)) })
    }
    /** What a hand brought, and to whom. */
    const outcome = ({ winner, value }: HandResult): string =>
      me === null ? t('hand_for', { who: pair(winner), n: value }) : t(pairOf(me) === winner ? 'hand_for_us' : 'hand_for_them', { n: value })
    /** What happened in a step, in one line or two. */
    const told = (frame: Frame, trump: string, dealer: Seat, before: Frame | null): string => {
      if (!frame.last) return dealer === me ? t('dealt_you', { card: game.card(trump) }) : t('dealt', { who: who(dealer), card: game.card(trump) })
      const parts = [t('did', { who: who(frame.last.seat), what: act(frame.last.action, trump) }) + '.']
      if (frame.tricks > (before?.tricks ?? 0) && frame.trick.winner !== null) {
        parts.push(frame.trick.winner === me ? t('takes_you') : t('takes', { who: who(frame.trick.winner) }))
      }
      // What is sung without being asked, where cantes count by themselves.
      if (!frame.last.action.startsWith('sing:')) {
        for (const cante of frame.cantes.slice(before?.cantes.length ?? 0)) parts.push(t('sings', { who: who(cante.seat), n: cante.points, suit: game.suit(cante.suit) }))
      }
      if (frame.result) parts.push(outcome(frame.result) + '.')
      return parts.join(' ')
    }
    return { t, game, f, who, pair, bid, act, outcome, told, language }
  }, [language, people, me])
}

export type Words = ReturnType<typeof useWords>

/** A rule set by its name, its length if that is not the usual one, and whether there is more of the house's own. */
export function useRulesName(): (rules: HouseRules) => string {
  const language = useLanguage()
  const t = useTexts(texts)
  const game = useT()
  return useMemo(() => (rules) => {
    if (typeof rules === 'string') return game(`preset_${rules}`)
    const { preset, end, target, ...others } = rules
    const parts = [game(`preset_${preset}`)]
    if (target !== undefined && end) parts.push(game(end === 'hands' ? 'hands_n' : 'points_n', { n: target }))
    if (Object.keys(others).length > 0) parts.push(t('house'))
    return parts.join(' · ')
  }, [language])
}

/** Who played whom, from one's own side: "Joan" and "Pep" of "with Joan, against Ana and Pep". */
export function useOpponents(): (people: readonly Player[], me: Seat) => { title: string; partner: string | null } {
  const language = useLanguage()
  const t = useTexts(texts)
  const game = useT()
  const f = useFormat()
  return useMemo(() => (people, me) => {
    const name = (seat: Seat) => people[seat]!.name || game(`level_${people[seat]!.level ?? 'tabernero'}`)
    const others = [1, 3].map((n) => (me + n) & 3)
    const partner = partnerOf(me)
    const machine = others.every((seat) => people[seat]!.bot)
    return {
      title: machine ? t('against_machine') : t('against', { who: f.list(others.map(name)) }),
      partner: machine && people[partner]!.bot ? null : t('with_partner', { who: name(partner) }),
    }
  }, [language])
}
