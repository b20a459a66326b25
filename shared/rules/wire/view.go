package wire

import "github.com/cuatrola/cuatrola/shared/rules"

// ViewSize is the length of a view: the rule set, 30 bytes of its own, the trick
// on the table and the hand.
const ViewSize = RulesSize + viewOwn + trickSize + HandSize

const viewOwn = 30

// AppendView writes a view.
func AppendView(b []byte, v *rules.View) []byte {
	b = AppendRules(b, &v.Rules)
	var own [viewOwn + trickSize]byte
	p := own[:]
	p[0], p[1], p[2], p[3] = uint8(v.Viewer), uint8(v.Phase), uint8(v.Turn), uint8(v.Winner)
	putUint32(p, 4, v.Seq)
	putUint16(p, 8, v.HandsFinished)
	putUint16(p, 10, v.Score[0])
	putUint16(p, 12, v.Score[1])
	p[14], p[15], p[16], p[17] = uint8(v.Dealer), uint8(v.Trump), uint8(v.Out), v.Spoken
	putUint32(p, 18, uint32(v.Cards))
	putUint32(p, 22, uint32(v.Legal))
	for i, a := range v.Bids {
		p[26+i] = uint8(a)
	}
	putTrick((*[trickSize]byte)(p[viewOwn:]), &v.Table)
	return AppendHand(append(b, p...), &v.Hand)
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
	p := r.take(viewOwn + trickSize)
	v.Viewer, v.Phase, v.Turn, v.Winner = rules.Seat(p[0]), rules.Phase(p[1]), rules.Seat(p[2]), rules.Pair(p[3])
	v.Seq, v.HandsFinished = uint32At(p, 4), uint16At(p, 8)
	v.Score = [2]uint16{uint16At(p, 10), uint16At(p, 12)}
	v.Dealer, v.Trump, v.Out, v.Spoken = rules.Seat(p[14]), rules.Card(p[15]), rules.Seat(p[16]), p[17]
	v.Cards, v.Legal = rules.Cards(uint32At(p, 18)), rules.Actions(uint32At(p, 22))
	for i := range v.Bids {
		v.Bids[i] = rules.Action(p[26+i])
	}
	table := getTrick((*[trickSize]byte)(p[viewOwn:]), &v.Table)
	r.hand(&v.Hand)

	r.require(table && v.Rules.Validate() == nil)
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

func putUint32(b []byte, at int, v uint32) {
	putUint16(b, at, uint16(v))
	putUint16(b, at+2, uint16(v>>16))
}
