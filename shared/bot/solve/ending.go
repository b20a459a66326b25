package solve

import (
	"math/bits"
)

// two is the value of the last two tricks, of which a seat leads the first. More than half
// of a search are these, and there is little to choose: two cards for each, and often one
// that is due. So all ways are gone through, of which each leaves one card to everybody.
func (s *Solver) two(l *level, leader, state uint32) int {
	// Who does not play comes last, with no card.
	second := uint32(s.next[leader&3])
	third := uint32(s.next[second&3])
	fourth := 6 - leader - second - third

	// Where all of the bidder's tricks are due, the first that is lost is the last.
	allDue := s.needs > 0 && int8(state>>wonShift)+2 == s.needs
	greater := l.hands[0] | l.hands[2]
	worth := l.worth + last

	value := worst(leader)
	for a := l.hands[leader&3]; a != 0; a &= a - 1 {
		led := a & -a
		l.led, l.suit = led, suitMask[number(led)]
		l.eligible = l.suit | trumps
		v1 := worst(second)
		for b := s.playable(l, second, led); b != 0; b &= b - 1 {
			on2 := led | b&-b
			v2 := worst(third)
			for c := s.playable(l, third, on2); c != 0; c &= c - 1 {
				on3 := on2 | c&-c
				v3 := worst(fourth)
				d := s.playable(l, fourth, on3)
				for {
					on := on3 | d&-d

					strong := on & l.eligible
					winner := bits.Len32(strong) - 1
					first := greater>>(winner&31)&1 != 0
					rest := l.all &^ on
					strong = rest
					for _, hand := range l.hands {
						if hand>>(winner&31)&1 != 0 {
							strong &= suitMask[number(hand&rest)] | trumps
						}
					}
					second := strong&greater > strong&^greater

					var v int
					switch {
					case s.onTrick:
						if first {
							v++
						}
						if second && (first || !allDue) {
							v++
						}
					case first == second:
						v = worth
						if !first {
							v = -v
						}
					default:
						v = 2*pointsIn(on) - worth
						if !first {
							v = -v
						}
					}
					v3 = better(fourth, v3, v)
					if d &= d - 1; d == 0 {
						break
					}
				}
				v2 = better(third, v2, v3)
			}
			v1 = better(second, v1, v2)
		}
		value = better(leader, value, v1)
	}
	s.Nodes++
	return value
}

// worst is what any value is better than for a seat.
func worst(seat uint32) int {
	if seat&1 == 0 {
		return -infinity
	}
	return infinity
}

// better is the one of two values that a seat plays for.
func better(seat uint32, v, w int) int {
	if seat&1 == 0 {
		return max(v, w)
	}
	return min(v, w)
}

// narrow is a window behind a value that a seat can have.
func narrow(seat uint32, alpha, beta, v int) (int, int) {
	if seat&1 == 0 {
		return max(alpha, v), beta
	}
	return alpha, min(beta, v)
}
