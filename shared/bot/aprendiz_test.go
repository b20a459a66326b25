package bot_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

func aprendiz(v *rules.View, seed uint64) (rules.Action, bool) {
	return bot.Choose(bot.Aprendiz, v, seed)
}

// The learner loses to the tavern-keeper and beats chance, by any preset. The seeds are
// fixed, so that this says the same each time.
func TestAprendizStandsBetween(t *testing.T) {
	for _, p := range rules.Presets() {
		for _, c := range []struct {
			better, worse player
			matches       uint64
		}{{tabernero, aprendiz, 120}, {aprendiz, bot.Random, 40}} {
			won := 0
			for seed := range c.matches {
				pair := rules.Pair(seed % 2)
				players := [2]player{c.worse, c.worse}
				players[pair] = c.better
				if m := play(t, p.Rules(), seed/2, players, nil); m.Winner() == pair {
					won++
				}
			}
			if won*100 < int(c.matches)*58 {
				t.Errorf("%v: the better won %d of %d matches", p, won, c.matches)
			}
		}
	}
}

// The learner makes a beginner's mistakes: now and then it does not sing, throws a ten
// away and bids on a hand that it passes with another time; but mostly it does what it
// seems to gain by.
func TestAprendizErrs(t *testing.T) {
	sung, silent := 0, 0
	kept, thrown := 0, 0
	moods := 0
	for seed := range uint64(150) {
		play(t, rules.Clasica.Rules(), seed, [2]player{aprendiz, aprendiz}, func(m *rules.Match) {
			var v rules.View
			m.View(m.Turn(), &v)
			switch {
			case v.Phase == rules.PhaseSing:
				if a, _ := aprendiz(&v, seed); a == rules.Silent {
					silent++
				} else {
					sung++
				}
			case v.Phase == rules.PhaseBid:
				a, _ := aprendiz(&v, 1)
				for other := range uint64(8) {
					if b, _ := aprendiz(&v, 2+other); a != b {
						moods++
						break
					}
				}
			case v.Table.Count == 3 && v.Table.Winner != v.Viewer.Partner():
				// The last of four, who may throw a ten to the others or something cheaper.
				legal := v.Legal.Cards()
				taking, tens, cheap := false, false, false
				for rest := legal; rest != 0; rest &= rest - 1 {
					c := rest.First()
					takes := c.Suit() == v.Table.Best.Suit() && c > v.Table.Best || c.Suit() == v.Trump.Suit() && v.Table.Best.Suit() != v.Trump.Suit()
					taking, tens, cheap = taking || takes, tens || c.Points() >= 10, cheap || c.Points() < 10
				}
				if taking || !tens || !cheap {
					return
				}
				a, _ := aprendiz(&v, seed)
				if c, _ := a.Card(); c.Points() >= 10 {
					thrown++
				} else {
					kept++
				}
			}
		})
	}
	t.Logf("sung %d, silent %d; kept %d, thrown %d; %d bids of a mood", sung, silent, kept, thrown, moods)
	if silent == 0 || silent*3 > sung {
		t.Errorf("it sang %d times and kept silent %d times", sung, silent)
	}
	if thrown == 0 || thrown*4 > kept {
		t.Errorf("it threw away %d tens of %d", thrown, thrown+kept)
	}
	if moods == 0 {
		t.Error("it always bids alike")
	}
}

// The learner, too, plays legally by any rules.
func TestAprendizPlaysLegally(t *testing.T) {
	for seed := range uint64(100) {
		play(t, houseRules(rand.New(rand.NewPCG(seed, 1))), seed, [2]player{aprendiz, bot.Random}, nil)
	}
}
