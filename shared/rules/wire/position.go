package wire

import "github.com/cuatrola/cuatrola/shared/rules"

// Position is a seat about to play to a trick: all that decides which of its
// cards are legal.
type Position struct {
	Rules rules.RuleSet
	Trump rules.Suit
	Seat  rules.Seat
	Table rules.Trick
	Hand  rules.Cards
}

// Legal cards of the position.
func (p *Position) Legal() rules.Actions {
	return rules.Actions(p.Rules.Playable(p.Trump, p.Seat, &p.Table, p.Hand))
}

// AppendPosition writes a position: rule set, trump, seat, the set of cards
// held, the number of cards on the table, and seat and card of each.
func AppendPosition(b []byte, rs *rules.RuleSet, trump rules.Suit, seat rules.Seat, hand rules.Cards, seats []rules.Seat, cards []rules.Card) []byte {
	b = AppendRules(b, rs)
	b = append(b, uint8(trump), uint8(seat),
		uint8(hand), uint8(hand>>8), uint8(hand>>16), uint8(hand>>24), uint8(len(cards)))
	for i, c := range cards {
		b = append(b, uint8(seats[i]), uint8(c))
	}
	return b
}

// ReadPosition reads a position. refused names the rule set's option that
// cannot be played; ok is false if b is no position.
func ReadPosition(b []byte, p *Position) (refused error, ok bool) {
	r := reader{b: b}
	r.rules(&p.Rules)
	own := r.take(7)
	if own == nil {
		return nil, false
	}
	p.Trump, p.Seat, p.Hand = rules.Suit(own[0]), rules.Seat(own[1]), rules.Cards(uint32At(own, 2))
	count := own[6]
	p.Table = rules.NewTrick(rules.NoSeat)
	if p.Trump >= rules.Suits || p.Seat >= rules.Seats || p.Hand&^rules.Deck != 0 ||
		count >= rules.Seats || len(r.b) != 2*int(count) || r.bad {
		return nil, false
	}
	for range count {
		seat, card := rules.Seat(r.b[0]), rules.Card(r.b[1])
		r.b = r.b[2:]
		if seat >= rules.Seats || !card.Valid() {
			return nil, false
		}
		if p.Table.Count == 0 {
			p.Table.Lead = seat
		}
		p.Table.Add(seat, card, p.Trump)
	}
	return p.Rules.Validate(), true
}
