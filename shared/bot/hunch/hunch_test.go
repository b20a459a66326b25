package hunch_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot/hunch"
	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
)

var bids = []rules.Action{rules.Pass, rules.Solo, rules.Cuatrola, rules.Quintola}

// Of the hands of which a hunch says that so many come off, about so many do with all cards
// seen. The deals are others than it was fitted to.
func TestHunchesComeTrue(t *testing.T) {
	const deals = 1500
	dice := rand.New(rand.NewPCG(77, 1))
	var s solve.Solver
	for _, p := range rules.Presets() {
		rs := p.Rules()
		for _, bid := range bids {
			kind, ok := hunch.KindOf(&rs, bid)
			if !ok {
				continue
			}
			var expected, spread, made float64
			for range deals {
				var held [rules.Seats]rules.Cards
				shown := rules.NoCard
				for i, c := range dice.Perm(rules.DeckSize) {
					held[i/rules.HandSize] |= rules.Of(rules.Card(c))
					shown = rules.Card(c) // the last one, of seat 3
				}
				seat := rules.Seat(dice.IntN(rules.Seats))
				bidder := seat
				if bid == rules.Pass {
					bidder = rules.NoSeat
				}
				s.Contract(&rs, 3, shown.Suit(), bid, bidder)
				s.Deal(&held)
				var won bool
				if kind >= hunch.Three {
					needs := int(rs.Bids[bid-rules.Solo].Needs)
					won = s.Worth(needs-1, needs) >= needs
				} else {
					won = (s.Worth(-1, 0) >= 0) == (seat.Pair() == 0)
				}
				logit := hunch.Logit(&rs, kind, held[seat], shown, hunch.PlaceOf(seat, 3))
				p := 1 / (1 + math.Exp(-float64(logit)/hunch.Unit))
				expected += p
				spread += p * (1 - p)
				if won {
					made++
				}
			}
			// Five deviations, and what rounding to a Unit takes.
			if off := math.Abs(made - expected); off > 5*math.Sqrt(spread)+0.01*deals {
				t.Errorf("%v, %v: %v of %d, expected %.0f", p, bid, made, deals, expected)
			}
		}
	}
}

// The five strongest trumps promise everything, five jacks and knights nothing.
func TestExtremes(t *testing.T) {
	best := rules.NewCard(rules.Jack, rules.Copas) // all of the suit; the dealer shows one of them
	var trumps rules.Cards
	for r := range rules.Rank(rules.Ranks) {
		trumps |= rules.Of(rules.NewCard(r, rules.Copas))
	}
	worst := rules.Of(rules.NewCard(rules.Jack, rules.Oros), rules.NewCard(rules.Knight, rules.Oros),
		rules.NewCard(rules.Jack, rules.Espadas), rules.NewCard(rules.Knight, rules.Espadas), rules.NewCard(rules.Jack, rules.Bastos))
	for _, p := range rules.Presets() {
		for _, leads := range []bool{false, true} {
			rs := p.Rules()
			rs.BidderLeads = leads
			for _, bid := range bids[1:] {
				kind, ok := hunch.KindOf(&rs, bid)
				if !ok {
					continue
				}
				if l := hunch.Logit(&rs, kind, trumps, best, 3); l <= 0 { // seldom seen, so no more is known
					t.Errorf("%v, %v: %d with all trumps", p, bid, l)
				}
				if l := hunch.Logit(&rs, kind, worst, best, 1); l > -2*hunch.Unit {
					t.Errorf("%v, %v: %d with nothing", p, bid, l)
				}
			}
		}
	}
}

func TestKinds(t *testing.T) {
	mesa := rules.Mesa.Rules()
	liga := rules.Liga.Rules()
	for _, c := range []struct {
		rs   *rules.RuleSet
		bid  rules.Action
		kind hunch.Kind
		ok   bool
	}{
		{&mesa, rules.Pass, hunch.Nothing, true},
		{&mesa, rules.Solo, hunch.Points, true},
		{&mesa, rules.Cuatrola, hunch.Five, true},
		{&mesa, rules.Quintola, 0, false},
		{&liga, rules.Solo, hunch.Three, true},
		{&liga, rules.Cuatrola, hunch.Four, true},
		{&liga, rules.Silent, 0, false},
		{&liga, 0, 0, false},
	} {
		if kind, ok := hunch.KindOf(c.rs, c.bid); kind != c.kind || ok != c.ok {
			t.Errorf("%v, %v: %v, %v", c.rs.Preset, c.bid, kind, ok)
		}
	}
}

// Nonsense does no harm.
func TestNonsense(t *testing.T) {
	dice := rand.New(rand.NewPCG(77, 2))
	for range 1000 {
		rs := rules.RuleSet{Beat: rules.Beat(dice.IntN(256)), BidderLeads: dice.IntN(2) == 0}
		hunch.Logit(&rs, hunch.Kind(dice.IntN(hunch.Kinds)), rules.Cards(dice.Uint32()), rules.Card(dice.IntN(256)),
			hunch.PlaceOf(rules.Seat(dice.IntN(256)), rules.Seat(dice.IntN(256))))
	}
}

func BenchmarkLogit(b *testing.B) {
	rs := rules.Liga.Rules()
	for i := 0; b.Loop(); i++ {
		hunch.Logit(&rs, hunch.Four, rules.Cards(0x1f<<(i%16)), rules.Card(i%20), hunch.Place(i%4))
	}
}
