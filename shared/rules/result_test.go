package rules_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// handsOf plays random matches and shows every finished hand to check.
func handsOf(r *rand.Rand, rs rules.RuleSet, matches int, check func(m *rules.Match, h *rules.Hand)) {
	for range matches {
		seen := 0
		randomMatch(r, rs, func(m *rules.Match) {
			if m.HandsFinished() > seen {
				seen = m.HandsFinished()
				check(m, m.Hand())
			}
		})
	}
}

// Of the 130 points of the cards and the last trick none is lost: a pair has them,
// or they lie in the hand that sat out, or play stopped before they were won.
func TestPointsAddUp(t *testing.T) {
	eachRuleSet(t, 200, func(t *testing.T, r *rand.Rand, rs rules.RuleSet) {
		handsOf(r, rs, 3, func(m *rules.Match, h *rules.Hand) {
			want := 130
			if h.TrickCount < rules.HandSize {
				want -= 10
			}
			for s := range rules.Seat(rules.Seats) {
				want -= m.Held(s).Points()
			}
			for _, c := range h.Cantes[:h.CanteCount] {
				want += int(c.Points)
			}
			if got := int(h.Points[0] + h.Points[1]); got != want {
				t.Errorf("%d points, want %d: %+v", got, want, *h)
			}
			if h.Bidder == rules.NoSeat && h.TrickCount != rules.HandSize {
				t.Errorf("a hand that nobody bid ended after %d tricks", h.TrickCount)
			}
			if n := h.TricksWon[0] + h.TricksWon[1]; n != h.TrickCount {
				t.Errorf("%d tricks won of %d", n, h.TrickCount)
			}
		})
	})
}

func TestBonus(t *testing.T) {
	r := dice(3)
	values := map[uint8]int{}
	for _, above := range []int16{rules.None, 0, 65, 70, 100, 250} {
		rs := with(rules.Clasica, func(rs *rules.RuleSet) { rs.BonusAbove = above })
		handsOf(r, rs, 40, func(_ *rules.Match, h *rules.Hand) {
			if h.Bid != rules.Pass {
				if want := rs.Bids[h.Bid-rules.Solo].Value; h.Value != want {
					t.Errorf("a %v is worth %d, want %d", h.Bid, h.Value, want)
				}
				return
			}
			want := uint8(1)
			if above != rules.None && int16(h.Points[h.Winner]) > above {
				want = 2
			}
			values[h.Value]++
			if h.Value != want {
				t.Errorf("bonusAbove %d: %d points are worth %d, want %d", above, h.Points[h.Winner], h.Value, want)
			}
		})
	}
	if values[1] == 0 || values[2] == 0 {
		t.Errorf("hands by value: %v", values)
	}
}

func TestMorePointsWin(t *testing.T) {
	for _, tie := range []rules.Tie{rules.TieMano, rules.TieLastTrick} {
		rs := with(rules.Clasica, func(rs *rules.RuleSet) { rs.Tie = tie })
		ties, apart := 0, 0 // apart: ties in which the two ways differ
		handsOf(dice(4), rs, 400, func(m *rules.Match, h *rules.Hand) {
			if h.Bid != rules.Pass && h.Bid != rules.Solo {
				return
			}
			switch {
			case h.Points[0] != h.Points[1]:
				if h.Points[h.Winner] < h.Points[h.Winner.Other()] {
					t.Errorf("pair %d wins with %v points", h.Winner, h.Points)
				}
				return
			case tie == rules.TieMano && h.Winner != m.Dealer().Next().Pair():
				t.Error("a tie is not mano's")
			case tie == rules.TieLastTrick && h.Winner != h.Tricks[4].Winner.Pair():
				t.Error("a tie is not of the last trick's winner")
			}
			ties++
			if m.Dealer().Next().Pair() != h.Tricks[4].Winner.Pair() {
				apart++
			}
		})
		if ties < 10 || apart < 3 {
			t.Errorf("%v: only %d ties, %d apart", tie, ties, apart)
		}
	}
}

func TestBidOnTricks(t *testing.T) {
	type outcome struct {
		bid  rules.Action
		made bool
	}
	seen := map[outcome]int{}
	eachRuleSet(t, 100, func(t *testing.T, r *rand.Rand, rs rules.RuleSet) {
		handsOf(r, rs, 10, func(_ *rules.Match, h *rules.Hand) {
			if h.Bid == rules.Pass || rs.Bids[h.Bid-rules.Solo].Needs == 0 {
				return
			}
			bid, pair := rs.Bids[h.Bid-rules.Solo], h.Bidder.Pair()
			made := h.TricksWon[pair] >= bid.Needs
			seen[outcome{h.Bid, made}]++
			if (h.Winner == pair) != made || h.Value != bid.Value {
				t.Errorf("%v with %d tricks: pair %d takes %d", h.Bid, h.TricksWon[pair], h.Winner, h.Value)
			}
			if h.CanteCount > 0 {
				t.Errorf("a cante in a hand on tricks: %+v", *h)
			}

			lostAt := uint8(0) // the trick after which the bid was lost
			for i, lost := uint8(0), uint8(0); i < h.TrickCount; i++ {
				if h.Tricks[i].Winner.Pair() != pair {
					lost++
				}
				if lostAt == 0 && lost > rules.HandSize-bid.Needs {
					lostAt = i + 1
				}
			}
			want := uint8(rules.HandSize)
			if rs.StopWhenLost && lostAt > 0 {
				want = lostAt
			}
			if h.TrickCount != want {
				t.Errorf("stopWhenLost %v, lost at trick %d: %d tricks were played", rs.StopWhenLost, lostAt, h.TrickCount)
			}
		})
	})
	for _, bid := range []rules.Action{rules.Solo, rules.Cuatrola, rules.Quintola} {
		if seen[outcome{bid, true}] == 0 || seen[outcome{bid, false}] == 0 {
			t.Errorf("%v: made %d times, missed %d times", bid, seen[outcome{bid, true}], seen[outcome{bid, false}])
		}
	}
}
