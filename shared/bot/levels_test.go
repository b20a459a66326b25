package bot_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/bot/deals"
	"github.com/cuatrola/cuatrola/shared/rules"
	"github.com/cuatrola/cuatrola/shared/rules/wire"
)

// What holds for every level, however well it plays.

// by is a level as a player that is kept, with a budget.
func by(level bot.Level, budget bot.Budget) player {
	p := new(bot.Player)
	return func(v *rules.View, seed uint64) (rules.Action, bool) { return p.Choose(level, v, seed, budget) }
}

// quick is a budget small enough for many matches.
var quick = bot.Budget{Nodes: 2000}

// Every level plays whole matches legally, by its own budget and by a small one, by any
// rules and against somebody who does anything.
func TestLevelsPlayLegally(t *testing.T) {
	for _, level := range bot.Levels() {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			own, hurried := by(level, bot.Budget{}), by(level, quick)
			for i, p := range rules.Presets() {
				rs := p.Rules()
				rs.Target = 3
				play(t, rs, uint64(i), [2]player{own, own}, nil)
				play(t, rs, uint64(i), [2]player{hurried, bot.Random}, nil)
				play(t, p.Rules(), uint64(i), [2]player{bot.Random, hurried}, nil)
			}
			for seed := range uint64(40) {
				play(t, houseRules(rand.New(rand.NewPCG(seed, 1))), seed, [2]player{hurried, bot.Random}, nil)
			}
		})
	}
}

// decision is a place in a match at which a seat has a choice.
type decision struct {
	start rules.Match // before the deal of the hand
	acts  []act       // since
	match rules.Match
	view  rules.View
}

type act struct {
	seat   rules.Seat
	action rules.Action
}

// decisions are those of a few matches by each preset and by house rules, one in a few
// of each: of matches that people might play, and of matches in which anything happens.
func decisions(t testing.TB, seed uint64, oneIn int, visit func(d *decision)) {
	t.Helper()
	dice := rand.New(rand.NewPCG(seed, 2))
	var sets []rules.RuleSet
	for _, p := range rules.Presets() {
		sets = append(sets, p.Rules(), houseRules(dice))
	}
	for _, rs := range sets {
		for _, players := range [][2]player{{tabernero, tabernero}, {bot.Random, tabernero}, {bot.Random, bot.Random}} {
			d := decision{match: rules.NewMatch(rs)}
			m := &d.match
			dealer := rules.Seat(dice.IntN(rules.Seats))
			for m.Phase() != rules.PhaseMatchOver && m.HandsFinished() < 6 {
				d.start, d.acts = *m, d.acts[:0]
				var deal rules.Deal
				for i, c := range dice.Perm(rules.DeckSize) {
					deal[i/rules.HandSize][i%rules.HandSize] = rules.Card(c)
				}
				m.Deal(dealer, &deal, deal[dealer][0])
				for m.Turn() != rules.NoSeat {
					m.View(m.Turn(), &d.view)
					if d.view.Legal.Len() > 1 && (m.Phase() == rules.PhaseSing || dice.IntN(oneIn) == 0) {
						visit(&d)
					}
					a, _ := players[m.Turn().Pair()](&d.view, seed)
					d.acts = append(d.acts, act{m.Turn(), a})
					if why := m.Apply(m.Turn(), a); why != rules.OK {
						t.Fatal(why)
					}
				}
				dealer = dealer.Next()
			}
		}
	}
}

// alike is a match in which the cards that the viewer has not seen lie otherwise: the
// same was bid, sung and played. ok is false if nothing tells the viewer which of the two
// is played only as long as it looks no further than its view.
func (d *decision) alike(held [rules.Seats]rules.Cards) (m rules.Match, ok bool) {
	v := &d.view
	for _, a := range d.acts {
		if c, played := a.action.Card(); played {
			held[a.seat] |= rules.Of(c)
		}
	}
	var deal rules.Deal
	for s, cards := range held {
		if cards.Len() != rules.HandSize {
			return m, false
		}
		for i := range deal[s] {
			deal[s][i] = rules.Card(rules.Actions(cards).Nth(i))
		}
	}
	m = d.start
	if m.Deal(v.Dealer, &deal, v.Trump) != rules.OK {
		return m, false
	}
	// Who is asked to sing and keeps silent is hidden, so others may be asked.
	hush := func(until act) {
		for m.Phase() == rules.PhaseSing && m.Turn() != v.Viewer {
			if _, sings := until.action.Suit(); sings && m.Turn() == until.seat {
				return
			}
			m.Apply(rules.NoSeat, rules.Silent)
		}
	}
	for _, a := range d.acts {
		if a.action == rules.Silent && a.seat != v.Viewer {
			continue
		}
		hush(a)
		if m.Apply(a.seat, a.action) != rules.OK {
			return m, false
		}
	}
	hush(act{action: rules.Pass})
	return m, true
}

