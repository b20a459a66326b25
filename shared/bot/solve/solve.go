// Package solve works out what a hand comes to when everybody sees all cards and both
// pairs play for the same value: in a hand on points, the difference of the pairs'
// points with cantes and last trick; in a hand on tricks, the tricks of the bidder's
// pair in the hand's result, early stop included.
//
// It is exact for every rule set and from any point of a hand at which a card is to be
// played or a cante sung. It is pure, allocates nothing, and knows no randomness.
package solve

import (
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Solver keeps what is worth keeping between positions: its table. The zero value is
// ready. It is large, so keep one, and for one goroutine.
//
// Inside, seats are turned so that 0 and 2 play for the greater value, and suits are
// renamed so that trumps are the last. Cards are numbered as rules.Card numbers them, suit
// after suit, so that a set of cards is a mask of twenty bits, a stronger card of a suit is
// a greater number, and of cards that may win a trick, of two suits at most, the greatest
// number does.
type Solver struct {
	levels [8]level // by tricks left

	turned  uint8              // seat 0 here is this one
	next    [rules.Seats]uint8 // who plays after a seat
	active  uint8              // how many seats play
	out     rules.Seat         // who does not, or rules.NoSeat
	onTrick bool               // the hand is played for tricks
	needs   int8               // tricks due, if the hand stops when they are out of reach; else 0

	beatLed, underForced, exempt bool

	// Cantes, if there may be any in this hand.
	sings      bool
	auto       bool
	fortyFirst bool
	limit      int8                // cantes of a pair; rules.None for no limit
	order      [rules.Suits]uint32 // suits in the order of records, each as a set of one

	start start

	generation uint64
	known      [tableSize]entry

	// Nodes counts the cards that were tried since it was last set to 0, the last two tricks
	// as three: what a search costs, on any machine.
	Nodes uint64
}

// Actions is how many actions the rules have: rules.Action is less.
const Actions = int(rules.Silent) + 1

const (
	tableBits = 13
	tableSize = 1 << tableBits
)

// entry is what is known of the value of a position between two tricks, from there on:
// it is at least low and at most high.
type entry struct {
	key       uint64 // the position's, and the deal's
	low, high int16
	move      uint8
}

// Value is what the hand comes to from here, points and tricks that have been made
// included: for a hand on points pair 0's less pair 1's, for a hand on tricks those of
// the bidder's pair. ok is false if no card is to be played and no cante to be sung.
func (s *Solver) Value(m *rules.Match) (value int, ok bool) { return s.Within(m, -infinity, infinity) }

// Within is Value, if that is between low and high; else some bound of it on the same
// side of them. A narrow window costs less.
func (s *Solver) Within(m *rules.Match, low, high int) (value int, ok bool) {
	if !s.set(m) {
		return 0, false
	}
	return s.Worth(low, high), true
}

// Values works out the exact value of every legal action; those of actions that are not
// legal are left as they are. See Value.
func (s *Solver) Values(m *rules.Match, values *[Actions]int16) (ok bool) {
	if !s.set(m) {
		return false
	}
	s.Worths(rules.Actions(1<<Actions-1), -infinity, infinity, values)
	return true
}

// ValuesFor is Values as the seat sees them whose turn it is: in a hand on points its
// own pair's less the other's, in a hand on tricks those of the bidder's pair, negated for
// a defender. Refused with MatchOver, HandOver, or WrongPhase while the seats are bidding.
func (s *Solver) ValuesFor(m *rules.Match, values *[Actions]int16) rules.Reason {
	switch m.Phase() {
	case rules.PhaseMatchOver:
		return rules.MatchOver
	case rules.PhaseDeal:
		return rules.HandOver
	case rules.PhaseBid:
		return rules.WrongPhase
	}
	s.Values(m, values)
	if !s.Greater(m.Turn()) {
		for a := range values {
			values[a] = -values[a]
		}
	}
	return rules.OK
}

// set is Begin and Deal of a match.
func (s *Solver) set(m *rules.Match) bool {
	var v rules.View
	m.View(m.Turn(), &v)
	if !s.Begin(&v) {
		return false
	}
	var held [rules.Seats]rules.Cards
	for seat := range held {
		held[seat] = m.Held(rules.Seat(seat))
	}
	s.Deal(&held)
	return true
}

// start is the position that a search begins from, but for where the cards lie.
type start struct {
	trump   uint8 // the suit that is renamed the last
	turn    uint32
	singing bool // the turn is to sing a cante or not, and not to play
	leader  uint32
	led     uint32              // the card that was led, if one is on the table
	played  [rules.Seats]uint32 // the card of each seat on the table
	on      table               // these cards
	left    int                 // tricks that are not taken yet
	state   uint32
	made    int // the value of what has been made
}

// Begin sets the solver up for positions that look alike to a seat: what they share.
// Deal then takes one after another, at a small part of what a match would cost. The
// view is that of the seat whose turn it is. Begin is false if no card is to be played
// and no cante to be sung.
func (s *Solver) Begin(v *rules.View) bool {
	if v.Phase != rules.PhasePlay && v.Phase != rules.PhaseSing || v.Turn >= rules.Seats {
		return false
	}
	h := &v.Hand
	s.contract(&v.Rules, v.Trump.Suit(), h.Bid, h.Bidder)
	r := &s.start
	r.turn, r.leader = s.seat(v.Turn), s.seat(v.Table.Lead)
	r.singing = v.Phase == rules.PhaseSing
	r.left = int(rules.HandSize - h.TrickCount)

	if s.onTrick {
		r.made = int(h.TricksWon[h.Bidder.Pair()])
	} else {
		r.made = int(h.Points[0]) - int(h.Points[1])
		var counts [2]uint32
		for _, c := range h.Cantes[:h.CanteCount] {
			r.state |= 1 << s.suit(uint8(c.Suit))
			counts[s.seat(c.Seat)&1]++
		}
		if s.limit != rules.None {
			r.state |= counts[0]<<4 | counts[1]<<7
		}
	}
	if s.needs > 0 {
		r.state |= uint32(r.made) << wonShift
	}

	seat := r.leader
	for i, card := range v.Table.Cards[:v.Table.Count] {
		c := s.rename(rules.Of(card))
		if i == 0 {
			r.led = c
		}
		r.played[seat] = c
		r.on = r.on.with(number(c))
		seat = uint32(s.next[seat&3])
	}
	return true
}

// Contract sets the solver up, as Begin does, for the first lead of hands of a dealer
// with a trump suit, when the bidding has ended with a bid of a seat; with Pass and
// NoSeat, if nobody bid. The rules must have the bid.
func (s *Solver) Contract(rs *rules.RuleSet, dealer rules.Seat, trump rules.Suit, bid rules.Action, bidder rules.Seat) {
	s.contract(rs, trump, bid, bidder)
	lead := dealer.Next()
	switch {
	case bid == rules.Pass:
	case rs.BidderLeads:
		lead = bidder
	case lead == bidder.Partner():
		lead = lead.Next()
	}
	s.start.turn, s.start.left = s.seat(lead), rules.HandSize
}

// contract sets up what is the same for a whole hand.
func (s *Solver) contract(rs *rules.RuleSet, trump rules.Suit, bid rules.Action, bidder rules.Seat) {
	s.start = start{trump: uint8(trump)}
	s.onTrick, s.needs, s.sings = false, 0, false
	s.active, s.out = rules.Seats, rules.NoSeat
	s.turned = 0
	if bid != rules.Pass {
		s.active, s.out = rules.Seats-1, bidder.Partner()
		if needs := rs.Bids[bid-rules.Solo].Needs; needs > 0 {
			s.onTrick = true
			s.turned = uint8(bidder.Pair())
			if rs.StopWhenLost {
				s.needs = int8(needs)
			}
		}
	}
	for seat := range rules.Seat(rules.Seats) {
		s.next[s.seat(seat)] = uint8(s.seat(rules.SeatOf(seat, s.out, 1)))
	}
	s.beatLed, s.underForced, s.exempt = rs.Beat == rules.BeatLed, rs.Undertrump == rules.UndertrumpForced, rs.PartnerExempt
	if s.onTrick {
		return
	}
	s.auto, s.fortyFirst, s.limit = rs.Cantes == rules.CantesAuto, rs.FortyFirst, rs.MaxCantes
	s.sings = s.limit != 0
	for i := range s.order {
		s.order[i] = 1 << s.suit(uint8(i))
	}
}

// Deal takes one way in which the cards may lie: what each seat holds now. Cards of a
// seat that sits out do not matter. Begin or Contract came before.
func (s *Solver) Deal(held *[rules.Seats]rules.Cards) {
	s.generation++ // a deal's entries in the table are its own
	r := &s.start
	l := &s.levels[r.left&7]
	l.all, l.married = 0, 0
	for seat := range rules.Seat(rules.Seats) {
		hand := uint32(0)
		at := s.seat(seat)
		if seat != s.out {
			hand = s.rename(held[seat]) | r.played[at]
		}
		l.hands[at] = hand
		l.all |= hand
	}
	if s.sings {
		l.marry(r.state)
	}
	l.worth, l.left, l.state = pointsIn(l.all), r.left, r.state
	for left := r.left - 1; left > 0; left-- {
		s.levels[left&7].left = left
		s.levels[left&7].killer = [4]uint8{255, 255, 255, 255}
	}
	l.killer = [4]uint8{255, 255, 255, 255}
	if r.led != 0 {
		l.lead(r.leader, r.led)
	}
}

// Greater says whether a seat plays for a greater value, or for a lesser.
func (s *Solver) Greater(seat rules.Seat) bool { return s.seat(seat)&1 == 0 }

// Worth is the value of the position that was dealt, as Within gives it.
func (s *Solver) Worth(low, high int) int {
	made := s.start.made
	return made + s.rest(low-made, high-made)
}

// rest is the value of the rest of the hand.
func (s *Solver) rest(low, high int) int {
	r := &s.start
	l := &s.levels[r.left&7]
	switch {
	case r.singing:
		return s.asked(low, high, nil)
	case r.led != 0:
		return s.follow(l, r.turn, r.on, low, high)
	default:
		return s.open(l, r.turn, low, high, r.state)
	}
}

// Worths works out the value of the legal actions among some in the position that was
// dealt, each as Within would give it; other values are left as they are. Answers to
// whether one sings are all worked out.
func (s *Solver) Worths(among rules.Actions, low, high int, values *[Actions]int16) {
	r := &s.start
	l := &s.levels[r.left&7]
	low, high = low-r.made, high-r.made
	if r.singing {
		s.asked(low, high, values)
		return
	}
	legal := l.hands[r.turn&3]
	if r.led != 0 {
		legal = s.playable(l, r.turn, r.on.cards())
	}
	for rest := legal & s.rename(among.Cards()); rest != 0; rest &= rest - 1 {
		c := number(rest)
		if r.led == 0 {
			l.lead(r.turn, 1<<c)
		}
		s.Nodes++
		v := s.played(l, r.turn, r.on.with(c), low, high)
		values[s.suit(uint8(c/rules.Ranks))*rules.Ranks+uint8(c%rules.Ranks)] = int16(r.made + v)
	}
}

// played is the value of the rest of the hand behind a seat's card.
func (s *Solver) played(l *level, seat uint32, on table, low, high int) int {
	if next := uint32(s.next[seat&3]); next != l.leader {
		return s.follow(l, next, on, low, high)
	}
	return s.take(l, on, low, high)
}

// asked is the value of the rest of the hand when a seat is asked to sing. With values
// it is also that of each answer.
func (s *Solver) asked(low, high int, values *[Actions]int16) int {
	r := &s.start
	l := &s.levels[r.left&7]
	a, b := low, high
	value := worst(r.turn)
	mine, theirs := s.singable(l.hands[r.turn&3], r.state), s.singable(l.hands[r.turn^2&3], r.state)
	for rest := mine; rest != 0 && a < b; rest &= rest - 1 {
		worth, after := s.sung(r.turn, rest&-rest, r.state)
		v := worth + s.open(l, r.leader, a-worth, b-worth, after)
		value = better(r.turn, value, v)
		if values != nil {
			values[rules.Sing(rules.Suit(s.suit(uint8(number(rest)))))] = int16(r.made + v)
		} else {
			a, b = narrow(r.turn, a, b, v)
		}
	}
	if a >= b {
		return value
	}
	// Silent: the partner may be asked yet, unless that has been.
	silent := s.open(l, r.leader, a, b, r.state)
	obliged := func(suits uint32) bool { return s.fortyFirst && suits&forty != 0 }
	if r.turn == r.leader && !obliged(theirs) || r.turn != r.leader && obliged(mine) {
		for rest := theirs; rest != 0; rest &= rest - 1 {
			worth, after := s.sung(r.turn, rest&-rest, r.state)
			silent = better(r.turn, silent, worth+s.open(l, r.leader, a-worth, b-worth, after))
		}
	}
	if values != nil {
		values[rules.Silent] = int16(r.made + silent)
	}
	return better(r.turn, value, silent)
}

// seat is a seat's number here.
func (s *Solver) seat(seat rules.Seat) uint32 { return uint32(seat-rules.Seat(s.turned)) & 3 }

// suit is a suit's new name, and the name of a suit that was renamed.
func (s *Solver) suit(suit uint8) uint8 {
	switch suit {
	case s.start.trump:
		return rules.Suits - 1
	case rules.Suits - 1:
		return s.start.trump
	}
	return suit
}

// rename is a set of cards with suits renamed.
func (s *Solver) rename(cards rules.Cards) uint32 {
	x := uint32(cards)
	own := rules.Ranks * s.start.trump
	shift := rules.Ranks*(rules.Suits-1) - own
	swapped := (x ^ x>>shift) & (0x1f << own)
	return x ^ swapped ^ swapped<<shift
}
