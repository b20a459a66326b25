package solve

import (
	"math/bits"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// outside says whether the value of the rest of the hand is beyond a window whatever is
// played, and gives a bound of it on that side.
func (s *Solver) outside(l *level, leader, state uint32, alpha, beta int) (bound int, ok bool) {
	if s.onTrick {
		low, high := s.trickBounds(l, leader)
		if high <= alpha {
			return high, true
		}
		return low, low >= beta
	}
	all := l.worth + last
	low, high := -all, all
	if l.married != 0 {
		low -= songs(l, 1, state)
		high += songs(l, 0, state)
	}
	if high-2*all <= alpha {
		if high -= 2 * l.sure(1, leader, all, (high-alpha+1)/2); high <= alpha {
			return high, true
		}
	}
	if low+2*all >= beta {
		if low += 2 * l.sure(0, leader, all, (beta-low+1)/2); low >= beta {
			return low, true
		}
	}
	return 0, false
}

// trickBounds are bounds of how many tricks the greater side takes.
func (s *Solver) trickBounds(l *level, leader uint32) (low, high int) {
	high = l.left - l.sureTricks(1)
	if s.needs > 0 { // the hand may stop before they are taken
		return 0, high
	}
	low = l.sureTricks(0)
	if l.left > 2 {
		if cash := l.cash(leader, nil); leader&1 == 0 {
			low += cash
		} else {
			high -= cash
		}
	}
	return low, high
}

// sureTricks is how many tricks a side takes at least with one hand's trumps.
func (l *level) sureTricks(side uint32) int {
	t, theirs := &trumpsAgainst, (l.hands[side^1]|l.hands[side^3])>>15
	return int(max(t[(l.hands[side]>>10&^31|theirs)&1023].tricks, t[(l.hands[side|2]>>10&^31|theirs)&1023].tricks))
}

// sure is how many points in tricks a side takes at least, of all that there are: with one
// hand's trumps, and with what its leader can cash. Nothing is added to what is enough.
func (l *level) sure(side, leader uint32, all, enough int) int {
	if enough <= 0 {
		return 0
	}
	one, other := l.hands[side], l.hands[side|2]
	left, right := l.hands[side^1], l.hands[side^3]
	t, theirs := &trumpsAgainst, (left|right)>>15
	x, y := t[(one>>10&^31|theirs)&1023], t[(other>>10&^31|theirs)&1023]
	if y.tricks > x.tricks || y.tricks == x.tricks && y.points > x.points {
		x, other = y, one
	}
	tricks, points := int(x.tricks), int(x.points)
	if tricks != 0 && points < enough {
		points += cheapest(other, tricks) + cheapest(left, tricks) + cheapest(right, tricks)
	}
	if points < enough && side == leader&1 {
		cashed := 0
		tricks += l.cash(leader, &cashed)
		points += cashed
	}
	if tricks >= l.left {
		return all
	}
	return points
}

// cash is how many tricks the leader's side can take at once with the greatest cards of
// other suits than trumps: as many as both opponents must follow to, if either has a trump,
// and the partner, who else might have to take one instead. points, if not nil, get what
// these come to at least.
func (l *level) cash(leader uint32, points *int) int {
	hand, partner := l.hands[leader&3], l.hands[(leader+2)&3]
	left, right := l.hands[(leader+1)&3], l.hands[(leader+3)&3]
	tricks := 0
	for suit := uint32(0x1f); suit < trumps; suit <<= rules.Ranks {
		best := hand & suit & above(l.all&^hand&suit)
		if best == 0 {
			continue
		}
		n := bits.OnesCount32(best)
		if (left|right)&trumps != 0 {
			// Of the opponents one may sit out.
			if left != 0 {
				n = min(n, bits.OnesCount32(left&suit))
			}
			if right != 0 {
				n = min(n, bits.OnesCount32(right&suit))
			}
		}
		if partner&trumps != 0 {
			n = min(n, bits.OnesCount32(partner&suit))
		}
		tricks += n
		if points != nil {
			for range n {
				c := uint32(bits.Len32(best)-1) & 31
				*points += int(pointsOf[c])
				best &^= 1 << c
			}
		}
	}
	if points != nil && tricks > 0 {
		*points += tricks * (cheapest(left, 1) + cheapest(right, 1) + cheapest(partner, 1))
	}
	return tricks
}

// cheapest is what so many cards of a hand come to at least.
func cheapest(hand uint32, n int) (points int) {
	for {
		rank := (hand | hand>>5 | hand>>10 | hand>>15) & 31
		rank &= -rank
		points += int(rankPoints[rank])
		if n--; n <= 0 {
			return points
		}
		of := hand & (rank * 0x08421)
		hand &^= of & -of
	}
}

// rankPoints are the points of a card by its place in its suit, as a set of one.
var rankPoints = [32]int8{0, 2, 3, 0, 4, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 11}

// trumpsAgainst is, by a hand's trumps in the upper five bits and both opponents' in the
// lower, how many tricks the hand's side takes at least because of these trumps, and what
// those of them come to at least that take one. Every trump falls in some trick, and each of
// the hand's in another. It is lost only if one of the opponents' that is stronger falls in
// the same: so no more are lost than can be matched with stronger ones.
var trumpsAgainst = func() (t [1024]struct{ tricks, points int8 }) {
	for i := range t {
		mine, theirs := uint32(i)>>5, uint32(i)&31
		if mine&theirs != 0 {
			continue
		}
		fewest := int8(rules.Ranks + 1)
		for kept := uint32(0); kept < 32; kept++ {
			if kept&^mine != 0 || !beaten(mine&^kept, theirs) {
				continue
			}
			n, points := int8(bits.OnesCount32(kept)), int8(pointsIn(kept))
			if n < fewest || n == fewest && points < t[i].points {
				fewest = n
				t[i].tricks, t[i].points = n, points
			}
		}
	}
	return t
}()

// beaten says whether each of some cards of a suit can be beaten by another of theirs.
func beaten(cards, theirs uint32) bool {
	for ; cards != 0; cards &= cards - 1 {
		stronger := theirs &^ (2*(cards&-cards) - 1)
		if stronger == 0 {
			return false
		}
		// Upwards from the weakest card, the weakest that is enough.
		theirs &^= stronger & -stronger
	}
	return true
}
