package deals_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot/deals"
	"github.com/cuatrola/cuatrola/shared/rules"
)

func houseRules(dice *rand.Rand) rules.RuleSet {
	rs := rules.Presets()[dice.IntN(4)].Rules()
	flag := func() bool { return dice.IntN(2) == 0 }
	if flag() {
		return rs
	}
	rs.ExactTarget, rs.Cantes = flag(), rules.Cantes(dice.IntN(2))
	rs.MaxCantes, rs.FortyFirst, rs.Beat = int8(dice.IntN(6))-1, flag(), rules.Beat(dice.IntN(2))
	rs.StopWhenLost, rs.Undertrump, rs.PartnerExempt = flag(), rules.Undertrump(dice.IntN(2)), flag()
	rs.Raising, rs.BidderLeads = flag(), flag()
	return rs
}

// walk plays a hand at random and shows each state in which somebody is to act.
func walk(t testing.TB, dice *rand.Rand, rs rules.RuleSet, visit func(m *rules.Match)) {
	t.Helper()
	m := rules.NewMatch(rs)
	var deal rules.Deal
	for i, c := range dice.Perm(rules.DeckSize) {
		deal[i/rules.HandSize][i%rules.HandSize] = rules.Card(c)
	}
	dealer := rules.Seat(dice.IntN(rules.Seats))
	m.Deal(dealer, &deal, deal[dealer][0])
	for m.Turn() != rules.NoSeat {
		visit(&m)
		a := m.Legal().Nth(dice.IntN(m.Legal().Len()))
		if m.Phase() == rules.PhaseBid && dice.IntN(3) > 0 {
			a = rules.Pass
		}
		m.Apply(rules.NoSeat, a)
	}
}

// shows says whether a match that was dealt so could show the viewer this view: it plays
// it from the deal on.
func shows(v *rules.View, held [rules.Seats]rules.Cards) bool {
	for i := range int(v.Hand.TrickCount) + 1 {
		t := &v.Table
		if i < int(v.Hand.TrickCount) {
			t = &v.Hand.Tricks[i]
		}
		for k := range int(t.Count) {
			held[rules.SeatOf(t.Lead, v.Out, k)] |= rules.Of(t.Cards[k])
		}
	}
	var deal rules.Deal
	for s := range deal {
		if held[s].Len() != rules.HandSize {
			return false
		}
		for i := range deal[s] {
			deal[s][i] = rules.Card(rules.Actions(held[s]).Nth(i))
		}
	}
	rs := v.Rules
	rs.ExactTarget = false // the scores that it looks at are not dealt anew
	m := rules.NewMatch(rs)
	if m.Deal(v.Dealer, &deal, v.Trump) != rules.OK {
		return false
	}
	for _, b := range v.Bids[:v.Spoken] {
		m.Apply(rules.NoSeat, b)
	}
	silence := func() bool {
		for m.Phase() == rules.PhaseSing {
			if v.Phase == rules.PhaseSing && m.Hand().TrickCount == v.Hand.TrickCount {
				return true
			}
			a := rules.Silent
			for _, c := range v.Hand.Cantes[:v.Hand.CanteCount] {
				if c.Trick == m.Hand().TrickCount && c.Seat == m.Turn() {
					a = rules.Sing(c.Suit)
				}
			}
			if m.Apply(rules.NoSeat, a) != rules.OK {
				return false
			}
		}
		return true
	}
	for i := range int(v.Hand.TrickCount) + 1 {
		t := &v.Table
		if i < int(v.Hand.TrickCount) {
			t = &v.Hand.Tricks[i]
		}
		for _, c := range t.Cards[:t.Count] {
			if !silence() || m.Apply(rules.NoSeat, rules.Play(c)) != rules.OK {
				return false
			}
		}
	}
	if !silence() {
		return false
	}
	return m.Hand().Cantes == v.Hand.Cantes && m.Hand().TricksWon == v.Hand.TricksWon
}

