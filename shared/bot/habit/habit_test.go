package habit_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/bot/deals"
	"github.com/cuatrola/cuatrola/shared/bot/habit"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// play plays a hand and shows each state in which a card is to be chosen.
func play(dice *rand.Rand, choose func(v *rules.View) rules.Action, visit func(m *rules.Match, v *rules.View)) {
	m := rules.NewMatch(rules.Presets()[dice.IntN(4)].Rules())
	var deal rules.Deal
	for i, c := range dice.Perm(rules.DeckSize) {
		deal[i/rules.HandSize][i%rules.HandSize] = rules.Card(c)
	}
	dealer := rules.Seat(dice.IntN(rules.Seats))
	m.Deal(dealer, &deal, deal[dealer][0])
	for m.Turn() != rules.NoSeat {
		var v rules.View
		m.View(m.Turn(), &v)
		if v.Phase == rules.PhasePlay {
			visit(&m, &v)
		}
		m.Apply(rules.NoSeat, choose(&v))
	}
}

func random(dice *rand.Rand) func(v *rules.View) rules.Action {
	return func(v *rules.View) rules.Action { return v.Legal.Nth(dice.IntN(v.Legal.Len())) }
}

// What players do who know their trade tells how the cards lie: the true deal is called
// likelier than others that fit as well, the more the later.
func TestCardsTellOfTheHandsTheyCameFrom(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	var p bot.Player
	var d deals.Deals
	var h habit.History
	told, looks := [rules.HandSize]float64{}, [rules.HandSize]float64{}
	for hand := range uint64(150) {
		choose := func(v *rules.View) rules.Action {
			a, _ := p.Choose(bot.Veterano, v, hand, bot.Budget{Nodes: 20_000})
			return a
		}
		play(dice, choose, func(m *rules.Match, v *rules.View) {
			n := d.Set(v)
			h.Set(v)
			mean := 0.0
			const samples = 100
			for range samples {
				held := d.Nth(dice.IntN(n))
				mean += float64(h.Likelihood(&held)) / samples
			}
			held := [rules.Seats]rules.Cards{m.Held(0), m.Held(1), m.Held(2), m.Held(3)}
			told[v.Hand.TrickCount] += math.Log(float64(h.Likelihood(&held)) / mean)
			looks[v.Hand.TrickCount]++
		})
	}
	for trick := 1; trick < rules.HandSize-1; trick++ {
		if nats := told[trick] / looks[trick]; nats < 0.05 {
			t.Errorf("trick %d: the play told %.3f nats", trick, nats)
		}
	}
	t.Log(told, looks)
}

// What nobody had a choice about tells nothing, nor does what the viewer did.
func TestWhatIsForcedTellsNothing(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	var h habit.History
	for range 200 {
		play(dice, random(dice), func(m *rules.Match, v *rules.View) {
			h.Set(v)
			held := [rules.Seats]rules.Cards{m.Held(0), m.Held(1), m.Held(2), m.Held(3)}
			likely := h.Likelihood(&held)
			if likely < 1 || likely > habit.Certain {
				t.Fatalf("%d of %d", likely, habit.Certain)
			}
			if v.Hand.TrickCount == 0 && v.Table.Count == 0 && likely != habit.Certain {
				t.Fatalf("nothing was played: %d of %d", likely, habit.Certain)
			}
			others := rules.Cards(0)
			for s, played := range h.Played {
				if rules.Seat(s) != v.Viewer {
					others |= played
				}
			}
			if others == 0 && likely != habit.Certain {
				t.Fatalf("the others did not play: %d of %d", likely, habit.Certain)
			}
		})
	}
}

func TestNothingAllocates(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 6))
	var views []rules.View
	play(dice, random(dice), func(_ *rules.Match, v *rules.View) { views = append(views, *v) })
	var h habit.History
	var held [rules.Seats]rules.Cards
	if n := testing.AllocsPerRun(10, func() {
		for i := range views {
			h.Set(&views[i])
			h.Likelihood(&held)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
