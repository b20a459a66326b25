package duel

import (
	"math/rand/v2"

	"github.com/cuatrola/cuatrola/shared/bot/deals"
	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// sampler is the reference that bots are measured against. It samples deals uniformly
// among those that fit what the seat has seen, solves each as if all cards were seen, and
// does what wins most of them; of actions that win as many, the one with most points.
// It bids what wins most match points if everybody after it passes.
type sampler struct {
	samples int
	solver  solve.Solver
	deals   deals.Deals
	pcg     rand.PCG
}

func (p *sampler) Choose(_ *rules.Match, v *rules.View, seed uint64) rules.Action {
	p.pcg.Seed(seed, uint64(v.HandsFinished)<<40|uint64(v.Seq)<<8|uint64(v.Viewer))
	dice := rand.New(&p.pcg) //nolint:gosec // a player that plays alike again is the point
	count := p.deals.Set(v)
	n := min(p.samples, count) // as many as there are: each of them, once
	nth := func(i int) [rules.Seats]rules.Cards {
		if n < count {
			i = dice.IntN(count)
		}
		return p.deals.Nth(i)
	}
	var total [solve.Actions]worth
	if v.Phase == rules.PhaseBid {
		m := v.Suppose([rules.Seats]rules.Cards{})
		for i := range n {
			held := nth(i)
			for legal := v.Legal; legal != 0; legal = legal.Rest() {
				a, _ := legal.First()
				total[a].won += bidWorth(&p.solver, &m, &held, a)
			}
		}
		return best(v.Legal, &total)
	}

	to := newAim(&v.Rules, v.Dealer, v.Hand.Bid, v.Hand.Bidder, v.Viewer.Pair())
	low, high := to.window()
	p.solver.Begin(v)
	for i := range n {
		held := nth(i)
		p.solver.Deal(&held)
		var values [solve.Actions]int16
		p.solver.Worths(v.Legal, low, high, &values)
		for legal := v.Legal; legal != 0; legal = legal.Rest() {
			a, _ := legal.First()
			total[a].add(to.of(int(values[a])))
		}
	}
	return best(v.Legal, &total)
}

// bidWorth is the match points that the pair wins or loses if its seat bids this and
// everybody after it passes, twice; m is any match at which it may.
func bidWorth(s *solve.Solver, m *rules.Match, held *[rules.Seats]rules.Cards, a rules.Action) int {
	rs, h := m.Rules(), m.Hand()
	bid, bidder, points := h.Bid, h.Bidder, 1
	if a != rules.Pass {
		bid, bidder = a, m.Turn()
	}
	if bid != rules.Pass {
		points = int(rs.Bids[bid-rules.Solo].Value)
	}
	to := newAim(&rs, m.Dealer(), bid, bidder, m.Turn().Pair())
	s.Contract(&rs, m.Dealer(), m.Trump().Suit(), bid, bidder)
	s.Deal(held)
	// Who wins is enough.
	return points * 2 * (to.of(s.Worth(to.level-1, to.level+1)).won - 1)
}

// best is the action that is worth most, the first of several.
func best(legal rules.Actions, of *[solve.Actions]worth) rules.Action {
	a, _ := legal.First()
	for legal = legal.Rest(); legal != 0; legal = legal.Rest() {
		if b, _ := legal.First(); of[b].better(of[a]) {
			a = b
		}
	}
	return a
}

// cheater sees all cards, and plays as if everybody did: how far a player could get
// that guesses every card.
type cheater struct{ solver solve.Solver }

func (p *cheater) Choose(m *rules.Match, v *rules.View, _ uint64) rules.Action {
	var of [solve.Actions]worth
	if v.Phase == rules.PhaseBid {
		held := hands(m)
		for legal := v.Legal; legal != 0; legal = legal.Rest() {
			a, _ := legal.First()
			of[a].won = bidWorth(&p.solver, m, &held, a)
		}
		return best(v.Legal, &of)
	}
	to := newAim(&v.Rules, v.Dealer, v.Hand.Bid, v.Hand.Bidder, v.Viewer.Pair())
	to.width = exact
	var values [solve.Actions]int16
	p.solver.Values(m, &values)
	for legal := v.Legal; legal != 0; legal = legal.Rest() {
		a, _ := legal.First()
		if of[a] = to.of(int(values[a])); of[a].won == 1 {
			after := *m
			after.Apply(rules.NoSeat, a)
			of[a].won = 2 * p.lastTrick(&after, v.Viewer.Pair())
		}
	}
	return best(v.Legal, &of)
}

// exact is a width that no value is beyond.
const exact = 1 << 10

func hands(m *rules.Match) (held [rules.Seats]rules.Cards) {
	for s := range held {
		held[s] = m.Held(rules.Seat(s))
	}
	return held
}

// lastTrick is 1 if a pair wins a hand whose value is that both have as many points and
// the last trick decides, else 0. The solver knows points only, so this goes
// through all play that keeps to the value; it is seldom asked.
func (p *cheater) lastTrick(m *rules.Match, pair rules.Pair) int {
	if m.Turn() == rules.NoSeat {
		if m.Hand().Winner == pair {
			return 1
		}
		return 0
	}
	to := aim{sign: 1, width: 1}
	if pair != 0 {
		to.sign = -1
	}
	var values [solve.Actions]int16
	p.solver.Values(m, &values)
	mine := m.Turn().Pair() == pair
	for legal := m.Legal(); legal != 0; legal = legal.Rest() {
		a, _ := legal.First()
		w := to.of(int(values[a]))
		won := w.won / 2
		if w.margin == 0 {
			after := *m
			after.Apply(rules.NoSeat, a)
			won = p.lastTrick(&after, pair)
		}
		if (won == 1) == mine {
			return won
		}
	}
	if mine {
		return 0
	}
	return 1
}
