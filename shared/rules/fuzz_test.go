package rules_test

import (
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// Any text is some action, and one whose text is read as the same action again.
func FuzzActionText(f *testing.F) {
	for _, s := range []string{"AO", "pass", "sing:O", "silent", "sing:X", "7O", "", "??", "A\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a := rules.ParseAction(s)
		if rules.ParseAction(a.String()) != a {
			t.Fatalf("%q is %d, its text %q another", s, a, a.String())
		}
		if a < rules.UnknownCante && a.String() != s {
			t.Fatalf("%q is read as %q", s, a.String())
		}
		c, ok := rules.ParseCard(s)
		if ok != c.Valid() || ok && c.String() != s {
			t.Fatalf("%q is the card %v", s, c)
		}
		if card, isCard := a.Card(); isCard != ok || ok && card != c {
			t.Fatalf("%q is the card %v and the action %v", s, c, a)
		}
	})
}

// Whatever is done to a match, in whatever order, it stays one that can be played
// to its end; what is refused changes nothing. Each byte is an action, of the
// seat whose turn it is or, every fifth, of any.
func FuzzMatch(f *testing.F) {
	f.Add(uint64(0), []byte{20, 20, 20, 20, 0, 1, 2, 3, 255, 24, 28})
	f.Add(uint64(3), []byte("anything at all"))
	f.Fuzz(func(t *testing.T, seed uint64, script []byte) {
		r := dice(seed)
		m := rules.NewMatch(randomRules(r))
		for i, b := range script {
			if m.Phase() == rules.PhaseDeal {
				dealNext(r, &m)
			}
			before := m
			seat := m.Turn()
			if i%5 == 4 {
				seat = rules.Seat(b >> 3)
			}
			switch why := m.Apply(seat, rules.Action(b)); {
			case why == rules.OK && (m == before || !before.Legal().Has(rules.Action(b))):
				t.Fatalf("%v was done and %v was legal", rules.Action(b), text(before.Legal()))
			case why != rules.OK && m != before:
				t.Fatalf("%v was refused and changed the match", rules.Action(b))
			}
			cardsConserved(t, &m)
		}
		for m.Phase() != rules.PhaseMatchOver {
			if m.Phase() == rules.PhaseDeal {
				dealNext(r, &m)
			}
			if m.Apply(m.Turn(), pick(r, &m)) != rules.OK {
				t.Fatal("a legal action was refused")
			}
		}
	})
}
