// Package selfplay lets bots play hands against each other and counts what comes of them:
// the figures that shared/bot goes by, as Go source.
package selfplay

import (
	"bytes"
	"go/format"
	"io"
	"math/rand/v2"

	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// The dealer is always seat 3 here, and mano seat 0: seats are alike but for that.
const (
	dealer = rules.Seat(3)
	bids   = 3
	// contracts that a hand may be played under: nobody bid, or any seat any bid.
	contracts = 1 + rules.Seats*bids
)

// contract is what the bidding came to, as a number: 0 if nobody bid.
type contract int

func contractOf(seat rules.Seat, bid rules.Action) contract {
	return contract(1 + int(seat)*bids + int(bid-rules.Solo))
}

func (c contract) bid() rules.Action {
	if c == 0 {
		return rules.Pass
	}
	return rules.Solo + rules.Action(int(c-1)%bids)
}

func (c contract) bidder() rules.Seat {
	if c == 0 {
		return rules.NoSeat
	}
	return rules.Seat(int(c-1) / bids)
}

// layout is how the cards lie in a hand.
type layout struct {
	held  [rules.Seats]rules.Cards
	trump rules.Card
}

func newDice(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 8)) //nolint:gosec // figures that can be had again are the point
}

func randomLayout(dice *rand.Rand) (l layout) {
	for i, c := range dice.Perm(rules.DeckSize) {
		l.held[i/rules.HandSize] |= rules.Of(rules.Card(c))
		l.trump = rules.Card(c) // the last one, which is the dealer's
	}
	return l
}

// alike is another layout that looks the same to a seat before the bidding.
func (l *layout) alike(seat rules.Seat, dice *rand.Rand) layout {
	var unseen [rules.DeckSize]rules.Card
	n := 0
	known := l.held[seat] | rules.Of(l.trump)
	for c := range rules.Card(rules.DeckSize) {
		if !known.Has(c) {
			unseen[n] = c
			n++
		}
	}
	dice.Shuffle(n, func(i, j int) { unseen[i], unseen[j] = unseen[j], unseen[i] })
	o := layout{trump: l.trump}
	o.held[seat] = l.held[seat]
	if seat != dealer {
		o.held[dealer] = rules.Of(l.trump)
	}
	for s := range o.held {
		for o.held[s].Len() < rules.HandSize {
			n--
			o.held[s] |= rules.Of(unseen[n])
		}
	}
	return o
}

// deal is a new match in which the layout was dealt.
func (l layout) deal(rs rules.RuleSet) rules.Match {
	m := rules.NewMatch(rs)
	var deal rules.Deal
	for s, cards := range l.held {
		for i := range deal[s] {
			deal[s][i] = cards.First()
			cards = cards.Without(cards.First())
		}
	}
	m.Deal(dealer, &deal, l.trump)
	return m
}

// begin is a match in which the layout was dealt and the bidding has come to a contract.
// No target is near.
func (l *layout) begin(rs rules.RuleSet, c contract) rules.Match {
	rs.Target, rs.ExactTarget, rs.Raising = rules.MaxTarget, false, true
	m := l.deal(rs)
	for m.Phase() == rules.PhaseBid {
		a := rules.Pass
		if m.Turn() == c.bidder() {
			a = c.bid()
		}
		m.Apply(m.Turn(), a)
	}
	return m
}

// play plays a match's hand to its end.
func play(m *rules.Match, level bot.Level, seed uint64) *rules.Hand {
	for m.Turn() != rules.NoSeat {
		var v rules.View
		m.View(m.Turn(), &v)
		a, _ := bot.Choose(level, &v, seed)
		m.Apply(m.Turn(), a)
	}
	return m.Hand()
}

// outlook is how often mano's pair wins under each contract, of samples layouts.
type outlook [contracts]float64

// look works out what a seat may expect of each contract, or of its own alone: on so many
// layouts that look the same to it, with all cards seen.
func look(s *solve.Solver, rs *rules.RuleSet, l *layout, seat rules.Seat, all bool, samples int, dice *rand.Rand) (o outlook) {
	layouts := make([]layout, samples)
	for i := range layouts {
		layouts[i] = l.alike(seat, dice)
	}
	tie := 0 // level is mano's
	if rs.Tie != rules.TieMano {
		tie = 1
	}
	each := 1 / float64(samples)
	solved := func(c contract, low, high int, won func(value int)) {
		s.Contract(rs, dealer, l.trump.Suit(), c.bid(), c.bidder())
		for i := range layouts {
			s.Deal(&layouts[i].held)
			won(s.Worth(low, high))
		}
	}
	for c := range contract(contracts) {
		if c != 0 && !all && c.bidder() != seat {
			continue
		}
		switch bid := c.bid(); {
		case bid == rules.Pass || rs.Bids[bid-rules.Solo].Value > 0 && rs.Bids[bid-rules.Solo].Needs == 0:
			solved(c, tie-1, tie, func(value int) {
				if value >= tie {
					o[c] += each
				}
			})
		case rs.Bids[bid-rules.Solo].Value > 0:
			needs := int(rs.Bids[bid-rules.Solo].Needs)
			solved(c, needs-1, needs, func(value int) {
				if (value >= needs) == (c.bidder().Pair() == 0) {
					o[c] += each
				}
			})
		}
	}
	return o
}

// writeSource writes Go source as gofmt has it.
func writeSource(w io.Writer, b *bytes.Buffer) error {
	source, err := format.Source(b.Bytes())
	if err != nil {
		return err
	}
	_, err = w.Write(source)
	return err
}
