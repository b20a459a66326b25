package bot

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot/chance"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// spoken is what a seat sees that is to speak behind certain bids, with certain cards; the
// dealer is seat 3 and shows the last of the cards in shown, or the seat's own.
func spoken(t *testing.T, rs rules.RuleSet, seat rules.Seat, cards, shown string, bids ...rules.Action) rules.View {
	t.Helper()
	var deal rules.Deal
	var used rules.Cards
	for i, name := range strings.Fields(cards) {
		c, ok := rules.ParseCard(name)
		if !ok {
			t.Fatal(name)
		}
		deal[seat][i] = c
		used |= rules.Of(c)
	}
	trump, ok := rules.ParseCard(shown)
	if !ok {
		t.Fatal(shown)
	}
	rest := rules.Deck &^ used
	if seat != 3 {
		deal[3][0] = trump
		rest = rest.Without(trump)
	}
	for s := range deal {
		for i := range deal[s] {
			if rules.Seat(s) == seat || s == 3 && i == 0 {
				continue
			}
			deal[s][i] = rest.First()
			rest = rest.Without(rest.First())
		}
	}
	m := rules.NewMatch(rs)
	if why := m.Deal(3, &deal, trump); why != rules.OK {
		t.Fatal(why)
	}
	for range seat {
		bid := rules.Pass
		if len(bids) > 0 {
			bid, bids = bids[0], bids[1:]
		}
		if why := m.Apply(m.Turn(), bid); why != rules.OK {
			t.Fatal(why)
		}
	}
	var v rules.View
	m.View(seat, &v)
	return v
}

func bidOf(t *testing.T, l Level, v *rules.View) rules.Action {
	t.Helper()
	a, ok := Choose(l, v, 1)
	if !ok {
		t.Fatalf("nothing to choose: %+v", v)
	}
	return a
}

// Everybody sees that all tricks are safe, and that none is.
func TestPlainBids(t *testing.T) {
	for _, p := range rules.Presets() {
		for _, l := range []Level{Veterano, Maestro} {
			highest := rules.Quintola
			if p == rules.Mesa {
				highest = rules.Cuatrola
			}
			v := spoken(t, p.Rules(), 0, "AO 3O RO AC AE", "SO")
			if a := bidOf(t, l, &v); a != highest {
				t.Errorf("%v, %v: %v with nearly all tricks", p, l, a)
			}
			v = spoken(t, p.Rules(), 1, "SC CC SE CE SB", "RO")
			if a := bidOf(t, l, &v); a != rules.Pass {
				t.Errorf("%v, %v: %v with nothing", p, l, a)
			}
		}
	}
}

// A master bids for the match: what is worth most if nothing less helps, and nothing when
// nothing can help or harm.
func TestBidsForTheMatch(t *testing.T) {
	rs := rules.MesaQuintola.Rules()
	last := func(mine, theirs uint16, cards, shown string) rules.View {
		v := spoken(t, rs, 0, cards, shown)
		v.HandsFinished = uint16(rs.Target) - 1
		v.Score = [2]uint16{mine, theirs}
		v.Hand.Score = v.Score
		return v
	}
	const safeSolo = "AO 3O AC SE SB"
	v := last(10, 10, safeSolo, "SO")
	level := bidOf(t, Maestro, &v)
	if level == rules.Pass || level == rules.Quintola {
		t.Errorf("%v at level scores", level)
	}
	v = last(10, 13, safeSolo, "SO")
	if a := bidOf(t, Maestro, &v); a != rules.Cuatrola && a != rules.Quintola {
		t.Errorf("%v, which cannot win a match that is 3 points behind in its last hand", a)
	}
	v = last(30, 10, safeSolo, "SO")
	if a := bidOf(t, Maestro, &v); a != rules.Pass {
		t.Errorf("%v in a match that is won", a)
	}
}

// Whatever the bidding has come to, somebody does something, and what they might do sums to
// all there is.
func TestOdds(t *testing.T) {
	dice := rand.New(rand.NewPCG(8, 8))
	var match chance.Table
	for _, p := range rules.Presets() {
		rs := p.Rules()
		for range 300 {
			v := rules.View{
				Rules: rs, Dealer: rules.Seat(dice.IntN(4)), Trump: rules.Card(dice.IntN(20)),
				Score: [2]uint16{uint16(dice.IntN(11)), uint16(dice.IntN(11))},
			}
			var x table
			match.Set(rs)
			if dice.IntN(2) == 0 {
				setTable(&x, &v, &match)
			} else {
				setTable(&x, &v, nil)
			}
			seat := rules.Seat(dice.IntN(4))
			var cards rules.Cards
			for cards.Len() < rules.HandSize {
				cards |= rules.Of(rules.Card(dice.IntN(rules.DeckSize)))
			}
			promise := x.promise(seat, cards)
			now := contract(dice.IntN(contracts))
			odds := x.odds(&plainTemper, seat, &promise, now)
			sum := float32(0)
			for choice, p := range odds {
				if p < 0 || p > 0 != (x.may(seat, now)>>choice&1 != 0) {
					t.Fatalf("%v: %v of choices %b", rs.Preset, odds, x.may(seat, now))
				}
				sum += p
			}
			if math.Abs(float64(sum-1)) > 1e-5 {
				t.Fatalf("%v: %v", rs.Preset, odds)
			}
		}
	}
}

// Somebody who has bid is likely to have the cards for it.
func TestBidOdds(t *testing.T) {
	for _, p := range rules.Presets() {
		v := spoken(t, p.Rules(), 2, "SC CC SE CE SB", "SO", rules.Solo, rules.Pass)
		var x table
		setTable(&x, &v, nil)
		parse := func(names string) (cards rules.Cards) {
			for _, name := range strings.Fields(names) {
				c, _ := rules.ParseCard(name)
				cards |= rules.Of(c)
			}
			return cards
		}
		good, bad := parse("AO CO AC CE SB"), parse("RE RB CB SB CC")
		if g, b := x.bidOdds(&plainTemper, &v, 0, good), x.bidOdds(&plainTemper, &v, 0, bad); g < 3*b || b <= 0 {
			t.Errorf("%v: a solo is bid with %v and %v", p, g, b)
		}
		if g, b := x.bidOdds(&plainTemper, &v, 1, good), x.bidOdds(&plainTemper, &v, 1, bad); b <= 0.5 || g <= 0 || g > b {
			t.Errorf("%v: one passes with %v and %v", p, g, b)
		}
		if o := x.bidOdds(&plainTemper, &v, 3, good); o != 1 {
			t.Errorf("%v: %v of one that has not spoken", p, o)
		}
	}
}

// Thinking about a bid allocates nothing, and stops when it is told to.
func TestBidBudget(t *testing.T) {
	v := spoken(t, rules.Liga.Rules(), 0, "AO RO AC SE SB", "SO")
	p := new(Player)
	if n := testing.AllocsPerRun(5, func() { p.Choose(Maestro, &v, 1, Budget{}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	all := p.solver.Nodes
	p.Choose(Maestro, &v, 1, Budget{Nodes: 1})
	if one := p.solver.Nodes; one == 0 || one*4 > all {
		t.Errorf("%d nodes with a budget of 1, %d without", one, all)
	}
	asked := 0
	p.Choose(Maestro, &v, 1, Budget{Expired: func() bool { asked++; return asked == 3 }})
	if asked != 3 {
		t.Errorf("asked %d times", asked)
	}
}
