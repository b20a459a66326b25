package bot

import (
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Auction is the bidding of a hand as Maestro sees it, for those who think about bids
// without making them: how likely others are to bid as they did, and what they may bid
// yet. The zero value waits for a view. It is large, so keep one, and for one goroutine.
type Auction struct {
	auction
	view rules.View
}

// Set makes it the bidding of the hand in play, as a seat sees it. It is false if nothing
// can be made of the view.
func (a *Auction) Set(v *rules.View) bool {
	if v.Dealer >= rules.Seats || v.Spoken > rules.Seats || v.Rules.Validate() != nil {
		return false
	}
	a.view = *v
	a.match.Set(v.Rules)
	setTable(&a.table, &a.view, &a.match)
	return true
}

// Weight is how likely the seats that have spoken, the viewer's aside, are to have done so
// with these cards, five of each seat. It is more than 0.
func (a *Auction) Weight(dealt *[rules.Seats]rules.Cards) float32 {
	return a.table.othersOdds(&a.view, dealt)
}

// Foresee says what contracts the bidding may lead to if the viewer, whose turn it is,
// makes a bid and the cards lie so: each with what it ends with and how likely it is, but
// for unlikely ones.
func (a *Auction) Foresee(bid rules.Action, dealt *[rules.Seats]rules.Cards, visit func(bid rules.Action, bidder rules.Seat, odds float32)) {
	v, choice := &a.view, int(bid-rules.Pass)
	a.held, a.known = *dealt, 0
	a.speak(v.Viewer, choice, contractIn(v), true)
	for c, odds := range a.reach[choice] {
		switch c := contract(c); {
		case odds <= 0:
		case c == 0:
			visit(rules.Pass, rules.NoSeat, odds)
		default:
			visit(rules.Pass+rules.Action(c.choice()), c.bidder(), odds)
		}
	}
}

// Win is the chance that a pair wins the match if a pair wins the hand in play with so
// many match points.
func (a *Auction) Win(pair, winner rules.Pair, value uint8) float32 {
	return pointsOf(&a.view, &a.match, pair, winner, value)
}
