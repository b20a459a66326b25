import { useTexts } from '@cuatrola/ui'
import { useMemo } from 'preact/hooks'
import { useT, type Translate } from '../i18n'
import { pairOf, type Player, type Seat } from '../game/types'
import { bidName, nameOf } from './names'
import type { Happening } from './happenings'
import { texts } from './texts'

/** The game's words, and the table's own. */
export interface Words {
  game: Translate
  t: ReturnType<typeof useTexts<keyof typeof texts.es>>
}

export function useWords(): Words {
  const game = useT()
  const t = useTexts(texts)
  return useMemo(() => ({ game, t }), [game, t])
}

/** A name in the middle of a sentence. */
export const lower = (name: string) => name.charAt(0).toLowerCase() + name.slice(1)

/** One thing that happened, as it is told to somebody who does not look. */
export function tell({ game, t }: Words, happening: Happening, players: readonly Player[], viewer: Seat): string {
  const who = (seat: Seat) => nameOf(game, players, seat, viewer)
  switch (happening.kind) {
    case 'deal':
      return t(happening.dealer === viewer ? 'say_deal_me' : 'say_deal', { n: happening.hand, who: who(happening.dealer), card: game.card(happening.trump) })
    case 'bid':
      return t(happening.seat === viewer ? 'say_bid_me' : 'say_bid', { who: who(happening.seat), bid: lower(bidName(game, happening.bid)) })
    case 'contract':
      if (happening.bidder === null || happening.out === null) return t('say_contract_none')
      return t(happening.bidder === viewer ? 'say_contract_me' : happening.out === viewer ? 'say_contract_out' : 'say_contract', {
        who: who(happening.bidder), bid: lower(bidName(game, happening.bid)), out: who(happening.out),
      })
    case 'card':
      return t(happening.seat === viewer ? 'say_card_me' : 'say_card', { who: who(happening.seat), card: game.theCard(happening.card) })
    case 'trick':
      return happening.winner === viewer ? t('say_trick_me') : t('say_trick', { who: who(happening.winner) })
    case 'cante':
      return t(happening.seat === viewer ? 'say_cante_me' : 'say_cante', { who: who(happening.seat), cante: t(happening.points === 40 ? 'cante_40' : 'cante_20', { suit: game.suit(happening.suit) }) })
    case 'hand': {
      const ours = pairOf(viewer)
      return t('say_hand', {
        n: happening.number, points: t.plural('points', happening.value), side: t(happening.winner === ours ? 'side_us' : 'side_them'),
        us: happening.score[ours], them: happening.score[1 - ours]!,
      })
    }
    case 'match':
      return t(happening.winner === null ? 'say_void' : happening.winner === pairOf(viewer) ? 'say_won' : 'say_lost')
  }
}
