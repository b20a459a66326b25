package wire

import "github.com/cuatrola/cuatrola/shared/rules"

const (
	// ResultHeader is the length of a result without its hands and trace.
	ResultHeader = 16
	// HandSize is the length of a hand.
	HandSize = handEnd + 12
	// TraceSize is the length of an entry of a trace.
	TraceSize = 10

	trickSize = 8
	canteSize = 4
	noAction  = 1<<16 - 1
)

// Replayer replays records from their binary form into the binary form of their
// results. Its room is reused: after the first few records it allocates nothing.
//
// A result is a header, the finished hands and the trace. The header holds the
// reason (0 is OK), the match's winner, the hand and action at fault (65,535: no
// action), the number of finished hands, the score by pair, and the number of
// entries of the trace. An entry is the hand, the action's index, phase, seat
// and legal actions.
type Replayer struct {
	record Record
	match  rules.Match
	hands  []byte
	trace  []byte
	count  uint16
	// The callbacks are kept because making a closure allocates.
	before func(hand, action int)
	after  func(*rules.Hand)
}

// Replay replays a record. The result is valid until the next call. refused
// names the rule set's option that cannot be played (its trace and result are
// then empty); ok is false if b is no record.
func (p *Replayer) Replay(b []byte, trace bool) (result []byte, refused error, ok bool) {
	if p.after == nil {
		p.before, p.after = p.addTrace, p.addHand
	}
	if !p.record.Read(b) {
		return nil, nil, false
	}
	if err := p.record.Rules.Validate(); err != nil {
		return nil, err, true
	}
	var zero [ResultHeader]byte
	p.hands, p.trace, p.count = append(p.hands[:0], zero[:]...), p.trace[:0], 0
	before := p.before
	if !trace {
		before = nil
	}
	p.match = rules.NewMatch(p.record.Rules)
	fault := rules.Replay(&p.match, p.record.Hands, before, p.after)

	score := p.match.Score()
	header := p.hands[:ResultHeader]
	header[0], header[1] = uint8(fault.Reason), uint8(p.match.Winner())
	putUint16(header, 2, uint16(fault.Hand))
	putUint16(header, 4, uint16(fault.Action))
	putUint16(header, 6, p.count)
	putUint16(header, 8, score[0])
	putUint16(header, 10, score[1])
	entries := uint32(len(p.trace) / TraceSize)
	putUint16(header, 12, uint16(entries))
	putUint16(header, 14, uint16(entries>>16))
	p.hands = append(p.hands, p.trace...)
	return p.hands, nil, true
}

func (p *Replayer) addHand(h *rules.Hand) {
	p.hands = AppendHand(p.hands, h)
	p.count++
}

func (p *Replayer) addTrace(hand, action int) {
	legal := p.match.Legal()
	p.trace = append(p.trace, uint8(hand), uint8(hand>>8), uint8(action), uint8(action>>8),
		uint8(p.match.Phase()), uint8(p.match.Turn()),
		uint8(legal), uint8(legal>>8), uint8(legal>>16), uint8(legal>>24))
}

// Result is a result that was read.
type Result struct {
	Fault  rules.Fault
	Winner rules.Pair
	Score  [2]uint16
	Hands  []rules.Hand
	Trace  []TraceEntry
}

// TraceEntry is what stood before one action of a record.
type TraceEntry struct {
	Hand, Action int
	Phase        rules.Phase
	Seat         rules.Seat
	Legal        rules.Actions
}

// ReadResult reads what Replay wrote.
func ReadResult(b []byte) (res Result, ok bool) {
	if len(b) < ResultHeader {
		return res, false
	}
	res.Fault.Reason, res.Winner = rules.Reason(b[0]), rules.Pair(b[1])
	res.Fault.Hand, res.Fault.Action = int(uint16At(b, 2)), int(uint16At(b, 4))
	if res.Fault.Action == noAction {
		res.Fault.Action = rules.NoAction
	}
	hands := int(uint16At(b, 6))
	res.Score = [2]uint16{uint16At(b, 8), uint16At(b, 10)}
	entries := int(uint32At(b, 12))
	r := reader{b: b[ResultHeader:]}
	if len(r.b) != hands*HandSize+entries*TraceSize {
		return res, false
	}
	for range hands {
		var h rules.Hand
		r.hand(&h)
		res.Hands = append(res.Hands, h)
	}
	for range entries {
		e := r.take(TraceSize)
		res.Trace = append(res.Trace, TraceEntry{
			Hand: int(uint16At(e, 0)), Action: int(uint16At(e, 2)),
			Phase: rules.Phase(e[4]), Seat: rules.Seat(e[5]), Legal: rules.Actions(uint32At(e, 6)),
		})
	}
	return res, !r.bad
}

