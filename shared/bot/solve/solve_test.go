package solve_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// minimax is the definition: it asks the rules for everything and forgets nothing.
func minimax(m *rules.Match, hands int) int {
	if m.HandsFinished() > hands {
		h := m.Hand()
		if h.Bid != rules.Pass && m.Rules().Bids[h.Bid-rules.Solo].Needs > 0 {
			return int(h.TricksWon[h.Bidder.Pair()])
		}
		return int(h.Points[0]) - int(h.Points[1])
	}
	up := m.Turn().Pair() == 0
	h := m.Hand()
	if h.Bid != rules.Pass && m.Rules().Bids[h.Bid-rules.Solo].Needs > 0 {
		up = m.Turn().Pair() == h.Bidder.Pair()
	}
	best, first := 0, true
	for legal := m.Legal(); legal != 0; legal = legal.Rest() {
		a, _ := legal.First()
		after := *m
		after.Apply(rules.NoSeat, a)
		v := minimax(&after, hands)
		if first || (v > best) == up {
			best, first = v, false
		}
	}
	return best
}

func randomRules(r *rand.Rand) rules.RuleSet {
	rs := rules.Presets()[r.IntN(4)].Rules()
	if r.IntN(2) == 0 {
		return rs
	}
	rs.ExactTarget = r.IntN(2) == 0
	rs.Cantes = rules.Cantes(r.IntN(2))
	rs.MaxCantes = int8(r.IntN(4)) - 1
	rs.FortyFirst = r.IntN(2) == 0
	rs.Beat = rules.Beat(r.IntN(2))
	rs.StopWhenLost = r.IntN(2) == 0
	rs.Undertrump = rules.Undertrump(r.IntN(2))
	rs.PartnerExempt = r.IntN(2) == 0
	rs.Raising = r.IntN(2) == 0
	rs.BidderLeads = r.IntN(2) == 0
	return rs
}

func deal(r *rand.Rand, rs rules.RuleSet) rules.Match {
	m := rules.NewMatch(rs)
	p := r.Perm(20)
	var d rules.Deal
	for i, c := range p {
		d[i/5][i%5] = rules.Card(c)
	}
	dealer := rules.Seat(r.IntN(4))
	if why := m.Deal(dealer, &d, d[dealer][4]); why != rules.OK {
		panic(why)
	}
	return m
}

// position plays at random, until so many tricks have been taken and some cards more.
func position(r *rand.Rand, rs rules.RuleSet, tricks int, bid int) (rules.Match, bool) {
	m := deal(r, rs)
	for m.Phase() == rules.PhaseBid {
		a := rules.Pass
		if r.IntN(4) < bid {
			a = m.Legal().Nth(r.IntN(m.Legal().Len()))
		}
		m.Apply(rules.NoSeat, a)
	}
	extra := r.IntN(5)
	for m.HandsFinished() == 0 && (int(m.Hand().TrickCount) < tricks || extra > 0) {
		if int(m.Hand().TrickCount) >= tricks {
			extra--
			if m.Phase() == rules.PhaseSing && r.IntN(2) == 0 {
				break
			}
		}
		m.Apply(rules.NoSeat, m.Legal().Nth(r.IntN(m.Legal().Len())))
	}
	return m, m.HandsFinished() == 0
}

// The solver says what the slow minimax says, of every rule set and house rule, from any
// point of a hand, and of every legal action.
func TestAgreesWithMinimax(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s solve.Solver
	phases := map[rules.Phase]int{}
	for n := 0; n < 4000; {
		tricks := 2 + r.IntN(3)
		if n%100 == 0 {
			tricks = r.IntN(2) // a whole hand or nearly, which takes a while
		}
		m, open := position(r, randomRules(r), tricks, r.IntN(3))
		if !open {
			continue
		}
		n++
		phases[m.Phase()]++
		want := minimax(&m, 0)
		if got, ok := s.Value(&m); !ok || got != want {
			t.Fatalf("position %d: %d, %v, want %d\n%+v", n, got, ok, want, m)
		}
		var values [solve.Actions]int16
		s.Values(&m, &values)
		for legal := m.Legal(); legal != 0; legal = legal.Rest() {
			a, _ := legal.First()
			after := m
			after.Apply(rules.NoSeat, a)
			if want := minimax(&after, 0); int(values[a]) != want {
				t.Fatalf("position %d: %v is worth %d, want %d", n, a, values[a], want)
			}
		}
	}
	if phases[rules.PhaseSing] < 50 {
		t.Errorf("few positions at which a cante may be sung: %v", phases)
	}
}

func BenchmarkValue(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var ms [256]rules.Match
	for i := range ms {
		ms[i] = deal(r, rules.Clasica.Rules())
		for ms[i].Phase() == rules.PhaseBid {
			ms[i].Apply(rules.NoSeat, rules.Pass)
		}
	}
	var s solve.Solver
	for i := 0; b.Loop(); i++ {
		s.Value(&ms[i%len(ms)])
	}
	b.ReportMetric(float64(s.Nodes)/float64(b.N), "nodes/op")
}
