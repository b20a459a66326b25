package bot_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

type player func(v *rules.View, seed uint64) (rules.Action, bool)

func tabernero(v *rules.View, seed uint64) (rules.Action, bool) {
	return bot.Choose(bot.Tabernero, v, seed)
}

// play plays a match, pair 0 by one player and pair 1 by another, and shows each
// state in which somebody is to act.
func play(t testing.TB, rs rules.RuleSet, seed uint64, players [2]player, visit func(m *rules.Match)) rules.Match {
	t.Helper()
	dice := rand.New(rand.NewPCG(seed, 9))
	m := rules.NewMatch(rs)
	dealer := rules.Seat(dice.IntN(rules.Seats))
	for m.Phase() != rules.PhaseMatchOver {
		var deal rules.Deal
		for i, c := range dice.Perm(rules.DeckSize) {
			deal[i/rules.HandSize][i%rules.HandSize] = rules.Card(c)
		}
		m.Deal(dealer, &deal, deal[dealer][0])
		for m.Turn() != rules.NoSeat {
			if visit != nil {
				visit(&m)
			}
			var v rules.View
			m.View(m.Turn(), &v)
			a, ok := players[m.Turn().Pair()](&v, seed)
			if why := m.Apply(m.Turn(), a); !ok || why != rules.OK {
				t.Fatalf("%v (%v) is refused: %v\n%+v", a, ok, why, v)
			}
		}
		dealer = dealer.Next()
	}
	return m
}

func houseRules(dice *rand.Rand) rules.RuleSet {
	rs := rules.Presets()[dice.IntN(4)].Rules()
	flag := func() bool { return dice.IntN(2) == 0 }
	rs.End, rs.Target = rules.End(dice.IntN(2)), uint8(1+dice.IntN(5))
	rs.ExactTarget, rs.Tie, rs.Cantes = flag(), rules.Tie(dice.IntN(2)), rules.Cantes(dice.IntN(2))
	rs.MaxCantes, rs.FortyFirst, rs.Beat = int8(dice.IntN(6))-1, flag(), rules.Beat(dice.IntN(2))
	rs.StopWhenLost, rs.Undertrump, rs.PartnerExempt = flag(), rules.Undertrump(dice.IntN(2)), flag()
	rs.Raising, rs.BidderLeads = flag(), flag()
	return rs
}

// Bots play whole matches legally by any rules.
func TestBotsPlayLegally(t *testing.T) {
	for _, p := range rules.Presets() {
		for seed := range uint64(3) {
			play(t, p.Rules(), seed, [2]player{tabernero, bot.Random}, nil)
			play(t, p.Rules(), seed, [2]player{bot.Random, tabernero}, nil)
		}
	}
	for seed := range uint64(60) {
		play(t, houseRules(rand.New(rand.NewPCG(seed, 1))), seed, [2]player{tabernero, bot.Random}, nil)
	}
}

// The same view, level and seed give the same action. That nothing else decides it
// follows from what Choose is given: a view, and that shows no other hand.
func TestBotsRepeatThemselves(t *testing.T) {
	differ := 0
	play(t, rules.Clasica.Rules(), 4, [2]player{bot.Random, bot.Random}, func(m *rules.Match) {
		var v rules.View
		m.View(m.Turn(), &v)
		before := v
		for _, p := range []player{tabernero, bot.Random} {
			a, _ := p(&v, 7)
			if b, _ := p(&v, 7); a != b {
				t.Errorf("%v, then %v", a, b)
			}
		}
		if v != before {
			t.Error("choosing changed the view")
		}
		a, _ := bot.Random(&v, 1)
		if b, _ := bot.Random(&v, 2); a != b {
			differ++
		}
	})
	if differ == 0 {
		t.Error("the seed decides nothing")
	}
}

// Who is not to act has nothing to choose.
func TestNothingToChoose(t *testing.T) {
	play(t, rules.Liga.Rules(), 1, [2]player{bot.Random, bot.Random}, func(m *rules.Match) {
		for viewer := range rules.Seat(rules.Viewers) {
			var v rules.View
			m.View(viewer, &v)
			_, chosen := tabernero(&v, 1)
			_, random := bot.Random(&v, 1)
			if want := viewer == m.Turn(); chosen != want || random != want {
				t.Errorf("viewer %d at the turn of %d: %v, %v", viewer, m.Turn(), chosen, random)
			}
		}
	})
}

// A random player reaches everything that is legal, about as often.
func TestRandomIsUniform(t *testing.T) {
	m := rules.NewMatch(rules.Clasica.Rules())
	var deal rules.Deal
	for i := range rules.DeckSize {
		deal[i/rules.HandSize][i%rules.HandSize] = rules.Card(i)
	}
	m.Deal(3, &deal, deal[3][0])
	var v rules.View
	m.View(0, &v)
	count := map[rules.Action]int{}
	for seed := range uint64(4000) {
		a, _ := bot.Random(&v, seed)
		count[a]++
	}
	for _, a := range []rules.Action{rules.Pass, rules.Solo, rules.Cuatrola, rules.Quintola} {
		if n := count[a]; n < 850 || n > 1150 {
			t.Errorf("%v was chosen %d times in 4000", a, n)
		}
	}
}

// The tavern-keeper plays better than chance, whichever pair it plays for.
func TestTaberneroBeatsRandom(t *testing.T) {
	for _, p := range rules.Presets() {
		const matches = 60
		won := 0
		for seed := range uint64(matches) {
			pair := rules.Pair(seed % 2)
			players := [2]player{bot.Random, bot.Random}
			players[pair] = tabernero
			if m := play(t, p.Rules(), seed, players, nil); m.Winner() == pair {
				won++
			}
		}
		if won < matches*3/4 {
			t.Errorf("%v: won %d of %d matches", p, won, matches)
		}
	}
}

func TestLevels(t *testing.T) {
	if l, ok := bot.ParseLevel("tabernero"); !ok || l != bot.Tabernero || l.String() != "tabernero" {
		t.Errorf("%v, %v", l, ok)
	}
	if _, ok := bot.ParseLevel("?"); ok || bot.Level(9).String() != "?" {
		t.Error("a level that there is not has a name")
	}
}

func BenchmarkBid(b *testing.B) { benchmarkChoose(b, rules.PhaseBid) }

func BenchmarkPlay(b *testing.B) { benchmarkChoose(b, rules.PhasePlay) }

func benchmarkChoose(b *testing.B, phase rules.Phase) {
	var views []rules.View
	play(b, rules.Clasica.Rules(), 1, [2]player{bot.Random, bot.Random}, func(m *rules.Match) {
		if m.Phase() == phase && m.Legal().Len() > 1 {
			var v rules.View
			m.View(m.Turn(), &v)
			views = append(views, v)
		}
	})
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		tabernero(&views[i%len(views)], 1)
		i++
	}
}
