package coach

import (
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// result is what a hand brings: so much of the score to a pair. The pair is NoPair where
// the hand is level and its last trick, which no value tells, decides.
type result struct {
	winner rules.Pair
	value  uint8
}

// score is what the result brings a pair.
func (r result) score(p rules.Pair) int {
	switch r.winner {
	case p:
		return int(r.value)
	case rules.NoPair:
		return 0
	default:
		return -int(r.value)
	}
}

// won is 2 if the pair wins the hand, 1 if that is open, else 0.
func (r result) won(p rules.Pair) int64 {
	switch r.winner {
	case p:
		return 2
	case rules.NoPair:
		return 1
	default:
		return 0
	}
}

// scale is certainty in what worths are added up in.
const scale = 1_000_000

// maxValue is the most that a hand is worth.
const maxValue = 5

// stakes is what results of a hand make of the match for pair 0, in parts of scale, by
// who wins the hand and what it is worth: what a result of nobody's is worth lies between.
type stakes [3][maxValue + 1]int32

// set works the stakes out for the hand in play.
func (s *stakes) set(a *bot.Auction) {
	for v := range s[0] {
		for p := range rules.Pair(2) {
			s[p][v] = int32(a.Win(0, p, uint8(v))*scale + 0.5)
		}
		s[2][v] = (s[0][v] + s[1][v]) / 2
	}
}

// even makes all points of the score worth as much: what is played for where the match no
// longer depends on the hand.
func (s *stakes) even() {
	for v := range s[0] {
		more := int32(v) * (scale / 2 / maxValue)
		s[0][v], s[1][v], s[2][v] = scale/2+more, scale/2-more, scale/2
	}
}

// of is what a result is worth to a pair.
func (s *stakes) of(r result, p rules.Pair) int32 {
	c := s[min(r.winner, 2)][r.value]
	if p != 0 {
		c = scale - c
	}
	return c
}

// little is the difference to the match, in parts of scale, under which a hand is played
// for its own sake.
const little = scale / 1000

// size is how much a hand of that value makes to the match.
func (s *stakes) size(value uint8) int32 { return s[0][value] - s[1][value] }

// stakeOf is the value of the hand that decides how much a decision matters: of the bid
// that stands, or of the lowest one while there is bidding.
func stakeOf(v *rules.View) uint8 {
	if v.Phase == rules.PhaseBid {
		return v.Rules.Bids[0].Value
	}
	return valueOf(&v.Rules, v.Hand.Bid)
}

// valueOf is what a hand is worth by its bid, without any bonus.
func valueOf(rs *rules.RuleSet, bid rules.Action) uint8 {
	if bid == rules.Pass {
		return 1
	}
	return rs.Bids[bid-rules.Solo].Value
}

// needsOf is how many tricks a bid needs, 0 if the hand is played on points.
func needsOf(rs *rules.RuleSet, bid rules.Action) uint8 {
	if bid == rules.Pass {
		return 0
	}
	return rs.Bids[bid-rules.Solo].Needs
}

func unitOf(v *rules.View) Unit {
	switch {
	case v.Phase == rules.PhaseBid:
		return Score
	case needsOf(&v.Rules, v.Hand.Bid) > 0:
		return Tricks
	default:
		return Points
	}
}

// own turns a solver's value into the seat's own.
func own(v *rules.View, value int) int {
	up := rules.Pair(0)
	if needsOf(&v.Rules, v.Hand.Bid) > 0 {
		up = v.Hand.Bidder.Pair()
	}
	if v.Viewer.Pair() != up {
		return -value
	}
	return value
}

// resultOf is what a solver's value brings, in a hand whose bidding is over.
//
// The bonus for many points asks for the winner's own points, of which the solver knows
// the difference to the other's: cantes still to be sung are counted as if there were
// none, so that it is right but for hands in which they decide about the bonus.
func resultOf(rs *rules.RuleSet, dealer rules.Seat, h *rules.Hand, value int) result {
	r := result{value: valueOf(rs, h.Bid)}
	if needs := needsOf(rs, h.Bid); needs > 0 {
		r.winner = h.Bidder.Pair()
		if value < int(needs) {
			r.winner = r.winner.Other()
		}
		return r
	}
	switch {
	case value > 0:
		r.winner = 0
	case value < 0:
		r.winner, value = 1, -value
	case rs.Tie == rules.TieMano:
		r.winner = dealer.Next().Pair()
	default:
		r.winner = rules.NoPair
	}
	if h.Bid == rules.Pass && rs.BonusAbove != rules.None {
		total := allPoints
		for _, c := range h.Cantes[:h.CanteCount] {
			total += int(c.Points)
		}
		if total+value > 2*int(rs.BonusAbove) {
			r.value = 2
		}
	}
	return r
}

// allPoints are those of the cards and of the last trick.
const allPoints = 130

// open says what each option is worth with all cards seen.
func (c *Coach) open(m *rules.Match, d *Decision) {
	v := &c.view
	pair := d.Seat.Pair()
	var values [solve.Actions]int16
	if d.Phase != rules.PhaseBid {
		c.solver.Values(m, &values)
	} else {
		c.solved = [bids][rules.Seats]bool{}
		for s := range rules.Seat(rules.Seats) {
			c.dealt[s] = m.Held(s)
		}
	}
	var best int32
	for i := range d.Options[:d.OptionCount] {
		o := &d.Options[i]
		var r result
		if d.Phase == rules.PhaseBid {
			after := *m
			after.Apply(rules.NoSeat, o.Action)
			r = c.bidding(&after)
			o.Open = int16(r.score(pair))
		} else {
			value := int(values[o.Action])
			r = resultOf(&v.Rules, v.Dealer, &v.Hand, value)
			o.Open = int16(own(v, value))
		}
		o.OpenMatch = part(int64(c.match.of(r, pair)), 1)
		worth, open := c.stakes.of(r, pair), d.Options[d.OpenBest].Open
		if i == 0 || worth > best || worth == best && (o.Open > open || o.Open == open && uint8(i) == d.Played) {
			d.OpenBest, best = uint8(i), worth
		}
	}
}

// part turns a sum of chances in parts of scale into their mean in parts of Whole.
func part(sum, count int64) int16 { return int16(mean(sum, count*(scale/Whole))) }

// mean rounds to the nearest, and halves up.
func mean(sum, count int64) int64 {
	doubled := 2*sum + count
	q := doubled / (2 * count)
	if doubled%(2*count) < 0 {
		q--
	}
	return q
}

// bidding is what the hand comes to if all see all cards, from here on in the bidding:
// whoever is to speak bids what is best for the pair.
func (c *Coach) bidding(m *rules.Match) result {
	if m.Phase() != rules.PhaseBid {
		h := m.Hand()
		return c.contract(h.Bid, h.Bidder)
	}
	pair := m.Turn().Pair()
	var best result
	for i, legal := 0, m.Legal(); legal != 0; i, legal = i+1, legal.Rest() {
		a, _ := legal.First()
		after := *m
		after.Apply(rules.NoSeat, a)
		r := c.bidding(&after)
		if i == 0 || c.stakes.of(r, pair) > c.stakes.of(best, pair) {
			best = r
		}
	}
	return best
}

// contract is what a hand comes to when the cards lie as in c.dealt and nothing has been
// played, if the bidding has ended so.
func (c *Coach) contract(bid rules.Action, bidder rules.Seat) result {
	at, v := bid-rules.Pass, &c.view
	if !c.solved[at][bidder%rules.Seats] {
		c.solved[at][bidder%rules.Seats] = true
		c.solver.Contract(&v.Rules, v.Dealer, v.Trump.Suit(), bid, bidder)
		c.solver.Deal(&c.dealt)
		low, high := window(&v.Rules, bid)
		h := rules.Hand{Bid: bid, Bidder: bidder}
		c.contracts[at][bidder%rules.Seats] = resultOf(&v.Rules, v.Dealer, &h, c.solver.Worth(low, high))
	}
	return c.contracts[at][bidder%rules.Seats]
}

// window is between which values a solver's value of a whole hand has to be known for its
// result.
func window(rs *rules.RuleSet, bid rules.Action) (low, high int) {
	switch needs := int(needsOf(rs, bid)); {
	case needs > 0:
		return needs - 1, needs
	case bid == rules.Pass && rs.BonusAbove != rules.None:
		bonus := max(0, 2*int(rs.BonusAbove)-allPoints) + 1
		return -bonus, bonus
	default:
		return -1, 1
	}
}

// know says what each option is worth with what the seat knows.
func (c *Coach) know(d *Decision) {
	v := &c.view
	c.sums = [MaxOptions]sum{}
	c.deals.Set(v)
	c.played = [rules.Seats]rules.Cards{}
	for i := range v.Hand.TrickCount + 1 {
		t := &v.Table
		if i < v.Hand.TrickCount {
			t = &v.Hand.Tricks[i]
		}
		for k, card := range t.Cards[:t.Count] {
			c.played[rules.SeatOf(t.Lead, v.Out, k)] |= rules.Of(card)
		}
	}
	if d.Phase == rules.PhaseBid {
		c.bids(d)
	} else {
		c.cards(d)
	}
	for i := range d.Options[:d.OptionCount] {
		o, s := &d.Options[i], &c.sums[i]
		if s.weight == 0 {
			return // no deal was found that fits
		}
		o.Expected = int32(mean(100*s.value, s.weight))
		o.Hand = int16(mean(s.won*(Whole/2), s.weight))
		o.Match = part(s.match, s.weight)
		s.worth, s.value = mean(fine*s.worth, s.weight), mean(fine*s.value, s.weight)
	}
	for i := range d.Options[:d.OptionCount] {
		s, best := &c.sums[i], &c.sums[d.Best]
		if s.worth > best.worth || s.worth == best.worth && s.value > best.value {
			d.Best = uint8(i)
		}
	}
}

// fine is what means are told apart in.
const fine = 1000

// cards adds up what cards and cantes come to.
func (c *Coach) cards(d *Decision) {
	v := &c.view
	c.solver.Begin(v)
	var values [solve.Actions]int16
	d.Exact, d.Deals = c.suppose(exactDeals, sampledDeals, func(weight float32) {
		c.solver.Deal(&c.held)
		c.solver.Worths(v.Legal, -unbounded, unbounded, &values)
		for i := range d.Options[:d.OptionCount] {
			value := int(values[d.Options[i].Action])
			c.add(i, resultOf(&v.Rules, v.Dealer, &v.Hand, value), own(v, value), weight)
		}
	})
}

// unbounded is beyond all values.
const unbounded = 1000

// bids adds up what bids come to, with what others may bid behind them.
func (c *Coach) bids(d *Decision) {
	v := &c.view
	option, all := 0, float32(0)
	visit := func(bid rules.Action, bidder rules.Seat, odds float32) {
		r := c.contract(bid, bidder)
		c.add(option, r, r.score(v.Viewer.Pair()), odds*all)
	}
	d.Exact, d.Deals = c.suppose(0, sampledBids, func(weight float32) {
		c.solved = [bids][rules.Seats]bool{}
		all = weight
		for option = range d.Options[:d.OptionCount] {
			c.auction.Foresee(d.Options[option].Action, &c.dealt, visit)
		}
	})
}

// suppose goes through the deals that fit the view, all of them if there are no more than
// exact, else about so many samples, each in c.held and c.dealt, with how likely the
// others are to have bid so. It says how many there were, and whether those were all.
//
// It goes in rounds, each over all parts of the deals, and ends behind a round when the
// solver has tried as many cards as one decision may cost.
func (c *Coach) suppose(exact, samples int, visit func(weight float32)) (all bool, count uint16) {
	try := func(i int) {
		c.held = c.deals.Nth(i)
		if _, possible := c.deals.Silences(&c.held); !possible {
			return
		}
		for s := range c.dealt {
			c.dealt[s] = c.held[s] | c.played[s]
		}
		visit(c.auction.Weight(&c.dealt))
		count++
	}
	n := c.deals.Count()
	c.solver.Nodes = 0
	if n <= max(exact, samples) {
		for round := range rounds {
			if c.solver.Nodes >= decisionNodes {
				return false, count
			}
			for i := round; i < n; i += rounds {
				try(i)
			}
		}
		return true, count
	}
	// One of each of as many parts of all deals, so that none comes twice and chance has
	// less to say. Where the rules leave few of them possible, it takes more rounds.
	r := newDice(&c.view)
	for round := 0; round < rounds || round < 8*rounds && int(count) < samples/2; round++ {
		if c.solver.Nodes >= decisionNodes {
			break
		}
		for k := round % rounds; k < samples; k += rounds {
			from, to := k*n/samples, (k+1)*n/samples
			try(from + r.below(to-from))
		}
	}
	return false, count
}

// add adds what an option comes to in one deal.
func (c *Coach) add(option int, r result, value int, weight float32) {
	pair := c.view.Viewer.Pair()
	w := 1 + int64(weight*scale)
	s := &c.sums[option]
	s.weight += w
	s.value += w * int64(value)
	s.worth += w * int64(c.stakes.of(r, pair))
	s.match += w * int64(c.match.of(r, pair))
	s.won += w * r.won(pair)
}

// judge says how much of the stake was given away.
func (c *Coach) judge(d *Decision) {
	lost := c.sums[d.Best].worth - c.sums[d.Played].worth
	d.Loss = uint16(min(Whole, mean(lost*Whole, fine*int64(c.stakes.size(stakeOf(&c.view))))))
	switch {
	case d.Best == d.Played:
		d.Verdict = Best
	case d.Loss >= blunderFrom:
		d.Verdict = Blunder
	case d.Loss >= mistakeFrom:
		d.Verdict = Mistake
	case d.Loss >= doubtfulFrom:
		d.Verdict = Doubtful
	default:
		d.Verdict = Good
	}
}

// dice is SplitMix64 (Steele, Lea and Flood, 2014), rolled from what the view shows.
type dice struct{ state uint64 }

func newDice(v *rules.View) *dice {
	return &dice{uint64(v.HandsFinished)<<40 ^ uint64(v.Seq)<<8 ^ uint64(v.Viewer)}
}

// below is a number under n, which is small.
func (d *dice) below(n int) int {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return int((z >> 32) * uint64(n) >> 32)
}
