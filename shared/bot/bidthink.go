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
	// worth; else they are taken to pass. It has not made bids better, and costs twice the
	// time: see docs/benchmarks.md.
	foresee bool
	// match counts by the chance to win the match; else match points count.
	match bool
	// sober takes off what the solver hopes too much, and adds what it hopes too little:
	// those who play see less than it.
	sober bool
}

var (
	veteranoBids = bidSkill{samples: 150}
	maestroBids  = bidSkill{samples: 250, weigh: true, match: true, sober: true}
)

// reality is what comes of a choice when the solver says that it comes off on so many of
// the deals: none, an eighth, and so on to all. It is the logarithm of the odds, in steps of
// hunch.Unit. Those who play see less than the solver, on either side.
type reality struct {
	of [eighths + 1]int8
	// hunch is how much of what the cards promise at a glance is added, in steps of
	// hunch.Unit too: the solver's deals are few.
	hunch int8
}

const eighths = 8

// chance that it comes off, by the solver's rate and a hunch.
func (r *reality) chance(rate float32, hunched int16) float32 {
	rate = min(max(rate, 0), 1) * eighths
	i := min(int(rate), eighths-1)
	low, high := float32(r.of[i]), float32(r.of[i+1])
	return sigmoid(low + float32((rate-float32(i))*(high-low)) + float32(float32(r.hunch)*float32(hunched)/hunch.Unit))
}

// auction is what a player needs room for while it bids.
type auction struct {
	match chance.Table
	table table
	// values are what each contract is worth to the viewer's pair, by whether the bidder's
	// pair wins, or the viewer's own if nobody bid.
	values [contracts][2]float32
	// reach is how likely each of the viewer's choices leads to each contract, on a deal.
	reach [choices][contracts]float32
	// reached and made are how likely a choice leads to a contract and to its being made,
	// over all deals so far, unscaled.
	reached, made [choices][contracts]float32
	promises      [rules.Seats]promise
	known         uint8 // seats whose promise has been worked out on the deal, by bits
	held          [rules.Seats]rules.Cards
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
	now := contractIn(v)
	mine := x.table.may(v.Viewer, now)
	if rules.Actions(mine)<<rules.Pass != v.Legal {
		return 0, false
	}
	if mine = x.table.thinkable(v, now, mine); mine&(mine-1) == 0 {
		return rules.Pass + rules.Action(bits.TrailingZeros8(mine)), true
	}
	x.setValues(v.Viewer.Pair())
	x.reached, x.made = [choices][contracts]float32{}, [choices][contracts]float32{}

	var t tally
	for n := 0; n < s.samples && (n == 0 || !budget.spent(p.solver.Nodes)); n++ {
		if n%tallied == tallied-1 {
			if worth := x.worth(v, mine, s.sober); t.settled(mine, &worth) {
				break
			}
		}
		x.held = p.deals.Nth(r.below(count))
		weight := float32(1)
		if s.weigh {
			weight = x.table.othersOdds(v, &x.held)
		}
		x.known = 0
		for rest := mine; rest != 0; rest &= rest - 1 {
			x.speak(v.Viewer, bits.TrailingZeros8(rest), now, s.foresee)
		}
		var worth [choices]float32
		for c := range contract(contracts) {
			touched := false
			for choice := range choices {
				touched = touched || mine>>choice&1 != 0 && x.reach[choice][c] > 0
			}
			if !touched {
				continue
			}
			won := p.wins(v, c)
			for rest := mine; rest != 0; rest &= rest - 1 {
				choice := bits.TrailingZeros8(rest)
				reached := float32(weight * x.reach[choice][c])
				x.reached[choice][c] += reached
				x.made[choice][c] += float32(reached * float32(won))
				worth[choice] += float32(reached * x.values[c][won])
			}
		}
		t.add(mine, &worth)
	}
	worth := x.worth(v, mine, s.sober)
	return rules.Pass + rules.Action(bestOf(mine, &worth)), true
}

// tallied is after how many deals each the tally is looked at.
const tallied = 32

// tally is how differently the choices fared over the deals so far: the squares of what
// each was worth more than the first of them, in the solver's eyes.
type tally [choices]float32

func (t *tally) add(among uint8, worth *[choices]float32) {
	first := worth[bits.TrailingZeros8(among)]
	for rest := among; rest != 0; rest &= rest - 1 {
		choice := bits.TrailingZeros8(rest)
		more := worth[choice] - first
		t[choice] += float32(more * more)
	}
}

