package bot

import (
	"math/bits"

	"github.com/cuatrola/cuatrola/shared/bot/chance"
	"github.com/cuatrola/cuatrola/shared/bot/hunch"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// bidSkill is how a level bids.
type bidSkill struct {
	// samples is on how many deals the choices are tried.
	samples int
	// weigh has each deal count as much as the seats that have spoken would have spoken so
	// with it.
	weigh bool
	// foresee counts on the seats that are still to speak to bid what their cards are
	// worth; else they are taken to pass.
	foresee bool
	// match counts by the chance to win the match; else match points count.
	match bool
	// sober takes off what the solver hopes too much, or too little: those who play see
	// less than it.
	sober bool
}

var (
	veteranoBids = bidSkill{samples: 150}
	maestroBids  = bidSkill{samples: 300, weigh: true, foresee: true, match: true, sober: true}
)

// reality is what comes of the deals that the solver wins, for each kind of bid: base of
// those it loses, and slope more of those it wins. See `cuatrola fit reality`.
type reality struct{ base, slope float32 }

var realities = [hunch.Kinds]reality{
	hunch.Nothing: {0, 1},
	hunch.Points:  {0, 1},
	hunch.Three:   {0, 1},
	hunch.Four:    {0, 1},
	hunch.Five:    {0, 1},
}

// auction is what a player needs room for while it bids.
type auction struct {
	match chance.Table
	table table
	// values are what each contract is worth to the viewer's pair, by whether the solver
	// says that the bidder's pair, or the viewer's own if nobody bid, wins.
	values [contracts][2]float32
	// reach is how likely each of the viewer's choices leads to each contract, on a deal.
	reach    [choices][contracts]float32
	promises [rules.Seats]promise
	known    uint8 // seats whose promise has been worked out on the deal, by bits
	held     [rules.Seats]rules.Cards
}

// bid chooses what to bid. ok is false if nothing can be made of the view.
func (p *Player) bid(s *bidSkill, v *rules.View, r *random, budget Budget) (a rules.Action, ok bool) {
	count := p.deals.Set(v)
	if count == 0 || v.Spoken >= rules.Seats {
		return 0, false
	}
	x := &p.auction
	var match *chance.Table
	if s.match {
		match = &x.match
		match.Set(v.Rules)
	}
	setTable(&x.table, v, match)
	now := contract(0)
	if v.Hand.Bid > rules.Pass && v.Hand.Bid <= rules.Quintola && v.Hand.Bidder < rules.Seats {
		now = contractOf(v.Hand.Bidder, int(v.Hand.Bid-rules.Pass))
	}
	mine := x.table.may(v.Viewer, now)
	if rules.Actions(mine)<<rules.Pass != v.Legal {
		return 0, false
	}
	if mine = x.table.thinkable(v, now, mine); mine&(mine-1) == 0 {
		return rules.Pass + rules.Action(bits.TrailingZeros8(mine)), true
	}
	x.setValues(v.Viewer.Pair(), s.sober)

	var worth [choices]float32
	total := float32(0)
	for n := 0; n < s.samples && (n == 0 || !budget.spent(p.solver.Nodes)); n++ {
		x.held = p.deals.Nth(r.below(count))
		weight := float32(1)
		if s.weigh {
			for i := range v.Spoken {
				seat := (v.Dealer + 1 + rules.Seat(i)) & 3
				weight *= x.table.bidOdds(&plainTemper, v, seat, x.held[seat])
			}
		}
		total += weight
		x.known = 0
		for rest := mine; rest != 0; rest &= rest - 1 {
			choice := bits.TrailingZeros8(rest)
			x.reach[choice] = [contracts]float32{}
			then := now
			if choice > 0 {
				then = contractOf(v.Viewer, choice)
			}
			if !s.foresee || x.table.ends(choice) {
				x.reach[choice][then] = 1
			} else {
				x.follow(choice, v.Viewer.Next(), then, 1)
			}
		}
		for c := range contract(contracts) {
			touched := false
			for choice := range choices {
				touched = touched || mine>>choice&1 != 0 && x.reach[choice][c] > 0
			}
			if !touched {
				continue
			}
			value := float32(weight * x.values[c][p.wins(v, c)])
			for rest := mine; rest != 0; rest &= rest - 1 {
				choice := bits.TrailingZeros8(rest)
				worth[choice] += float32(x.reach[choice][c] * value)
			}
		}
	}
	best := bits.TrailingZeros8(mine)
	for rest := mine & (mine - 1); rest != 0; rest &= rest - 1 {
		if choice := bits.TrailingZeros8(rest); worth[choice] > worth[best] {
			best = choice
		}
	}
	return rules.Pass + rules.Action(best), true
}

// setValues works out what contracts are worth to a pair.
func (x *auction) setValues(pair rules.Pair, sober bool) {
	t := &x.table
	for c := range contract(contracts) {
		choice := c.choice()
		mine := c == 0 || c.bidder().Pair() == pair
		won, lost := t.won[pair][choice], t.lost[pair][choice]
		if !mine {
			won, lost = lost, won
		}
		made := [2]float32{0, 1}
		if sober {
			truth := realities[t.kind[choice]]
			made = [2]float32{truth.base, truth.base + truth.slope}
		}
		for i, p := range made {
			x.values[c][i] = lost + float32(p*(won-lost))
		}
	}
}

// doubt is how far a hunch is taken to be wrong, in its units.
const doubt = 3 * hunch.Unit / 2

// thinkable are those of the choices that may be best. Most hands are good for nothing, and
// that is seen at a glance.
func (t *table) thinkable(v *rules.View, now contract, choices uint8) uint8 {
	p := t.promise(v.Viewer, v.Cards)
	pair := v.Viewer.Pair()
	pass := t.lost[pair][now.choice()]
	if now == 0 {
		pass += float32(sigmoid(int(p[0])-doubt) * (t.won[pair][0] - pass))
	}
	for rest := choices &^ 1; rest != 0; rest &= rest - 1 {
		choice := bits.TrailingZeros8(rest)
		likely := sigmoid(int(p[choice]) + doubt)
		if t.lost[pair][choice]+float32(likely*(t.won[pair][choice]-t.lost[pair][choice])) < pass {
			choices &^= 1 << choice
		}
	}
	return choices
}

// unlikely is what is left out of what others may still bid.
const unlikely = 0.03

// follow adds up to what contracts the bidding may lead from a seat on.
func (x *auction) follow(mine int, seat rules.Seat, now contract, odds float32) {
	t := &x.table
	if seat == t.dealer.Next() { // all four have spoken
		x.reach[mine][now] += odds
		return
	}
	if x.known>>seat&1 == 0 {
		x.known |= 1 << seat
		x.promises[seat] = t.promise(seat, x.held[seat])
	}
	likely := t.odds(&plainTemper, seat, &x.promises[seat], now)
	rest := float32(1)
	for choice := choices - 1; choice > 0; choice-- {
		if likely[choice] < unlikely {
			continue
		}
		rest -= likely[choice]
		then := contractOf(seat, choice)
		if t.ends(choice) {
			x.reach[mine][then] += float32(odds * likely[choice])
		} else {
			x.follow(mine, seat.Next(), then, float32(odds*likely[choice]))
		}
	}
	if rest >= unlikely {
		x.follow(mine, seat.Next(), now, float32(odds*rest))
	}
}

// wins is 1 if, on the deal that the auction holds and with all cards seen, the bidder's
// pair wins under a contract, or the viewer's own if nobody bid; else 0.
func (p *Player) wins(v *rules.View, c contract) int {
	bid, bidder := rules.Pass, rules.NoSeat
	if c != 0 {
		bid, bidder = rules.Pass+rules.Action(c.choice()), c.bidder()
	}
	p.solver.Contract(&v.Rules, v.Dealer, v.Trump.Suit(), bid, bidder)
	p.solver.Deal(&p.auction.held)
	if c != 0 {
		if needs := int(v.Rules.Bids[c.choice()-1].Needs); needs > 0 {
			return truth(p.solver.Worth(needs-1, needs) >= needs)
		}
	}
	// Level counts for mano's pair: who takes the last trick then is not asked.
	level := int(v.Dealer.Next().Pair())
	zero := p.solver.Worth(level-1, level) >= level // pair 0 has won
	pair := v.Viewer.Pair()
	if c != 0 {
		pair = bidder.Pair()
	}
	return truth(zero == (pair == 0))
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
