package bot

import "github.com/cuatrola/cuatrola/shared/rules"

// The learner (aprendiz) knows the rules of thumb and plays by them, as far as it
// remembers what has been played and does not get carried away. It weighs what it
// may do by a rough guess and takes each action the more likely the better it looks:
// softmax over values, which makes small mistakes common and great ones rare, as
// people do. All of it is in whole numbers, so that every platform errs alike.
//
// The numbers are chosen by what they come to in matches; see docs/benchmarks.md.
const (
	// mood is how much a card's worth is misjudged, in tenths of a card point: the
	// temperature of the softmax.
	mood = 25
	// distracted is how much when it is not looking, which it is in one of
	// distractedIn turns: a ten goes to the others, a trump goes for nothing.
	distracted   = 150
	distractedIn = 12
	// forgetsIn: one of so many cards played before the last trick is forgotten.
	forgetsIn = 2
	// hope is how much a hand is misjudged in the bidding, in quarters of a trick.
	hope = 2
	// missesIn: one of so many cantes is not noticed in time; a forty seldom is.
	missesIn      = 7
	missesFortyIn = 25
)

func aprendiz(v *rules.View, r *random) rules.Action {
	switch v.Phase {
	case rules.PhaseBid:
		return hopefulBid(v, r)
	case rules.PhaseSing:
		a := sing(v)
		in := missesIn
		if a == rules.Sing(v.Trump.Suit()) {
			in = missesFortyIn
		}
		if v.Legal.Has(rules.Silent) && r.below(in) == 0 {
			return rules.Silent
		}
		return a
	default:
		return rules.Play(hastyCard(v, r))
	}
}

// hopefulBid is the highest bid for which the hand seems good enough: it counts its
// tricks and is hopeful one time, timid another.
func hopefulBid(v *rules.View, r *random) rules.Action {
	up, down := r.gumbel(), r.gumbel() // their difference is as often above zero as below
	strength := countTricks(v.Cards, v.Trump.Suit()) + hope*(up-down)/64
	best := rules.Pass
	for legal := v.Legal; legal != 0; legal = legal.Rest() {
		a, _ := legal.First()
		if a <= rules.Pass || a > rules.Quintola {
			continue
		}
		due := 12 // a hand on points is won by about three tricks
		if needs := int(v.Rules.Bids[a-rules.Solo].Needs); needs > 0 {
			due = 4*needs + 1
		}
		if strength >= due {
			best = a
		}
	}
	if !v.Legal.Has(best) {
		best, _ = v.Legal.First()
	}
	return best
}

// countTricks is what a hand seems to be good for, in quarters of a trick.
func countTricks(hand rules.Cards, trump rules.Suit) int {
	trumps := hand.In(trump)
	sum := 0
	for rest := hand; rest != 0; rest &= rest - 1 {
		c := rest.First()
		aced := hand.Has(rules.NewCard(rules.Ace, c.Suit()))
		switch {
		case c.Suit() == trump && c.Rank() == rules.Ace:
			sum += 4
		case c.Suit() == trump && c.Rank() == rules.Three:
			sum += 3
		case c.Suit() == trump:
			sum += min(trumps.Len(), 3)
		case c.Rank() == rules.Ace:
			sum += 3
		case c.Rank() == rules.Three && aced:
			sum += 2
		case c.Rank() == rules.Three:
			sum++
		}
	}
	return sum
}

// hastyCard takes each card the more likely the better it looks.
func hastyCard(v *rules.View, r *random) rules.Card {
	legal := v.Legal.Cards()
	unseen := recalled(v, r)
	heat := mood
	if r.below(distractedIn) == 0 {
		heat = distracted
	}
	best, bestLooks := legal.First(), -1<<30
	for rest := legal; rest != 0; rest &= rest - 1 {
		c := rest.First()
		// The greatest of values with Gumbel's noise is a draw from their softmax.
		if looks := looksWorth(v, c, unseen) + heat*r.gumbel()/64; looks > bestLooks {
			best, bestLooks = c, looks
		}
	}
	return best
}

// recalled is the set of cards that it believes to be still out: those that are, and
// some that it has forgotten to have seen.
func recalled(v *rules.View, r *random) rules.Cards {
	unseen := v.Unseen()
	for i := range int(v.Hand.TrickCount) - 1 {
		t := &v.Hand.Tricks[i]
		for _, c := range t.Cards[:t.Count] {
			if r.below(forgetsIn) == 0 {
				unseen |= rules.Of(c)
			}
		}
	}
	return unseen
}

// looksWorth is what a card seems to gain, in tenths of a card point: what it leaves on
// the table, for or against, less what it would be good for later.
func looksWorth(v *rules.View, c rules.Card, unseen rules.Cards) int {
	trump := v.Trump.Suit()
	table := &v.Table
	isTrump := c.Suit() == trump
	boss := unseen.In(c.Suit())>>c == 0 // nothing that it thinks of beats it in its suit
	last := int(table.Count) == playersIn(v)-1

	// chance that the trick is its own pair's, in percent.
	chance := 0
	switch {
	case table.Count == 0 && boss && isTrump:
		chance = 100
	case table.Count == 0 && boss:
		chance = 80
	case table.Count == 0:
		chance = 35
	case c.Suit() == table.Best.Suit() && c > table.Best || isTrump && table.Best.Suit() != trump:
		chance = 60
		if last || boss {
			chance = 90
		}
	case table.Winner == v.Viewer.Partner():
		chance = 60
		if last || unseen.In(table.Best.Suit())>>table.Best == 0 {
			chance = 90
		}
	}

	stake := table.Points() + c.Points()
	if table.Count == 0 {
		stake += 8 // what the others will add, more or less
	}
	if v.Hand.Bid != rules.Pass && v.Rules.Bids[(v.Hand.Bid-rules.Solo)%3].Needs > 0 {
		stake = 20 // a trick is a trick
	}
	keep := 0
	switch {
	case isTrump:
		keep = 40 + 10*int(c.Rank())
	case c.Rank() >= rules.Three:
		keep = 20
	}
	return (2*chance-100)*stake/10 - keep
}

// gumbel is a draw from Gumbel's distribution, in 64ths.
func (r *random) gumbel() int { return int(gumbels[r.below(len(gumbels))]) }

// gumbels are the distribution's quantiles in the middles of 64 equal parts:
// -64 ln(-ln((i + 1/2) / 64)), rounded.
var gumbels = [64]int16{
	-101, -85, -75, -68, -62, -57, -53, -49, -45, -41, -38, -35, -31, -28, -25, -22,
	-19, -17, -14, -11, -8, -6, -3, 0, 3, 5, 8, 11, 14, 16, 19, 22,
	25, 28, 31, 34, 37, 40, 43, 47, 50, 54, 57, 61, 65, 69, 73, 77,
	82, 87, 92, 98, 104, 110, 117, 125, 133, 143, 154, 168, 184, 206, 239, 310,
}
