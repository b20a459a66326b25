package record

import (
	"errors"
	"fmt"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// Position is what decides the cards that a seat may play.
type Position struct {
	Rules rules.RuleSet
	Trump rules.Suit
	Seat  rules.Seat
	Table rules.Trick
	Hand  rules.Cards
}

// ParsePosition reads a line that is a position or an object that holds one
// under "position":
//
//	{"rules":"liga","trump":"B","seat":2,"trick":[{"seat":0,"card":"SO"}],"hand":["CO","3O"]}
func ParsePosition(line []byte) (*Position, error) {
	o, err := parseObject(line, "position")
	if err != nil {
		return nil, err
	}
	p := &Position{Table: rules.NewTrick(rules.NoSeat)}
	if p.Rules, err = ParseRules(o["rules"]); err != nil {
		return nil, err
	}
	trump, _ := o["trump"].(string)
	var ok bool
	if p.Trump, ok = rules.ParseSuit(trump); !ok {
		return nil, errors.New("trump is not a suit")
	}
	if p.Seat, ok = seatOf(o); !ok {
		return nil, errors.New("seat is not 0, 1, 2 or 3")
	}
	trick, ok := o["trick"].([]any)
	if !ok || len(trick) >= rules.Seats {
		return nil, errors.New("trick is not a list of at most three cards")
	}
	var cards rules.Cards
	spoken := 1 << p.Seat
	for i, v := range trick {
		played, _ := v.(object)
		s, ok := seatOf(played)
		if !ok || spoken>>s&1 != 0 {
			return nil, fmt.Errorf("trick[%d]: seat is not another one of the table", i)
		}
		c, ok := newCard(played["card"], &cards)
		if !ok {
			return nil, fmt.Errorf("trick[%d]: card is not one of the pack, or is there twice", i)
		}
		spoken |= 1 << s
		if i == 0 {
			p.Table.Lead = s
		}
		p.Table.Add(s, c, p.Trump)
	}
	hand, ok := o["hand"].([]any)
	if !ok || len(hand) > rules.HandSize {
		return nil, errors.New("hand is not a list of at most five cards")
	}
	for i, v := range hand {
		c, ok := newCard(v, &cards)
		if !ok {
			return nil, fmt.Errorf("hand[%d] is not a card of the pack, or is there twice", i)
		}
		p.Hand |= rules.Of(c)
	}
	return p, nil
}

func seatOf(o object) (rules.Seat, bool) {
	n, ok := o["seat"].(float64)
	if !ok {
		return rules.NoSeat, false
	}
	return seat(n)
}

// newCard reads a card that is not yet among those seen, and adds it to them.
func newCard(v any, seen *rules.Cards) (rules.Card, bool) {
	text, _ := v.(string)
	c, ok := rules.ParseCard(text)
	if !ok || seen.Has(c) {
		return c, false
	}
	*seen |= rules.Of(c)
	return c, true
}

// AppendLegal writes {"legal":[…]}, the cards that may be played, sorted.
func (p *Position) AppendLegal(dst []byte) []byte {
	legal := p.Rules.Playable(p.Trump, p.Seat, &p.Table, p.Hand)
	dst = append(dst, `{"legal":`...)
	dst = appendSorted(dst, rules.Actions(legal))
	return append(dst, '}')
}
