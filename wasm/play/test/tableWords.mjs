// What a table says to whoever listens, in each language: written down once more, apart from the page's own texts.

const ranks = {
  es: { A: ['as', 'el'], 3: ['tres', 'el'], R: ['rey', 'el'], C: ['caballo', 'el'], S: ['sota', 'la'] },
  ca: { A: ['as', 'l’'], 3: ['tres', 'el'], R: ['rei', 'el'], C: ['cavall', 'el'], S: ['sota', 'la'] },
  en: { A: ['ace', 'the'], 3: ['three', 'the'], R: ['king', 'the'], C: ['knight', 'the'], S: ['jack', 'the'] },
}
const suits = {
  es: { O: 'oros', C: 'copas', E: 'espadas', B: 'bastos' },
  ca: { O: 'oros', C: 'copes', E: 'espases', B: 'bastos' },
  en: { O: 'coins', C: 'cups', E: 'swords', B: 'clubs' },
}

const language = (code, words) => {
  const of = (suit) => (code === 'en' ? ` of ${suit}` : code === 'ca' && /^[aeo]/.test(suit) ? ` d’${suit}` : ` de ${suit}`)
  const card = (name) => ranks[code][name[0]][0] + of(suits[code][name[1]])
  const the = (name) => {
    const article = ranks[code][name[0]][1]
    return article + (article.endsWith('’') ? '' : ' ') + card(name)
  }
  return {
    ...words,
    /** Every line of a whole match, as its record has it, but for what is asked of the player. */
    of({ hands }, result) {
      const { say } = words
      const lines = []
      hands.forEach(({ dealer, deal, trump, actions }, i) => {
        const hand = result.hands[i]
        lines.push(say.deal(dealer, i + 1, card(trump)))
        lines.push({ cards: deal[0] })
        actions.filter((action) => action in words.bids).forEach((bid, n) => lines.push(say.bid((dealer + 1 + n) % 4, words.bids[bid])))
        lines.push(hand.bidder === null ? say.nobody : say.contract(hand.bidder, words.bids[hand.bid], hand.bidder ^ 2))
        hand.tricks.forEach(({ lead, cards, winner }, t) => {
          let seat = lead
          for (const played of cards) {
            lines.push(say.card(seat, the(played)))
            do seat = (seat + 1) % 4
            while (hand.bidder !== null && seat === (hand.bidder ^ 2))
          }
          lines.push(say.trick(winner))
          for (const cante of hand.cantes.filter((one) => one.trick === t + 1)) lines.push(say.cante(cante.seat, cante.points, suits[code][cante.suit]))
        })
        lines.push(say.hand(i + 1, hand.value, hand.winner, hand.score))
      })
      lines.push(result.winner === 0 ? words.won : words.lost)
      // One's own cards are told as they lie: trumps first, the strongest first.
      return lines.map((line) => {
        if (!line.cards) return line
        const trump = hands.find(({ deal }) => deal[0] === line.cards).trump[1]
        const order = (name) => [name[1] === trump ? -1 : 'OCEB'.indexOf(name[1]), -'SCR3A'.indexOf(name[0])]
        const held = [...line.cards].sort((a, b) => order(a)[0] - order(b)[0] || order(a)[1] - order(b)[1])
        return words.cards(held.map(card).join(', '))
      })
    },
  }
}

const es = ['Tú', 'Derecha', 'Compañero', 'Izquierda']
const ca = ['Tu', 'Dreta', 'Company', 'Esquerra']
const en = ['You', 'Right', 'Partner', 'Left']

