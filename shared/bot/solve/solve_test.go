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

// The solver says what the slow minimax says, of every preset and of house rules, from
// any point of a hand at which a card is to be played or a cante to be sung, and of every
// action that is legal there.
func TestAgreesWithMinimax(t *testing.T) {
	sets := map[string]func(r *rand.Rand) rules.RuleSet{"house rules": randomRules}
	for _, p := range rules.Presets() {
		sets[p.String()] = func(*rand.Rand) rules.RuleSet { return p.Rules() }
	}
	for name, rulesOf := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agree(t, rand.New(rand.NewPCG(uint64(len(name)), 1)), 5000, rulesOf)
		})
	}
}

func agree(t *testing.T, r *rand.Rand, positions int, rulesOf func(r *rand.Rand) rules.RuleSet) {
	var s solve.Solver
	var onTricks, onPoints, asked, whole, cantes int
	for n := 0; n < positions; {
		tricks := 2 + r.IntN(3)
		if n%100 < 3 {
			tricks = n % 100 % 2 // a whole hand or nearly, which takes a while
		}
		m, open := position(r, rulesOf(r), tricks, r.IntN(3))
		if !open {
			continue
		}
		n++
		switch h := m.Hand(); {
		case h.Bid != rules.Pass && m.Rules().Bids[h.Bid-rules.Solo].Needs > 0:
			onTricks++
		case h.CanteCount > 0:
			cantes++
			fallthrough
		default:
			onPoints++
		}
		if m.Phase() == rules.PhaseSing {
			asked++
		}
		if m.Hand().TrickCount < 2 {
			whole++
		}

		up := m.Turn().Pair() == 0
		if h := m.Hand(); h.Bid != rules.Pass && m.Rules().Bids[h.Bid-rules.Solo].Needs > 0 {
			up = m.Turn().Pair() == h.Bidder.Pair()
		}
		var values, seats [solve.Actions]int16
		s.Values(&m, &values)
		if why := s.ValuesFor(&m, &seats); why != rules.OK {
			t.Fatalf("position %d: %v", n, why)
		}
		best := 0
		for i, legal := 0, m.Legal(); legal != 0; i, legal = i+1, legal.Rest() {
			a, _ := legal.First()
			after := m
			after.Apply(rules.NoSeat, a)
			want := minimax(&after, 0)
			if i == 0 || (want > best) == up {
				best = want
			}
			if !up {
				seats[a] = -seats[a]
			}
			if int(values[a]) != want || int(seats[a]) != want {
				t.Fatalf("position %d: %v is worth %d, for the seat %d, want %d\n%+v", n, a, values[a], seats[a], want, m)
			}
		}
		if got, ok := s.Value(&m); !ok || got != best {
			t.Fatalf("position %d: %d, %v, want %d\n%+v", n, got, ok, best, m)
		}
	}
	t.Logf("%d positions of hands on tricks, %d on points, %d of them behind a cante, %d where one may be sung, %d before the third trick",
		onTricks, onPoints, cantes, asked, whole)
	if onTricks < positions/20 || onPoints < positions/20 || whole < positions/100 {
		t.Error("too few of a kind")
	}
}

// A solver that takes one deal after another gives what it gives for a match, within
// every window, and allocates nothing.
func TestDeals(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var whole, one solve.Solver
	for n := 0; n < 2000; {
		m, open := position(r, randomRules(r), 2+r.IntN(3), r.IntN(3))
		if !open {
			continue
		}
		n++
		var v rules.View
		m.View(m.Turn(), &v)
		if !one.Begin(&v) {
			t.Fatalf("position %d: not begun", n)
		}
		for range 4 {
			held := lie(r, &v, &m)
			one.Deal(&held)
			supposed := v.Suppose(held)
			want, _ := whole.Value(&supposed)
			low := want - 30 + r.IntN(60)
			high := low + 1 + r.IntN(30)
			for _, window := range [][2]int{{low, high}, {-999, 999}, {want, want + 1}, {want - 1, want}} {
				within(t, one.Worth(window[0], window[1]), want, window)
			}
			var values, exact [solve.Actions]int16
			whole.Values(&supposed, &exact)
			one.Worths(m.Legal(), low, high, &values)
			for legal := supposed.Legal(); legal != 0; legal = legal.Rest() {
				a, _ := legal.First()
				within(t, int(values[a]), int(exact[a]), [2]int{low, high})
			}
		}
	}
}

// within fails unless a value stands to a window as the exact one does.
func within(t *testing.T, got, want int, window [2]int) {
	t.Helper()
	low, high := window[0], window[1]
	switch {
	case want <= low && (got < want || got > low), want >= high && (got > want || got < high),
		want > low && want < high && got != want:
		t.Fatalf("%d within %v, for %d", got, window, want)
	}
}

// lie is another way in which the cards may lie that a seat does not see, as far as their
// number goes.
func lie(r *rand.Rand, v *rules.View, m *rules.Match) (held [rules.Seats]rules.Cards) {
	var unseen []rules.Card
	for rest := v.Unseen(); rest != 0; rest &= rest - 1 {
		unseen = append(unseen, rest.First())
	}
	r.Shuffle(len(unseen), func(i, j int) { unseen[i], unseen[j] = unseen[j], unseen[i] })
	for seat := range held {
		n := m.Held(rules.Seat(seat)).Len()
		if rules.Seat(seat) == v.Viewer {
			held[seat] = v.Cards
			continue
		}
		held[seat], unseen = rules.Of(unseen[:n]...), unseen[n:]
	}
	return held
}

func TestDealsAllocateNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var s solve.Solver
	m, _ := position(r, rules.Clasica.Rules(), 2, 0)
	var held [rules.Seats]rules.Cards
	for seat := range held {
		held[seat] = m.Held(rules.Seat(seat))
	}
	var v rules.View
	m.View(m.Turn(), &v)
	var values [solve.Actions]int16
	if n := testing.AllocsPerRun(100, func() {
		s.Begin(&v)
		s.Deal(&held)
		s.Worth(-10, 10)
		s.Worths(m.Legal(), -10, 10, &values)
		s.Value(&m)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A contract is the first lead of a match in which the bidding ended so.
func TestContract(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var s solve.Solver
	for range 300 {
		rs := randomRules(r)
		m := deal(r, rs)
		var held [rules.Seats]rules.Cards
		for seat := range held {
			held[seat] = m.Held(rules.Seat(seat))
		}
		for m.Phase() == rules.PhaseBid {
			m.Apply(rules.NoSeat, m.Legal().Nth(r.IntN(m.Legal().Len())))
		}
		want, _ := s.Value(&m)
		h := m.Hand()
		s.Contract(&rs, m.Dealer(), m.Trump().Suit(), h.Bid, h.Bidder)
		s.Deal(&held)
		if got := s.Worth(-999, 999); got != want {
			t.Fatalf("%v of seat %d: %d, want %d", h.Bid, h.Bidder, got, want)
		}
	}
}
