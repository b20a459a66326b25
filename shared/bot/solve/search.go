package solve

import (
	"math/bits"

	"github.com/cuatrola/cuatrola/shared/rules"
)

const (
	trumps   = 0x1f << 15
	infinity = 1 << 12
	last     = 10 // points of the last trick
	noCard   = 255
)

// Tables by card have 32 places, so that a number of five bits needs no check.
var (
	suitMask = [32]uint32{
		0x1f, 0x1f, 0x1f, 0x1f, 0x1f,
		0x1f << 5, 0x1f << 5, 0x1f << 5, 0x1f << 5, 0x1f << 5,
		0x1f << 10, 0x1f << 10, 0x1f << 10, 0x1f << 10, 0x1f << 10,
		trumps, trumps, trumps, trumps, trumps,
	}
	pointsOf = [32]int8{2, 3, 4, 10, 11, 2, 3, 4, 10, 11, 2, 3, 4, 10, 11, 2, 3, 4, 10, 11}
)

// pointsIn is what a set of cards is worth.
func pointsIn(cards uint32) int {
	const jacks, knights, kings, threes, aces = 0x08421, 0x08421 << 1, 0x08421 << 2, 0x08421 << 3, 0x08421 << 4
	return 2*bits.OnesCount32(cards&jacks) + 3*bits.OnesCount32(cards&knights) + 4*bits.OnesCount32(cards&kings) +
		10*bits.OnesCount32(cards&threes) + 11*bits.OnesCount32(cards&aces)
}

// table is cards on the table and, from bit 32, their points.
type table uint64

func (t table) cards() uint32 { return uint32(t) }
func (t table) points() int   { return int(t >> 32) }

// with is the table with one more card.
func (t table) with(c uint32) table { return t + table(1<<(c&31)) + table(pointsOf[c&31])<<32 }

// number of the card of a set of one.
func number(card uint32) uint32 { return uint32(bits.TrailingZeros32(card)) & 31 }

// level is the search with so many tricks left: what is held when the next of them is led,
// cards on the table included until it is taken, and what was led.
type level struct {
	hands   [rules.Seats]uint32
	all     uint32 // of these hands
	married uint32 // knights of all marriages that may be sung
	worth   int    // points of all
	left    int
	leader  uint32
	state   uint32

	led      uint32 // the card that was led
	suit     uint32 // its suit, all five cards of it
	eligible uint32 // what may win the trick: the suit, and trumps
	// strongest is what of a hand may win the trick, or nothing; its highest card is the
	// strongest that the seat can put on it.
	strongest [rules.Seats]uint32

	moves [rules.Seats]moves
	// killer is the card whose lead last was enough, for each seat.
	killer [rules.Seats]uint8
}

// lead puts the first card on the table.
func (l *level) lead(leader, card uint32) {
	l.leader, l.led, l.suit = leader, card, suitMask[number(card)]
	l.eligible = l.suit | trumps
	for seat, hand := range l.hands {
		l.strongest[seat] = strongest(hand, l.suit)
	}
}

func strongest(hand, suit uint32) uint32 {
	if f := hand & suit; f != 0 {
		return f
	}
	return hand & trumps
}

// state is, beside the cards, what the rest of a hand depends on: bits 0 to 3 the suits
// sung, 4 to 6 and 7 to 9 the cantes of each side where there is a limit, 10 to 12 the
// tricks of the bidder's pair where the hand may stop.
const wonShift = 10

// open is the value of the rest of the hand, from a trick on that a seat leads.
func (s *Solver) open(l *level, leader uint32, alpha, beta int, state uint32) int {
	if l.left == 1 {
		return s.lastTrick(l, leader)
	}
	// Limits of cantes and tricks due are never of one hand, and share their bits.
	key := s.generation<<32 | uint64(l.all|leader<<20|state<<22^state>>wonShift<<29)
	hash := (l.all*0x9e3779b1 ^ leader*0x85ebca6b ^ state*0xc2b2ae35)
	e := &s.known[hash>>(32-tableBits)]
	hint := uint32(noCard)
	if e.key == key {
		low, high := int(e.low), int(e.high)
		if low >= beta || low == high {
			return low
		}
		if high <= alpha {
			return high
		}
		alpha, beta = max(alpha, low), min(beta, high)
		hint = uint32(e.move)
	}

	// What two tricks come to on points costs less to find out than such bounds of it.
	if l.left > 2 || s.onTrick {
		if bound, ok := s.outside(l, leader, state, alpha, beta); ok {
			return bound
		}
	}

	if e.key != key {
		*e = entry{key: key, low: -infinity, high: infinity, move: noCard}
	}
	l.state = state
	var best int
	bestMove := uint32(noCard)
	if l.left == 2 {
		best = s.two(l, leader, alpha, beta, state)
	} else {
		best, bestMove = s.leads(l, leader, hint, alpha, beta)
	}

	// What was searched in between may have taken the place.
	if e.key != key {
		e.key, e.low, e.high = key, -infinity, infinity
	}
	if best > alpha {
		e.low = int16(max(int(e.low), best))
	}
	if best < beta {
		e.high = int16(min(int(e.high), best))
	}
	e.move = uint8(bestMove)
	return best
}

