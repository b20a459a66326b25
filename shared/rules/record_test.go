package rules_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// A record of a match replays to the same match, action by action.
func TestReplay(t *testing.T) {
	eachRuleSet(t, 100, func(t *testing.T, r *rand.Rand, rs rules.RuleSet) {
		played, hands := randomMatch(r, rs, func(*rules.Match) {})
		m := rules.NewMatch(rs)
		actions, finished := 0, 0
		fault := rules.Replay(&m, hands, func(hand, action int) {
			actions++
			if a := hands[hand].Actions[action]; !m.Legal().Has(a) {
				t.Fatalf("hand %d, action %d: %v is not legal", hand, action, a)
			}
		}, func(h *rules.Hand) {
			finished++
			if h.Winner == rules.NoPair {
				t.Fatal("a finished hand without a winner")
			}
		})
		want := 0
		for _, h := range hands {
			want += len(h.Actions)
		}
		if fault.Reason != rules.OK || m != played || actions != want || finished != len(hands) {
			t.Fatalf("%+v, %d of %d actions, %d of %d hands, same: %v", fault, actions, want, finished, len(hands), m == played)
		}
	})
}

func TestReplayFaults(t *testing.T) {
	_, hands := randomMatch(dice(1), rules.Liga.Rules(), func(*rules.Match) {})
	last := len(hands) - 1
	for _, c := range []struct {
		what  string
		spoil func(hands []rules.HandRecord) []rules.HandRecord
		want  rules.Fault
	}{
		{"nothing", func(h []rules.HandRecord) []rules.HandRecord { return h }, rules.Fault{Hand: last + 1, Action: rules.NoAction}},
		{"no hands", func([]rules.HandRecord) []rules.HandRecord { return nil }, rules.Fault{Action: rules.NoAction}},
		{"an unfinished last hand", func(h []rules.HandRecord) []rules.HandRecord {
			h[last].Actions = h[last].Actions[:3]
			return h
		}, rules.Fault{Hand: last + 1, Action: rules.NoAction}},
		{"an unfinished hand before it", func(h []rules.HandRecord) []rules.HandRecord {
			h[1].Actions = h[1].Actions[:3]
			return h
		}, rules.Fault{Reason: rules.HandUnfinished, Hand: 1, Action: 3}},
		{"a hand after the end", func(h []rules.HandRecord) []rules.HandRecord {
			return append(h, h[0])
		}, rules.Fault{Reason: rules.MatchOver, Hand: last + 1, Action: rules.NoAction}},
		{"an action after the hand's end", func(h []rules.HandRecord) []rules.HandRecord {
			h[0].Actions = append(h[0].Actions, rules.Pass)
			return h
		}, rules.Fault{Reason: rules.HandOver, Hand: 0, Action: len(hands[0].Actions)}},
		{"an action after the match's end", func(h []rules.HandRecord) []rules.HandRecord {
			h[last].Actions = append(h[last].Actions, rules.Pass)
			return h
		}, rules.Fault{Reason: rules.MatchOver, Hand: last, Action: len(hands[last].Actions)}},
		{"a wrong dealer", func(h []rules.HandRecord) []rules.HandRecord {
			h[2].Dealer = h[2].Dealer.Next()
			return h
		}, rules.Fault{Reason: rules.BadDealer, Hand: 2, Action: rules.NoAction}},
		{"a card twice", func(h []rules.HandRecord) []rules.HandRecord {
			h[2].Deal[0][0] = h[2].Deal[1][0]
			return h
		}, rules.Fault{Reason: rules.BadDeal, Hand: 2, Action: rules.NoAction}},
		{"a card played in the bidding", func(h []rules.HandRecord) []rules.HandRecord {
			h[0].Actions[0] = 0
			return h
		}, rules.Fault{Reason: rules.WrongPhase, Hand: 0, Action: 0}},
	} {
		t.Run(c.what, func(t *testing.T) {
			spoiled := make([]rules.HandRecord, len(hands))
			for i, h := range hands {
				spoiled[i] = h
				spoiled[i].Actions = append([]rules.Action(nil), h.Actions...)
			}
			m := rules.NewMatch(rules.Liga.Rules())
			if fault := rules.Replay(&m, c.spoil(spoiled), nil, nil); fault != c.want {
				t.Errorf("%+v, want %+v", fault, c.want)
			}
		})
	}
}

// A record replayed up to an action is the match as it stood then.
func TestReplayTo(t *testing.T) {
	eachRuleSet(t, 20, func(t *testing.T, r *rand.Rand, rs rules.RuleSet) {
		_, hands := randomMatch(r, rs, func(*rules.Match) {})
		m := rules.NewMatch(rs)
		var at []rules.Match
		rules.Replay(&m, hands, func(int, int) { at = append(at, m) }, nil)
		for h := range hands {
			for i := range hands[h].Actions {
				got := rules.NewMatch(rs)
				fault := rules.ReplayTo(&got, hands, h, i)
				if want := (rules.Fault{Hand: h, Action: i}); fault != want || got != at[0] {
					t.Fatalf("%+v, want %+v, same match: %v", fault, want, got == at[0])
				}
				at = at[1:]
			}
		}
		last := len(hands) - 1
		got := rules.NewMatch(rs)
		if fault := rules.ReplayTo(&got, hands, last, len(hands[last].Actions)); fault.Reason != rules.OK || got != m {
			t.Fatalf("the end: %+v, same match: %v", fault, got == m)
		}
	})
}

func TestReplayToFaults(t *testing.T) {
	_, hands := randomMatch(dice(1), rules.Liga.Rules(), func(*rules.Match) {})
	hands[1].Actions = hands[1].Actions[:3]
	for _, c := range []struct {
		hand, action int
		want         rules.Fault
	}{
		{2, 0, rules.Fault{Reason: rules.HandUnfinished, Hand: 1, Action: 3}},
		{3, 1, rules.Fault{Reason: rules.HandUnfinished, Hand: 1, Action: 3}},
		{1, 3, rules.Fault{Hand: 1, Action: 3}},
	} {
		m := rules.NewMatch(rules.Liga.Rules())
		if fault := rules.ReplayTo(&m, hands, c.hand, c.action); fault != c.want {
			t.Errorf("to action %d of hand %d: %+v, want %+v", c.action, c.hand, fault, c.want)
		}
	}
	hands[0].Actions[1] = rules.UnknownCard
	for action, want := range map[int]rules.Fault{
		1: {Hand: 0, Action: 1},
		2: {Reason: rules.WrongPhase, Hand: 0, Action: 1},
	} {
		m := rules.NewMatch(rules.Liga.Rules())
		if fault := rules.ReplayTo(&m, hands, 0, action); fault != want {
			t.Errorf("to action %d: %+v, want %+v", action, fault, want)
		}
	}
}
