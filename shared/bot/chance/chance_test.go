package chance_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot/chance"
	"github.com/cuatrola/cuatrola/shared/rules"
)

func houseRules(dice *rand.Rand) rules.RuleSet {
	rs := rules.Presets()[dice.IntN(4)].Rules()
	flag := func() bool { return dice.IntN(2) == 0 }
	rs.End, rs.Target = rules.End(dice.IntN(2)), uint8(1+dice.IntN(rules.MaxTarget))
	rs.ExactTarget, rs.BonusAbove, rs.MaxCantes = flag(), int16(dice.IntN(rules.MaxBonusAbove+2))-1, int8(dice.IntN(6))-1
	rs.Raising, rs.BidderLeads = flag(), flag()
	return rs
}

// each calls f with every preset and many house rules.
func each(t *testing.T, f func(t *testing.T, rs rules.RuleSet, table *chance.Table)) {
	t.Helper()
	dice := rand.New(rand.NewPCG(8, 1))
	var table chance.Table
	for _, p := range rules.Presets() {
		rs := p.Rules()
		table.Set(rs)
		f(t, rs, &table)
	}
	for range 40 {
		rs := houseRules(dice)
		if err := rs.Validate(); err != nil {
			t.Fatal(err)
		}
		table.Set(rs)
		f(t, rs, &table)
	}
}

// states calls f with states that a match can be in, and some that it cannot: of a match to a
// number of points all, else every third.
func states(rs rules.RuleSet, f func(chance.State)) {
	last, first, hands := uint16(rs.Target)+5, uint16(0), uint16(1)
	if rs.End == rules.EndHands {
		last, hands = 40, uint16(rs.Target)+2
		first = (hands - 1) % 3
	}
	for finished := first; finished < hands; finished += 3 { // one behind the last hand among them
		for a := range last {
			for b := range last {
				f(chance.State{Score: [2]uint16{a, b}, Finished: finished, Mano: rules.Pair(a & 1)})
			}
		}
	}
}

func winner(rs rules.RuleSet, s chance.State) rules.Pair {
	a, b := s.Score[0], s.Score[1]
	over := a != b && s.Finished >= uint16(rs.Target)
	if rs.End == rules.EndPoints {
		over = max(a, b) >= uint16(rs.Target)
	}
	switch {
	case !over:
		return rules.NoPair
	case a > b:
		return 0
	default:
		return 1
	}
}

// Chances are chances: those of both pairs make one, they do not depend on how pairs are
// numbered, they are certain at the end, and each is what the next hand makes of it.
func TestChances(t *testing.T) {
	each(t, func(t *testing.T, rs rules.RuleSet, table *chance.Table) {
		states(rs, func(s chance.State) {
			p := table.Win(0, s)
			if q := table.Win(1, s); !(p >= 0 && p <= 1) || math.Abs(p+q-1) > 1e-6 {
				t.Fatalf("%+v %+v: %v and %v", rs, s, p, q)
			}
			swapped := chance.State{Score: [2]uint16{s.Score[1], s.Score[0]}, Finished: s.Finished, Mano: s.Mano.Other()}
			if q := table.Win(1, swapped); p != q {
				t.Fatalf("%+v %+v: %v, with the pairs swapped %v", rs, s, p, q)
			}
			if w := winner(rs, s); w != rules.NoPair {
				if min(s.Score[0], s.Score[1]) >= uint16(rs.Target) && rs.End == rules.EndPoints {
					return // no match stands like that
				}
				if table.Win(w, s) != 1 {
					t.Fatalf("%+v %+v: pair %d has won, with %v", rs, s, w, table.Win(w, s))
				}
				return
			}
			sum, total := 0.0, 0.0
			for pair := range rules.Pair(2) {
				for value := range uint8(7) {
					share := table.Hand(s, pair, value)
					total += share
					sum += share * table.Win(0, s.After(pair, value))
				}
			}
			if math.Abs(total-1) > 1e-5 {
				t.Fatalf("%+v %+v: a hand's results make %v", rs, s, total)
			}
			if math.Abs(sum-p) > 1e-5 {
				t.Fatalf("%+v %+v: %v, but the next hand makes it %v", rs, s, p, sum)
			}
		})
	})
}

// More points are never worse, but for bids that they put out of reach.
func TestMorePointsAreBetter(t *testing.T) {
	each(t, func(t *testing.T, rs rules.RuleSet, table *chance.Table) {
		if rs.ExactTarget && rs.End == rules.EndPoints {
			return
		}
		states(rs, func(s chance.State) {
			if winner(rs, s) != rules.NoPair {
				return
			}
			p := table.Win(0, s)
			s.Score[0]++
			if q := table.Win(0, s); q < p-1e-6 {
				t.Fatalf("%+v %+v: %v, with a point less %v", rs, s, q, p)
			}
		})
	})
}