// No bot looks beyond its view. In two matches that look alike to a seat, however the
// cards lie that it has not seen, it does the same from every seed, and so each thing as
// often: also if in the one it has just played for all the other seats, and seen
// their cards.
func TestNobodyLooksBeyondTheView(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 3))
	var honest, tempted bot.Player
	var d deals.Deals
	found, phases := 0, map[rules.Phase]int{}
	decisions(t, 1, 8, func(at *decision) {
		v := &at.view
		count := d.Set(v)
		if count == 0 {
			t.Fatalf("no deal shows the view %+v", v)
		}
		var other rules.Match
		ok := false
		for range 20 {
			held := d.Nth(dice.IntN(count))
			if held == hands(&at.match) {
				continue // the same match
			}
			var seen rules.View
			if other, ok = at.alike(held); ok {
				other.View(v.Viewer, &seen)
				if ok = seen == *v; ok {
					break
				}
			}
		}
		if !ok {
			return // the viewer has seen it all
		}
		found++
		phases[v.Phase]++
		for _, level := range bot.Levels() {
			for seed := range uint64(4) {
				for s := range rules.Seat(rules.Seats) {
					var theirs rules.View
					if other.View(s, &theirs); s != v.Viewer {
						// As if it were that seat's turn: what it would do does not matter.
						theirs.Phase, theirs.Turn = v.Phase, s
						supposed := theirs.Suppose(hands(&other))
						theirs.Legal = supposed.Legal()
						tempted.Choose(level, &theirs, seed, quick)
					}
				}
				a, ok := honest.Choose(level, v, seed, quick)
				var seen rules.View
				other.View(v.Viewer, &seen)
				if b, also := tempted.Choose(level, &seen, seed, quick); a != b || ok != also {
					t.Errorf("%v, seed %d: %v, and %v where other cards are hidden\n%+v", level, seed, a, b, v)
				}
			}
		}
	})
	t.Logf("%d decisions of %v", found, phases)
	if found < 100 || phases[rules.PhaseBid] < 20 || phases[rules.PhasePlay] < 50 || phases[rules.PhaseSing] == 0 {
		t.Errorf("only %d decisions with something to look at, %v", found, phases)
	}
}

func hands(m *rules.Match) (held [rules.Seats]rules.Cards) {
	for s := range held {
		held[s] = m.Held(rules.Seat(s))
	}
	return held
}

// The same view, level, seed and number of nodes give the same action, whatever the
// player did before and whichever player it is; and the view stays as it was.
func TestWhatWasChosenBeforeDoesNotMatter(t *testing.T) {
	var used bot.Player
	var views []rules.View
	decisions(t, 2, 12, func(d *decision) { views = append(views, d.view) })
	budgets := []bot.Budget{{}, {Nodes: 1}, {Nodes: 300}, quick}
	levels := bot.Levels()
	for i := range views {
		before := views[i]
		budget := budgets[i%len(budgets)]
		for _, level := range levels {
			var fresh bot.Player
			a, ok := fresh.Choose(level, &views[i], uint64(i), budget)
			for k := range 2 {
				j := (i*7 + k) % len(views)
				used.Choose(levels[(i+k)%len(levels)], &views[j], 5, quick)
			}
			if b, _ := used.Choose(level, &views[i], uint64(i), budget); a != b || !ok {
				t.Errorf("%v by %d nodes: %v, then %v\n%+v", level, budget.Nodes, a, b, views[i])
			}
			if b, _ := bot.Choose(level, &views[i], uint64(i)); budget.Nodes == 0 && a != b {
				t.Errorf("%v: %v, but %v of a player that is kept", level, a, b)
			}
		}
		if views[i] != before {
			t.Error("choosing changed the view")
		}
	}
	t.Logf("%d views", len(views))
}

// A bot that has no more time answers all the same, and legally.
func TestNoTimeLeft(t *testing.T) {
	var p bot.Player
	decisions(t, 3, 30, func(d *decision) {
		for _, level := range bot.Levels() {
			for _, patience := range []int{0, 1, 5} {
				asked := 0
				expired := func() bool {
					asked++
					return asked > patience
				}
				if a, ok := p.Choose(level, &d.view, 1, bot.Budget{Expired: expired}); !ok || !d.view.Legal.Has(a) {
					t.Errorf("%v, asked %d times: %v, %v", level, asked, a, ok)
				}
				if asked > patience+1 {
					t.Errorf("%v goes on when it has no more time", level)
				}
			}
		}
	})
}

// No decision allocates: the server's tables and the module decide by the thousand.
func TestNoDecisionAllocates(t *testing.T) {
	var p bot.Player
	var views []rules.View
	decisions(t, 4, 30, func(d *decision) { views = append(views, d.view) })
	for _, level := range bot.Levels() {
		if n := testing.AllocsPerRun(1, func() {
			for i := range views {
				p.Choose(level, &views[i], 1, quick)
			}
		}); n != 0 {
			t.Errorf("%v allocates %v times in %d decisions", level, n, len(views))
		}
	}
}

// Views with anything in them changed, so that they contradict themselves, are answered
// with something that they call legal, or not.
func TestContradictoryViews(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 5))
	var p bot.Player
	var d deals.Deals
	read, answered, impossible := 0, 0, 0
	decisions(t, 5, 12, func(at *decision) {
		good := wire.AppendView(nil, &at.view)
		for range 40 {
			b := append([]byte(nil), good...)
			for range 1 + dice.IntN(3) {
				// Small values are those that mean something.
				b[dice.IntN(len(b))] = byte(dice.IntN(256) >> (4 * dice.IntN(2)))
			}
			var v rules.View
			if !wire.ReadView(b, &v) {
				continue
			}
			read++
			before := v
			none := d.Set(&v) == 0
			for _, level := range bot.Levels() {
				a, ok := p.Choose(level, &v, 1, quick)
				if ok && !v.Legal.Has(a) {
					t.Fatalf("%v: %v is not among %b\n%x", level, a, v.Legal, b)
				}
				if ok {
					answered++
					if none {
						impossible++
					}
				}
			}
			if v != before {
				t.Fatal("the view was changed")
			}
		}
	})
	t.Logf("%d views, %d answers, %d of them where no deal shows the view", read, answered, impossible)
	if impossible == 0 {
		t.Error("no view contradicted itself")
	}
}
