package rules

// RuleSet is one way of playing: a preset, or house rules that override some of
// its options. It is small and comparable; the zero RuleSet is not playable,
// start from [Preset.Rules].
type RuleSet struct {
	// Preset the rule set started from. It alone decides the bids.
	Preset Preset
	// Bids are the terms of solo, cuatrola and quintola, in that order.
	Bids [3]Bid
	// End says what Target counts.
	End End
	// Target is the points to reach or the hands to play, 1 to 99.
	Target uint8
	// ExactTarget forbids a bid whose value would carry the bidder's own pair
	// past the target. It matters with EndPoints only.
	ExactTarget bool
	// BonusAbove is the number of card points above which a hand that nobody bid
	// is worth 2 instead of 1: 0 to 250, or None.
	BonusAbove int16
	// Tie says who wins a hand that is level on card points.
	Tie Tie
	// Cantes says whether players are asked to sing.
	Cantes Cantes
	// MaxCantes is how many cantes a pair may sing in a hand: 0 to 4, or None.
	MaxCantes int8
	// FortyFirst obliges the forty before any twenty.
	FortyFirst bool
	// Beat says which card a follower has to beat (montar).
	Beat Beat
	// StopWhenLost ends a hand played for tricks as soon as the bid is lost.
	StopWhenLost bool
	// Undertrump says what a seat may do that is void, holds trumps and cannot
	// beat the ruff on the table.
	Undertrump Undertrump
	// PartnerExempt frees a player from beating and ruffing while the partner is
	// winning the trick.
	PartnerExempt bool
	// Raising lets the bidding go on after a bid.
	Raising bool
	// BidderLeads gives the first lead to the bidder instead of mano.
	BidderLeads bool
}

// None is the value of BonusAbove and MaxCantes where the option is null.
const None = -1

// Bid is a bid's terms.
type Bid struct {
	// Needs is the number of tricks due; 0 means that the hand is played on points.
	Needs uint8
	// Value in match points; 0 means that the rule set has no such bid.
	Value uint8
}

// Preset names one of the rule sets that the sources describe.
type Preset uint8

// The presets.
const (
	Clasica Preset = iota
	Mesa
	MesaQuintola
	Liga
	presetCount
)

var presetNames = [presetCount]string{"clasica", "mesa", "mesa-quintola", "liga"}

// Presets lists all presets in their order.
func Presets() []Preset { return []Preset{Clasica, Mesa, MesaQuintola, Liga} }

// String is the preset's name in records.
func (p Preset) String() string { return nameOf(presetNames[:], uint8(p)) }

// ParsePreset reads a preset's name.
func ParsePreset(text string) (Preset, bool) { return parseName[Preset](presetNames[:], text) }

// Rules is the preset's rule set.
func (p Preset) Rules() RuleSet {
	rs := RuleSet{
		Preset:     p,
		Bids:       [3]Bid{{0, 2}, {4, 4}, {5, 5}},
		End:        EndPoints,
		Target:     11,
		BonusAbove: None,
		Tie:        TieMano,
		MaxCantes:  None,
		Beat:       BeatBest,
		Raising:    true,
	}
	switch p {
	case Clasica:
		rs.ExactTarget = true
		rs.Beat = BeatLed
	case Mesa, MesaQuintola:
		if p == Mesa {
			rs.Bids = [3]Bid{{0, 2}, {5, 4}, {}}
		}
		rs.End = EndHands
		rs.Cantes = CantesAuto
		rs.FortyFirst = true
	case Liga:
		rs.Bids[0].Needs = 3
		rs.Target = 21
		rs.ExactTarget = true
		rs.BonusAbove = 100
		rs.Tie = TieLastTrick
		rs.MaxCantes = 2
		rs.FortyFirst = true
		rs.StopWhenLost = true
	default:
		return RuleSet{}
	}
	return rs
}

// End says how a match is decided.
type End uint8

// Ways to end a match.
const (
	// EndPoints: the first pair at or above the target wins.
	EndPoints End = iota
	// EndHands: after that many hands the pair with more points wins.
	EndHands
)

// Tie says who wins a hand on points that is level.
type Tie uint8

// Ways to break a tie.
const (
	// TieMano: mano's pair.
	TieMano Tie = iota
	// TieLastTrick: the pair that took the last trick.
	TieLastTrick
)

// Cantes says how cantes are declared.
type Cantes uint8