// settled says whether more deals would hardly change what is best: it is three standard
// errors off the next, if not more.
func (t *tally) settled(among uint8, worth *[choices]float32) bool {
	best := bestOf(among, worth)
	for rest := among &^ (1 << best); rest != 0; rest &= rest - 1 {
		choice := bits.TrailingZeros8(rest)
		ahead := worth[best] - worth[choice]
		if float32(ahead*ahead) < 2*3*3*(t[best]+t[choice]) {
			return false
		}
	}
	return true
}

// bestOf is the choice that is worth most, the first of several.
func bestOf(among uint8, worth *[choices]float32) int {
	best := bits.TrailingZeros8(among)
	for rest := among & (among - 1); rest != 0; rest &= rest - 1 {
		if choice := bits.TrailingZeros8(rest); worth[choice] > worth[best] {
			best = choice
		}
	}
	return best
}

// setValues works out what contracts are worth to a pair.
func (x *auction) setValues(pair rules.Pair) {
	t := &x.table
	for c := range contract(contracts) {
		choice := c.choice()
		lost, won := t.lost[pair][choice], t.won[pair][choice]
		if c != 0 && c.bidder().Pair() != pair {
			lost, won = won, lost
		}
		// Counted from one of them on, so that where nothing matters all are 0.
		x.values[c] = [2]float32{lost - t.lost[pair][0], won - t.lost[pair][0]}
	}
}

// worth is what each choice was worth over all deals so far.
func (x *auction) worth(v *rules.View, among uint8, sober bool) (worth [choices]float32) {
	mine := x.table.promise(v.Viewer, v.Cards)
	for rest := among; rest != 0; rest &= rest - 1 {
		choice := bits.TrailingZeros8(rest)
		for c := range contract(contracts) {
			reached := x.reached[choice][c]
			if reached == 0 {
				continue
			}
			rate := x.made[choice][c] / reached
			if sober {
				bidder := v.Viewer
				if c != 0 {
					bidder = c.bidder()
				}
				place := hunch.PlaceOf(bidder, x.table.dealer)
				rate = x.table.realities[c.choice()][place].chance(rate, mine[c.choice()])
			}
			if c == 0 {
				worth[choice] += float32(reached * (x.table.nobody(v.Viewer.Pair(), rate) - x.table.lost[v.Viewer.Pair()][0]))
				continue
			}
			lost, won := x.values[c][0], x.values[c][1]
			worth[choice] += float32(reached * (lost + float32(rate*(won-lost))))
		}
	}
	return worth
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
		pass = t.nobody(pair, sigmoid(float32(p[0]-doubt)))
	}
	for rest := choices &^ 1; rest != 0; rest &= rest - 1 {
		choice := bits.TrailingZeros8(rest)
		likely := sigmoid(float32(p[choice] + doubt))
		if t.lost[pair][choice]+float32(likely*(t.won[pair][choice]-t.lost[pair][choice])) < pass {
			choices &^= 1 << choice
		}
	}
	return choices
}

// unlikely is what is left out of what others may still bid.
const unlikely = 0.03

// speak puts into reach how likely each contract is once a seat has made a choice, on the
// deal that the auction holds: all others pass, or bid as is foreseen.
func (x *auction) speak(seat rules.Seat, choice int, now contract, foresee bool) {
	x.reach[choice] = [contracts]float32{}
	if choice > 0 {
		now = contractOf(seat, choice)
	}
	if !foresee || x.table.ends(choice) {
		x.reach[choice][now] = 1
		return
	}
	x.follow(choice, seat.Next(), now, 1)
}

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
	x.follow(mine, seat.Next(), now, float32(odds*rest))
}

// wins is 1 if, on the deal that the auction holds and with all cards seen, the bidder's
// pair wins under a contract, or the viewer's own if nobody bid; else 0.
func (p *Player) wins(v *rules.View, c contract) int {
	bid, bidder, whose := rules.Pass, rules.NoSeat, v.Viewer
	if c != 0 {
		bid, bidder, whose = rules.Pass+rules.Action(c.choice()), c.bidder(), c.bidder()
	}
	p.solver.Contract(&v.Rules, v.Dealer, v.Trump.Suit(), bid, bidder)
	p.solver.Deal(&p.auction.held)
	won := wonAt(&v.Rules, v.Dealer, bid)
	if (p.solver.Worth(won-1, won) >= won) == p.solver.Greater(whose) {
		return 1
	}
	return 0
}