// Places in a hand: before its tricks stand bid, bidder and the numbers of
// tricks and cantes; at its end points, tricks won, winner, value and score.
const (
	handTricks = 4
	handCantes = handTricks + rules.HandSize*trickSize
	handEnd    = handCantes + rules.Suits*canteSize
)

// AppendHand writes a hand, finished or not.
func AppendHand(b []byte, h *rules.Hand) []byte {
	var room [HandSize]byte
	at := len(b)
	b = append(b, room[:]...)
	p := (*[HandSize]byte)(b[at:])
	p[0], p[1], p[2], p[3] = uint8(h.Bid), uint8(h.Bidder), h.TrickCount, h.CanteCount
	for i := range h.Tricks {
		putTrick((*[trickSize]byte)(p[handTricks+i*trickSize:]), &h.Tricks[i])
	}
	for i := range h.Cantes {
		c, q := &h.Cantes[i], (*[canteSize]byte)(p[handCantes+i*canteSize:])
		q[0], q[1], q[2], q[3] = uint8(c.Seat), uint8(c.Suit), c.Points, c.Trick
	}
	end := p[handEnd:]
	putUint16(end, 0, h.Points[0])
	putUint16(end, 2, h.Points[1])
	end[4], end[5], end[6], end[7] = h.TricksWon[0], h.TricksWon[1], uint8(h.Winner), h.Value
	putUint16(end, 8, h.Score[0])
	putUint16(end, 10, h.Score[1])
	return b
}

func (r *reader) hand(h *rules.Hand) {
	part := r.take(HandSize)
	if part == nil {
		return
	}
	p := (*[HandSize]byte)(part)
	h.Bid, h.Bidder, h.TrickCount, h.CanteCount = rules.Action(p[0]), rules.Seat(p[1]), p[2], p[3]
	ok := h.Bid >= rules.Pass && h.Bid <= rules.Quintola && (h.Bid == rules.Pass) == (h.Bidder == rules.NoSeat) &&
		validOrNone(h.Bidder) && h.TrickCount <= rules.HandSize && h.CanteCount <= rules.Suits
	for i := range h.Tricks {
		t := &h.Tricks[i]
		ok = getTrick((*[trickSize]byte)(p[handTricks+i*trickSize:]), t) && ok
		ok = ok && (i >= int(h.TrickCount) || t.Count >= rules.Seats-1)
	}
	for i := range h.Cantes {
		c, q := &h.Cantes[i], (*[canteSize]byte)(p[handCantes+i*canteSize:])
		c.Seat, c.Suit, c.Points, c.Trick = rules.Seat(q[0]), rules.Suit(q[1]), q[2], q[3]
		ok = ok && c.Seat < rules.Seats && c.Suit < rules.Suits && c.Trick <= rules.HandSize
	}
	end := p[handEnd:]
	h.Points = [2]uint16{uint16At(end, 0), uint16At(end, 2)}
	h.TricksWon = [2]uint8{end[4], end[5]}
	h.Winner, h.Value = rules.Pair(end[6]), end[7]
	h.Score = [2]uint16{uint16At(end, 8), uint16At(end, 10)}
	r.require(ok && (h.Winner <= 1 || h.Winner == rules.NoPair))
}

func putTrick(p *[trickSize]byte, t *rules.Trick) {
	p[0], p[1], p[2], p[3] = uint8(t.Lead), uint8(t.Winner), uint8(t.Best), t.Count
	p[4], p[5], p[6], p[7] = uint8(t.Cards[0]), uint8(t.Cards[1]), uint8(t.Cards[2]), uint8(t.Cards[3])
}

// getTrick reads a trick. ok is false unless it is empty, or its cards exist, lie
// between a leader and a winner, and hold the best.
func getTrick(p *[trickSize]byte, t *rules.Trick) (ok bool) {
	t.Lead, t.Winner, t.Best, t.Count = rules.Seat(p[0]), rules.Seat(p[1]), rules.Card(p[2]), p[3]
	best := false
	ok = t.Count <= rules.Seats
	for i := range t.Cards {
		t.Cards[i] = rules.Card(p[4+i])
		if i < int(t.Count) {
			ok = ok && t.Cards[i].Valid()
			best = best || t.Cards[i] == t.Best
		}
	}
	if t.Count == 0 {
		return validOrNone(t.Lead) && validOrNone(t.Winner)
	}
	return ok && best && t.Lead < rules.Seats && t.Winner < rules.Seats
}

func validOrNone(s rules.Seat) bool { return s < rules.Seats || s == rules.NoSeat }
