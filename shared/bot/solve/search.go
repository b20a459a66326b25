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

// number of the card of a set of one.
func number(card uint32) uint32 { return uint32(bits.TrailingZeros32(card)) & 31 }

// level is the search with so many tricks left: what is held when the next of them is led,
// cards on the table included until it is taken, and what was led.
type level struct {
	hands  [rules.Seats]uint32
	all    uint32 // of these hands
	worth  int    // points of all
	left   int
	leader uint32

	led      uint32 // the card that was led
	suit     uint32 // its suit, all five cards of it
	eligible uint32 // what may win the trick: the suit, and trumps
	// strongest is what of a hand may win the trick, or nothing; its highest card is the
	// strongest that the seat can put on it.
	strongest [rules.Seats]uint32
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
	if s.onTrick {
		if l.left <= alpha {
			return l.left
		}
		if beta <= 0 {
			return 0
		}
	} else {
		low, high := s.bounds(l, state)
		if high <= alpha {
			return high
		}
		if low >= beta {
			return low
		}
	}

	key := l.all | leader<<20 | state<<22
	hash := (l.all*0x9e3779b1 ^ leader*0x85ebca6b ^ state*0xc2b2ae35)
	e := &s.table[hash>>(32-tableBits)]
	hint := uint32(noCard)
	if e.generation == s.generation && e.key == key {
		low, high := int(e.low), int(e.high)
		if low >= beta || low == high {
			return low
		}
		if high <= alpha {
			return high
		}
		alpha, beta = max(alpha, low), min(beta, high)
		hint = uint32(e.move)
	} else {
		e.generation, e.key, e.low, e.high, e.move = s.generation, key, -infinity, infinity, noCard
	}

	if l.left == 2 {
		v := s.two(l, leader, state)
		e.low, e.high = int16(v), int16(v)
		return v
	}
	best, bestMove := s.leads(l, leader, hint, alpha, beta, state)

	// What was searched in between may have taken the place.
	if e.key != key || e.generation != s.generation {
		e.generation, e.key, e.low, e.high = s.generation, key, -infinity, infinity
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

// bounds of the value of the rest of a hand on points.
func (s *Solver) bounds(l *level, state uint32) (low, high int) {
	high = l.worth + last
	low = -high
	if s.sings {
		low -= s.songs(l, 1, state)
		high += s.songs(l, 0, state)
	}
	t := l.all & trumps
	if t == 0 {
		return low, high
	}
	// Whoever holds the greatest trumps takes a trick with each.
	for seat, hand := range l.hands {
		mine := hand & trumps
		theirs := t &^ mine
		if mine <= theirs {
			continue
		}
		masters := mine &^ (1<<bits.Len32(theirs) - 1)
		k := bits.OnesCount32(masters)
		sure := 2 * (pointsIn(masters) + 2*k*int(s.active-1))
		if seat&1 == 0 {
			low += sure
		} else {
			high -= sure
		}
		break
	}
	return low, high
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
func (s *Solver) leads(l *level, leader, hint uint32, alpha, beta int, state uint32) (best int, move uint32) {
	var m moves
	m.leads(s, l, leader, hint, state)
	up := leader&1 == 0
	next := uint32(s.next[leader&3])
	best, move = infinity, noCard
	if up {
		best = -infinity
	}
	for m.more() {
		c := m.pick()
		if m.skip(s, c, up, alpha, beta, &best) {
			continue
		}
		s.Nodes++
		card := uint32(1) << c
		l.lead(leader, card)
		v := s.follow(l, next, card, int(pointsOf[c]), alpha, beta, state)
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
			break
		}
	}
	return best, move
}

// follow is the value of the rest of the hand, from a card on that a seat plays to the
// cards on the table.
func (s *Solver) follow(l *level, seat, on uint32, sum, alpha, beta int, state uint32) int {
	legal := s.playable(l, seat, on)
	if legal&(legal-1) == 0 {
		s.Nodes++
		return s.played(l, seat, on|legal, sum+int(pointsOf[number(legal)]), alpha, beta, state)
	}
	var m moves
	m.follows(s, l, seat, on, legal, state)
	up := seat&1 == 0
	best := infinity
	if up {
		best = -infinity
	}
	for m.more() {
		c := m.pick()
		if m.skip(s, c, up, alpha, beta, &best) {
			continue
		}
		s.Nodes++
		v := s.played(l, seat, on|1<<c, sum+int(pointsOf[c]), alpha, beta, state)
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

// played goes on behind a card.
func (s *Solver) played(l *level, seat, on uint32, sum, alpha, beta int, state uint32) int {
	if next := uint32(s.next[seat&3]); next != l.leader {
		return s.follow(l, next, on, sum, alpha, beta, state)
	}
	return s.take(l, on, sum, alpha, beta, state)
}

// playable is rules.RuleSet.Playable for the solver's cards.
func (s *Solver) playable(l *level, seat, on uint32) uint32 {
	hand := l.hands[seat&3]
	if hand&(hand-1) == 0 {
		return hand
	}
	best := on & l.eligible // its highest card is
	ruffed := best >= 1<<15 && l.suit != trumps
	if s.exempt {
		if partner := l.hands[seat^2&3]; best&partner > best&^partner {
			if following := hand & l.suit; following != 0 {
				return following
			}
			return hand
		}
	}
	if following := hand & l.suit; following != 0 {
		if ruffed {
			return following
		}
		if s.beatLed {
			best = l.led
		}
		if higher := following & above(best); higher != 0 {
			return higher
		}
		return following
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

// above is the set of cards with greater numbers than any of some, of any suit.
func above(cards uint32) uint32 { return ^uint32(0) << bits.Len32(cards) }

// take takes the trick and goes on behind it.
func (s *Solver) take(l *level, on uint32, sum, alpha, beta int, state uint32) int {
	best := uint32(bits.Len32(on&l.eligible)-1) & 31
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
	n.all, n.worth = l.all&^on, l.worth-sum
	for seat := range n.hands {
		n.hands[seat] = l.hands[seat] &^ on
	}
	alpha, beta = alpha-gain, beta-gain
	if !s.sings {
		return gain + s.open(n, winner, alpha, beta, state)
	}
	return gain + s.sing(n, winner, alpha, beta, state)
}
