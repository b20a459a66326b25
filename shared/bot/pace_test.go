package bot_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// How long a bot waits is seen by all, so that it may follow from nothing but what all
// see: at each turn, also while somebody is asked to sing, every viewer's view gives the
// same wait, and so does that of another deal that shows a spectator the same.
func TestAWaitTellsNothing(t *testing.T) {
	turns, asked, again := 0, 0, 0
	for seed := range uint64(200) {
		waits := map[rules.View]uint32{}
		dice := rand.New(rand.NewPCG(seed, 3))
		play(t, houseRules(dice), seed, [2]player{bot.Random, tabernero}, func(m *rules.Match) {
			turns++
			if m.Phase() == rules.PhaseSing {
				asked++
			}
			var public rules.View
			m.View(rules.Spectator, &public)
			wait := bot.Natural().Wait(&public, seed)
			for viewer := range rules.Seat(rules.Viewers) {
				var v rules.View
				m.View(viewer, &v)
				if got := bot.Natural().Wait(&v, seed); got != wait {
					t.Fatalf("seat %d's view gives a wait of %d, the spectator's %d:\n%+v", viewer, got, wait, v)
				}
			}
			public.Seq = 0
			if before, ok := waits[public]; ok && before != wait {
				t.Fatalf("waits of %d and %d for one view", before, wait)
			} else if ok {
				again++ // somebody was asked to sing and kept silent
			}
			waits[public] = wait

			// The same table over other hands.
			var v rules.View
			m.View(m.Turn(), &v)
			unseen := rules.Deck
			for i := range v.Hand.Tricks[:v.Hand.TrickCount] {
				for _, c := range v.Hand.Tricks[i].Cards[:v.Hand.Tricks[i].Count] {
					unseen = unseen.Without(c)
				}
			}
			v.Cards, v.Legal, v.Seq = unseen&rules.Cards(dice.Uint32()), rules.Actions(dice.Uint32()), dice.Uint32()
			if got := bot.Natural().Wait(&v, seed); got != wait {
				t.Fatalf("another hand gives a wait of %d, not %d", got, wait)
			}
		})
	}
	if asked == 0 || again == 0 {
		t.Errorf("%d turns, %d asked to sing, %d views seen again: no test of it", turns, asked, again)
	}
}

// Waits stay within their spread, differ from turn to turn, and are in order.
func TestPace(t *testing.T) {
	sums, counts := map[string]uint32{}, map[string]uint32{}
	seen := map[uint32]bool{}
	for seed := range uint64(40) {
		play(t, rules.Liga.Rules(), seed, [2]player{bot.Random, bot.Random}, func(m *rules.Match) {
			var v rules.View
			m.View(m.Turn(), &v)
			if got := bot.Steady().Wait(&v, seed); got != 1000 {
				t.Fatalf("a steady bot waits %d", got)
			}
			what, mean := "card", uint32(1000)
			p := bot.Natural()
			switch {
			case v.Phase == rules.PhaseBid:
				what, mean = "bid", 10*uint32(p.Bid)
			case v.Hand.TrickCount == rules.HandSize-1:
				what, mean = "last card", 10*uint32(p.Forced)
			case v.Table.Count == 0:
				what, mean = "lead", 10*uint32(p.Lead)
			}
			wait := p.Wait(&v, seed)
			if wait < mean-mean*uint32(p.Spread)/100 || wait > mean+mean*uint32(p.Spread)/100 {
				t.Fatalf("a wait of %d for a %s", wait, what)
			}
			sums[what], counts[what], seen[wait] = sums[what]+wait, counts[what]+1, true
		})
	}
	mean := func(what string) uint32 { return sums[what] / counts[what] }
	if mean("last card") >= mean("card") || mean("card") >= mean("lead") || mean("lead") >= mean("bid") || len(seen) < 500 {
		t.Errorf("means of %v over %v; %d waits", sums, counts, len(seen))
	}
}
