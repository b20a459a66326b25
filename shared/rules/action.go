package rules

import "math/bits"

// Action is one thing a seat can do: play a card (0 to 19, the card's number),
// bid, or answer whether it sings.
type Action uint8

// Actions other than cards. Their order is the order of a legal set.
const (
	Pass Action = iota + DeckSize
	Solo
	Cuatrola
	Quintola
	SingOros
	SingCopas
	SingEspadas
	SingBastos
	Silent
	actionCount
)

// Actions that no rule set has: texts that a record may hold all the same. They
// are kept apart so that the reason for refusing them is the right one.
const (
	// UnknownCante is "sing:" with something that is no suit.
	UnknownCante Action = 253
	// UnknownCard is any other text: it can only have been meant as a card.
	UnknownCard Action = 254
)

// Play is the action of playing a card.
func Play(c Card) Action { return Action(c) }

// Sing is the action of singing a suit's cante.
func Sing(s Suit) Action { return SingOros + Action(s) }

// Card that the action plays; ok is false for a bid or a cante.
func (a Action) Card() (c Card, ok bool) { return Card(a), a < DeckSize }

// Suit that the action sings; ok is false for anything but a cante.
func (a Action) Suit() (s Suit, ok bool) {
	return Suit(a - SingOros), a >= SingOros && a <= SingBastos
}

// phase in which an action of this kind belongs.
func (a Action) phase() Phase {
	switch {
	case a >= Pass && a <= Quintola:
		return PhaseBid
	case a >= SingOros && a <= Silent, a == UnknownCante:
		return PhaseSing
	default:
		return PhasePlay
	}
}

var otherActions = [actionCount - Pass]string{
	"pass", "solo", "cuatrola", "quintola",
	"sing:O", "sing:C", "sing:E", "sing:B", "silent",
}

const singPrefix = "sing:"

// String is the action's text in records: a card's name, "pass", "solo",
// "cuatrola", "quintola", "sing:O" … or "silent".
func (a Action) String() string {
	switch {
	case a < DeckSize:
		return Card(a).String()
	case a < actionCount:
		return otherActions[a-Pass]
	case a == UnknownCante:
		return singPrefix + "?"
	default:
		return "??"
	}
}

// ParseAction reads what String writes. Any other text gives UnknownCante or
// UnknownCard, which every state refuses with the reason that fits.
func ParseAction(text string) Action {
	if c, ok := ParseCard(text); ok {
		return Play(c)
	}
	for i, name := range otherActions {
		if name == text {
			return Pass + Action(i)
		}
	}
	if len(text) >= len(singPrefix) && text[:len(singPrefix)] == singPrefix {
		return UnknownCante
	}
	return UnknownCard
}

// Actions is a set of actions, bit a standing for action a. Walking it from the
// lowest bit gives the stable order: cards by suit and strength, bids from pass
// upwards, cantes by suit, then silence.
type Actions uint32

// Has says whether the action is in the set.
func (as Actions) Has(a Action) bool { return a < actionCount && as>>a&1 != 0 }

// Len is the number of actions in the set.
func (as Actions) Len() int { return bits.OnesCount32(uint32(as)) }

// First is the first action in the stable order; ok is false for the empty set.
func (as Actions) First() (a Action, ok bool) {
	return Action(bits.TrailingZeros32(uint32(as))), as != 0
}

// Nth is the action at place n, from 0, in the stable order. The set must hold
// more than n actions.
func (as Actions) Nth(n int) Action {
	for ; n > 0; n-- {
		as &= as - 1
	}
	return Action(bits.TrailingZeros32(uint32(as)))
}

// Rest is the set less its first action.
func (as Actions) Rest() Actions { return as & (as - 1) }

// Cards is the part of the set that plays cards.
func (as Actions) Cards() Cards { return Cards(as) & Deck }

func one(a Action) Actions { return 1 << a }
