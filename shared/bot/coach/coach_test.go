package coach_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/bot/coach"
	"github.com/cuatrola/cuatrola/shared/bot/deals"
	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
)

func houseRules(dice *rand.Rand) rules.RuleSet {
	rs := rules.Presets()[dice.IntN(4)].Rules()
	flag := func() bool { return dice.IntN(2) == 0 }
	if flag() {
		return rs
	}
	rs.Target = uint8(1 + dice.IntN(12))
	rs.End = rules.End(dice.IntN(2))
	rs.Tie = rules.Tie(dice.IntN(2))
	rs.BonusAbove = int16(dice.IntN(252)) - 1
	rs.ExactTarget, rs.Cantes = flag(), rules.Cantes(dice.IntN(2))
	rs.MaxCantes, rs.FortyFirst, rs.Beat = int8(dice.IntN(6))-1, flag(), rules.Beat(dice.IntN(2))
	rs.StopWhenLost, rs.Undertrump, rs.PartnerExempt = flag(), rules.Undertrump(dice.IntN(2)), flag()
	rs.Raising, rs.BidderLeads = flag(), flag()
	return rs
}

// play plays some hands; choose says what the seat to act does.
func play(dice *rand.Rand, rs rules.RuleSet, hands int, choose func(m *rules.Match) rules.Action) []rules.HandRecord {
	m := rules.NewMatch(rs)
	dealer := rules.Seat(dice.IntN(rules.Seats))
	var all []rules.HandRecord
	for len(all) < hands && m.Phase() != rules.PhaseMatchOver {
		h := rules.HandRecord{Dealer: dealer}
		for i, c := range dice.Perm(rules.DeckSize) {
			h.Deal[i/rules.HandSize][i%rules.HandSize] = rules.Card(c)
		}
		h.Trump = h.Deal[dealer][4]
		m.Deal(dealer, &h.Deal, h.Trump)
		for m.Turn() != rules.NoSeat {
			a := choose(&m)
			h.Actions = append(h.Actions, a)
			m.Apply(rules.NoSeat, a)
		}
		all = append(all, h)
		dealer = dealer.Next()
	}
	return all
}

func byBot(level bot.Level, seed uint64) func(m *rules.Match) rules.Action {
	return func(m *rules.Match) rules.Action {
		var v rules.View
		m.View(m.Turn(), &v)
		a, _ := bot.Choose(level, &v, seed)
		return a
	}
}

// random is any legal action, but for bids, most of which are passes.
func random(dice *rand.Rand) func(m *rules.Match) rules.Action {
	return func(m *rules.Match) rules.Action {
		if m.Phase() == rules.PhaseBid && dice.IntN(4) > 0 {
			return rules.Pass
		}
		return m.Legal().Nth(dice.IntN(m.Legal().Len()))
	}
}

func options(d *coach.Decision) []coach.Option { return d.Options[:d.OptionCount] }

