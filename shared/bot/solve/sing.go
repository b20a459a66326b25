package solve

import (
	"math/bits"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// knights of all suits: what a marriage is known by.
const knights = 0x2 | 0x2<<5 | 0x2<<10 | 0x2<<15

// forty is the bit of the trumps among suits.
const forty = 1 << 3

// unsung are the suits that a hand may still sing, by their knights.
func unsung(hand, state uint32) uint32 {
	held := hand & (hand >> 1) & knights
	if held == 0 {
		return 0
	}
	return held &^ spread(state)
}

// spread are the suits that are sung, by their knights.
func spread(state uint32) uint32 {
	return state<<1&0x2 | state<<5&0x40 | state<<9&0x800 | state<<13&0x10000
}

// marry finds the marriages that may still be sung.
func (l *level) marry(state uint32) {
	l.married = 0
	for _, hand := range l.hands {
		l.married |= unsung(hand, state)
	}
}

// songs is what the cantes are worth at most that a side may still sing.
func songs(l *level, side, state uint32) int {
	held := unsung(l.hands[side], state) | unsung(l.hands[side+2], state)
	if held == 0 {
		return 0
	}
	return 20*bits.OnesCount32(held) + 20*int(held>>16&1)
}

// singable are the suits that a seat with a hand may sing if its pair has not reached
// its limit.
func (s *Solver) singable(hand, state uint32) uint32 {
	held := unsung(hand, state)
	suits := held>>1&1 | held>>5&2 | held>>9&4 | held>>13&8
	if s.fortyFirst && suits&forty != 0 {
		return forty
	}
	return suits
}

// sung is what a cante of the pair that took the trick adds to the value, and the state
// behind it. suit is a set of one.
func (s *Solver) sung(winner, suit, state uint32) (worth int, after uint32) {
	worth = 20
	if suit == forty {
		worth = 40
	}
	if winner&1 != 0 {
		worth = -worth
	}
	after = state | suit
	if s.limit != rules.None {
		after += 1 << canteShift(winner)
	}
	return worth, after
}

// canteShift is where a state has the number of cantes of a seat's pair.
func canteShift(seat uint32) uint32 { return 4 + 3*(seat&1) }

// sing lets the pair that took the trick sing, and goes on.
func (s *Solver) sing(l *level, winner uint32, alpha, beta int, state uint32) int {
	own, partners := s.singable(l.hands[winner&3], state), s.singable(l.hands[winner^2&3], state)
	all := own | partners
	if all == 0 || s.limit != rules.None && int8(state>>canteShift(winner)&7) >= s.limit {
		return s.open(l, winner, alpha, beta, state)
	}
	if s.auto {
		suits := own
		if own == 0 || s.fortyFirst && own&forty == 0 && partners&forty != 0 {
			suits = partners
		}
		for _, suit := range s.order {
			if suits&suit != 0 {
				worth, after := s.sung(winner, suit, state)
				return worth + s.open(l, winner, alpha-worth, beta-worth, after)
			}
		}
	}
	up := winner&1 == 0
	value := infinity
	if up {
		value = -infinity
	}
	for rest := all; rest != 0; rest &= rest - 1 {
		worth, after := s.sung(winner, rest&-rest, state)
		v := worth + s.open(l, winner, alpha-worth, beta-worth, after)
		if up {
			value = max(value, v)
			alpha = max(alpha, v)
		} else {
			value = min(value, v)
			beta = min(beta, v)
		}
		if alpha >= beta {
			return value
		}
	}
	// Without a limit, whoever declines can do no better: a cante may be sung now and
	// another later. With one, its place may be worth more later.
	if s.limit != rules.None {
		v := s.open(l, winner, alpha, beta, state)
		if up {
			return max(value, v)
		}
		return min(value, v)
	}
	return value
}
