package coach

import "github.com/cuatrola/cuatrola/shared/rules"

// Code says why a decision was good or not: a stable code, which clients translate.
type Code uint8

// The codes. What a text may name beside the action that was taken is said in brackets.
const (
	// OnlyMove: there was nothing to choose.
	OnlyMove Code = iota
	// BestMove: the best that could be known.
	BestMove
	// NearlyBest: not quite the best, but hardly worse [better].
	NearlyBest
	// Unlucky: the best that could be known, but not as the cards lay [better].
	Unlucky
	// Lucky: not the best that could be known, but the best as the cards lay. It stands
	// behind another reason.
	Lucky

	// BidSound: a bid that was right [chance to make it].
	BidSound
	// BidRisky: a bid where passing was better [chance to make it].
	BidRisky
	// BidMissed: passed where a bid was better [better, chance to make that].
	BidMissed
	// BidLow: a bid where a higher one was better [better, chance to make that].
	BidLow
	// BidHigh: a bid where a lower one was better [better, chance to make what was bid].
	BidHigh
	// PassSound: passing was right [better: the best of the bids, its chance].
	PassSound

	// SilenceRight: it was right not to sing.
	SilenceRight
	// CanteKept: kept silent where singing was better [better, its points].
	CanteKept
	// CanteSmaller: sang one cante where another was better [better, its points].
	CanteSmaller
	// CanteEarly: sang where silence was better.
	CanteEarly

	// MarriageBroken: gave a king or knight away whose cante was still to be sung
	// [better, points of the cante].
	MarriageBroken
	// TrumpsLeftOut: led another card while the others had trumps to be drawn [better].
	TrumpsLeftOut
	// TrumpsEarly: led a trump where another lead was better [better].
	TrumpsEarly
	// LedIntoRuff: led a suit of which an opponent was known to have none [better].
	LedIntoRuff
	// TenExposed: led a three or an ace that could be beaten [better, points].
	TenExposed
	// SureTrickLeft: did not lead a card of whose suit nobody else had a higher one
	// [better].
	SureTrickLeft
	// SureTrickEarly: led a card of whose suit nobody else had a higher one, where keeping
	// it was better [better].
	SureTrickEarly

	// PointsThrown: gave a three or an ace to a trick that was surely the other pair's
	// [better, points].
	PointsThrown
	// PartnerUnfed: gave little to a trick that was surely the partner's [better, points
	// that it could have had].
	PartnerUnfed
	// TrumpWasted: put a trump on a trick that was the partner's [better].
	TrumpWasted
	// TrumpThrown: put a trump on a trick without winning it [better].
	TrumpThrown
	// WinnerThrown: threw away a card of whose suit nobody else had a higher one [better].
	WinnerThrown
	// TookDearly: won the trick with more than it took [better].
	TookDearly
	// TookLow: won the trick so far with a card that could still be beaten [better].
	TookLow
	// TrickDeclined: did not win a trick that was worth it [better].
	TrickDeclined
	// TookNeedlessly: won a trick that was better left [better].
	TookNeedlessly
	// BetterCard: another card wins the hand more often [better, by how much].
	BetterCard
	// OtherCard: another card was better for the match or for the points [better].
	OtherCard
	codeCount
)

var codes = [codeCount]string{
	"only_move", "best_move", "nearly_best", "unlucky", "lucky",
	"bid_sound", "bid_risky", "bid_missed", "bid_low", "bid_high", "pass_sound",
	"silence_right", "cante_kept", "cante_smaller", "cante_early",
	"marriage_broken", "trumps_left_out", "trumps_early", "led_into_ruff", "ten_exposed",
	"sure_trick_left", "sure_trick_early",
	"points_thrown", "partner_unfed", "trump_wasted", "trump_thrown", "winner_thrown",
	"took_dearly", "took_low", "trick_declined", "took_needlessly", "better_card", "other_card",
}

// String is the stable code.
func (c Code) String() string {
	if c >= codeCount {
		return "?"
	}
	return codes[c]
}