// What holds of every review, of every rule set and house rule.
func TestReviewAddsUp(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 1))
	var c coach.Coach
	var solver solve.Solver
	units := map[coach.Unit]int{}
	for n := range 12 {
		rs := houseRules(dice)
		if n < 4 {
			rs = rules.Presets()[n].Rules()
		}
		hands := play(dice, rs, 1+dice.IntN(3), random(dice))
		index := len(hands) - 1
		var h coach.Hand
		if fault := c.Review(rs, hands, index, &h); fault.Reason != rules.OK {
			t.Fatalf("%+v of %+v", fault, hands)
		}
		if int(h.DecisionCount) != len(hands[index].Actions) {
			t.Fatalf("%d decisions of %d", h.DecisionCount, len(hands[index].Actions))
		}
		m := rules.NewMatch(rs)
		rules.Replay(&m, hands[:index], nil, nil)
		m.Deal(hands[index].Dealer, &hands[index].Deal, hands[index].Trump)
		var seats [rules.Seats]coach.Tally
		for i, a := range hands[index].Actions {
			d := &h.Decisions[i]
			where := func(format string, args ...any) {
				t.Helper()
				t.Fatalf("hand %d, action %d of %+v in %+v: "+format, append([]any{index, i, *d, hands}, args...)...)
			}
			if d.Seat != m.Turn() || d.Phase != m.Phase() || int(d.Action) != i || d.Options[d.Played].Action != a || d.ReasonCount == 0 {
				where("not the action that was taken")
			}
			var legal rules.Actions
			for _, o := range options(d) {
				legal |= 1 << o.Action
				for _, chance := range []int16{o.OpenMatch, o.Hand, o.Match} {
					if chance < 0 || chance > coach.Whole {
						where("a chance of %d", chance)
					}
				}
			}
			if legal != m.Legal() {
				where("the options are not what is legal")
			}
			_, cost := d.Cost()
			switch {
			case d.Forced() != (legal.Rest() == 0), d.Forced() != (d.Verdict == coach.Forced):
				where("forced or not")
			case d.Forced() && (cost != 0 || d.Loss != 0 || d.OpenCost() != 0):
				where("what is forced costs nothing")
			case !d.Forced() && d.Deals == 0:
				where("no deals")
			case d.Loss > coach.Whole, d.Best == d.Played && d.Loss != 0, d.OpenCost() < 0 && d.Unit != coach.Score, cost < -1:
				where("costs %d, loss %d", cost, d.Loss)
			}
			if !d.Forced() {
				seats[d.Seat].Add(coach.Tally{Decisions: 1, Loss: uint32(d.Loss)})
			}
			units[d.Unit]++
			var values [solve.Actions]int16
			if solver.Values(&m, &values) {
				up := rules.Pair(0)
				if d.Unit == coach.Tricks {
					up = m.Hand().Bidder.Pair()
				}
				for _, o := range options(d) {
					if want := values[o.Action]; o.Open != want && d.Seat.Pair() == up || o.Open != -want && d.Seat.Pair() != up {
						where("%v is worth %d, the solver says %d", o.Action, o.Open, want)
					}
				}
			}
			m.Apply(rules.NoSeat, a)
		}
		if h.Seats != seats {
			t.Errorf("%v, want %v", h.Seats, seats)
		}
		for _, tally := range seats {
			if a := tally.Accuracy(); a < 0 || a > 1000 || tally.Loss == 0 && a != 1000 {
				t.Errorf("an accuracy of %d of %v", a, tally)
			}
		}
		if n >= 4 {
			continue
		}
		var again coach.Hand
		if c.Review(rs, hands, index, &again); again != h {
			t.Fatal("reviewed again, it comes out otherwise")
		}
	}
	if len(units) != 3 {
		t.Errorf("not every unit: %v", units)
	}
}

// anotherDeal is the hand as it might have been for all that a seat knew before an action:
// with other cards where it could not look, and what it could not see since then played
// at random.
func anotherDeal(dice *rand.Rand, rs rules.RuleSet, hands []rules.HandRecord, action int) (rules.HandRecord, int) {
	index := len(hands) - 1
	h := &hands[index]
	start := rules.NewMatch(rs)
	rules.Replay(&start, hands[:index], nil, nil)
	m := start
	m.Deal(h.Dealer, &h.Deal, h.Trump)
	type done struct {
		seat   rules.Seat
		action rules.Action
	}
	var seen []done
	var played [rules.Seats]rules.Cards
	for _, a := range h.Actions[:action] {
		seen = append(seen, done{m.Turn(), a})
		if c, ok := a.Card(); ok {
			played[m.Turn()] |= rules.Of(c)
		}
		m.Apply(rules.NoSeat, a)
	}
	viewer := m.Turn()
	var v rules.View
	m.View(viewer, &v)
	var d deals.Deals
	count := d.Set(&v)
	held := d.Nth(dice.IntN(count))
	for _, possible := d.Silences(&held); !possible; _, possible = d.Silences(&held) {
		held = d.Nth(dice.IntN(count))
	}
	other := rules.HandRecord{Dealer: h.Dealer, Trump: h.Trump}
	for s := range other.Deal {
		for i := range other.Deal[s] {
			other.Deal[s][i] = rules.Card(rules.Actions(held[s] | played[s]).Nth(i))
		}
	}
	m = start
	m.Deal(other.Dealer, &other.Deal, other.Trump)
	do := func(a rules.Action) {
		if why := m.Apply(rules.NoSeat, a); why != rules.OK {
			panic(why)
		}
		other.Actions = append(other.Actions, a)
	}
	for _, x := range seen {
		if x.action == rules.Silent && x.seat != viewer {
			continue
		}
		for m.Turn() != x.seat || !m.Legal().Has(x.action) {
			do(rules.Silent)
		}
		do(x.action)
	}
	for m.Turn() != viewer || m.Phase() != v.Phase {
		do(rules.Silent)
	}
	at := len(other.Actions)
	do(h.Actions[action])
	for m.Turn() != rules.NoSeat {
		do(m.Legal().Nth(dice.IntN(m.Legal().Len())))
	}
	return other, at
}

