package bot

import (
	"math/bits"

	"github.com/cuatrola/cuatrola/shared/bot/chance"
	"github.com/cuatrola/cuatrola/shared/bot/hunch"
	"github.com/cuatrola/cuatrola/shared/rules"
)

const (
	bidCount = 3
	// choices of a seat that speaks: to pass, or one of the bids.
	choices = 1 + bidCount
	// contracts that a hand may come to: nobody bid, or any seat one of the bids.
	contracts = 1 + rules.Seats*bidCount
)

// contract is what the bidding has come to: 0 if nobody bid.
type contract uint8

func contractOf(seat rules.Seat, choice int) contract {
	return contract(1 + int(seat)*bidCount + choice - 1)
}

// contractIn is what the bidding of a view has come to so far.
func contractIn(v *rules.View) contract {
	if v.Hand.Bid > rules.Pass && v.Hand.Bid <= rules.Quintola && v.Hand.Bidder < rules.Seats {
		return contractOf(v.Hand.Bidder, int(v.Hand.Bid-rules.Pass))
	}
	return 0
}

// bidder is the seat that bid; choice what it chose, 0 if nobody bid.
func (c contract) bidder() rules.Seat { return rules.Seat(c-1) / bidCount }

func (c contract) choice() int {
	if c == 0 {
		return 0
	}
	return int(c-1)%bidCount + 1
}

// table is what the bidding is about, as all at the table know it: the rules, who may bid
// what, and what the hand's results are worth to each pair.
type table struct {
	rules  *rules.RuleSet
	dealer rules.Seat
	shown  rules.Card
	// legal are the choices of each pair, by bits, as far as the target goes.
	legal [2]uint8
	// kind is what a choice hopes for.
	kind [choices]hunch.Kind
	// won and lost are what it is worth to each pair to win or lose a hand under a choice,
	// whoever made it, in steps of an average match point.
	won, lost [2][choices]float32
	// wonMore and lostMore are what is added to those of a hand that nobody bids because of
	// the bonus, as often as it is given.
	wonMore, lostMore [2]float32
	// realities are those of the choices by place.
	realities *[choices][rules.Seats]reality
}

// setTable says what the bidding of a view is about. Results are counted in match points,
// or by what they mean for the match if there is a table of its chances.
func setTable(t *table, v *rules.View, match *chance.Table) {
	*t = table{rules: &v.Rules, dealer: v.Dealer, shown: v.Trump, legal: [2]uint8{1, 1}, realities: &realities[min(int(v.Rules.Preset), len(realities)-1)]}
	bonus := chance.Bonus(&v.Rules)
	for choice := range choices {
		k, ok := hunch.KindOf(&v.Rules, rules.Pass+rules.Action(choice))
		if !ok {
			continue
		}
		t.kind[choice] = k
		value := uint8(1)
		if choice > 0 {
			value = v.Rules.Bids[choice-1].Value
		}
		for pair := range rules.Pair(2) {
			if v.Rules.End != rules.EndPoints || !v.Rules.ExactTarget || v.Score[pair]+uint16(value) <= uint16(v.Rules.Target) {
				t.legal[pair] |= 1 << choice
			}
			won := pointsOf(v, match, pair, pair, value)
			lost := pointsOf(v, match, pair, pair.Other(), value)
			if choice == 0 && bonus > 0 {
				t.wonMore[pair] = float32(bonus * (pointsOf(v, match, pair, pair, 2) - won))
				t.lostMore[pair] = float32(bonus * (pointsOf(v, match, pair, pair.Other(), 2) - lost))
			}
			t.won[pair][choice], t.lost[pair][choice] = won, lost
		}
	}
	if match == nil {
		return
	}
	// What a point is worth at this score, for either pair.
	point := (t.won[0][0] - t.lost[0][0]) / 2
	if point < 1e-6 {
		return
	}
	for pair := range t.won {
		for choice := range t.won[pair] {
			t.won[pair][choice] /= point
			t.lost[pair][choice] /= point
		}
		t.wonMore[pair] /= point
		t.lostMore[pair] /= point
	}
}

// nobody is what it is worth to a pair that nobody bids, when it is so likely to win. Who is
// likelier to win is likelier to win by much: of liga's hands the bonus comes with 35 % of
// those that a seat wins with the poorest cards and 68 % of those with the best, and with
// 59 and 22 % of those that it loses.
func (t *table) nobody(pair rules.Pair, likely float32) float32 {
	won := t.won[pair][0] + float32(t.wonMore[pair]*(0.75+float32(0.9*likely)))
	lost := t.lost[pair][0] + float32(t.lostMore[pair]*(1.6-float32(1.2*likely)))
	return lost + float32(likely*(won-lost))
}

// pointsOf is what it is worth to a pair that a pair wins the hand in play with a value.
func pointsOf(v *rules.View, match *chance.Table, pair, winner rules.Pair, value uint8) float32 {
	if match != nil {
		return float32(match.Win(pair, chance.Before(v).After(winner, value)))
	}
	if pair == winner {
		return float32(value)
	}
	return -float32(value)
}

// may are the choices of a seat, by bits, when the bidding has come to a contract.
func (t *table) may(seat rules.Seat, now contract) uint8 {
	return t.legal[seat.Pair()] & (1 | ^uint8(0)<<(now.choice()+1))
}

// ends says whether a choice ends the bidding at once.
func (t *table) ends(choice int) bool {
	if choice == 0 {
		return false
	}
	highest := choices - 1
	for highest > 0 && t.rules.Bids[highest-1].Value == 0 {
		highest--
	}
	return !t.rules.Raising || choice == highest
}

