package bot

import (
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Looking ahead to its next card a seat counts on no more than if all cards were seen by
// then, and by exactly so much less as it has to play one card for deals that look alike.
func TestAhead(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p, naive := new(Player), new(Player)
	looked, less, undone := 0, 0, 0
	for n := range 160 {
		m := rules.NewMatch(rules.Presets()[n%4].Rules())
		var deal rules.Deal
		for i, c := range r.Perm(rules.DeckSize) {
			deal[i/rules.HandSize][i%rules.HandSize] = rules.Card(c)
		}
		m.Deal(rules.Seat(n/4%4), &deal, deal[n/4%4][0])
		for m.Turn() != rules.NoSeat {
			var v rules.View
			m.View(m.Turn(), &v)
			if v.Phase == rules.PhasePlay && v.Legal.Len() > 1 && v.Cards.Len() >= aheadCards {
				among, deals, level, wins := plainly(p, &v)
				if among != 0 && deals <= aheadDeals {
					ahead := wins
					p.ahead(&v, among, deals, level, &ahead, Budget{})
					undone += check(t, p, naive, &v, among, deals, level, &wins, &ahead)
					looked++
					if ahead != wins {
						less++
					}
					tight := wins
					p.solver.Nodes = 1
					if spent := p.ahead(&v, among, deals, level, &tight, Budget{Nodes: 1}); tight != wins || spent != hopeful(&wins) {
						t.Errorf("a budget that is spent: %v, %v instead of %v", spent, tight, wins)
					}
				}
			}
			a, _ := Choose(Tabernero, &v, 1)
			m.Apply(rules.NoSeat, a)
		}
	}
	t.Logf("%d decisions, %d of them with less to hope for, %d given up", looked, less, undone)
	if looked < 100 || less < looked/10 || undone > looked/10 {
		t.Error("too few of a kind")
	}
}

// hopeful says whether any deal is won.
func hopeful(wins *[solve.Actions]int64) bool {
	for _, n := range wins {
		if n > 0 {
			return true
		}
	}
	return false
}

// plainly tries all legal actions on the deals that fit a view, as think does.
func plainly(p *Player, v *rules.View) (among rules.Actions, deals, level int, wins [solve.Actions]int64) {
	count := p.deals.Set(v)
	if count == 0 || !p.solver.Begin(v) {
		return
	}
	deals = p.gather(&maestroPlay, v, newRandom(1, v), count)
	if deals > aheadDeals {
		return
	}
	x := &p.thought
	level = wonAt(&v.Rules, v.Dealer, v.Hand.Bid)
	up := p.solver.Greater(v.Viewer)
	for i := range deals {
		var values [solve.Actions]int16
		p.solver.Deal(&x.held[i])
		p.solver.Worths(v.Legal, level-1, level, &values)
		x.won[i] = 0
		for legal := v.Legal; legal != 0; legal = legal.Rest() {
			if a, _ := legal.First(); (int(values[a]) >= level) == up {
				wins[a] += int64(x.weight[i])
				x.won[i] |= 1 << a
			}
		}
	}
	return v.Legal, deals, level, wins
}

// check compares with deals put side by side by hand. It is 1 if it was given up.
func check(t *testing.T, p, naive *Player, v *rules.View, among rules.Actions, deals, level int, wins, ahead *[solve.Actions]int64) int {
	t.Helper()
	var want [solve.Actions]int64
	naive.solver.Begin(v)
	naive.solver.Nodes = 0
	for rest := among; rest != 0; rest = rest.Rest() {
		a, _ := rest.First()
		kinds := map[uint32]map[rules.Card]int64{}
		for i := range deals {
			weight := int64(p.thought.weight[i])
			if !p.thought.won[i].Has(a) {
				continue
			}
			naive.solver.Deal(&p.thought.held[i])
			seen, won, ok := naive.solver.Ahead(rules.Card(a), level)
			if !ok {
				want[a] += weight
				continue
			}
			if kinds[seen] == nil {
				kinds[seen] = map[rules.Card]int64{}
			}
			for ; won != 0; won &= won - 1 {
				kinds[seen][won.First()] += weight
			}
		}
		for _, cards := range kinds {
			most := int64(0)
			for _, weight := range cards {
				most = max(most, weight)
			}
			want[a] += most
		}
		if want[a] > wins[a] || want[a] == 0 && wins[a] > 0 {
			t.Fatalf("%v: %d of %d\n%+v", a, want[a], wins[a], v)
		}
	}
	if naive.solver.Nodes > aheadNodes {
		if *ahead != *wins && *ahead != want { // the last deal of all is not too much
			t.Fatalf("too much, and not given up: %v, was %v", *ahead, *wins)
		}
		return 1
	}
	if *ahead != want {
		t.Fatalf("%v, want %v\n%+v", *ahead, want, v)
	}
	return 0
}