// Ways to declare a cante.
const (
	// CantesDeclare: players are asked, and may stay silent.
	CantesDeclare Cantes = iota
	// CantesAuto: the first that can be sung is sung.
	CantesAuto
)

// Beat says which card of the led suit a follower has to beat.
type Beat uint8

// What a follower has to beat.
const (
	// BeatBest: the strongest on the table.
	BeatBest Beat = iota
	// BeatLed: the card that was led.
	BeatLed
)

// Undertrump says what is due of a void seat that cannot beat a ruff.
type Undertrump uint8

// What is due under a ruff that cannot be beaten.
const (
	// UndertrumpFree: any card.
	UndertrumpFree Undertrump = iota
	// UndertrumpForced: any trump, if one is held.
	UndertrumpForced
)

var (
	endNames        = []string{"points", "hands"}
	tieNames        = []string{"mano", "lastTrick"}
	cantesNames     = []string{"declare", "auto"}
	beatNames       = []string{"best", "led"}
	undertrumpNames = []string{"free", "forced"}
)

// String is the option's text in house rules.
func (e End) String() string { return nameOf(endNames, uint8(e)) }

// String is the option's text in house rules.
func (t Tie) String() string { return nameOf(tieNames, uint8(t)) }

// String is the option's text in house rules.
func (c Cantes) String() string { return nameOf(cantesNames, uint8(c)) }

// String is the option's text in house rules.
func (b Beat) String() string { return nameOf(beatNames, uint8(b)) }

// String is the option's text in house rules.
func (u Undertrump) String() string { return nameOf(undertrumpNames, uint8(u)) }

// ParseEnd reads "points" or "hands".
func ParseEnd(text string) (End, bool) { return parseName[End](endNames, text) }

// ParseTie reads "mano" or "lastTrick".
func ParseTie(text string) (Tie, bool) { return parseName[Tie](tieNames, text) }

// ParseCantes reads "declare" or "auto".
func ParseCantes(text string) (Cantes, bool) { return parseName[Cantes](cantesNames, text) }

// ParseBeat reads "best" or "led".
func ParseBeat(text string) (Beat, bool) { return parseName[Beat](beatNames, text) }

// ParseUndertrump reads "free" or "forced".
func ParseUndertrump(text string) (Undertrump, bool) {
	return parseName[Undertrump](undertrumpNames, text)
}

func nameOf(names []string, i uint8) string {
	if int(i) >= len(names) {
		return "?"
	}
	return names[i]
}

func parseName[T ~uint8](names []string, text string) (T, bool) {
	for i, name := range names {
		if name == text {
			return T(i), true
		}
	}
	return 0, false
}

// Ranges of the options that are numbers.
const (
	MaxTarget     = 99
	MaxBonusAbove = 250
	MaxMaxCantes  = 4
)

// OptionError names an option whose value is outside its type or range.
type OptionError string

// Error says which option is refused.
func (e OptionError) Error() string {
	return "rules: option " + string(e) + " has a value it cannot take"
}

// Validate says whether the rule set can be played. The error is an
// [OptionError] that names the first option refused: "preset" covers the bids.
func (rs RuleSet) Validate() error {
	switch {
	case rs.Preset >= presetCount || rs.Bids != rs.Preset.Rules().Bids:
		return OptionError("preset")
	case rs.End > EndHands:
		return OptionError("end")
	case rs.Target < 1 || rs.Target > MaxTarget:
		return OptionError("target")
	case rs.BonusAbove < None || rs.BonusAbove > MaxBonusAbove:
		return OptionError("bonusAbove")
	case rs.Tie > TieLastTrick:
		return OptionError("tie")
	case rs.Cantes > CantesAuto:
		return OptionError("cantes")
	case rs.MaxCantes < None || rs.MaxCantes > MaxMaxCantes:
		return OptionError("maxCantes")
	case rs.Beat > BeatLed:
		return OptionError("beat")
	case rs.Undertrump > UndertrumpForced:
		return OptionError("undertrump")
	}
	return nil
}

// bid is the terms of solo, cuatrola or quintola; anything else has none.
func (rs *RuleSet) bid(a Action) Bid {
	if a < Solo || a > Quintola {
		return Bid{}
	}
	return rs.Bids[a-Solo]
}

// highestBid that the rule set has.
func (rs *RuleSet) highestBid() Action {
	for a := Quintola; a >= Solo; a-- {
		if rs.bid(a).Value > 0 {
			return a
		}
	}
	return Pass
}