// What is said of a seat's knowledge is the same whatever the cards are that it could not
// see, and whatever came later.
func TestKnowledgeIsTheSeatsOwn(t *testing.T) {
	dice := rand.New(rand.NewPCG(2, 1))
	var c coach.Coach
	looked, moved := 0, 0
	for n := range 10 {
		rs := houseRules(dice)
		if n < 4 {
			rs = rules.Presets()[n].Rules()
		}
		hands := play(dice, rs, 1+dice.IntN(2), random(dice))
		index := len(hands) - 1
		var h, other coach.Hand
		c.Review(rs, hands, index, &h)
		for _, i := range dice.Perm(int(h.DecisionCount))[:4] {
			d := h.Decisions[i]
			if d.Forced() {
				continue
			}
			changed, at := anotherDeal(dice, rs, hands, i)
			if fault := c.Review(rs, append(hands[:index:index], changed), index, &other); fault.Reason != rules.OK {
				t.Fatal(fault)
			}
			o := other.Decisions[at]
			looked++
			if changed.Deal != hands[index].Deal {
				moved++
			}
			// The place in the record tells of others' silences; what is worth with all cards
			// seen, and luck, are not the seat's knowledge.
			o.Action = d.Action
			for _, x := range []*coach.Decision{&d, &o} {
				x.OpenBest = 0
				for k := range x.Options {
					x.Options[k].Open, x.Options[k].OpenMatch = 0, 0
				}
				if x.Verdict == coach.Best {
					x.Reasons, x.ReasonCount = [2]coach.Reason{}, 0
				}
				x.Reasons[1], x.ReasonCount = coach.Reason{}, min(x.ReasonCount, 1)
			}
			if d != o {
				t.Fatalf("action %d of %+v: %+v\nwith other cards unseen: %+v", i, hands, d, o)
			}
		}
	}
	if looked < 12 || moved < looked/2 {
		t.Errorf("looked at %d decisions, other cards in %d", looked, moved)
	}
}

// Whoever always does the best that can be known has an accuracy of 100, and pays nothing.
func TestTheBestCostsNothing(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 1))
	var c coach.Coach
	rs := rules.Liga.Rules()
	hands := play(dice, rs, 1, random(dice))
	var h coach.Hand
	for i := 0; ; i++ {
		if c.Review(rs, hands, 0, &h); i == int(h.DecisionCount) {
			break
		}
		d := &h.Decisions[i]
		hands[0].Actions = append(hands[0].Actions[:i:i], d.Options[d.Best].Action)
		m := rules.NewMatch(rs)
		rules.Replay(&m, hands, nil, nil)
		for choose := random(dice); m.Turn() != rules.NoSeat; {
			a := choose(&m)
			hands[0].Actions = append(hands[0].Actions, a)
			m.Apply(rules.NoSeat, a)
		}
	}
	for s, tally := range h.Seats {
		if tally.Loss != 0 || tally.Accuracy() != 1000 {
			t.Errorf("seat %d: %+v", s, tally)
		}
	}
}

