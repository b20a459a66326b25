package wire

import "github.com/cuatrola/cuatrola/shared/rules"

const (
	// ResultHeader is the length of a result without its hands and trace.
	ResultHeader = 16
	// HandSize is the length of a hand.
	HandSize = 4 + rules.HandSize*trickSize + rules.Suits*4 + 12
	// TraceSize is the length of an entry of a trace.
	TraceSize = 10

	trickSize = 8
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

	header := append(p.hands[:0], uint8(fault.Reason), uint8(p.match.Winner()))
	header = appendUint16(header, uint16(fault.Hand))
	header = appendUint16(header, uint16(fault.Action))
	header = appendUint16(header, p.count)
	score := p.match.Score()
	header = appendUint16(header, score[0])
	header = appendUint16(header, score[1])
	_ = appendUint32(header, uint32(len(p.trace)/TraceSize)) // in place: the room is there
	p.hands = append(p.hands, p.trace...)
	return p.hands, nil, true
}

func (p *Replayer) addHand(h *rules.Hand) {
	p.hands = AppendHand(p.hands, h)
	p.count++
}

func (p *Replayer) addTrace(hand, action int) {
	p.trace = appendUint16(p.trace, uint16(hand))
	p.trace = appendUint16(p.trace, uint16(action))
	p.trace = append(p.trace, uint8(p.match.Phase()), uint8(p.match.Turn()))
	p.trace = appendUint32(p.trace, uint32(p.match.Legal()))
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
	r := reader{b: b}
	res.Fault.Reason = rules.Reason(r.uint8())
	res.Winner = rules.Pair(r.uint8())
	res.Fault.Hand = int(r.uint16())
	res.Fault.Action = int(r.uint16())
	if res.Fault.Action == noAction {
		res.Fault.Action = rules.NoAction
	}
	hands := int(r.uint16())
	res.Score = [2]uint16{r.uint16(), r.uint16()}
	entries := int(r.uint32())
	if r.bad || len(r.b) != hands*HandSize+entries*TraceSize {
		return res, false
	}
	for range hands {
		var h rules.Hand
		r.hand(&h)
		res.Hands = append(res.Hands, h)
	}
	for range entries {
		res.Trace = append(res.Trace, TraceEntry{
			Hand: int(r.uint16()), Action: int(r.uint16()),
			Phase: rules.Phase(r.uint8()), Seat: rules.Seat(r.uint8()),
			Legal: rules.Actions(r.uint32()),
		})
	}
	return res, !r.bad
}

// AppendHand writes a hand, finished or not.
func AppendHand(b []byte, h *rules.Hand) []byte {
	b = append(b, uint8(h.Bid), uint8(h.Bidder), h.TrickCount, h.CanteCount)
	for i := range h.Tricks {
		b = appendTrick(b, &h.Tricks[i])
	}
	for i := range h.Cantes {
		c := &h.Cantes[i]
		b = append(b, uint8(c.Seat), uint8(c.Suit), c.Points, c.Trick)
	}
	b = appendUint16(b, h.Points[0])
	b = appendUint16(b, h.Points[1])
	b = append(b, h.TricksWon[0], h.TricksWon[1], uint8(h.Winner), h.Value)
	b = appendUint16(b, h.Score[0])
	return appendUint16(b, h.Score[1])
}

func (r *reader) hand(h *rules.Hand) {
	h.Bid = rules.Action(r.uint8())
	h.Bidder = rules.Seat(r.uint8())
	h.TrickCount = r.uint8()
	h.CanteCount = r.uint8()
	r.require(h.Bid >= rules.Pass && h.Bid <= rules.Quintola && (h.Bid == rules.Pass) == (h.Bidder == rules.NoSeat) &&
		validOrNone(h.Bidder) && h.TrickCount <= rules.HandSize && h.CanteCount <= rules.Suits)
	for i := range h.Tricks {
		t := &h.Tricks[i]
		r.trick(t)
		if i < int(h.TrickCount) {
			r.require(t.Count >= rules.Seats-1 && t.Lead < rules.Seats)
		}
	}
	for i := range h.Cantes {
		c := &h.Cantes[i]
		c.Seat = rules.Seat(r.uint8())
		c.Suit = rules.Suit(r.uint8())
		c.Points = r.uint8()
		c.Trick = r.uint8()
		r.require(c.Seat < rules.Seats && c.Suit < rules.Suits && c.Trick <= rules.HandSize)
	}
	h.Points = [2]uint16{r.uint16(), r.uint16()}
	h.TricksWon = [2]uint8{r.uint8(), r.uint8()}
	h.Winner = rules.Pair(r.uint8())
	h.Value = r.uint8()
	h.Score = [2]uint16{r.uint16(), r.uint16()}
	r.require(h.Winner <= 1 || h.Winner == rules.NoPair)
}

func appendTrick(b []byte, t *rules.Trick) []byte {
	return append(b, uint8(t.Lead), uint8(t.Winner), uint8(t.Best), t.Count,
		uint8(t.Cards[0]), uint8(t.Cards[1]), uint8(t.Cards[2]), uint8(t.Cards[3]))
}

func (r *reader) trick(t *rules.Trick) {
	t.Lead = rules.Seat(r.uint8())
	t.Winner = rules.Seat(r.uint8())
	t.Best = rules.Card(r.uint8())
	t.Count = r.uint8()
	r.require(validOrNone(t.Lead) && validOrNone(t.Winner) && t.Count <= rules.Seats)
	best := t.Count == 0
	for i := range t.Cards {
		c := rules.Card(r.uint8())
		t.Cards[i] = c
		if i < int(t.Count) {
			r.require(c.Valid())
			best = best || c == t.Best
		}
	}
	// A trick with cards has a leader and a winner among them.
	r.require(best && (t.Count == 0 || t.Lead < rules.Seats && t.Winner < rules.Seats))
}

func validOrNone(s rules.Seat) bool { return s < rules.Seats || s == rules.NoSeat }