// Every lie of the cards that the rules allow is there once, and no other: found the slow
// way, by dealing out the unseen cards in every way and playing what was played.
func TestDealsAreThoseThatTheRulesAllow(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	var d deals.Deals
	positions, narrowed, silent := 0, 0, 0
	for positions < 300 {
		walk(t, dice, houseRules(dice), func(m *rules.Match) {
			if m.Hand().TrickCount < 3 || m.Phase() == rules.PhaseBid {
				return
			}
			var v rules.View
			m.View(m.Turn(), &v)
			positions++
			want := map[[rules.Seats]rules.Cards]bool{}
			all := 0
			everyDeal(m, v.Viewer, func(held [rules.Seats]rules.Cards) {
				all++
				if shows(&v, held) {
					want[held] = true
				}
			})
			d.Set(&v)
			got := map[[rules.Seats]rules.Cards]bool{}
			for i := range d.Count() {
				held := d.Nth(i)
				if n, possible := d.Silences(&held); !possible {
					continue
				} else if n > 0 {
					silent++
				}
				if got[held] {
					t.Fatalf("%v twice", held)
				}
				got[held] = true
				if !want[held] {
					t.Fatalf("%v is not possible in %+v", held, v)
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%d of %d in %+v", len(got), len(want), v)
			}
			if all > len(want) {
				narrowed++
			}
		})
	}
	if narrowed < 50 || silent < 10 {
		t.Errorf("of %d positions the play told something in %d; %d silences", positions, narrowed, silent)
	}
}

// everyDeal gives the cards that a viewer cannot see to those who hold as many.
func everyDeal(m *rules.Match, viewer rules.Seat, visit func([rules.Seats]rules.Cards)) {
	var held [rules.Seats]rules.Cards
	var need [rules.Seats]int
	var rest rules.Cards
	held[viewer] = m.Held(viewer)
	for s := range rules.Seat(rules.Seats) {
		if s != viewer {
			need[s] = m.Held(s).Len()
			rest |= m.Held(s)
		}
	}
	var give func(rest rules.Cards)
	give = func(rest rules.Cards) {
		if rest == 0 {
			visit(held)
			return
		}
		c := rest.First()
		for s := range held {
			if need[s] > 0 {
				need[s]--
				held[s] |= rules.Of(c)
				give(rest.Without(c))
				held[s] = held[s].Without(c)
				need[s]++
			}
		}
	}
	give(rest)
}

// The way in which the cards really lie is always one of them, from the first bid on.
func TestTheTrueDealIsAmongThem(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	var d deals.Deals
	for range 400 {
		walk(t, dice, houseRules(dice), func(m *rules.Match) {
			var v rules.View
			m.View(m.Turn(), &v)
			if d.Set(&v) > 40_000 {
				if d.Nth(d.Count() - 1)[v.Viewer] != v.Cards {
					t.Fatal("the viewer's own cards are others")
				}
				return
			}
			for i := range d.Count() {
				held := d.Nth(i)
				same := held == [rules.Seats]rules.Cards{m.Held(0), m.Held(1), m.Held(2), m.Held(3)}
				if !same {
					continue
				}
				if _, possible := d.Silences(&held); !possible {
					t.Fatalf("the true deal is called impossible: %+v", v)
				}
				return
			}
			t.Fatalf("the true deal is not there: %+v", v)
		})
	}
}

// What no match can show has no deals, and does not panic.
func TestNoDeals(t *testing.T) {
	var d deals.Deals
	if n := d.Set(&rules.View{}); n != 0 {
		t.Errorf("%d ways", n)
	}
	dice := rand.New(rand.NewPCG(5, 6))
	walk(t, dice, rules.Liga.Rules(), func(m *rules.Match) {
		var v rules.View
		m.View(rules.Spectator, &v)
		if n := d.Set(&v); n != 0 {
			t.Errorf("a spectator has %d", n)
		}
		m.View(m.Turn(), &v)
		v.Cards &= v.Cards - 1
		if n := d.Set(&v); n != 0 {
			t.Errorf("a hand with a card too few has %d", n)
		}
	})
}

func TestNothingAllocates(t *testing.T) {
	var v rules.View
	walk(t, rand.New(rand.NewPCG(7, 8)), rules.Clasica.Rules(), func(m *rules.Match) {
		if m.Hand().TrickCount == 1 {
			m.View(m.Turn(), &v)
		}
	})
	var d deals.Deals
	if n := testing.AllocsPerRun(100, func() {
		held := d.Nth(d.Set(&v) - 1)
		d.Silences(&held)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkSet(b *testing.B) { benchmark(b, func(d *deals.Deals, v *rules.View) { d.Set(v) }) }

func BenchmarkNth(b *testing.B) {
	i := 0
	benchmark(b, func(d *deals.Deals, _ *rules.View) {
		held := d.Nth(i % d.Count())
		d.Silences(&held)
		i += 7919
	})
}

func benchmark(b *testing.B, f func(*deals.Deals, *rules.View)) {
	var v rules.View
	walk(b, rand.New(rand.NewPCG(7, 8)), rules.Clasica.Rules(), func(m *rules.Match) {
		if m.Hand().TrickCount == 1 {
			m.View(m.Turn(), &v)
		}
	})
	var d deals.Deals
	d.Set(&v)
	for b.Loop() {
		f(&d, &v)
	}
}
