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
// unless it is safe to think about: a playable rule set, every seat, card and
// count within its range, and a hand in play that adds up. A bot would otherwise
// look for cards that there are not. Whether play can have led there is not asked.
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
	return !r.bad && (v.Phase < rules.PhaseBid || v.Phase > rules.PhaseSing || addsUp(v))
}

// addsUp says whether a view of a hand in play is whole: a dealer, a trump and a
// turn, tricks with a card of each seat that takes part, no card twice, and as
// many in the viewer's hand as it has not played.
func addsUp(v *rules.View) bool {
	h, table := &v.Hand, &v.Table
	if v.Dealer >= rules.Seats || !v.Trump.Valid() || table.Lead >= rules.Seats || table.Lead == v.Out ||
		h.Winner != rules.NoPair || h.TrickCount >= rules.HandSize {
		return false
	}
	active := uint8(rules.Seats)
	if v.Out != rules.NoSeat {
		active--
	}
	waits := v.Phase == rules.PhaseSing && v.Turn == rules.NoSeat && v.Viewer == table.Lead
	switch {
	case v.Phase == rules.PhaseBid:
		if v.Out != rules.NoSeat || v.Spoken >= rules.Seats || h.TrickCount != 0 || table.Count != 0 ||
			v.Turn != (v.Dealer.Next()+rules.Seat(v.Spoken))%rules.Seats {
			return false
		}
	case (h.Bidder == rules.NoSeat) != (v.Out == rules.NoSeat), v.Out != rules.NoSeat && v.Out != h.Bidder.Partner():
		return false
	case v.Phase == rules.PhaseSing:
		if table.Count != 0 || !waits && (v.Turn >= rules.Seats || v.Turn == v.Out) {
			return false
		}
	case table.Count >= active || v.Turn != rules.SeatOf(table.Lead, v.Out, int(table.Count)):
		return false
	}

	seen := v.Cards
	left := rules.HandSize
	for i := range h.TrickCount + 1 {
		t := table
		if i < h.TrickCount {
			t = &h.Tricks[i]
			if t.Count != active || t.Lead == v.Out {
				return false
			}
		}
		for k, c := range t.Cards[:t.Count] {
			if seen.Has(c) {
				return false
			}
			seen |= rules.Of(c)
			if rules.SeatOf(t.Lead, v.Out, k) == v.Viewer {
				left--
			}
		}
	}
	return v.Viewer == rules.Spectator && v.Cards == 0 || v.Viewer < rules.Seats && v.Cards.Len() == left
}

func putUint32(b []byte, at int, v uint32) {
	putUint16(b, at, uint16(v))
	putUint16(b, at+2, uint16(v>>16))
}
