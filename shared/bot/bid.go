package bot

import "github.com/cuatrola/cuatrola/shared/rules"

// bidSamples is the number of deals that a bid is tried on: enough to tell
// a good bid from a bad one, few enough to answer within a millisecond.
const bidSamples = 60

// bid is the bid that wins most match points on sampled deals, played out by the
// rules of thumb for everybody.
func bid(v *rules.View, r *random) rules.Action {
	var won [rules.Quintola + 1]int
	for range bidSamples {
		held := sampleDeal(v, r)
		for legal := v.Legal; legal != 0; legal = legal.Rest() {
			a, _ := legal.First()
			won[a] += outcome(v, &held, a)
		}
	}
	best, _ := v.Legal.First()
	for legal := v.Legal.Rest(); legal != 0; legal = legal.Rest() {
		if a, _ := legal.First(); won[a] > won[best] {
			best = a
		}
	}
	return best
}

// sampleDeal deals the cards that the viewer cannot see, all deals alike likely.
// It is meant for the bidding, when every seat holds five.
func sampleDeal(v *rules.View, r *random) [rules.Seats]rules.Cards {
	var held [rules.Seats]rules.Cards
	held[v.Viewer] = v.Cards
	unseen := v.Unseen()
	if v.Viewer != v.Dealer {
		held[v.Dealer] = rules.Of(v.Trump)
		unseen = unseen.Without(v.Trump)
	}
	for s := range held {
		for held[s].Len() < rules.HandSize {
			c := rules.Card(rules.Actions(unseen).Nth(r.below(unseen.Len())))
			held[s] |= rules.Of(c)
			unseen = unseen.Without(c)
		}
	}
	return held
}

// outcome is the match points that the viewer's pair wins or loses when it makes
// the bid and everybody after it passes.
func outcome(v *rules.View, held *[rules.Seats]rules.Cards, a rules.Action) int {
	m := v.Suppose(*held)
	m.Apply(v.Viewer, a)
	for m.Turn() != rules.NoSeat {
		switch m.Phase() {
		case rules.PhaseBid:
			a = rules.Pass
		case rules.PhaseSing:
			a, _ = m.Legal().First()
		default:
			a = rules.Play(pickCard(&m))
		}
		if m.Apply(rules.NoSeat, a) != rules.OK {
			return 0 // the view is one that no match shows; play would not end
		}
	}
	h := m.Hand()
	if h.Winner == v.Viewer.Pair() {
		return int(h.Value)
	}
	return -int(h.Value)
}
