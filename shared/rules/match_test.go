package rules_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
)

func TestDealRefused(t *testing.T) {
	good := fill(t, anyHands)
	twice := good
	twice[0][0] = twice[1][0]
	unknown := good
	unknown[2][3] = rules.NoCard

	fresh := rules.NewMatch(rules.Liga.Rules())
	inPlay := fresh
	inPlay.Deal(3, &good, good[3][0])
	finished := inPlay
	for finished.Turn() != rules.NoSeat {
		act(t, &finished, pick(dice(1), &finished).String())
	}
	over, _ := randomMatch(dice(1), rules.Liga.Rules(), func(*rules.Match) {})

	for _, c := range []struct {
		what   string
		match  rules.Match
		dealer rules.Seat
		deal   rules.Deal
		trump  rules.Card
		want   rules.Reason
	}{
		{"any seat deals first", fresh, 2, good, good[2][4], rules.OK},
		{"then the next one", finished, 0, good, good[0][0], rules.OK},
		{"but no other", finished, 1, good, good[1][0], rules.BadDealer},
		{"nor the same again", finished, 3, good, good[3][0], rules.BadDealer},
		{"no such dealer", fresh, 4, good, good[0][0], rules.BadDealer},
		{"no dealer", fresh, rules.NoSeat, good, good[0][0], rules.BadDealer},
		{"a card twice", fresh, 0, twice, twice[0][1], rules.BadDeal},
		{"a card that there is not", fresh, 0, unknown, unknown[0][0], rules.BadDeal},
		{"cards not set", fresh, 0, rules.Deal{}, 0, rules.BadDeal},
		{"the card shown is another seat's", fresh, 0, good, good[1][0], rules.BadDeal},
		{"no card is shown", fresh, 0, good, rules.NoCard, rules.BadDeal},
		{"a wrong dealer is looked for first", finished, 1, twice, twice[1][0], rules.BadDealer},
		{"in the middle of a hand", inPlay, 0, good, good[0][0], rules.HandUnfinished},
		{"after the match's end", over, over.Dealer().Next(), good, good[over.Dealer().Next()][0], rules.MatchOver},
	} {
		t.Run(c.what, func(t *testing.T) {
			m := c.match
			if why := m.Deal(c.dealer, &c.deal, c.trump); why != c.want {
				t.Errorf("%v, want %v", why, c.want)
			}
			if c.want != rules.OK && m != c.match {
				t.Error("a refused deal changed the match")
			}
		})
	}
}

// In every state that random play reaches, each action of each seat is either
// legal and done, or refused for the first reason that applies and nothing is
// changed; and the twenty cards are all there, once each.
func TestEveryActionInEveryState(t *testing.T) {
	eachRuleSet(t, 60, func(t *testing.T, r *rand.Rand, rs rules.RuleSet) {
		randomMatch(r, rs, func(m *rules.Match) {
			everyAction(t, m)
			cardsConserved(t, m)
		})
	})
}

func everyAction(t *testing.T, m *rules.Match) {
	t.Helper()
	legal := m.Legal()
	if (legal == 0) != (m.Turn() == rules.NoSeat) {
		t.Fatalf("%v: seat %d may do %v", m.Phase(), m.Turn(), text(legal))
	}
	for _, s := range allSeats() {
		for _, a := range allActions() {
			why, want := m.Check(s, a), rules.OK
			switch {
			case m.Phase() == rules.PhaseMatchOver:
				want = rules.MatchOver
			case m.Phase() == rules.PhaseDeal:
				want = rules.HandOver
			case s != m.Turn() && s != rules.NoSeat:
				want = rules.NotYourTurn
			case !legal.Has(a):
				want = m.Check(rules.NoSeat, a) // its place among the others: TestAgreesWithSecondImplementation
				if want < rules.WrongPhase || want > rules.MustTrump {
					t.Fatalf("%v is refused with %v", a, want)
				}
			}
			if why != want {
				t.Fatalf("%v of seat %d: %v, want %v", a, s, why, want)
			}
			after := *m
			if applied := after.Apply(s, a); applied != why {
				t.Fatalf("%v of seat %d: Apply says %v, Check %v", a, s, applied, why)
			}
			if changed := after != *m; changed != (why == rules.OK) {
				t.Fatalf("%v of seat %d: %v, changed: %v", a, s, why, changed)
			}
		}
	}
}

