package rules

// Reason says why something is refused. The zero Reason means that nothing is
// wrong. Its text is a stable code: programs compare it, clients translate it.
type Reason uint8

// The reasons, in the order in which they are looked for: the first that
// applies is the one given.
const (
	OK Reason = iota
	// MatchOver: the match has its winner.
	MatchOver
	// HandOver: the hand has ended and the next is not dealt.
	HandOver
	// NotYourTurn: another seat is to act.
	NotYourTurn
	// WrongPhase: a bid outside the bidding, a card before or between, …
	WrongPhase
	// BidNotInRules: the rule set has no such bid.
	BidNotInRules
	// BidTooLow: not higher than the highest so far.
	BidTooLow
	// BidPastTarget: its value would carry the bidder's pair past an exact target.
	BidPastTarget
	// CanteNotAvailable: the seat cannot sing that suit now.
	CanteNotAvailable
	// CardUnknown: no card of this pack.
	CardUnknown
	// CardNotInHand: the seat does not hold it.
	CardNotInHand
	// MustFollow: holds the led suit, plays another (asistir).
	MustFollow
	// MustBeat: follows with a card too low while holding one that beats (montar).
	MustBeat
	// MustOvertrump: the trick is ruffed and a higher trump is held.
	MustOvertrump
	// MustTrump: void in the led suit and a trump is due (fallar).
	MustTrump
	// BadDeal: not the twenty cards once each, or the shown card is not the dealer's.
	BadDeal
	// BadDealer: the deal is another seat's.
	BadDealer
	// HandUnfinished: the next hand was dealt before this one ended.
	HandUnfinished
	reasonCount
)

var reasonCodes = [reasonCount]string{
	"ok", "match_over", "hand_over", "not_your_turn", "wrong_phase",
	"bid_not_in_rules", "bid_too_low", "bid_past_target", "cante_not_available",
	"unknown_card", "card_not_in_hand", "must_follow", "must_beat",
	"must_overtrump", "must_trump", "bad_deal", "bad_dealer", "hand_unfinished",
}

// String is the stable code.
func (r Reason) String() string {
	if r >= reasonCount {
		return "unknown"
	}
	return reasonCodes[r]
}

// Reasons lists every reason but OK, in order: for catalogues of texts and
// contracts that must name them all.
func Reasons() []Reason {
	all := make([]Reason, 0, reasonCount-1)
	for r := OK + 1; r < reasonCount; r++ {
		all = append(all, r)
	}
	return all
}
