package record_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/rules"
)

func mustParse(t testing.TB, line string) *record.Record {
	t.Helper()
	r, err := record.Parse([]byte(line))
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return r
}

func decode(t testing.TB, text []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// randomRecord is a whole match of random legal play, without the optional members.
func randomRecord(rs rules.RuleSet, seed uint64) *record.Record {
	dice := rand.New(rand.NewPCG(seed, 5))
	r := &record.Record{Rules: rs}
	m := rules.NewMatch(rs)
	dealer := rules.Seat(dice.IntN(rules.Seats))
	for m.Phase() != rules.PhaseMatchOver {
		hand := rules.HandRecord{Dealer: dealer}
		for i, c := range dice.Perm(rules.DeckSize) {
			hand.Deal[i/rules.HandSize][i%rules.HandSize] = rules.Card(c)
		}
		hand.Trump = hand.Deal[dealer][dice.IntN(rules.HandSize)]
		m.Deal(dealer, &hand.Deal, hand.Trump)
		for m.Turn() != rules.NoSeat {
			legal := m.Legal()
			a := legal.Nth(dice.IntN(legal.Len()))
			if m.Phase() == rules.PhaseBid && dice.IntN(3) > 0 {
				a = rules.Pass
			}
			m.Apply(rules.NoSeat, a)
			hand.Actions = append(hand.Actions, a)
		}
		r.Hands = append(r.Hands, hand)
		dealer = dealer.Next()
	}
	return r
}
