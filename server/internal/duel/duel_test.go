package duel

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot/deals"
	"github.com/cuatrola/cuatrola/shared/rules"
)

func entrant(t testing.TB, name string) Entrant {
	t.Helper()
	e, err := ParseEntrant(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// run is Run without what differs from one time to the next.
func run(t testing.TB, a, b string, o Options) *Report {
	t.Helper()
	r, err := Run(t.Context(), entrant(t, a), entrant(t, b), o)
	if err != nil {
		t.Fatal(err)
	}
	r.Seconds = 0
	for who := range r.Times {
		for _, times := range []*Times{&r.Times[who].Bids, &r.Times[who].Cards} {
			*times = Times{Decisions: times.Decisions}
		}
	}
	return r
}

var modes = []Mode{Hands, Bids, Matches}

// A player that plays itself wins exactly half of everything: each side of a deal is
// the other with the pairs swapped.
func TestSamePlayersAreLevel(t *testing.T) {
	for _, p := range rules.Presets() {
		for _, mode := range modes {
			for _, name := range []string{"tabernero", "random", "pimc3", "cheater/tabernero"} {
				r := run(t, name, name, Options{Rules: p.Rules(), Mode: mode, Deals: 7, Seed: 3})
				half := r.Wins
				half.Mean, half.Low, half.High = 0.5, 0.5, 0.5
				if r.Wins != half || r.Hands.Mean != 0.5 || r.Points.Mean != 0 || r.MatchPoints.Mean != 0 {
					t.Errorf("%v, %v, %s: %+v", p, mode, name, r)
				}
				if !reflect.DeepEqual(r.Bids[0], r.Bids[1]) || mode == Hands && r.Bids[0] != nil {
					t.Errorf("%v, %v, %s: bids %+v", p, mode, name, r.Bids)
				}
			}
		}
	}
}

// Who is named first changes nothing but who is named first, and the number of workers
// nothing at all.
func TestSwappedAndShared(t *testing.T) {
	for _, mode := range modes {
		o := Options{Rules: rules.Liga.Rules(), Mode: mode, Deals: 40, Seed: 5, Workers: 1}
		there := run(t, "greedy", "pimc2", o)
		back := run(t, "pimc2", "greedy", o)
		if there.Wins.Mean+back.Wins.Mean != 1 || there.Points.Mean != -back.Points.Mean || there.MatchPoints.Mean != -back.MatchPoints.Mean {
			t.Errorf("%v: %+v\n%+v", mode, there, back)
		}
		if !reflect.DeepEqual(there.Bids[0], back.Bids[1]) || there.Times[0] != back.Times[1] {
			t.Errorf("%v: %+v\n%+v", mode, there.Bids, back.Bids)
		}
		o.Workers = 5
		played := 0
		o.Progress = func(n int) { played = n }
		if shared := run(t, "greedy", "pimc2", o); !reflect.DeepEqual(shared, there) {
			t.Errorf("%v: %+v\n%+v", mode, shared, there)
		}
		if played != o.Deals {
			t.Errorf("%v: told of %d deals", mode, played)
		}
		o.Seed++
		if other := run(t, "greedy", "pimc2", o); reflect.DeepEqual(other.Points, there.Points) {
			t.Errorf("%v: another seed, the same hands", mode)
		}
	}
}

// Whoever sees all cards wins each hand that can be won whatever the others do, so of
// the two sides of a deal at least one.
func TestCheaterNeverLosesBothSides(t *testing.T) {
	for _, p := range rules.Presets() {
		for _, other := range []string{"random", "greedy", "pimc5", "cheater"} {
			rs := p.Rules()
			rs.Bids = [3]rules.Bid{}
			w := newWorker(Options{Rules: rs, Mode: Hands, Seed: 8}, entrant(t, "cheater"), entrant(t, other))
			won := int64(0)
			for deal := range 150 {
				w.sums = sums{}
				if err := w.play(deal); err != nil {
					t.Fatal(err)
				}
				if w.sums.of[handsWon].sum == 0 {
					t.Errorf("%v: lost deal %d to %s from both sides", p, deal, other)
				}
				won += w.sums.of[handsWon].sum
			}
			if won > 150 != (other != "cheater") {
				t.Errorf("%v: won %d of 300 hands against %s", p, won, other)
			}
		}
	}
}

// What the estimates say is true of numbers that are known.
func TestEstimate(t *testing.T) {
	var r ratio
	for _, won := range []int64{2, 1, 1, 0} { // of two each
		r.count(2, won)
	}
	e := r.estimate(4)
	// The deals' means are 1, ½, ½, 0: their deviation is √(1/6), the mean's half that.
	if e.N != 8 || e.Mean != 0.5 || e.High-e.Mean < 0.4000 || e.High-e.Mean > 0.4002 || e.Mean-e.Low != e.High-e.Mean {
		t.Errorf("%+v", e)
	}
	if e := new(ratio).estimate(0); e != (Estimate{}) {
		t.Errorf("%+v", e)
	}
}

// Few deals say little, but never that more than all or less than nothing was won.
func TestSharesOfFewDeals(t *testing.T) {
	var r ratio
	for _, won := range []int64{2, 1} {
		r.count(2, won)
	}
	if e := r.estimate(2); e.High <= 1 {
		t.Fatalf("a poor example: %+v", e)
	}
	for deals := 1; deals <= 3; deals++ {
		for seed := range uint64(20) {
			r := run(t, "greedy", "random", Options{Rules: rules.Clasica.Rules(), Mode: Bids, Deals: deals, Seed: seed})
			shares := []Estimate{r.Wins, r.Hands}
			for _, c := range r.Contracts {
				shares = append(shares, c.Hands)
			}
			for _, e := range shares {
				if !(0 <= e.Low && e.Low <= e.Mean && e.Mean <= e.High && e.High <= 1) {
					t.Errorf("%d deals, seed %d: %+v", deals, seed, e)
				}
			}
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatalf("%d deals, seed %d: %v", deals, seed, err)
			}
			var read struct{ MatchPoints struct{ Low, High *float64 } }
			if err := json.Unmarshal(text, &read); err != nil || (read.MatchPoints.Low == nil) != (deals == 1) || (read.MatchPoints.High == nil) != (deals == 1) {
				t.Errorf("%d deals, seed %d: %v, %s", deals, seed, err, text)
			}
		}
	}
}

// The references are as strong as references have to be.
func TestReferencesByStrength(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		mode  Mode
		deals int
	}{
		{"greedy", "random", Hands, 200},
		{"pimc20", "random", Hands, 200},
		{"cheater", "pimc20", Hands, 100},
		{"cheater", "greedy", Bids, 100},
		{"tabernero", "greedy/never", Matches, 60},
		{"pimc10", "random/never", Matches, 30},
	} {
		if r := run(t, c.a, c.b, Options{Rules: rules.Clasica.Rules(), Mode: c.mode, Deals: c.deals, Seed: 2}); r.Wins.Low <= 0.5 {
			t.Errorf("%s against %s, %v: %+v", c.a, c.b, c.mode, r.Wins)
		}
	}
}

