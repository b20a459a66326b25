package duel

import "github.com/cuatrola/cuatrola/shared/rules"

// aim is what a pair plays for in a hand: to win it, and if that is the same either way,
// to be ahead by more.
type aim struct {
	level int // the solver's value at which whenLevel is what the hand is worth
	sign  int // 1 if the pair wants more, -1 if it wants less
	// whenLevel is 2 for a hand won, 0 for one lost, 1 where the last trick decides, and
	// the solver does not say whose it is.
	whenLevel int
	width     int
}

// How far from the point where a hand is won or lost the solver has to be exact: more
// takes longer and tells only by how much it is.
const (
	windowPoints = 15
	windowTricks = 1
)

func newAim(rs *rules.RuleSet, dealer rules.Seat, bid rules.Action, bidder rules.Seat, pair rules.Pair) aim {
	if bid != rules.Pass {
		if needs := int(rs.Bids[bid-rules.Solo].Needs); needs > 0 {
			if bidder.Pair() == pair {
				return aim{level: needs, sign: 1, whenLevel: 2, width: windowTricks}
			}
			return aim{level: needs, sign: -1, width: windowTricks}
		}
	}
	a := aim{sign: 1, width: windowPoints}
	if pair != 0 {
		a.sign = -1
	}
	switch {
	case rs.Tie == rules.TieLastTrick:
		a.whenLevel = 1
	case dealer.Next().Pair() == pair:
		a.whenLevel = 2
	}
	return a
}

// window is between what the solver has to be exact.
func (a aim) window() (low, high int) { return a.level - a.width, a.level + a.width }

// worth is what a hand comes to for a pair, or many hands.
type worth struct {
	won    int // 2 for each hand won, 1 for each that may be
	margin int
}

// of is what a value of the solver's is worth. Beyond the window it says no more than
// on which side it is.
func (a aim) of(value int) worth {
	w := worth{margin: a.sign * (value - a.level)}
	w.margin = min(max(w.margin, -a.width), a.width)
	switch {
	case w.margin > 0:
		w.won = 2
	case w.margin == 0:
		w.won = a.whenLevel
	}
	return w
}

// better says whether w is worth more than o.
func (w worth) better(o worth) bool {
	return w.won > o.won || w.won == o.won && w.margin > o.margin
}

func (w *worth) add(o worth) {
	w.won += o.won
	w.margin += o.margin
}