// promise is what others make of five cards: how likely each choice is to come off, by the
// natural logarithm of the odds, in steps of hunch.Unit.
type promise [choices]int16

func (t *table) promise(seat rules.Seat, cards rules.Cards) (p promise) {
	place := hunch.PlaceOf(seat, t.dealer)
	if t.rules.BidderLeads {
		for choice := range choices {
			if t.legal[seat.Pair()]>>choice&1 != 0 {
				p[choice] = int16(hunch.Logit(t.rules, t.kind[choice], cards, t.shown, place))
			}
		}
		return p
	}
	terms := hunch.Terms(cards, t.shown, place)
	for rest := t.legal[seat.Pair()]; rest != 0; rest &= rest - 1 {
		choice := bits.TrailingZeros8(rest)
		p[choice] = int16(hunch.LogitOf(t.rules, t.kind[choice], terms))
	}
	return p
}

// temper says how somebody bids who has made something of a hand.
type temper struct {
	// keen is how much likelier a choice becomes, as a logarithm in steps of powers, with
	// each point that it is worth more.
	keen float32
	// shy is what a bid has to be worth more than to pass, in points: what is lost when
	// somebody bids higher, and what the partner might have bid.
	shy float32
	// trust is how likely a bid is to come off that somebody else has made.
	trust float32
	// wild is how likely any choice is for no reason at all.
	wild float32
	// sober has them know what comes of hopes.
	sober bool
}

// plainTemper is fitted to how maestro bids.
var plainTemper = temper{keen: 4.5 * hunch.Unit, shy: 0.05, trust: 0.85, wild: 0.01, sober: true}

// odds are how likely each choice is of a seat with a hand, when the bidding has come to a
// contract. They sum to 1; choices that are not legal have 0.
func (t *table) odds(m *temper, seat rules.Seat, p *promise, now contract) (odds [choices]float32) {
	pair := seat.Pair()
	may := t.may(seat, now)
	if may == 1 {
		odds[0] = 1
		return odds
	}
	var worth [choices]float32
	best := float32(-1 << 20)
	for rest := may; rest != 0; rest &= rest - 1 {
		choice := bits.TrailingZeros8(rest)
		off := choice
		likely := sigmoid(float32(p[choice]))
		if m.sober {
			likely = t.realities[choice][hunch.PlaceOf(seat, t.dealer)].chance(likely, p[choice])
		}
		if choice == 0 && now != 0 {
			off = now.choice()
			likely = m.trust
			if now.bidder().Pair() != pair {
				likely = 1 - m.trust
			}
		}
		w := t.lost[pair][off] + float32(likely*(t.won[pair][off]-t.lost[pair][off]))
		if off == 0 {
			w = t.nobody(pair, likely)
		}
		if choice > 0 {
			w -= m.shy
		}
		worth[choice] = w
		best = max(best, w)
	}
	sum := float32(0)
	for rest := may; rest != 0; rest &= rest - 1 {
		choice := bits.TrailingZeros8(rest)
		odds[choice] = power(float32(m.keen * (best - worth[choice])))
		sum += odds[choice]
	}
	wild := m.wild / float32(bits.OnesCount8(may))
	for rest := may; rest != 0; rest &= rest - 1 {
		choice := bits.TrailingZeros8(rest)
		odds[choice] = wild + float32((1-m.wild)*odds[choice]/sum)
	}
	return odds
}

// bidOdds is how likely it is that a seat with these five cards has chosen as it did, in
// what a view shows of the bidding; 1 if it has not spoken. It is never 0.
func (t *table) bidOdds(m *temper, v *rules.View, seat rules.Seat, cards rules.Cards) float32 {
	speaker := t.dealer.Next()
	now := contract(0)
	for _, bid := range v.Bids[:min(v.Spoken, rules.Seats)] {
		choice := int(bid - rules.Pass)
		if choice >= choices {
			return 1 // no match shows that
		}
		if speaker == seat {
			if t.may(seat, now) == 1 {
				return 1
			}
			p := t.promise(seat, cards)
			return max(t.odds(m, seat, &p, now)[choice], 1e-6)
		}
		if choice > 0 {
			now = contractOf(speaker, choice)
		}
		speaker = speaker.Next()
	}
	return 1
}

// othersOdds is how likely the seats that have spoken, the viewer's aside, are to have done
// so with these cards, five of each seat. It is more than 0.
func (t *table) othersOdds(v *rules.View, dealt *[rules.Seats]rules.Cards) float32 {
	odds := float32(1)
	for i := range v.Spoken {
		if seat := (v.Dealer + 1 + rules.Seat(i)) & 3; seat != v.Viewer {
			odds *= t.bidOdds(&plainTemper, v, seat, dealt[seat])
		}
	}
	return odds
}

// power is e to the power of -x/hunch.Unit, 0 ≤ x. It stands in a table because what the
// standard library works out differs between machines in its last digits.
func power(x float32) float32 {
	i := int(x)
	if i >= len(powers)-1 {
		return 0
	}
	return powers[i] + float32((x-float32(i))*(powers[i+1]-powers[i]))
}

// sigmoid is the probability of which x/hunch.Unit is the logarithm of the odds.
func sigmoid(x float32) float32 {
	if x < 0 {
		e := power(-x)
		return e / (1 + e)
	}
	return 1 / (1 + power(x))
}
