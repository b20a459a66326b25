// What the reasons mean, for people.

import type { Reason } from './types.js'

/** What the package speaks: Spanish, Catalan and English. */
export type Language = 'es' | 'ca' | 'en'

const texts: { readonly [language in Language]: { readonly [reason in Reason]: string } } = {
  es: {
    match_over: 'La partida ha terminado.',
    hand_over: 'La mano ha terminado.',
    not_your_turn: 'No es tu turno.',
    wrong_phase: 'Ahora no se puede hacer eso.',
    bid_not_in_rules: 'Estas reglas no tienen ese envite.',
    bid_too_low: 'Hay que superar el envite anterior.',
    bid_past_target: 'Ese envite os haría pasar de los tantos de la partida.',
    cante_not_available: 'No puedes cantar ese palo ahora.',
    unknown_card: 'Esa carta no existe.',
    card_not_in_hand: 'No tienes esa carta.',
    must_follow: 'Hay que asistir: tienes cartas del palo de salida.',
    must_beat: 'Hay que montar: tienes una carta más alta del palo.',
    must_overtrump: 'Hay que pisar: tienes un triunfo más alto.',
    must_trump: 'Hay que fallar: tienes triunfo.',
    bad_deal: 'El reparto no es válido.',
    bad_dealer: 'No le toca repartir a ese jugador.',
    hand_unfinished: 'La mano anterior no ha terminado.',
  },
  ca: {
    match_over: 'La partida s’ha acabat.',
    hand_over: 'La mà s’ha acabat.',
    not_your_turn: 'No és el teu torn.',
    wrong_phase: 'Ara no es pot fer això.',
    bid_not_in_rules: 'Aquestes regles no tenen aquest envit.',
    bid_too_low: 'Cal superar l’envit anterior.',
    bid_past_target: 'Aquest envit us faria passar dels punts de la partida.',
    cante_not_available: 'Ara no pots cantar aquest coll.',
    unknown_card: 'Aquesta carta no existeix.',
    card_not_in_hand: 'No tens aquesta carta.',
    must_follow: 'Cal assistir: tens cartes del coll de sortida.',
    must_beat: 'Cal muntar: tens una carta més alta del coll.',
    must_overtrump: 'Cal trepitjar: tens un trumfo més alt.',
    must_trump: 'Cal fallar: tens trumfo.',
    bad_deal: 'El repartiment no és vàlid.',
    bad_dealer: 'No li toca repartir a aquest jugador.',
    hand_unfinished: 'La mà anterior no s’ha acabat.',
  },
  en: {
    match_over: 'The match is over.',
    hand_over: 'The hand is over.',
    not_your_turn: 'It is not your turn.',
    wrong_phase: 'That cannot be done now.',
    bid_not_in_rules: 'These rules have no such bid.',
    bid_too_low: 'A bid must be higher than the last.',
    bid_past_target: 'That bid would carry you past the target.',
    cante_not_available: 'You cannot sing that suit now.',
    unknown_card: 'There is no such card.',
    card_not_in_hand: 'You do not hold that card.',
    must_follow: 'You must follow: you hold the suit that was led.',
    must_beat: 'You must beat: you hold a higher card of the suit.',
    must_overtrump: 'You must overtrump: you hold a higher trump.',
    must_trump: 'You must ruff: you hold a trump.',
    bad_deal: 'The deal is not valid.',
    bad_dealer: 'It is not that seat’s deal.',
    hand_unfinished: 'The hand before it has not ended.',
  },
}

/** What a reason means, as a sentence in a language. */
export function reasonText(reason: Reason, language: Language): string {
  return texts[language][reason]
}