// foul does what is not legal.
type foul struct{}

func (foul) Choose(*rules.Match, *rules.View, uint64) rules.Action { return rules.UnknownCard }

func TestFoulPlayEndsTheDuel(t *testing.T) {
	made := func(uint64) Player { return foul{} }
	_, err := Run(t.Context(), entrant(t, "greedy"), Entrant{Name: "foul", cards: made}, Options{Rules: rules.Mesa.Rules(), Deals: 3})
	if err == nil || !strings.Contains(err.Error(), "foul chose ??, which is refused: unknown_card") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, entrant(t, "greedy"), entrant(t, "greedy"), Options{Rules: rules.Mesa.Rules(), Deals: 1000}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"aprendiz", "maestro", "random", "greedy/never", "pimc200", "cheater/pimc5", "pimc5/cheater"} {
		if e, err := ParseEntrant(name); err != nil || e.Name != name {
			t.Errorf("%s: %v, %v", name, e.Name, err)
		}
	}
	for _, name := range []string{"", "?", "pimc", "pimc0", "pimc-3", "pimc9999999", "never", "greedy/", "greedy/?", "/never", "a/b/c"} {
		if _, err := ParseEntrant(name); err == nil {
			t.Errorf("%q is somebody", name)
		}
	}
	for _, m := range modes {
		if got, ok := ParseMode(m.String()); !ok || got != m {
			t.Error(m)
		}
	}
	if _, ok := ParseMode("?"); ok || Mode(9).String() != "?" {
		t.Error("a mode that there is not has a name")
	}
}

func TestReportInWords(t *testing.T) {
	var text strings.Builder
	r := run(t, "greedy", "random", Options{Rules: rules.Clasica.Rules(), Mode: Matches, Deals: 10, Seed: 1})
	if err := r.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"greedy against random, matches: 10 deals", "of 20 matches\n", "solo", "all", "greedy bid solo on", "random, cards"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("no %q in\n%s", part, text.String())
		}
	}
}

// looking plays like another player, and looks whether the deal that is played is among
// those that it is to think of.
type looking struct {
	t *testing.T
	Player
	deals deals.Deals
	among int
}

func (p *looking) Choose(m *rules.Match, v *rules.View, seed uint64) rules.Action {
	count := p.deals.Set(v)
	if count == 0 {
		p.t.Errorf("no deal shows the view %+v", v)
	}
	if count < 3000 {
		found := 0
		for i := range count {
			if p.deals.Nth(i) == hands(m) {
				found++
			}
		}
		if found != 1 {
			p.t.Errorf("the deal is %d times among %d\n%+v", found, count, v)
		}
		p.among++
	}
	return p.Player.Choose(m, v, seed)
}

// What is played is always among what a player thinks of, and once.
func TestTrueDealIsAmongThem(t *testing.T) {
	for _, p := range rules.Presets() {
		looking := &looking{t: t}
		for _, name := range []string{"random", "greedy", "cheater"} {
			looking.Player = entrant(t, name).player(0)
			who := Entrant{Name: "looking", cards: func(uint64) Player { return looking }}
			if _, err := Run(t.Context(), who, entrant(t, "pimc5"), Options{Rules: p.Rules(), Mode: Bids, Deals: 25, Seed: 4, Workers: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if looking.among < 100 {
			t.Errorf("%v: looked %d times only", p, looking.among)
		}
	}
}
