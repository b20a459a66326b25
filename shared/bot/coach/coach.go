// Package coach looks back on a finished hand: what each decision was worth and what a
// better one would have been, once with all cards seen and once with what the seat knew.
//
// With all cards seen the worth of an action is exact: both pairs go on as well as can
// be, and bid so. With what the seat knew it is the mean of that over the deals that fit
// its view, all of them where there are few, else a sample whose seed follows from the
// view alone. A deal counts as much as the others are likely to have bid with it as they
// did; what they may bid yet is foreseen in the same way. Either way a review is the same
// wherever it is made, and what a seat could not know never enters what is said of its
// knowledge.
//
// The package is pure.
package coach

import (
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/bot/deals"
	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
)

const (
	// MaxOptions is the most that a seat can choose from: a hand's five cards.
	MaxOptions = rules.HandSize
	// MaxDecisions of a hand: bids, cards, and two seats asked behind each of four tricks.
	MaxDecisions = rules.Seats + rules.DeckSize + 2*(rules.HandSize-1)
)

// Whole is a certainty: chances and shares are in parts of it.
const Whole = 10_000

// How many deals stand for all that fit a view. Up to the limit all are looked at.
const (
	exactDeals   = 3_000
	sampledDeals = 1_000
	// A bid's worth takes the solution of a whole hand for each way to play it.
	sampledBids = 300
	// A decision costs no more cards tried than about this many, whatever the deals: then
	// fewer of them are looked at, in one round of several less.
	decisionNodes = 1_000_000
	rounds        = 5
)

// Unit says what the worth of a decision's options is counted in.
type Unit uint8

// The units.
const (
	// Points of the cards, as the hand's own: the pair's less the other's.
	Points Unit = iota
	// Tricks of the bidder's pair; for a defender their number below zero.
	Tricks
	// Score of the match that the hand brings the pair, below zero if it brings it to
	// the other. It is what bids are counted in.
	Score
)

var unitCodes = [...]string{"points", "tricks", "score"}

// Units lists all of them, in order.
func Units() []Unit { return []Unit{Points, Tricks, Score} }

// String is the unit's stable code.
func (u Unit) String() string { return unitCodes[u] }

// Option is one of the actions that a seat could have taken. All of it is as the seat's
// own pair sees it.
type Option struct {
	Action rules.Action
	// Open is what the hand comes to with all cards seen, in the decision's unit, and
	// OpenMatch the chance to win the match then.
	Open      int16
	OpenMatch int16
	// Expected is the mean of that over what the seat held possible, in hundredths of
	// the unit; Hand and Match are the chances to win the hand and the match. They are 0
	// for a forced decision, which is not thought about.
	Expected int32
	Hand     int16
	Match    int16
}

// Decision is one action of a hand and what it could have been.
type Decision struct {
	// Action is its place among the hand's actions.
	Action uint16
	Seat   rules.Seat
	Phase  rules.Phase
	// Trick is the number of tricks that had been taken.
	Trick uint8
	Unit  Unit
	// Options in the rules' order, OptionCount of them; Played, Best and OpenBest are
	// places among them: what was done, the best that the seat could know, and the best
	// with all cards seen. Of equal options the one that was played is the best.
	Options                [MaxOptions]Option
	OptionCount            uint8
	Played, Best, OpenBest uint8
	// Deals that were looked at, and whether they are all that the seat could hold
	// possible.
	Deals uint16
	Exact bool
	// Loss is the part of what was at stake that was given away, in parts of [Whole]: the
	// cost in match-winning chance beside the difference that the hand makes to it.
	Loss    uint16
	Verdict Verdict
	// Reasons, ReasonCount of them: why, and whether luck came into it.
	Reasons     [2]Reason
	ReasonCount uint8
}

// Forced says that there was nothing to choose.
func (d *Decision) Forced() bool { return d.OptionCount == 1 }

// Cost of what was played beside the best that the seat could know: in hundredths of the
// unit, and in match-winning chance. The first may be below zero where the match asked
// for it.
func (d *Decision) Cost() (expected, match int) {
	best, played := &d.Options[d.Best], &d.Options[d.Played]
	return int(best.Expected - played.Expected), int(best.Match - played.Match)
}

// OpenCost is what was played beside the best with all cards seen, in the unit.
func (d *Decision) OpenCost() int {
	return int(d.Options[d.OpenBest].Open - d.Options[d.Played].Open)
}

// Verdict sums a decision up.
type Verdict uint8

// The verdicts.
const (
	Forced Verdict = iota
	Best
	Good
	Doubtful
	Mistake
	Blunder
	verdictCount
)

var verdictCodes = [verdictCount]string{"forced", "best", "good", "doubtful", "mistake", "blunder"}

// String is the verdict's stable code.
func (v Verdict) String() string { return verdictCodes[v] }

// Verdicts lists all of them, in order.
func Verdicts() []Verdict { return []Verdict{Forced, Best, Good, Doubtful, Mistake, Blunder} }

// From how much of the stake on a decision is worse than good; sampling alone makes
// equal options differ by about a hundredth.
const (
	doubtfulFrom = Whole * 2 / 100
	mistakeFrom  = Whole * 6 / 100
	blunderFrom  = Whole * 15 / 100
)

