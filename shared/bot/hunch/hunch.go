// Package hunch says at a glance what five cards promise: how likely their holder is to
// make a bid, without looking at how the other cards may lie. It is what a bot goes by when
// it asks thousands of times what somebody with certain cards would have bid.
//
// A hunch is a sum of terms, of the trumps held and of each other suit, in a table that was
// fitted to solved deals (hunch.gen.go, written by `cuatrola fit hunch`). House rules are
// told apart by what a card has to beat and by what the bid needs only.
package hunch

import (
	"math/bits"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// Kind is what is hoped for.
type Kind uint8

// The kinds.
const (
	// Nothing: that the holder's pair wins if nobody bids.
	Nothing Kind = iota
	// Points: that the holder makes a bid on points.
	Points
	// Three, Four and Five: that the holder makes a bid on so many tricks.
	Three
	Four
	Five
	// Kinds is how many there are.
	Kinds = 5
)

// KindOf a bid, or of Pass, by the rules. ok is false if they have no such bid.
func KindOf(rs *rules.RuleSet, bid rules.Action) (k Kind, ok bool) {
	if bid == rules.Pass {
		return Nothing, true
	}
	if bid < rules.Solo || bid > rules.Quintola {
		return 0, false
	}
	switch terms := rs.Bids[bid-rules.Solo]; {
	case terms.Value == 0:
		return 0, false
	case terms.Needs == 0:
		return Points, true
	default:
		return Three + Kind(min(max(terms.Needs, 3), 5)) - 3, true
	}
}

// Place is how a seat is placed to the deal: whether it is mano, the next one, the one
// behind that or the dealer.
type Place uint8

// PlaceOf a seat in a hand of a dealer.
func PlaceOf(seat, dealer rules.Seat) Place { return Place(seat-dealer.Next()) & 3 }

const (
	masks    = 1 << rules.Ranks
	manyness = 4 // classes of how many trumps there are: up to one, two, three, more
	places   = rules.Seats

	trumpTerms = 0
	sideTerms  = trumpTerms + places*masks
	shownTerms = sideTerms + manyness*masks

	// TermCount is how many terms a kind has in the table.
	TermCount = shownTerms + places*rules.Ranks
	// Beats is how many ways to beat the table tells apart.
	Beats = 2
	// Unit is how many steps of the table make one of the natural logarithm of odds.
	Unit = 16
)

// Terms are the places in the table of the five terms that a hand's promise consists of:
// those of its trumps, of each other suit, and of the card that the dealer shows.
func Terms(cards rules.Cards, shown rules.Card, place Place) (terms [5]uint16) {
	trump := shown.Suit() & 3
	mask := func(s rules.Suit) uint16 { return uint16(cards>>(rules.Ranks*s)) & (masks - 1) }
	trumps := mask(trump)
	terms[0] = trumpTerms + uint16(place)*masks + trumps
	many := uint16(min(max(bits.OnesCount16(trumps), 1), manyness) - 1)
	for i := range rules.Suits - 1 {
		side := (trump + 1 + rules.Suit(i)) & 3
		terms[1+i] = sideTerms + many*masks + mask(side)
	}
	terms[4] = shownTerms + uint16(place)*rules.Ranks + uint16(shown.Rank())
	return terms
}

// Logit is the natural logarithm of the odds, in Units, that the holder of five cards makes
// what is hoped for.
func Logit(rs *rules.RuleSet, k Kind, cards rules.Cards, shown rules.Card, place Place) int {
	return LogitOf(rs, k, Terms(cards, shown, leader(rs, k, place)))
}

// LogitOf is Logit for terms that are known already. It is only for rules without BidderLeads.
func LogitOf(rs *rules.RuleSet, k Kind, terms [5]uint16) int {
	t := &table[rs.Beat&1][k]
	sum := 0
	for _, i := range terms {
		sum += int(t[i])
	}
	return sum
}

// leader is the place to go by: a bidder who leads is placed like mano.
func leader(rs *rules.RuleSet, k Kind, place Place) Place {
	if rs.BidderLeads && k != Nothing {
		return 0
	}
	return place
}