func cardsConserved(t *testing.T, m *rules.Match) {
	t.Helper()
	if m.Dealer() == rules.NoSeat {
		return
	}
	var all rules.Cards
	count := 0
	add := func(cards ...rules.Card) {
		all |= rules.Of(cards...)
		count += len(cards)
	}
	for s := range rules.Seat(rules.Seats) {
		all |= m.Held(s)
		count += m.Held(s).Len()
	}
	h := m.Hand()
	for _, trick := range h.Tricks[:h.TrickCount] {
		add(trick.Cards[:trick.Count]...)
	}
	var v rules.View
	m.View(rules.Spectator, &v)
	add(v.Table.Cards[:v.Table.Count]...)
	if all != rules.Deck || count != rules.DeckSize {
		t.Fatalf("%d cards, the set %020b", count, all)
	}
}

// A match on points ends with the first hand that carries a pair to the target,
// one on hands after that many, or the first after them that leaves no tie.
func TestMatchEnds(t *testing.T) {
	for _, end := range []rules.End{rules.EndPoints, rules.EndHands} {
		extra, past := 0, 0
		for target := uint8(1); target <= 12; target++ {
			rs := with(rules.Mesa, func(rs *rules.RuleSet) { rs.End, rs.Target = end, target })
			for i := range 40 {
				r := dice(uint64(target)<<8 | uint64(i))
				randomMatch(r, rs, func(m *rules.Match) {
					score := m.Score()
					over := score[0] >= uint16(target) || score[1] >= uint16(target)
					if end == rules.EndHands {
						over = m.HandsFinished() >= int(target) && score[0] != score[1]
						if m.Phase() == rules.PhaseDeal && m.HandsFinished() >= int(target) {
							extra++
						}
					}
					if over != (m.Phase() == rules.PhaseMatchOver) {
						t.Fatalf("%v %d: %v at %v after %d hands", end, target, m.Phase(), score, m.HandsFinished())
					}
					if !over {
						if m.Winner() != rules.NoPair {
							t.Fatal("an open match has a winner")
						}
						return
					}
					w := m.Winner()
					if score[w] <= score[w.Other()] || m.Hand().Score != score {
						t.Fatalf("pair %d wins at %v, hand at %v", w, score, m.Hand().Score)
					}
					if end == rules.EndPoints && score[w] > uint16(target) {
						past++
					}
				})
			}
		}
		if end == rules.EndHands && extra == 0 || end == rules.EndPoints && past == 0 {
			t.Errorf("%v: %d extra hands, %d matches past the target", end, extra, past)
		}
	}
}

// What the opponents miss and the two-point hand may carry a pair past an exact target.
func TestExactTargetBindsOnlyTheBidder(t *testing.T) {
	past := 0
	for i := range 200 {
		m, _ := randomMatch(dice(uint64(i)), rules.Liga.Rules(), func(*rules.Match) {})
		if m.Score()[m.Winner()] > 21 {
			past++
			if h := m.Hand(); h.Bid != rules.Pass && h.Bidder.Pair() == h.Winner {
				t.Errorf("a pair's own %v carried it to %v", h.Bid, m.Score())
			}
		}
	}
	if past == 0 {
		t.Error("no match went past the target")
	}
}

// The matches of two hundred hands that a record may hold are counted right.
func TestLongMatch(t *testing.T) {
	rs := with(rules.Mesa, func(rs *rules.RuleSet) { rs.Target = rules.MaxTarget })
	m, hands := randomMatch(dice(5), rs, func(*rules.Match) {})
	if len(hands) < rules.MaxTarget || m.HandsFinished() != len(hands) {
		t.Errorf("%d hands, %d counted", len(hands), m.HandsFinished())
	}
}

// Seats that there are not are nobody: they hold nothing, see what a spectator
// sees and may do nothing.
func TestNobody(t *testing.T) {
	m := table(t, rules.Liga.Rules(), 3, anyHands, "AB", noBid)
	for _, s := range []rules.Seat{rules.Spectator, 77, rules.NoSeat} {
		v := viewOf(&m, s)
		public := viewOf(&m, rules.Spectator)
		public.Viewer = s
		if m.Held(s) != 0 || v != public || m.Seen(s) != m.Seen(rules.Spectator) {
			t.Errorf("seat %d holds %v and sees %+v", s, m.Held(s), v)
		}
		v.Turn = s
		if why := v.Check(list(m.Legal())[0]); why != rules.NotYourTurn {
			t.Errorf("seat %d may act: %v", s, why)
		}
	}
}
