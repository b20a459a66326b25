package wire

import "github.com/cuatrola/cuatrola/shared/rules"

// ViewSize is the length of a view.
const ViewSize = RulesSize + 30 + trickSize + HandSize

// AppendView writes a view.
func AppendView(b []byte, v *rules.View) []byte {
	b = AppendRules(b, &v.Rules)
	b = append(b, uint8(v.Viewer), uint8(v.Phase), uint8(v.Turn), uint8(v.Winner))
	b = appendUint32(b, v.Seq)
	b = appendUint16(b, v.HandsFinished)
	b = appendUint16(b, v.Score[0])
	b = appendUint16(b, v.Score[1])
	b = append(b, uint8(v.Dealer), uint8(v.Trump), uint8(v.Out), v.Spoken)
	b = appendUint32(b, uint32(v.Cards))
	b = appendUint32(b, uint32(v.Legal))
	for _, a := range v.Bids {
		b = append(b, uint8(a))
	}
	b = appendTrick(b, &v.Table)
	return AppendHand(b, &v.Hand)
}

// ReadView reads a view into v. A view may come from anywhere, so ok is false
// unless it is safe to reason about: a playable rule set and every seat, card
// and count within its range. Whether such a match can come about is not asked.
func ReadView(b []byte, v *rules.View) (ok bool) {
	if len(b) != ViewSize {
		return false
	}
	r := reader{b: b}
	r.rules(&v.Rules)
	v.Viewer = rules.Seat(r.uint8())
	v.Phase = rules.Phase(r.uint8())
	v.Turn = rules.Seat(r.uint8())
	v.Winner = rules.Pair(r.uint8())
	v.Seq = r.uint32()
	v.HandsFinished = r.uint16()
	v.Score = [2]uint16{r.uint16(), r.uint16()}
	v.Dealer = rules.Seat(r.uint8())
	v.Trump = rules.Card(r.uint8())
	v.Out = rules.Seat(r.uint8())
	v.Spoken = r.uint8()
	v.Cards = rules.Cards(r.uint32())
	v.Legal = rules.Actions(r.uint32())
	for i := range v.Bids {
		v.Bids[i] = rules.Action(r.uint8())
	}
	r.trick(&v.Table)
	r.hand(&v.Hand)

	r.require(v.Rules.Validate() == nil)
	r.require(v.Viewer < rules.Viewers && v.Phase <= rules.PhaseMatchOver && validOrNone(v.Turn) &&
		(v.Winner <= 1 || v.Winner == rules.NoPair) && validOrNone(v.Dealer) && validOrNone(v.Out) &&
		v.Spoken <= rules.Seats && v.Cards&^rules.Deck == 0)
	for _, a := range v.Bids[:min(v.Spoken, rules.Seats)] {
		r.require(a >= rules.Pass && a <= rules.Quintola)
	}
	if v.Phase >= rules.PhaseBid && v.Phase <= rules.PhaseSing {
		// A hand in play has a dealer, a trump and a leader.
		r.require(v.Dealer < rules.Seats && v.Trump.Valid() && v.Table.Lead < rules.Seats)
	}
	return !r.bad
}