// lastTrick is the value of the trick for which everybody has one card.
func (s *Solver) lastTrick(l *level, leader uint32) int {
	s.Nodes++
	on := l.all & (suitMask[number(l.hands[leader&3])] | trumps)
	return s.gain(on&(l.hands[0]|l.hands[2]) > on&(l.hands[1]|l.hands[3]), l.worth+last)
}

// gain is what a trick adds to the value that the greater side has taken or not.
func (s *Solver) gain(greater bool, sum int) int {
	switch {
	case s.onTrick && greater:
		return 1
	case s.onTrick:
		return 0
	case greater:
		return sum
	default:
		return -sum
	}
}

// leads is the value of the rest of the hand and the card that a seat leads best.
func (s *Solver) leads(l *level, leader, hint uint32, alpha, beta int) (best int, move uint32) {
	m := &l.moves[leader&3]
	m.leads(l, leader, hint)
	up := leader&1 == 0
	next := uint32(s.next[leader&3])
	best, move = worst(leader), noCard
	for m.more() {
		c := m.pick()
		if m.done&suitMask[c&31] != 0 && m.skip(s, c, up, alpha, beta, &best) {
			continue
		}
		s.Nodes++
		l.lead(leader, 1<<c)
		v := s.follow(l, next, table(0).with(c), alpha, beta)
		m.tried(c, v)
		if up {
			if v > best {
				best, move = v, c
				alpha = max(alpha, v)
			}
		} else if v < best {
			best, move = v, c
			beta = min(beta, v)
		}
		if alpha >= beta {
			l.killer[leader&3] = uint8(c)
			break
		}
	}
	return best, move
}

// follow is the value of the rest of the hand, from a card on that a seat plays to the
// cards on the table.
func (s *Solver) follow(l *level, seat uint32, on table, alpha, beta int) int {
	var legal, next uint32
	for {
		legal = s.playable(l, seat, on.cards())
		next = uint32(s.next[seat&3])
		if legal&(legal-1) != 0 {
			break
		}
		s.Nodes++
		on = on.with(number(legal))
		if next == l.leader {
			return s.take(l, on, alpha, beta)
		}
		seat = next
	}
	m := &l.moves[seat&3]
	m.follows(s, l, seat, on.cards(), legal)
	up := seat&1 == 0
	best := worst(seat)
	for m.more() {
		c := m.pick()
		if m.done&suitMask[c&31] != 0 && m.skip(s, c, up, alpha, beta, &best) {
			continue
		}
		s.Nodes++
		var v int
		if next == l.leader {
			v = s.take(l, on.with(c), alpha, beta)
		} else {
			v = s.follow(l, next, on.with(c), alpha, beta)
		}
		m.tried(c, v)
		if up {
			if v > best {
				best = v
				alpha = max(alpha, v)
			}
		} else if v < best {
			best = v
			beta = min(beta, v)
		}
		if alpha >= beta {
			break
		}
	}
	return best
}

// playable is rules.RuleSet.Playable for the solver's cards. What is due comes after what
// is not: the last that there is counts.
func (s *Solver) playable(l *level, seat, on uint32) uint32 {
	hand := l.hands[seat&3]
	best := on & l.eligible // its highest card is
	following := hand & l.suit
	legal := hand
	if s.exempt {
		if partner := l.hands[seat^2&3]; best&partner > best&^partner {
			if following != 0 {
				legal = following
			}
			return legal
		}
	}
	mine := hand & trumps
	if s.underForced && mine != 0 {
		legal = mine
	}
	if over := mine & above(best); over != 0 {
		legal = over
	}
	if following != 0 {
		legal = following
	}
	if s.beatLed && best <= l.suit { // and not ruffed
		best = l.led
	}
	if higher := following & above(best); higher != 0 {
		legal = higher
	}
	return legal
}

// above is the set of cards with greater numbers than any of some, of any suit.
func above(cards uint32) uint32 { return ^uint32(0) << (bits.Len32(cards) & 31) }

// take takes the trick and goes on behind it.
func (s *Solver) take(l *level, on table, alpha, beta int) int {
	cards, sum, state := on.cards(), on.points(), l.state
	best := uint32(bits.Len32(cards&l.eligible)-1) & 31
	winner := l.hands[1]>>best&1 | l.hands[2]>>best&1<<1 | l.hands[3]>>best&1*3
	greater := winner&1 == 0
	if l.left == 1 {
		return s.gain(greater, sum+last)
	}
	gain := s.gain(greater, sum)
	n := &s.levels[(l.left-1)&7]
	if s.needs > 0 {
		state += uint32(gain) << wonShift
		if won := int8(state >> wonShift); won+int8(n.left) < s.needs {
			return gain
		}
	}
	alpha, beta = alpha-gain, beta-gain
	n.worth = l.worth - sum
	if l.married == 0 && !s.onTrick {
		// All that is left goes to the one side or to the other.
		if most := n.worth + last; most <= alpha {
			return gain + most
		} else if -most >= beta {
			return gain - most
		}
	}
	n.all = l.all &^ cards
	for seat := range n.hands {
		n.hands[seat] = l.hands[seat] &^ cards
	}
	// A marriage is left where neither card was played and it has not been sung.
	n.married = l.married &^ (cards | cards>>1 | spread(state))
	if n.married&(n.hands[winner&3]|n.hands[winner&3^2]) == 0 {
		return gain + s.open(n, winner, alpha, beta, state)
	}
	return gain + s.sing(n, winner, alpha, beta, state)
}
