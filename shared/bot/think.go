package bot

import (
	"github.com/cuatrola/cuatrola/shared/bot/habit"
	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// skill is how a level chooses among cards, and whether it sings.
type skill struct {
	// all is up to how many deals all are tried; of more, samples are.
	all, samples int
	// from is among how many samples those are drawn, each as often as it is likely; 0 to
	// take all deals for equally likely.
	from int
	// margins is on how many of the deals choices that win as often are told apart by
	// points.
	margins int
	// ahead says that few deals are played on to the seat's next card.
	ahead bool
}

var (
	veteranoPlay = skill{all: 50, samples: 50, margins: 50}
	maestroPlay  = skill{all: 800, samples: 300, from: 900, margins: 100, ahead: true}
)

// pool is the most deals that a decision looks at.
const pool = 900

// thought is what a player needs room for while it chooses a card.
type thought struct {
	history habit.History
	held    [pool][rules.Seats]rules.Cards
	weight  [pool]uint32
	won     [pool]rules.Actions // what wins on each
	alike   alike
}

const (
	// widest is how many points a hand won or lost is told apart by.
	widest = 60
	// Cards are dropped that after so many deals win so much less of them than the best.
	trial    = 100
	hopeless = 0.15
)

// think does what wins the hand on most of the deals that fit the view, when everybody
// then sees all cards, or first plays its next card without; and of what wins as often,
// what comes to most points. ok is false if no deal fits.
func (p *Player) think(k *skill, v *rules.View, r *random, budget Budget) (best rules.Action, ok bool) {
	count := p.deals.Set(v)
	if count == 0 || !p.solver.Begin(v) {
		return 0, false
	}
	x := &p.thought
	n := p.gather(k, v, r, count)
	won := wonAt(&v.Rules, v.Dealer, v.Hand.Bid)
	up := p.solver.Greater(v.Viewer)
	among := v.Legal
	var wins, points [solve.Actions]int64
	var values [solve.Actions]int16
	total, spent := int64(0), false
	for i := range n {
		p.solver.Deal(&x.held[i])
		p.solver.Worths(among, won-1, won, &values)
		w := int64(x.weight[i])
		total += w
		x.won[i] = 0
		for legal := among; legal != 0; legal = legal.Rest() {
			if a, _ := legal.First(); (int(values[a]) >= won) == up {
				wins[a] += w
				x.won[i] |= 1 << a
			}
		}
		if spent = budget.spent(p.solver.Nodes); spent {
			break
		}
		if i%trial == trial-1 {
			among = leaders(among, &wins, int64(hopeless*float64(total)))
		}
	}
	if total == 0 {
		return 0, false
	}
	if k.ahead && !spent && n <= aheadDeals && v.Phase == rules.PhasePlay && v.Cards.Len() >= aheadCards {
		if among = leaders(among, &wins, int64(unsure*float64(total))); among.Rest() != 0 {
			spent = p.ahead(v, among, n, won, &wins, budget)
		}
	}
	among = leaders(among, &wins, 0)
	for i := 0; i < min(n, k.margins) && among.Rest() != 0 && !spent; i++ {
		p.solver.Deal(&x.held[i])
		p.solver.Worths(among, won-widest, won+widest, &values)
		for legal := among; legal != 0; legal = legal.Rest() {
			a, _ := legal.First()
			margin := int64(max(-widest, min(widest, int(values[a])-won)))
			if !up {
				margin = -margin
			}
			points[a] += margin * int64(x.weight[i])
		}
		spent = budget.spent(p.solver.Nodes)
	}
	best, _ = leaders(among, &points, 0).First()
	return best, true
}

// leaders are the actions that have no less than the best, but for some slack.
func leaders(among rules.Actions, of *[solve.Actions]int64, slack int64) (leading rules.Actions) {
	best, _ := among.First()
	for rest := among; rest != 0; rest = rest.Rest() {
		if a, _ := rest.First(); of[a] > of[best] {
			best = a
		}
	}
	for rest := among; rest != 0; rest = rest.Rest() {
		if a, _ := rest.First(); of[a] >= of[best]-slack {
			leading |= 1 << a
		}
	}
	return leading
}

// gather lays out the deals to try, with how much each counts, and says how many they are.
func (p *Player) gather(k *skill, v *rules.View, r *random, count int) int {
	x := &p.thought
	weigh := k.from > 0
	if weigh {
		x.history.Set(v)
		setTable(&p.auction.table, v, nil)
	}
	tries, all := count, count <= k.all
	switch {
	case all:
	case weigh:
		tries = k.from
	default:
		tries = k.samples
	}
	n, sum := 0, uint64(0)
	for i := range tries {
		if !all {
			i = r.below(count)
		}
		held := p.deals.Nth(i)
		silences, possible := p.deals.Silences(&held)
		if !possible {
			continue
		}
		w := uint64(1)
		if weigh {
			w = p.likelihood(v, &held, silences)
		}
		x.held[n], x.weight[n] = held, uint32(w)
		sum += w
		n++
	}
	if all || !weigh || n <= k.samples {
		return n
	}
	return x.draw(n, sum, k.samples)
}

// likelihood is how likely it is that the others would have bid, played and kept silent as
// they did, if they held these cards now.
func (p *Player) likelihood(v *rules.View, held *[rules.Seats]rules.Cards, silences int) uint64 {
	h := &p.thought.history
	w := h.Likelihood(held)
	for seat := range rules.Seat(rules.Seats) {
		if seat != v.Viewer {
			w = uint64(float32(w) * p.auction.table.bidOdds(&plainTemper, v, seat, held[seat]|h.Played[seat]))
		}
	}
	// Who can sing and does not has a reason, which is seldom.
	return w>>min(2*silences, 6) + 1
}

// draw keeps about so many of n deals, each as often as it weighs: then few that weigh
// much do not stand for all.
func (x *thought) draw(n int, sum uint64, samples int) int {
	step := max(sum/uint64(samples), 1)
	kept, passed, next := 0, uint64(0), step/2
	for i := range n {
		passed += uint64(x.weight[i])
		times := uint32(0)
		for ; next < passed; next += step {
			times++
		}
		if times > 0 {
			x.held[kept], x.weight[kept] = x.held[i], times
			kept++
		}
	}
	return kept
}

// wonAt is the least value at which a hand of a dealer, with such a bid, is won by the side
// that plays for a greater one.
func wonAt(rs *rules.RuleSet, dealer rules.Seat, bid rules.Action) int {
	if bid != rules.Pass {
		if needs := int(rs.Bids[bid-rules.Solo].Needs); needs > 0 {
			return needs
		}
	}
	// Level counts for mano's pair: who takes the last trick then is not asked.
	return int(dealer.Next().Pair())
}
