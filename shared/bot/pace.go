package bot

import "github.com/cuatrola/cuatrola/shared/rules"

// Pace is how a bot's waits vary, so that it seems to think and does not tick like a
// clock. All is in percent of an ordinary wait, that for a card in the middle of a trick.
type Pace struct {
	// Bid is for a bid, Lead for the first card of a trick.
	Bid, Lead uint16
	// Forced is for the last card that a seat has, which everybody knows to be its only
	// choice.
	Forced uint16
	// Spread is how much shorter or longer a wait may be by chance, 0 to 100.
	Spread uint16
}

// Steady is a pace without any variation.
func Steady() Pace { return Pace{Bid: 100, Lead: 100, Forced: 100} }

// Natural is the pace of a bot that nobody has told otherwise.
func Natural() Pace { return Pace{Bid: 160, Lead: 130, Forced: 45, Spread: 40} }

// Wait is how long the seat that seems to be to act waits, in thousandths of an ordinary
// wait. The view may be anybody's: of it only that is looked at which everybody sees, for
// a wait is seen by all. How many cards a hand might play, or how hard its bid was,
// must not show in it. For the same reason being asked to sing is no occasion of its own:
// it looks like the lead that follows it.
//
// seed makes waits differ from match to match. It must not be the one that the bots
// choose by, since who measures waits learns of it.
func (p Pace) Wait(v *rules.View, seed uint64) uint32 {
	percent := uint32(100)
	place := uint64(v.HandsFinished) << 16
	switch {
	case v.Phase == rules.PhaseBid:
		percent = uint32(p.Bid)
		place |= uint64(v.Spoken)
	case v.Hand.TrickCount >= rules.HandSize-1:
		percent = uint32(p.Forced)
		place |= 1<<8 | uint64(v.Hand.TrickCount)<<4 | uint64(v.Table.Count)
	default:
		if v.Table.Count == 0 {
			percent = uint32(p.Lead)
		}
		place |= 1<<8 | uint64(v.Hand.TrickCount)<<4 | uint64(v.Table.Count)
	}
	// The mean of two draws: most waits are near the middle.
	spread := int(min(p.Spread, 100)) * 10
	r := random{seed ^ place*0x9e3779b97f4a7c15}
	factor := uint32(1000 - spread + (r.below(2*spread+1)+r.below(2*spread+1))/2)
	return percent * factor / 100
}
