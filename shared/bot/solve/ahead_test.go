package solve_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// A hand that is played on to the seat's next card is played by the rules, by no card of the
// seat's own, and so that its pair stays content; and what the seat may play then is what
// minimax says.
func TestAhead(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	var s, exact solve.Solver
	reached, waited, short := 0, 0, 0
	for n := 0; n < 3000; {
		m, open := position(r, randomRules(r), 1+r.IntN(3), r.IntN(3))
		if !open || m.Phase() != rules.PhasePlay {
			continue
		}
		n++
		var v rules.View
		m.View(m.Turn(), &v)
		var held [rules.Seats]rules.Cards
		for seat := range held {
			held[seat] = m.Held(rules.Seat(seat))
		}
		var values [solve.Actions]int16
		exact.Values(&m, &values)
		value, _ := exact.Value(&m)
		level := value + r.IntN(2) // just reached, or just missed
		up := s.Begin(&v) && s.Greater(v.Viewer)
		content := func(value int) bool { return (value >= level) == up }
		for legal := m.Legal(); legal != 0; legal = legal.Rest() {
			a, _ := legal.First()
			if !content(int(values[a])) {
				continue
			}
			s.Deal(&held)
			seen, won, ok := s.Ahead(rules.Card(a), level)
			if !ok {
				short++
				continue
			}
			on := m
			on.Apply(v.Viewer, a)
			var path []rules.Card
			for ; seen != 0; seen >>= 5 {
				path = append([]rules.Card{renamed(rules.Card(seen&31)-1, m.Trump().Suit())}, path...)
			}
			for _, c := range path {
				if on.Phase() != rules.PhasePlay || on.Turn() == v.Viewer {
					t.Fatalf("position %d: %v of %v is not for another seat to play\n%+v", n, c, path, m)
				}
				if why := on.Apply(on.Turn(), rules.Play(c)); why != rules.OK {
					t.Fatalf("position %d: %v of %v: %v\n%+v", n, c, path, why, m)
				}
				if value, _ := exact.Value(&on); !content(value) {
					t.Fatalf("position %d: lost by %v of %v\n%+v", n, c, path, m)
				}
			}
			if on.Turn() != v.Viewer || on.Phase() != rules.PhasePlay || won == 0 {
				t.Fatalf("position %d: played on to %v, phase %v, %v won\n%+v", n, on.Turn(), on.Phase(), won, m)
			}
			exact.Values(&on, &values)
			for rest := on.Legal(); rest != 0; rest = rest.Rest() {
				b, _ := rest.First()
				if won.Has(rules.Card(b)) != content(int(values[b])) {
					t.Fatalf("position %d: %v then is worth %d, won %v\n%+v", n, b, values[b], won, m)
				}
			}
			if won&^on.Legal().Cards() != 0 {
				t.Fatalf("position %d: %v of %v\n%+v", n, won, on.Legal().Cards(), m)
			}
			exact.Values(&m, &values)
			reached++
			if len(path) > 3 {
				waited++
			}
		}
	}
	t.Logf("%d played on, %d of them past three cards of others, %d ended before", reached, waited, short)
	if reached < 2000 || waited < 200 || short < 50 {
		t.Error("too few of a kind")
	}
}

// renamed is a card of the solver's by its own name: trumps and the last suit change names.
func renamed(c rules.Card, trump rules.Suit) rules.Card {
	switch c.Suit() {
	case trump:
		return rules.NewCard(c.Rank(), rules.Suits-1)
	case rules.Suits - 1:
		return rules.NewCard(c.Rank(), trump)
	}
	return c
}
