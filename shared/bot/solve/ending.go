package solve

import "math/bits"

// twoNodes is what two counts for in Nodes: about as many other cards cost its time.
const twoNodes = 3

// two is the value of the last two tricks, of which a seat leads the first. More than half
// of a search would be these, and there is little to choose: two cards for each, and often
// one that is due. So their ways are gone through as they come, and nothing is ordered or
// kept. Each leaves one card to everybody.
func (s *Solver) two(l *level, leader uint32, alpha, beta int, state uint32) int {
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
		n := number(led)
		sum1 := int(pointsOf[n])
		l.led, l.suit = led, suitMask[n]
		l.eligible = l.suit | trumps
		v1 := worst(second)
		alpha1, beta1 := alpha, beta
		for b := s.playable(l, second, led); b != 0; b &= b - 1 {
			on2 := led | b&-b
			sum2 := sum1 + int(pointsOf[number(b)])
			v2 := worst(third)
			alpha2, beta2 := alpha1, beta1
			for c := s.playable(l, third, on2); c != 0; c &= c - 1 {
				on3 := on2 | c&-c
				sum3 := sum2 + int(pointsOf[number(c)])
				v3 := worst(fourth)
				d := s.playable(l, fourth, on3)
				for {
					on := on3 | d&-d
					sum := sum3
					if d != 0 {
						sum += int(pointsOf[number(d)])
					}

					best := uint32(bits.Len32(on&l.eligible)-1) & 31
					winner := l.hands[1]>>best&1 | l.hands[2]>>best&1<<1 | l.hands[3]>>best&1*3
					rest := l.all &^ on
					strong := rest & (suitMask[number(l.hands[winner&3]&rest)] | trumps)
					first, second := winner&1 == 0, strong&greater > strong&^greater

					var v int
					if s.onTrick {
						if first {
							v++
						}
						if second && (first || !allDue) {
							v++
						}
					} else {
						v = worth
						if first != second {
							v = 2*sum - worth
						}
						if !first {
							v = -v
						}
					}
					v3 = better(fourth, v3, v)
					if d &= d - 1; d == 0 || enough(fourth, alpha2, beta2, v3) {
						break
					}
				}
				v2 = better(third, v2, v3)
				if alpha2, beta2 = narrow(third, alpha2, beta2, v3); alpha2 >= beta2 {
					break
				}
			}
			v1 = better(second, v1, v2)
			if alpha1, beta1 = narrow(second, alpha1, beta1, v2); alpha1 >= beta1 {
				break
			}
		}
		value = better(leader, value, v1)
		if alpha, beta = narrow(leader, alpha, beta, v1); alpha >= beta {
			break
		}
	}
	s.Nodes += twoNodes
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

// enough says whether a value that a seat can have is outside a window on its side.
func enough(seat uint32, alpha, beta, v int) bool {
	if seat&1 == 0 {
		return v >= beta
	}
	return v <= alpha
}
