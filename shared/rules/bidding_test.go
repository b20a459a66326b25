package rules_test

import (
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// In all of these seat 3 deals, so that seat 0 is mano, and shows the ace of bastos.
const anyHands = "AO / AC / AE / AB"

func bidding(t *testing.T, rs rules.RuleSet, actions string) rules.Match {
	t.Helper()
	return table(t, rs, 3, anyHands, "AB", actions)
}

func TestBiddingGoesOnceRound(t *testing.T) {
	m := bidding(t, rules.Clasica.Rules(), "")
	for s := rules.Seat(0); s < rules.Seats; s++ {
		expects(t, &m, rules.PhaseBid, s, "pass solo cuatrola quintola")
		act(t, &m, "pass")
	}
	if m.Phase() != rules.PhasePlay || m.Turn() != 0 || m.SitsOut() != rules.NoSeat {
		t.Errorf("after four passes: %v of seat %d, %d sits out", m.Phase(), m.Turn(), m.SitsOut())
	}
}

func TestBidMustBeHigher(t *testing.T) {
	m := bidding(t, rules.Clasica.Rules(), "solo pass")
	expects(t, &m, rules.PhaseBid, 2, "pass cuatrola quintola")
	refuses(t, &m, "solo", rules.BidTooLow)
	act(t, &m, "cuatrola")
	expects(t, &m, rules.PhaseBid, 3, "pass quintola")
	refuses(t, &m, "cuatrola", rules.BidTooLow)
	act(t, &m, "pass")
	if h := m.Hand(); h.Bid != rules.Cuatrola || h.Bidder != 2 || m.SitsOut() != 0 {
		t.Errorf("%v of seat %d, %d sits out", h.Bid, h.Bidder, m.SitsOut())
	}
}

func TestBiddingEnds(t *testing.T) {
	once := with(rules.Clasica, func(rs *rules.RuleSet) { rs.Raising = false })
	for _, c := range []struct {
		what    string
		rules   rules.RuleSet
		actions string
		bidder  rules.Seat
		lead    rules.Seat
	}{
		{"at quintola", rules.Clasica.Rules(), "pass quintola", 1, 0},
		{"at cuatrola, where there is no quintola", rules.Mesa.Rules(), "pass cuatrola", 1, 0},
		{"not at cuatrola, where there is a quintola", rules.Liga.Rules(), "pass cuatrola pass pass", 1, 0},
		{"at any bid, without raising", once, "pass pass pass solo", 3, 0},
		{"at the first bid, without raising", once, "solo", 0, 0},
		{"and the seat after mano leads where mano sits out", rules.Clasica.Rules(), "pass pass quintola", 2, 1},
	} {
		t.Run(c.what, func(t *testing.T) {
			m := bidding(t, c.rules, c.actions)
			if m.Phase() != rules.PhasePlay || m.Hand().Bidder != c.bidder || m.Turn() != c.lead {
				t.Errorf("%v, bidder %d, seat %d leads", m.Phase(), m.Hand().Bidder, m.Turn())
			}
			refuses(t, &m, "pass", rules.WrongPhase)
		})
	}
}

func TestBidderLeads(t *testing.T) {
	rs := with(rules.Clasica, func(rs *rules.RuleSet) { rs.BidderLeads = true })
	for actions, lead := range map[string]rules.Seat{
		"pass pass pass pass": 0, "quintola": 0, "pass quintola": 1, "pass pass quintola": 2, "pass pass pass quintola": 3,
	} {
		if m := bidding(t, rs, actions); m.Turn() != lead {
			t.Errorf("%s: seat %d leads, want %d", actions, m.Turn(), lead)
		}
	}
}

func TestBidNotInRules(t *testing.T) {
	m := bidding(t, rules.Mesa.Rules(), "")
	expects(t, &m, rules.PhaseBid, 0, "pass solo cuatrola")
	refuses(t, &m, "quintola", rules.BidNotInRules)
}

func TestExactTarget(t *testing.T) {
	loose := with(rules.Clasica, func(rs *rules.RuleSet) { rs.ExactTarget = false })
	byHands := with(rules.Clasica, func(rs *rules.RuleSet) { rs.End = rules.EndHands })
	for _, c := range []struct {
		what  string
		rules rules.RuleSet
		score [2]uint16 // seat 0 is to bid
		legal string
	}{
		{"all bids stay within 11", rules.Clasica.Rules(), [2]uint16{6, 10}, "pass solo cuatrola quintola"},
		{"a quintola would make 12", rules.Clasica.Rules(), [2]uint16{7, 0}, "pass solo cuatrola"},
		{"a cuatrola would make 12", rules.Clasica.Rules(), [2]uint16{8, 0}, "pass solo"},
		{"a solo would make 12", rules.Clasica.Rules(), [2]uint16{10, 0}, "pass"},
		{"the target is another", rules.Liga.Rules(), [2]uint16{17, 0}, "pass solo cuatrola"},
		{"house rules without it", loose, [2]uint16{10, 0}, "pass solo cuatrola quintola"},
		{"it means nothing where hands are counted", byHands, [2]uint16{10, 0}, "pass solo cuatrola quintola"},
	} {
		t.Run(c.what, func(t *testing.T) {
			m := rules.NewMatch(c.rules)
			m.SetScore(c.score)
			deal := fill(t, anyHands)
			m.Deal(3, &deal, deal[3][0])
			expects(t, &m, rules.PhaseBid, 0, c.legal)
		})
	}

	m := rules.NewMatch(rules.Clasica.Rules())
	m.SetScore([2]uint16{10, 0})
	deal := fill(t, anyHands)
	m.Deal(3, &deal, deal[3][0])
	refuses(t, &m, "solo", rules.BidPastTarget)
	act(t, &m, "pass solo")
	refuses(t, &m, "solo", rules.BidTooLow) // looked for before the target
	refuses(t, &m, "cuatrola", rules.BidPastTarget)
}