func TestAccuracy(t *testing.T) {
	for _, test := range []struct {
		tally coach.Tally
		want  int
	}{
		{coach.Tally{}, 1000},
		{coach.Tally{Decisions: 7}, 1000},
		{coach.Tally{Decisions: 5, Loss: 5 * coach.Whole / 10}, 500},
		{coach.Tally{Decisions: 1, Loss: coach.Whole}, 91},
		{coach.Tally{Decisions: 100, Loss: 1}, 1000},
	} {
		if got := test.tally.Accuracy(); got != test.want {
			t.Errorf("%+v: %d, want %d", test.tally, got, test.want)
		}
	}
}

// A record that is at fault, or whose hand is not over, says where.
func TestNoReview(t *testing.T) {
	dice := rand.New(rand.NewPCG(4, 1))
	rs := rules.Mesa.Rules()
	whole := play(dice, rs, 2, random(dice))
	var c coach.Coach
	var h coach.Hand
	for _, test := range []struct {
		name   string
		index  int
		change func(hands []rules.HandRecord)
		want   rules.Fault
	}{
		{"before the first", -1, nil, rules.Fault{Reason: rules.HandUnfinished, Hand: 2, Action: rules.NoAction}},
		{"behind the last", 2, nil, rules.Fault{Reason: rules.HandUnfinished, Hand: 2, Action: rules.NoAction}},
		{"cut short", 1, func(hs []rules.HandRecord) { hs[1].Actions = hs[1].Actions[:9] }, rules.Fault{Reason: rules.HandUnfinished, Hand: 1, Action: 9}},
		{"cut short before", 1, func(hs []rules.HandRecord) { hs[0].Actions = hs[0].Actions[:9] }, rules.Fault{Reason: rules.HandUnfinished, Hand: 0, Action: 9}},
		{"another's deal", 1, func(hs []rules.HandRecord) { hs[1].Dealer = hs[0].Dealer }, rules.Fault{Reason: rules.BadDealer, Hand: 1, Action: rules.NoAction}},
		{"not the pack", 0, func(hs []rules.HandRecord) { hs[0].Deal[0][0] = hs[0].Deal[0][1] }, rules.Fault{Reason: rules.BadDeal, Hand: 0, Action: rules.NoAction}},
		{"a bid too late", 1, func(hs []rules.HandRecord) { hs[1].Actions[6] = rules.Pass }, rules.Fault{Reason: rules.WrongPhase, Hand: 1, Action: 6}},
		{"a bid too late before", 1, func(hs []rules.HandRecord) { hs[0].Actions[6] = rules.Pass }, rules.Fault{Reason: rules.WrongPhase, Hand: 0, Action: 6}},
		{"more than a hand", 1, func(hs []rules.HandRecord) { hs[1].Actions = append(hs[1].Actions, rules.Pass) }, rules.Fault{Reason: rules.HandOver, Hand: 1, Action: len(whole[1].Actions)}},
	} {
		hands := slices.Clone(whole)
		for i := range hands {
			hands[i].Actions = slices.Clone(hands[i].Actions)
		}
		if test.change != nil {
			test.change(hands)
		}
		if got := c.Review(rs, hands, test.index, &h); got != test.want || h.DecisionCount != 0 {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

func BenchmarkHand(b *testing.B) {
	for _, preset := range rules.Presets() {
		b.Run(preset.String(), func(b *testing.B) {
			dice := rand.New(rand.NewPCG(1, 2))
			var hands [][]rules.HandRecord
			for range 16 {
				hands = append(hands, play(dice, preset.Rules(), 1, byBot(bot.Tabernero, dice.Uint64())))
			}
			var c coach.Coach
			var out coach.Hand
			for i := 0; b.Loop(); i++ {
				c.Review(preset.Rules(), hands[i%16], 0, &out)
			}
		})
	}
}
