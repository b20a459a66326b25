// Package solve works out what a hand comes to when everybody sees all cards and both
// pairs play for the same value: in a hand on points, the difference of the pairs'
// points with cantes and last trick; in a hand on tricks, the tricks of the bidder's
// pair in the hand's result, early stop included.
//
// It is exact for every rule set and from any point of a hand at which a card is to be
// played or a cante sung. It is pure, allocates nothing, and knows no randomness.
package solve

import (
	"math/bits"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// Solver keeps what is worth keeping between positions: its table. The zero value is
// ready. It is large, so keep one, and for one goroutine.
//
// Inside, suits are renamed so that trumps are suit 0, and cards are numbered as
// rules.Card numbers them, suit after suit, so that a set of cards is a mask of twenty
// bits and a stronger card of a suit is a greater number.
type Solver struct {
	hands   [rules.Seats]uint32
	next    [rules.Seats]uint8 // who plays after a seat
	max     [rules.Seats]bool  // whether the seat plays for a greater value
	active  uint8              // how many seats play
	out     rules.Seat         // who does not, or rules.NoSeat
	onTrick bool               // the hand is played for tricks
	needs   int8               // tricks due, if the hand stops when they are out of reach; else 0

	beatLed, underForced, exempt bool

	// Cantes, if there may be any in this hand.
	sings      bool
	auto       bool
	fortyFirst bool
	limit      int8               // cantes of a pair; rules.None for no limit
	order      [rules.Suits]uint8 // suits in the order of records, renamed

	start start

	generation uint32
	table      [tableSize]entry

	// Nodes counts the cards that were tried since it was last set to 0: what a search
	// costs, on any machine.
	Nodes uint64
}

// Actions is how many actions the rules have: rules.Action is less.
const Actions = int(rules.Silent) + 1

const (
	tableBits = 13
	tableSize = 1 << tableBits
	// tableFrom is the number of tricks left from which positions are kept: the last one
	// is worked out again as quickly.
	tableFrom = 2
)

// entry is what is known of the value of a position between two tricks, from there on:
// it is at least low and at most high.
type entry struct {
	key, generation uint32
	low, high       int16
	move            uint8
}

const (
	trumps   = 0x1f
	infinity = 1 << 12
	last     = 10 // points of the last trick
	noCard   = 255
)

var (
	suitMask = [rules.Suits]uint32{0x1f, 0x1f << 5, 0x1f << 10, 0x1f << 15}
	suitOf   = [20]uint8{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3}
	pointsOf = [20]int8{2, 3, 4, 10, 11, 2, 3, 4, 10, 11, 2, 3, 4, 10, 11, 2, 3, 4, 10, 11}
)

// above is the set of cards with greater numbers, of any suit.
func above(c uint8) uint32 { return ^uint32(0) << (c + 1) }

// pointsIn is what a set of cards is worth.
func pointsIn(cards uint32) int {
	const jacks, knights, kings, threes, aces = 0x08421, 0x08421 << 1, 0x08421 << 2, 0x08421 << 3, 0x08421 << 4
	return 2*bits.OnesCount32(cards&jacks) + 3*bits.OnesCount32(cards&knights) + 4*bits.OnesCount32(cards&kings) +
		10*bits.OnesCount32(cards&threes) + 11*bits.OnesCount32(cards&aces)
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
	s.Worths(-infinity, infinity, values)
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
	trump   uint8 // the suit that is renamed 0
	turn    uint8
	singing bool // the turn is to sing a cante or not, and not to play
	winner  uint8
	table   trick // if a card is on it
	began   bool  // whether one is
	sum     int   // points on the table
	left    int   // tricks that are not taken yet
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
	r.turn, r.winner = uint8(v.Turn), uint8(v.Table.Lead)
	r.singing = v.Phase == rules.PhaseSing
	r.left = int(rules.HandSize - h.TrickCount)

	if s.onTrick {
		r.made = int(h.TricksWon[h.Bidder.Pair()])
	} else {
		r.made = int(h.Points[0]) - int(h.Points[1])
		var counts [2]uint32
		for _, c := range h.Cantes[:h.CanteCount] {
			r.state |= 1 << s.suit(uint8(c.Suit))
			counts[c.Seat.Pair()]++
		}
		if s.limit != rules.None {
			r.state |= counts[0]<<4 | counts[1]<<7
		}
	}
	if s.needs > 0 {
		r.state |= uint32(r.made) << wonShift
	}

	t := &v.Table
	seat := r.winner
	for i, card := range t.Cards[:t.Count] {
		c := uint8(bits.TrailingZeros32(s.rename(rules.Of(card))))
		r.sum += int(pointsOf[c])
		if i == 0 {
			r.table, r.began = newTrick(c, seat), true
		} else {
			r.table = r.table.add(c, seat)
		}
		seat = s.next[seat]
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
	s.start.turn, s.start.left = uint8(lead), rules.HandSize
}

// contract sets up what is the same for a whole hand.
func (s *Solver) contract(rs *rules.RuleSet, trump rules.Suit, bid rules.Action, bidder rules.Seat) {
	s.start = start{trump: uint8(trump)}
	s.onTrick, s.needs, s.sings = false, 0, false
	s.active, s.out = rules.Seats, rules.NoSeat
	maxPair := rules.Pair(0)
	if bid != rules.Pass {
		s.active, s.out = rules.Seats-1, bidder.Partner()
		if needs := rs.Bids[bid-rules.Solo].Needs; needs > 0 {
			s.onTrick = true
			maxPair = bidder.Pair()
			if rs.StopWhenLost {
				s.needs = int8(needs)
			}
		}
	}
	for seat := range s.max {
		s.max[seat] = rules.Seat(seat).Pair() == maxPair
		s.next[seat] = uint8(rules.SeatOf(rules.Seat(seat), s.out, 1))
	}
	s.beatLed, s.underForced, s.exempt = rs.Beat == rules.BeatLed, rs.Undertrump == rules.UndertrumpForced, rs.PartnerExempt
	if s.onTrick {
		return
	}
	s.auto, s.fortyFirst, s.limit = rs.Cantes == rules.CantesAuto, rs.FortyFirst, rs.MaxCantes
	s.sings = s.limit != 0
	for i := range s.order {
		s.order[i] = s.suit(uint8(i))
	}
}

// Deal takes one way in which the cards may lie: what each seat holds now. Cards of a
// seat that sits out do not matter. Begin or Contract came before.
func (s *Solver) Deal(held *[rules.Seats]rules.Cards) {
	s.generation++
	for seat, cards := range held {
		s.hands[seat] = s.rename(cards)
	}
	if s.out != rules.NoSeat {
		s.hands[s.out] = 0
	}
}

// Greater says whether a seat plays for a greater value, or for a lesser.
func (s *Solver) Greater(seat rules.Seat) bool { return s.max[seat] }

// Worth is the value of the position that was dealt, as Within gives it.
func (s *Solver) Worth(low, high int) int {
	r := &s.start
	low, high = low-r.made, high-r.made
	switch {
	case r.singing:
		return r.made + s.asked(low, high, nil)
	case r.began:
		return r.made + s.follow(r.turn, r.table, r.sum, r.left, low, high, r.state)
	default:
		return r.made + s.open(r.turn, r.left, low, high, r.state)
	}
}

// Worths works out the value of every legal action in the position that was dealt, each
// as Within would give it; those of actions that are not legal are left as they are.
func (s *Solver) Worths(low, high int, values *[Actions]int16) {
	r := &s.start
	low, high = low-r.made, high-r.made
	if r.singing {
		s.asked(low, high, values)
		return
	}
	hand := s.hands[r.turn]
	legal := hand
	if r.began {
		legal = s.playable(hand, r.turn, r.table)
	}
	for rest := legal; rest != 0; rest &= rest - 1 {
		c := uint8(bits.TrailingZeros32(rest))
		t := newTrick(c, r.turn)
		if r.began {
			t = r.table.add(c, r.turn)
		}
		s.Nodes++
		s.hands[r.turn] = hand &^ (1 << c)
		v := s.played(r.turn, t, r.sum+int(pointsOf[c]), r.left, low, high, r.state)
		a := s.suit(suitOf[c])*rules.Ranks + c%rules.Ranks
		values[a] = int16(r.made + v)
	}
	s.hands[r.turn] = hand
}

// asked is the value of the rest of the hand when a seat is asked to sing. With values
// it is also that of each answer.
func (s *Solver) asked(low, high int, values *[Actions]int16) int {
	r := &s.start
	up := s.max[r.turn]
	value := infinity
	if up {
		value = -infinity
	}
	a, b := low, high
	take := func(v int) {
		if up {
			value = max(value, v)
		} else {
			value = min(value, v)
		}
		if values != nil {
			return
		}
		if up {
			a = max(a, v)
		} else {
			b = min(b, v)
		}
	}
	songs := func(seat uint8) uint32 { return s.singable(s.hands[seat], r.state) }

	mine, partner := songs(r.turn), r.turn^2
	for rest := mine; rest != 0 && a < b; rest &= rest - 1 {
		suit := uint32(bits.TrailingZeros32(rest))
		worth, after := s.sung(r.winner, suit, r.state)
		v := worth + s.open(r.winner, r.left, a-worth, b-worth, after)
		take(v)
		if values != nil {
			values[rules.Sing(rules.Suit(s.suit(uint8(suit))))] = int16(r.made + v)
		}
	}
	if a >= b {
		return value
	}
	// Silent: the partner may be asked yet, unless that has been.
	silent := s.open(r.winner, r.left, a, b, r.state)
	theirs := songs(partner)
	forty := func(songs uint32) bool { return s.fortyFirst && songs&1 != 0 }
	if r.turn == r.winner && !forty(theirs) || r.turn != r.winner && forty(mine) {
		for rest := theirs; rest != 0; rest &= rest - 1 {
			worth, after := s.sung(r.winner, uint32(bits.TrailingZeros32(rest)), r.state)
			v := worth + s.open(r.winner, r.left, a-worth, b-worth, after)
			if up {
				silent = max(silent, v)
			} else {
				silent = min(silent, v)
			}
		}
	}
	take(silent)
	if values != nil {
		values[rules.Silent] = int16(r.made + silent)
	}
	return value
}

// suit is a suit's new name, and the name of a suit that was renamed.
func (s *Solver) suit(suit uint8) uint8 {
	switch suit {
	case s.start.trump:
		return 0
	case 0:
		return s.start.trump
	}
	return suit
}

// rename is a set of cards with suits renamed.
func (s *Solver) rename(cards rules.Cards) uint32 {
	x, shift := uint32(cards), rules.Ranks*s.start.trump
	swapped := (x ^ x>>shift) & trumps
	return x ^ swapped ^ swapped<<shift
}

// state is, beside the cards, what the rest of a hand depends on: bits 0 to 3 the suits
// sung, 4 to 6 and 7 to 9 the cantes of each pair where there is a limit, 10 to 12 the
// tricks of the bidder's pair where the hand may stop.
const wonShift = 10

// open is the value of the rest of the hand, from a trick on that a seat leads.
func (s *Solver) open(leader uint8, left, alpha, beta int, state uint32) int {
	if left == 1 {
		return s.lastTrick(leader)
	}
	remaining := s.hands[0] | s.hands[1] | s.hands[2] | s.hands[3]
	if s.onTrick {
		if left <= alpha {
			return left
		}
		if beta <= 0 {
			return 0
		}
	} else {
		most := pointsIn(remaining) + last
		hi, lo := most, -most
		if s.sings {
			hi += s.songs(true, state)
			lo -= s.songs(false, state)
		}
		if t := remaining & trumps; t != 0 {
			// Whoever holds the greatest trumps takes a trick with each.
			for seat, hand := range s.hands {
				mine := hand & trumps
				if mine == 0 || mine < t&^mine {
					continue
				}
				masters := mine &^ (1<<bits.Len32(t&^mine) - 1)
				k := bits.OnesCount32(masters)
				sure := 2 * (pointsIn(masters) + 2*k*int(s.active-1))
				if s.max[seat] {
					lo += sure
				} else {
					hi -= sure
				}
				break
			}
		}
		if hi <= alpha {
			return hi
		}
		if lo >= beta {
			return lo
		}
	}
	var e *entry
	var key uint32
	hint := uint8(noCard)
	if left >= tableFrom {
		key = remaining | uint32(leader)<<20 | (state&0x3ff)<<22
		hash := (remaining*0x9e3779b1 ^ uint32(leader)*0x85ebca6b ^ state*0xc2b2ae35)
		e = &s.table[hash>>(32-tableBits)]
		full := key ^ state>>wonShift<<29
		key = full
		if e.generation == s.generation && e.key == key {
			if int(e.low) >= beta {
				return int(e.low)
			}
			if int(e.high) <= alpha {
				return int(e.high)
			}
			if e.low == e.high {
				return int(e.low)
			}
			alpha, beta = max(alpha, int(e.low)), min(beta, int(e.high))
			hint = e.move
		} else {
			e.generation, e.key, e.low, e.high, e.move = s.generation, key, -infinity, infinity, noCard
		}
	}
	var moves moves
	n := s.leads(leader, hint, state, &moves)
	hand := s.hands[leader]
	a, b := alpha, beta
	best, bestMove := -infinity, uint8(noCard)
	up := s.max[leader]
	if !up {
		best = infinity
	}
	for i := range n {
		c := moves.pick(i, n)
		s.Nodes++
		s.hands[leader] = hand &^ (1 << c)
		v := s.follow(s.next[leader], newTrick(c, leader), int(pointsOf[c]), left, a, b, state)
		if up {
			if v > best {
				best, bestMove = v, c
				a = max(a, v)
			}
		} else if v < best {
			best, bestMove = v, c
			b = min(b, v)
		}
		if a >= b {
			break
		}
	}
	s.hands[leader] = hand
	if left >= tableFrom && e.key == key && e.generation == s.generation {
		if best > alpha {
			e.low = int16(max(int(e.low), best))
		}
		if best < beta {
			e.high = int16(min(int(e.high), best))
		}
		e.move = bestMove
	}
	return best
}

// kings and knights of which a seat has both, by the knight.
const knights = 0x2 | 0x2<<5 | 0x2<<10 | 0x2<<15

// unsung are the suits that a hand may still sing, by their knights.
func unsung(hand, state uint32) uint32 {
	held := hand & (hand >> 1) & knights
	if held == 0 {
		return 0
	}
	// The bits of the suits that are sung, spread over the suits.
	return held &^ (state<<1&0x2 | state<<5&0x40 | state<<9&0x800 | state<<13&0x10000)
}

// songs is what the cantes are worth at most that a side may still sing.
func (s *Solver) songs(up bool, state uint32) int {
	var held uint32
	for seat, hand := range s.hands {
		if s.max[seat] == up {
			held |= unsung(hand, state)
		}
	}
	if held == 0 {
		return 0
	}
	return 20*bits.OnesCount32(held) + 20*int(held>>1&1)
}

// lastTrick is the value of the trick for which everybody has one card.
func (s *Solver) lastTrick(leader uint8) int {
	seat, winner := leader, leader
	c := uint8(bits.TrailingZeros32(s.hands[seat]))
	best := c
	sum := int(pointsOf[c]) + last
	for range s.active - 1 {
		seat = s.next[seat]
		c = uint8(bits.TrailingZeros32(s.hands[seat]))
		sum += int(pointsOf[c])
		if beats(c, best) {
			best, winner = c, seat
		}
	}
	s.Nodes++
	return s.gain(winner, sum)
}

func beats(c, best uint8) bool {
	return c > best && suitOf[c] == suitOf[best] || c < 5 && best >= 5
}

// gain is what a trick adds to the value.
func (s *Solver) gain(winner uint8, sum int) int {
	switch {
	case !s.onTrick && s.max[winner]:
		return sum
	case !s.onTrick:
		return -sum
	case s.max[winner]:
		return 1
	default:
		return 0
	}
}

// trick is what is on the table, as far as it matters: the card that was led, the one
// that is best so far and whose it is, and how many were played.
type trick uint32

func newTrick(lead, seat uint8) trick {
	return trick(lead) | trick(lead)<<8 | trick(seat)<<16 | 1<<20
}

func (t trick) lead() uint8  { return uint8(t) }
func (t trick) best() uint8  { return uint8(t >> 8) }
func (t trick) seat() uint8  { return uint8(t>>16) & 3 }
func (t trick) count() uint8 { return uint8(t >> 20) }

// add puts a seat's card on the table.
func (t trick) add(c, seat uint8) trick {
	t += 1 << 20
	if beats(c, t.best()) {
		t = t&^0x3ff00 | trick(c)<<8 | trick(seat)<<16
	}
	return t
}

// follow is the value of the rest of the hand, from a card on that a seat plays to the
// trick on the table.
func (s *Solver) follow(seat uint8, t trick, sum, left, alpha, beta int, state uint32) int {
	hand := s.hands[seat]
	legal := s.playable(hand, seat, t)
	if legal&(legal-1) == 0 {
		s.Nodes++
		c := uint8(bits.TrailingZeros32(legal))
		s.hands[seat] = hand &^ legal
		v := s.played(seat, t.add(c, seat), sum+int(pointsOf[c]), left, alpha, beta, state)
		s.hands[seat] = hand
		return v
	}
	var moves moves
	n := s.follows(seat, t, legal, state, &moves)
	up := s.max[seat]
	value := -infinity
	if !up {
		value = infinity
	}
	for i := range n {
		c := moves.pick(i, n)
		s.Nodes++
		s.hands[seat] = hand &^ (1 << c)
		v := s.played(seat, t.add(c, seat), sum+int(pointsOf[c]), left, alpha, beta, state)
		if up {
			if v > value {
				value = v
				alpha = max(alpha, v)
			}
		} else if v < value {
			value = v
			beta = min(beta, v)
		}
		if alpha >= beta {
			break
		}
	}
	s.hands[seat] = hand
	return value
}

// played goes on behind a card.
func (s *Solver) played(seat uint8, t trick, sum, left, alpha, beta int, state uint32) int {
	if t.count() == s.active {
		return s.close(t.seat(), sum, left, alpha, beta, state)
	}
	return s.follow(s.next[seat], t, sum, left, alpha, beta, state)
}

// playable is rules.RuleSet.Playable for the solver's cards.
func (s *Solver) playable(hand uint32, seat uint8, t trick) uint32 {
	if hand&(hand-1) == 0 {
		return hand
	}
	lead, best := t.lead(), t.best()
	ruffed := best < 5 && lead >= 5
	exempt := s.exempt && t.seat() == seat^2
	if following := hand & suitMask[suitOf[lead]]; following != 0 {
		if ruffed || exempt {
			return following
		}
		if s.beatLed {
			best = lead
		}
		if higher := following & above(best); higher != 0 {
			return higher
		}
		return following
	}
	if exempt {
		return hand
	}
	mine := hand & trumps
	if !ruffed {
		if mine != 0 {
			return mine
		}
		return hand
	}
	if over := mine & above(best); over != 0 {
		return over
	}
	if s.underForced && mine != 0 {
		return mine
	}
	return hand
}

// close takes the trick and goes on behind it.
func (s *Solver) close(winner uint8, sum, left, alpha, beta int, state uint32) int {
	if left == 1 {
		return s.gain(winner, sum+last)
	}
	left--
	gain := s.gain(winner, sum)
	if s.needs > 0 {
		state += uint32(gain) << wonShift
		if won := int8(state >> wonShift); won+int8(left) < s.needs {
			return gain
		}
	}
	alpha, beta = alpha-gain, beta-gain
	if !s.sings {
		return gain + s.open(winner, left, alpha, beta, state)
	}
	return gain + s.sing(winner, left, alpha, beta, state)
}

// singable are the suits that a seat with a hand may sing if its pair has not reached
// its limit.
func (s *Solver) singable(hand, state uint32) uint32 {
	held := unsung(hand, state)
	suits := held>>1&1 | held>>5&2 | held>>9&4 | held>>13&8
	if s.fortyFirst && suits&1 != 0 {
		return 1
	}
	return suits
}

// sung is what a cante of the pair that took the trick adds to the value, and the state
// behind it.
func (s *Solver) sung(winner uint8, suit, state uint32) (worth int, after uint32) {
	worth = 20
	if suit == 0 {
		worth = 40
	}
	if !s.max[winner] {
		worth = -worth
	}
	after = state | 1<<suit
	if s.limit != rules.None {
		after += 1 << canteShift(winner)
	}
	return worth, after
}

// canteShift is where a state has the number of cantes of a seat's pair.
func canteShift(seat uint8) uint32 { return 4 + 3*uint32(seat&1) }

// sing lets the pair that took the trick sing, and goes on.
func (s *Solver) sing(winner uint8, left, alpha, beta int, state uint32) int {
	var suits [2]uint32 // of the winner and of the partner
	suits[0], suits[1] = s.singable(s.hands[winner], state), s.singable(s.hands[winner^2], state)
	all := suits[0] | suits[1]
	if all == 0 || s.limit != rules.None && int8(state>>canteShift(winner)&7) >= s.limit {
		return s.open(winner, left, alpha, beta, state)
	}
	if s.auto {
		i := 0
		if suits[0] == 0 || s.fortyFirst && suits[0]&1 == 0 && suits[1]&1 != 0 {
			i = 1
		}
		for _, suit := range s.order {
			if suits[i]>>suit&1 != 0 {
				worth, after := s.sung(winner, uint32(suit), state)
				return worth + s.open(winner, left, alpha-worth, beta-worth, after)
			}
		}
	}
	up := s.max[winner]
	value := infinity
	if up {
		value = -infinity
	}
	try := func(v int) (done bool) {
		if up {
			value = max(value, v)
			alpha = max(alpha, v)
		} else {
			value = min(value, v)
			beta = min(beta, v)
		}
		return alpha >= beta
	}
	for suit := uint32(0); suit < rules.Suits; suit++ {
		if all>>suit&1 == 0 {
			continue
		}
		worth, after := s.sung(winner, suit, state)
		if try(worth + s.open(winner, left, alpha-worth, beta-worth, after)) {
			return value
		}
	}
	// Without a limit, whoever declines can do no better: a cante may be sung now and
	// another later. With one, its place may be worth more later.
	if s.limit != rules.None {
		try(s.open(winner, left, alpha, beta, state))
	}
	return value
}

// moves are cards that may be played, with how promising they look: the score in the
// upper bits, the card in the lower.
type moves [rules.HandSize]int32

// pick takes the most promising of the moves from i on to place i.
func (m *moves) pick(i, n int) uint8 {
	best := i
	for j := i + 1; j < n; j++ {
		if m[j] > m[best] {
			best = j
		}
	}
	m[i], m[best] = m[best], m[i]
	return uint8(m[i] & 31)
}

// Weights order moves: what is promising is tried first. They were found by trying which
// need the fewest cards tried, over random deals; what is exact does not depend on them.
//
// A lead is of a class: 0 to 2 as many opponents can beat it, 3 more for a trump. A card
// that follows is of another: 1 if it beats what is on the table, 2 if its side then is
// expected to win, 4 for a trump. A class has a base, and a slope by the card's points.
var (
	leadBase    = [6]int32{70, -20, 4, 50, -40, 10}
	leadSlope   = [6]int32{1, -3, -1, -1, -1, -1}
	followBase  = [8]int32{20, 0, 56, 50, 0, 0, 30, 50}
	followSlope = [8]int32{-2, -1, 1, 1, -3, -1, -1, -1}
)

const (
	leadKeep   = -30 // for a card of a marriage that may still be sung
	followKeep = -10
)

// leads lists what a seat may lead.
func (s *Solver) leads(leader, hint uint8, state uint32, moves *moves) int {
	n := 0
	left := s.next[leader]
	right := s.next[left]
	if s.active == rules.Seats {
		right = s.next[right]
	}
	var keep uint32
	if s.sings {
		keep = unsung(s.hands[leader], state)
		keep |= keep << 1
	}
	if s.max[left] == s.max[leader] {
		left = right
	} else if s.max[right] == s.max[leader] {
		right = left
	}
	l, r := s.hands[left], s.hands[right]
	for rest := s.hands[leader]; rest != 0; rest &= rest - 1 {
		c := uint8(bits.TrailingZeros32(rest))
		mask := suitMask[suitOf[c]]
		k := 0
		if f := l & mask; f != 0 && f&above(c) != 0 || f == 0 && l&trumps != 0 {
			k++
		}
		if f := r & mask; f != 0 && f&above(c) != 0 || f == 0 && r&trumps != 0 {
			k++
		}
		if c < 5 {
			k += 3
		}
		score := leadBase[k] + leadSlope[k]*int32(pointsOf[c])
		if keep>>c&1 != 0 {
			score += leadKeep
		}
		if c == hint {
			score = 1000
		}
		moves[n] = score<<5 | int32(c)
		n++
	}
	return n
}

// strongest is the strongest card that a hand can put on a trick of a suit, where a
// trump counts 32 more; 0 if it can only throw cards away.
func strongest(hand, mask uint32) uint8 {
	if f := hand & mask; f != 0 {
		if mask == trumps {
			return 31 + uint8(bits.Len32(f))
		}
		return uint8(bits.Len32(f)) - 1
	}
	if t := hand & trumps; t != 0 {
		return 31 + uint8(bits.Len32(t))
	}
	return 0
}

// follows lists what a seat may play to the trick on the table.
func (s *Solver) follows(seat uint8, t trick, legal, state uint32, moves *moves) int {
	n := 0
	lead := t.lead()
	mask := suitMask[suitOf[lead]]
	up := s.max[seat]
	// What those can do who come behind.
	var theirs, partners uint8
	for q, i := s.next[seat], t.count()+1; i < s.active; q, i = s.next[q], i+1 {
		if x := strongest(s.hands[q], mask); s.max[q] == up {
			partners = x
		} else {
			theirs = max(theirs, x)
		}
	}
	best := t.best()
	if best < 5 {
		best += 32
	}
	if s.max[t.seat()] == up {
		partners = max(partners, best)
	} else {
		theirs = max(theirs, best)
	}
	var keep uint32
	if s.sings {
		keep = unsung(s.hands[seat], state)
		keep |= keep << 1
	}
	for rest := legal; rest != 0; rest &= rest - 1 {
		c := uint8(bits.TrailingZeros32(rest))
		k := 0
		x := c
		if c < 5 {
			x += 32
			k += 4
		} else if mask>>c&1 == 0 {
			x = 0
		}
		if x > best {
			k++
		}
		if max(x, partners) > theirs {
			k += 2
		}
		score := followBase[k] + followSlope[k]*int32(pointsOf[c])
		if keep>>c&1 != 0 {
			score += followKeep
		}
		moves[n] = score<<5 | int32(c)
		n++
	}
	return n
}