export const told = {
  es: language('es', {
    yourBid: 'Te toca hablar', yourPlay: 'Te toca jugar', yourSing: '¿Cantas?', refused: /^(Hay que|Ese envite|Estas reglas) /, hand: /^Mano \d+: /, over: /^La partida es /, cante: /(^Cantas| canta) /,
    won: 'La partida es vuestra.', lost: 'La partida es de ellos.', bids: { pass: 'paso', solo: 'solo', cuatrola: 'cuatrola', quintola: 'quintola' },
    cards: (cards) => `Tus cartas: ${cards}.`,
    say: {
      nobody: 'Nadie se juega nada: gana quien haga más puntos.',
      deal: (seat, n, trump) => `Mano ${n}. ${seat === 0 ? 'Repartes tú' : `Reparte ${es[seat]}`}. Triunfo: ${trump}.`,
      bid: (seat, bid) => (seat === 0 ? `Dices ${bid}.` : `${es[seat]}: ${bid}.`),
      contract: (seat, bid, out) => (seat === 0 ? `Te juegas ${bid}. Compañero descansa.` : out === 0 ? `${es[seat]} se juega ${bid}. Descansas.` : `${es[seat]} se juega ${bid}. ${es[out]} descansa.`),
      card: (seat, card) => (seat === 0 ? `Juegas ${card}.` : `${es[seat]} juega ${card}.`),
      trick: (seat) => (seat === 0 ? 'La baza es tuya.' : `Baza para ${es[seat]}.`),
      cante: (seat, n, suit) => `${seat === 0 ? 'Cantas' : `${es[seat]} canta`} ${n === 40 ? 'las cuarenta' : 'veinte'} en ${suit}.`,
      hand: (n, value, winner, [us, them]) => `Mano ${n}: ${value === 1 ? '1 tanto' : `${value} tantos`} para ${winner === 0 ? 'nosotros' : 'ellos'}. Tanteo: nosotros ${us}, ellos ${them}.`,
    },
  }),
  ca: language('ca', {
    yourBid: 'Et toca parlar', yourPlay: 'Et toca jugar', yourSing: 'Cantes?', refused: /^(Cal|Aquest envit|Aquestes regles) /, hand: /^Mà \d+: /, over: /^La partida és /, cante: /(^Cantes| canta) /,
    won: 'La partida és vostra.', lost: 'La partida és d’ells.', bids: { pass: 'passo', solo: 'solo', cuatrola: 'cuatrola', quintola: 'quintola' },
    cards: (cards) => `Les teves cartes: ${cards}.`,
    say: {
      nobody: 'Ningú es juga res: guanya qui faci més punts.',
      deal: (seat, n, trump) => `Mà ${n}. ${seat === 0 ? 'Reparteixes tu' : `Reparteix ${ca[seat]}`}. Trumfo: ${trump}.`,
      bid: (seat, bid) => (seat === 0 ? `Dius ${bid}.` : `${ca[seat]}: ${bid}.`),
      contract: (seat, bid, out) => (seat === 0 ? `Et jugues ${bid}. Company descansa.` : out === 0 ? `${ca[seat]} es juga ${bid}. Descanses.` : `${ca[seat]} es juga ${bid}. ${ca[out]} descansa.`),
      card: (seat, card) => (seat === 0 ? `Jugues ${card}.` : `${ca[seat]} juga ${card}.`),
      trick: (seat) => (seat === 0 ? 'La basa és teva.' : `Basa per a ${ca[seat]}.`),
      cante: (seat, n, suit) => `${seat === 0 ? 'Cantes' : `${ca[seat]} canta`} ${n === 40 ? 'les quaranta' : 'vint'} en ${suit}.`,
      hand: (n, value, winner, [us, them]) => `Mà ${n}: ${value === 1 ? '1 punt' : `${value} punts`} per a ${winner === 0 ? 'nosaltres' : 'ells'}. Tanteig: nosaltres ${us}, ells ${them}.`,
    },
  }),
  en: language('en', {
    yourBid: 'Your turn to bid', yourPlay: 'Your turn to play', yourSing: 'Do you sing?', refused: /^(You must|A bid must|That bid|These rules) /, hand: /^Hand \d+: /, over: / the match\.$/, cante: /(^You sing| sings) /,
    won: 'You and your partner win the match.', lost: 'The others win the match.', bids: { pass: 'pass', solo: 'solo', cuatrola: 'cuatrola', quintola: 'quintola' },
    cards: (cards) => `Your cards: ${cards}.`,
    say: {
      nobody: 'Nobody bids: more points win.',
      deal: (seat, n, trump) => `Hand ${n}. ${seat === 0 ? 'You deal' : `${en[seat]} deals`}. Trump: ${trump}.`,
      bid: (seat, bid) => (seat === 0 ? `You say ${bid}.` : `${en[seat]}: ${bid}.`),
      contract: (seat, bid, out) => (seat === 0 ? `You play ${bid}. Partner sits out.` : out === 0 ? `${en[seat]} plays ${bid}. You sit out.` : `${en[seat]} plays ${bid}. ${en[out]} sits out.`),
      card: (seat, card) => (seat === 0 ? `You play ${card}.` : `${en[seat]} plays ${card}.`),
      trick: (seat) => (seat === 0 ? 'The trick is yours.' : `Trick to ${en[seat]}.`),
      cante: (seat, n, suit) => `${seat === 0 ? 'You sing' : `${en[seat]} sings`} ${n === 40 ? 'forty' : 'twenty'} in ${suit}.`,
      hand: (n, value, winner, [us, them]) => `Hand ${n}: ${value === 1 ? '1 point' : `${value} points`} for ${winner === 0 ? 'us' : 'them'}. Score: us ${us}, them ${them}.`,
    },
  }),
}
