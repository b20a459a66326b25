package bot

import (
	"math/bits"

	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// When all cards are seen, each deal has its own best next card; but who cannot see them
// has to play one for all deals that look alike by then. So where the deals are few, cards
// that win about as often are told apart by that.
const (
	// aheadDeals is up to how many deals are played on to the seat's next card.
	aheadDeals = 300
	// aheadCards is how many cards are in hand at least: of two, the next card is the last.
	aheadCards = 3
	// unsure is how much less of the deals a card may win than the best to be tried so.
	unsure = 0.05
	// aheadNodes is how many cards that may cost before it is given up.
	aheadNodes = 40_000
)

// alike are deals by what a seat will have seen of them by its next card.
type alike struct {
	place [2 * 512]uint16 // where a kind of deal is among kinds, by its hash; else 0
	kinds [aheadDeals + 1]kind
	n     int
}

// kind is deals that look alike, and how much those weigh that each of the seat's cards
// wins, the cards in their order.
type kind struct {
	seen  uint32
	place uint16
	won   [rules.HandSize]uint32
}

func (k *alike) clear() {
	for i := range k.kinds[1 : k.n+1] {
		k.place[k.kinds[i+1].place] = 0
	}
	k.n = 0
}

// of is the kind of deal of which this has been seen.
func (k *alike) of(seen uint32) *kind {
	i := seen * 0x9e3779b1 >> 22
	for ; k.place[i] != 0; i = (i + 1) % uint32(len(k.place)) {
		if known := &k.kinds[k.place[i]]; known.seen == seen {
			return known
		}
	}
	k.n++
	k.place[i] = uint16(k.n)
	k.kinds[k.n] = kind{seen: seen, place: uint16(i)}
	return &k.kinds[k.n]
}

// ahead puts in the place of how much the deals weigh that some of the cards win how much
// those do that they win if the seat's next card has to be one for all that look alike. It
// leaves all as it was if that costs too much, and says whether the budget is spent.
func (p *Player) ahead(v *rules.View, among rules.Actions, n, won int, wins *[solve.Actions]int64, budget Budget) (spent bool) {
	x := &p.thought
	limit := p.solver.Nodes + aheadNodes
	var ahead [solve.Actions]int64
	for rest := among; rest != 0; rest = rest.Rest() {
		a, _ := rest.First()
		x.alike.clear()
		for i := range n {
			if !x.won[i].Has(a) {
				continue
			}
			if budget.spent(p.solver.Nodes) {
				return true
			}
			if p.solver.Nodes > limit {
				return false
			}
			p.solver.Deal(&x.held[i])
			seen, winning, ok := p.solver.Ahead(rules.Card(a), won)
			if !ok {
				ahead[a] += int64(x.weight[i])
				continue
			}
			k := x.alike.of(seen)
			for ; winning != 0; winning &= winning - 1 {
				weaker := v.Cards & (winning&-winning - 1)
				k.won[bits.OnesCount32(uint32(weaker))%rules.HandSize] += x.weight[i]
			}
		}
		for i := range x.alike.kinds[1 : x.alike.n+1] {
			most := uint32(0)
			for _, weight := range x.alike.kinds[i+1].won {
				most = max(most, weight)
			}
			ahead[a] += int64(most)
		}
	}
	for rest := among; rest != 0; rest = rest.Rest() {
		a, _ := rest.First()
		wins[a] = ahead[a]
	}
	return false
}