// Matches whose hands come out at random as the table says are won as often as it says.
func TestAgreesWithSimulation(t *testing.T) {
	dice := rand.New(rand.NewPCG(8, 2))
	each(t, func(t *testing.T, rs rules.RuleSet, table *chance.Table) {
		start := chance.State{Mano: 1}
		if rs.End == rules.EndPoints {
			start.Score = [2]uint16{uint16(dice.IntN(int(rs.Target))), uint16(dice.IntN(int(rs.Target)))}
		} else {
			start.Finished = uint16(dice.IntN(int(rs.Target) + 1))
		}
		const matches = 2000
		won := 0
		for range matches {
			s := start
			for winner(rs, s) == rules.NoPair {
				r := dice.Float64()
				pair, value := rules.Pair(0), uint8(0)
				for r > 0 && value < 6 {
					if r -= table.Hand(s, pair, value); r <= 0 {
						break
					}
					if pair = pair.Other(); pair == 0 {
						value++
					}
				}
				if value == 6 { // rounding
					value = 1
				}
				s = s.After(pair, value)
			}
			if winner(rs, s) == 0 {
				won++
			}
		}
		// One in a million lies five deviations off.
		p := table.Win(0, start)
		if off := float64(won)/matches - p; math.Abs(off) > 5*math.Sqrt(p*(1-p)/matches)+1e-3 {
			t.Errorf("%+v %+v: %v, but %d of %d matches", rs, start, p, won, matches)
		}
	})
}

// With exactTarget nobody is taken to bid past the target.
func TestBidsPastTheTargetAreNotMade(t *testing.T) {
	var table chance.Table
	table.Set(rules.Clasica.Rules())
	near := chance.State{Score: [2]uint16{10, 0}}
	far := chance.State{Score: [2]uint16{0, 10}}
	// Who has 10 of 11 points cannot bid, but can win what the others bid.
	if a, b := table.Hand(near, 0, 4), table.Hand(chance.State{}, 0, 4); a > b/2 {
		t.Errorf("four points with %v, at the beginning with %v", a, b)
	}
	if a, b := table.Hand(far, 0, 2), table.Hand(near, 0, 2); a <= b {
		t.Errorf("two points with %v where a solo may be bid, with %v where not", a, b)
	}
}

// The state of a view is that in which its hand was dealt.
func TestBefore(t *testing.T) {
	m := rules.NewMatch(rules.Clasica.Rules())
	var deal rules.Deal
	for i := range rules.DeckSize {
		deal[i/rules.HandSize][i%rules.HandSize] = rules.Card(i)
	}
	m.Deal(2, &deal, deal[2][0])
	var v rules.View
	m.View(0, &v)
	before := chance.Before(&v)
	if before != (chance.State{Mano: 1}) {
		t.Errorf("%+v", before)
	}
	for m.Turn() != rules.NoSeat {
		a, _ := m.Legal().First()
		m.Apply(m.Turn(), a)
	}
	m.View(0, &v)
	h := m.Hand()
	if got, want := chance.Before(&v), before.After(h.Winner, h.Value); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := chance.Before(&rules.View{Dealer: rules.NoSeat}); got != (chance.State{}) {
		t.Errorf("%+v", got)
	}
}

// Nothing is allocated, and nonsense does no harm.
func TestNonsense(t *testing.T) {
	var table chance.Table
	dice := rand.New(rand.NewPCG(8, 3))
	n := testing.AllocsPerRun(200, func() {
		rs := rules.RuleSet{
			Preset: rules.Preset(dice.IntN(256)), End: rules.End(dice.IntN(3)), Target: uint8(dice.IntN(256)),
			ExactTarget: dice.IntN(2) == 0, BonusAbove: int16(dice.IntN(1 << 16)), MaxCantes: int8(dice.IntN(256)),
		}
		for i := range rs.Bids {
			rs.Bids[i] = rules.Bid{Needs: uint8(dice.IntN(256)), Value: uint8(dice.IntN(256))}
		}
		table.Set(rs)
		s := chance.State{Score: [2]uint16{uint16(dice.IntN(1 << 16)), uint16(dice.IntN(300))}, Finished: uint16(dice.IntN(1 << 16)), Mano: rules.Pair(dice.IntN(256))}
		pair, value := rules.Pair(dice.IntN(256)), uint8(dice.IntN(256))
		p := table.Win(pair, s.After(pair, value))
		if !(p >= -1e-5 && p <= 1+1e-5) || !(table.Hand(s, pair, value) >= 0) {
			t.Errorf("%+v, %+v: %v", rs, s, p)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkSet(b *testing.B) {
	var table chance.Table
	for _, bb := range []struct {
		name string
		end  rules.End
	}{{"points", rules.EndPoints}, {"hands", rules.EndHands}} {
		b.Run(bb.name, func(b *testing.B) {
			rs := rules.Liga.Rules()
			rs.End, rs.Target = bb.end, rules.MaxTarget
			for i := 0; b.Loop(); i++ {
				rs.PartnerExempt = i%2 == 0
				table.Set(rs)
			}
		})
	}
}

func BenchmarkWin(b *testing.B) {
	var table chance.Table
	table.Set(rules.Clasica.Rules())
	s := chance.State{Score: [2]uint16{3, 4}}
	for b.Loop() {
		table.Win(0, s)
	}
}