// Tally is what a seat's decisions add up to, those that were not forced. Tallies of
// several hands are added member by member.
type Tally struct {
	Decisions uint32
	// Loss is the sum of the decisions' losses, in parts of [Whole].
	Loss uint32
}

// Add adds another tally.
func (t *Tally) Add(other Tally) {
	t.Decisions += other.Decisions
	t.Loss += other.Loss
}

// harshness is how much of the stake, given away in each decision, halves the accuracy:
// the tenth part of it.
const harshness = 10

// Accuracy is from 0 to 1000 tenths of a percent: 1000 for one whose every decision was
// the best that could be known, also if there was none, and 500 for one that gives away
// a tenth of what is at stake each time.
func (t Tally) Accuracy() int {
	n := uint64(t.Decisions) * Whole
	if n == 0 {
		return 1000
	}
	return int((1000*n + (n+harshness*uint64(t.Loss))/2) / (n + harshness*uint64(t.Loss)))
}

// Hand is a hand's review.
type Hand struct {
	Decisions     [MaxDecisions]Decision
	DecisionCount uint8
	Seats         [rules.Seats]Tally
}

// Coach reviews hands. The zero value is ready; it is large, so keep one, and for one
// goroutine. What it has reviewed before does not matter.
type Coach struct {
	solver  solve.Solver
	deals   deals.Deals
	auction bot.Auction
	// What results are worth to the match, and what options are compared by: the same,
	// unless the match as good as no longer depends on the hand.
	match, stakes stakes
	// Of the decision in hand: what is added up, by option, and what the seats have played.
	sums   [MaxOptions]sum
	played [rules.Seats]rules.Cards
	view   rules.View
	// Of the deal in hand: what the seats hold and were dealt, and what the hand comes to
	// with all cards seen if a seat's bid stands, by bid and bidder, as far as it is solved.
	held, dealt [rules.Seats]rules.Cards
	contracts   [bids][rules.Seats]result
	solved      [bids][rules.Seats]bool
}

// bids that there are, passing included.
const bids = int(rules.Quintola-rules.Pass) + 1

// sum of what an option comes to, deal after deal, by the deals' weights.
type sum struct {
	weight, value, worth, match int64
	won                         int64 // in halves
}

// Review reviews one of a record's hands, counted from 0, which must be finished. The
// fault's reason is OK, or says what is wrong with the record up to that hand's end:
// HandUnfinished also where there is no such hand. The rule set must be valid.
func (c *Coach) Review(rs rules.RuleSet, hands []rules.HandRecord, index int, out *Hand) rules.Fault {
	*out = Hand{}
	if index < 0 || index >= len(hands) {
		return rules.Fault{Reason: rules.HandUnfinished, Hand: len(hands), Action: rules.NoAction}
	}
	m := rules.NewMatch(rs)
	if fault := rules.Replay(&m, hands[:index], nil, nil); fault.Reason != rules.OK {
		return fault
	}
	h := &hands[index]
	if why := m.Deal(h.Dealer, &h.Deal, h.Trump); why != rules.OK {
		if why == rules.HandUnfinished {
			return rules.Fault{Reason: why, Hand: index - 1, Action: len(hands[index-1].Actions)}
		}
		return rules.Fault{Reason: why, Hand: index, Action: rules.NoAction}
	}
	// A fault is found before anything is thought about.
	whole := m
	for i, a := range h.Actions {
		if why := whole.Apply(rules.NoSeat, a); why != rules.OK {
			return rules.Fault{Reason: why, Hand: index, Action: i}
		}
	}
	if whole.HandsFinished() != index+1 {
		return rules.Fault{Reason: rules.HandUnfinished, Hand: index, Action: len(h.Actions)}
	}
	for i, a := range h.Actions {
		d := &out.Decisions[out.DecisionCount]
		out.DecisionCount++
		d.Action = uint16(i)
		c.decide(&m, a, d)
		if !d.Forced() {
			out.Seats[d.Seat].Add(Tally{Decisions: 1, Loss: uint32(d.Loss)})
		}
		m.Apply(rules.NoSeat, a)
	}
	return rules.Fault{Hand: len(hands), Action: rules.NoAction}
}

// decide reviews the action that is about to be taken.
func (c *Coach) decide(m *rules.Match, played rules.Action, d *Decision) {
	m.View(m.Turn(), &c.view)
	d.Seat, d.Phase, d.Trick, d.Unit = m.Turn(), m.Phase(), m.Hand().TrickCount, unitOf(&c.view)
	for legal := m.Legal(); legal != 0; legal = legal.Rest() {
		a, _ := legal.First()
		if a == played {
			d.Played = d.OptionCount
		}
		d.Options[d.OptionCount].Action = a
		d.OptionCount++
	}
	d.Best = d.Played
	c.auction.Set(&c.view)
	c.match.set(&c.auction)
	if c.stakes = c.match; c.match.size(stakeOf(&c.view)) < little {
		c.stakes.even()
	}
	c.open(m, d)
	if d.Forced() {
		d.say(reason(OnlyMove))
		return
	}
	c.know(d)
	c.judge(d)
	c.explain(d)
}