// Codes lists all of them, in order: for catalogues of texts.
func Codes() []Code {
	all := make([]Code, codeCount)
	for i := range all {
		all[i] = Code(i)
	}
	return all
}

// NoAction stands for the better action of a reason that names none.
const NoAction rules.Action = 255

// Reason is a code with what its text names: see the codes.
type Reason struct {
	Code Code
	// Better is an action, NoAction if none is named.
	Better rules.Action
	// Points of cards or of a cante, 0 if none are named.
	Points uint8
	// Chance in parts of Whole, -1 if none is named.
	Chance int16
}

func (d *Decision) say(r Reason) {
	d.Reasons[d.ReasonCount] = r
	d.ReasonCount++
}

func reason(code Code) Reason { return Reason{Code: code, Better: NoAction, Chance: -1} }

func instead(code Code, better rules.Action) Reason {
	return Reason{Code: code, Better: better, Chance: -1}
}

// unluckyFrom is the part of the stake from which on the lie of the cards is called
// luck.
const unluckyFrom = Whole / 10

// explain says why. It names what the position shows, not what was on somebody's mind.
func (c *Coach) explain(d *Decision) {
	played, best := &d.Options[d.Played], &d.Options[d.Best]
	switch d.Verdict {
	case Best:
		c.praise(d)
		return
	case Good:
		d.say(instead(NearlyBest, best.Action))
		return
	default:
	}
	switch d.Phase {
	case rules.PhaseBid:
		d.say(bidReason(played, best))
	case rules.PhaseSing:
		d.say(canteReason(&c.view, played.Action, best.Action))
	default:
		f := factsOf(&c.view, &c.deals)
		r := f.reason(rules.Card(played.Action), rules.Card(best.Action), d.Unit)
		if more := best.Hand - played.Hand; r.Code == OtherCard && more >= Whole/100 {
			r.Code, r.Chance = BetterCard, more
		}
		d.say(r)
	}
	if d.OpenBest == d.Played {
		d.say(reason(Lucky))
	}
}

func (c *Coach) praise(d *Decision) {
	played, open := &d.Options[d.Played], &d.Options[d.OpenBest]
	stake := int64(c.stakes.size(stakeOf(&c.view)))
	lost := int64(open.OpenMatch-played.OpenMatch) * (scale / Whole)
	switch {
	case lost*Whole >= unluckyFrom*stake:
		d.say(instead(Unlucky, open.Action))
	case d.Phase == rules.PhaseBid && played.Action != rules.Pass:
		d.say(Reason{Code: BidSound, Better: NoAction, Chance: played.Hand})
	case d.Phase == rules.PhaseBid:
		next := d.Options[1]
		for _, o := range d.Options[2:d.OptionCount] {
			if o.Match > next.Match {
				next = o
			}
		}
		d.say(Reason{Code: PassSound, Better: next.Action, Chance: next.Hand})
	case played.Action == rules.Silent:
		d.say(reason(SilenceRight))
	default:
		d.say(reason(BestMove))
	}
}

func bidReason(played, best *Option) Reason {
	switch {
	case played.Action == rules.Pass:
		return Reason{Code: BidMissed, Better: best.Action, Chance: best.Hand}
	case best.Action == rules.Pass:
		return Reason{Code: BidRisky, Better: NoAction, Chance: played.Hand}
	case best.Action > played.Action:
		return Reason{Code: BidLow, Better: best.Action, Chance: best.Hand}
	default:
		return Reason{Code: BidHigh, Better: best.Action, Chance: played.Hand}
	}
}

func canteReason(v *rules.View, played, best rules.Action) Reason {
	switch suit, _ := best.Suit(); {
	case best == rules.Silent:
		return reason(CanteEarly)
	case played == rules.Silent:
		return Reason{Code: CanteKept, Better: best, Points: cantePoints(v, suit), Chance: -1}
	default:
		return Reason{Code: CanteSmaller, Better: best, Points: cantePoints(v, suit), Chance: -1}
	}
}

func cantePoints(v *rules.View, suit rules.Suit) uint8 {
	if suit == v.Trump.Suit() {
		return 40
	}
	return 20
}
