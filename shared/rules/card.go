package rules

import "math/bits"

// Card is one of the twenty cards: suit*5 + strength, so that within a suit the
// stronger card is the greater number.
type Card uint8

// Suit (palo) is one of oros, copas, espadas and bastos.
type Suit uint8

// Rank is a card's strength within its suit, weakest first: sota (jack),
// caballo (knight), rey (king), tres (three), as (ace).
type Rank uint8

// The suits, in the order used everywhere.
const (
	Oros Suit = iota
	Copas
	Espadas
	Bastos
	Suits = 4
)

// The ranks, weakest first.
const (
	Jack Rank = iota
	Knight
	King
	Three
	Ace
	Ranks = 5
)

const (
	// DeckSize is the number of cards in play.
	DeckSize = Suits * Ranks
	// HandSize is the number of cards dealt to a seat, and so of tricks.
	HandSize = 5
	// NoCard stands where there is no card, or none that is known.
	NoCard Card = 255
)

const (
	suitLetters = "OCEB"
	rankLetters = "SCR3A"
)

// NewCard is the card of a rank and a suit.
func NewCard(r Rank, s Suit) Card { return Card(uint8(s)*Ranks + uint8(r)) }

// Suit of the card; meaningless for a card that is not Valid.
func (c Card) Suit() Suit { return Suit(c / Ranks) }

// Rank of the card; meaningless for a card that is not Valid.
func (c Card) Rank() Rank { return Rank(c % Ranks) }

// Valid says whether c is one of the twenty cards.
func (c Card) Valid() bool { return c < DeckSize }

// Points the card is worth to the pair that takes it: ace 11, three 10, king 4,
// knight 3, jack 2.
func (c Card) Points() int { return int(cardPoints[c%Ranks]) }

var cardPoints = [Ranks]uint8{2, 3, 4, 10, 11}

// cardNames holds every card's text side by side, so that naming a card cuts a
// constant string instead of building one.
const cardNames = "SOCORO3OAO" + "SCCCRC3CAC" + "SECERE3EAE" + "SBCBRB3BAB"

// String is the rank's letter then the suit's, as in records: "RE" is the king
// of espadas. A card that is not Valid is "??".
func (c Card) String() string {
	if !c.Valid() {
		return "??"
	}
	return cardNames[2*c : 2*c+2]
}

// ParseCard reads what String writes. ok is false, and the card NoCard, for
// any other text.
func ParseCard(text string) (c Card, ok bool) {
	if len(text) != 2 {
		return NoCard, false
	}
	for r := range rankLetters {
		if rankLetters[r] != text[0] {
			continue
		}
		if s, ok := ParseSuit(text[1:]); ok {
			return NewCard(Rank(r), s), true
		}
	}
	return NoCard, false
}

// String is the suit's letter.
func (s Suit) String() string {
	if s >= Suits {
		return "?"
	}
	return suitLetters[s : s+1]
}

// ParseSuit reads a suit's letter.
func ParseSuit(text string) (s Suit, ok bool) {
	for i := range suitLetters {
		if suitLetters[i:i+1] == text {
			return Suit(i), true
		}
	}
	return 0, false
}

// Cards is a set of cards, bit c standing for card c.
type Cards uint32

// Deck is the set of all twenty cards.
const Deck Cards = 1<<DeckSize - 1

// Of is the set of the cards given.
func Of(cards ...Card) Cards {
	var set Cards
	for _, c := range cards {
		set |= 1 << c
	}
	return set
}

// Has says whether the card is in the set.
func (cs Cards) Has(c Card) bool { return c.Valid() && cs>>c&1 != 0 }

// Len is the number of cards in the set.
func (cs Cards) Len() int { return bits.OnesCount32(uint32(cs)) }

// In is the part of the set that belongs to a suit.
func (cs Cards) In(s Suit) Cards { return cs & suitMask(s) }

// First is the lowest card of the set: the weakest of its first suit.
// NoCard for the empty set.
func (cs Cards) First() Card {
	if cs == 0 {
		return NoCard
	}
	return Card(bits.TrailingZeros32(uint32(cs)))
}

// Without is the set less one card.
func (cs Cards) Without(c Card) Cards { return cs &^ (1 << c) }

// Points is the sum of what the cards are worth.
func (cs Cards) Points() int {
	sum := 0
	for rest := cs; rest != 0; rest &= rest - 1 {
		sum += rest.First().Points()
	}
	return sum
}

var suitMasks = [Suits]Cards{0x1f, 0x1f << Ranks, 0x1f << (2 * Ranks), 0x1f << (3 * Ranks)}

func suitMask(s Suit) Cards { return suitMasks[s%Suits] }

// stronger is the set of cards of c's own suit that beat c.
func stronger(c Card) Cards { return suitMask(c.Suit()) &^ (2<<(c&31) - 1) }

// beating is the set of cards that beat c: stronger ones of its suit, and any
// trump if it is none.
func beating(c Card, trump Suit) Cards {
	if c.Suit() == trump {
		return stronger(c)
	}
	return stronger(c) | suitMask(trump)
}

// marriage is a suit's king and knight: what a cante needs.
func marriage(s Suit) Cards {
	return 1<<NewCard(King, s) | 1<<NewCard(Knight, s)
}
