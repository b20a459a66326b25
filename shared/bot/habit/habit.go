// Package habit says what a card tells of the hand that it came from: how likely good
// players are to play it, of the cards that they could have played.
//
// A habit is a weight for each kind of card in each situation, in a table that was fitted
// to how bots play that solve sampled deals (habit.gen.go, written by
// `cuatrola fit habit`). A card is as likely as its weight among those that could be
// played instead.
package habit

import "github.com/cuatrola/cuatrola/shared/rules"

// Situation is what a seat finds when it is to play: whether it leads, and if not, which
// pair is winning the trick and whether anybody comes behind; each for a hand in which
// nobody bid, for a bidder, and for those against one.
type Situation uint8

// Situations is how many there are.
const Situations = 3 * ways

const ways = 5

// SituationOf a seat that is to play to the trick on the table, when the bidding came to
// a bid of a seat (Pass and NoSeat: nobody bid).
func SituationOf(bid rules.Action, bidder, seat rules.Seat, table *rules.Trick) Situation {
	s, players := Situation(0), rules.Seats
	switch {
	case bid == rules.Pass:
	case bidder == seat:
		s, players = ways, rules.Seats-1
	default:
		s, players = 2*ways, rules.Seats-1
	}
	if table.Count == 0 {
		return s
	}
	s++
	if table.Winner.Pair() == seat.Pair() {
		s += 2
	}
	if int(table.Count) == players-1 {
		s++
	}
	return s
}

// Kind of a card, to a seat that is to play: its rank, whether it is a trump, and whether
// it beats the trick on the table, or if it is led, whether no card of its suit that the
// seat has not seen beats it.
type Kind uint8

// Kinds is how many there are.
const Kinds = 4 * rules.Ranks

// KindOf a card that may be played to the trick on the table. unseen are the cards that
// the seat has neither in hand nor seen.
func KindOf(c rules.Card, table *rules.Trick, trump rules.Suit, unseen rules.Cards) Kind {
	k := Kind(c.Rank())
	isTrump := c.Suit() == trump
	if isTrump {
		k += rules.Ranks
	}
	strong := unseen.In(c.Suit())>>c == 0
	if table.Count > 0 {
		best := table.Best
		strong = c.Suit() == best.Suit() && c > best || isTrump && best.Suit() != trump
	}
	if strong {
		k += 2 * rules.Ranks
	}
	return k
}

// History is what the other seats of a view have played. The zero value is empty; call
// Set. Nothing in it allocates.
type History struct {
	rules *rules.RuleSet
	trump rules.Suit
	plays [(rules.Seats - 1) * rules.HandSize]play
	count int
	// Played is what each seat has played in this hand.
	Played [rules.Seats]rules.Cards
}

// play is one card that another seat played.
type play struct {
	seat      rules.Seat
	card      rules.Card
	situation Situation
	table     rules.Trick // before it
	seen      rules.Cards // what had been played by then
	later     rules.Cards // what the seat has played since, this card included
}

// Set makes it that of a view, which is one that a match can show: see deals.
func (h *History) Set(v *rules.View) {
	h.rules, h.trump, h.count = &v.Rules, v.Trump.Suit(), 0
	h.Played = [rules.Seats]rules.Cards{}
	var seen rules.Cards
	for i := range int(v.Hand.TrickCount) + 1 {
		t := &v.Table
		if i < int(v.Hand.TrickCount) {
			t = &v.Hand.Tricks[i]
		}
		table := rules.NewTrick(t.Lead)
		for k, c := range t.Cards[:t.Count] {
			seat := rules.SeatOf(t.Lead, v.Out, k)
			if seat != v.Viewer && i < rules.HandSize-1 { // the last card is nobody's choice
				h.plays[h.count] = play{
					seat: seat, card: c, table: table, seen: seen,
					situation: SituationOf(v.Hand.Bid, v.Hand.Bidder, seat, &table),
				}
				h.count++
			}
			table.Add(seat, c, h.trump)
			seen |= rules.Of(c)
			h.Played[seat] |= rules.Of(c)
			for j := range h.plays[:h.count] {
				if h.plays[j].seat == seat {
					h.plays[j].later |= rules.Of(c)
				}
			}
		}
	}
}

// Certain is the likelihood of what could not have been otherwise.
const Certain = 1 << 16

// Likelihood is how likely it is, in parts of Certain, that the others would have played
// as they did if they held these cards now. It is never 0.
func (h *History) Likelihood(held *[rules.Seats]rules.Cards) uint64 {
	likely := uint64(Certain)
	for i := range h.plays[:h.count] {
		p := &h.plays[i]
		hand := held[p.seat] | p.later
		legal := h.rules.Playable(h.trump, p.seat, &p.table, hand)
		if legal&(legal-1) == 0 {
			continue
		}
		unseen := rules.Deck &^ (p.seen | hand)
		var sum, chosen uint64
		for rest := legal; rest != 0; rest &= rest - 1 {
			c := rest.First()
			w := uint64(weights[p.situation][KindOf(c, &p.table, h.trump, unseen)])
			sum += w
			if c == p.card {
				chosen = w
			}
		}
		likely = likely * chosen / sum
	}
	return max(likely, 1)
}
