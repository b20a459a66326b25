package solve

import (
	"math/bits"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// moves are the cards that a seat may play: the most promising first, and what was found
// of those that were tried.
type moves struct {
	// list has the cards from at to n that are still to be tried, with how promising
	// they look: the score in the upper bits, the card in the lower.
	list  [rules.HandSize]int32
	at, n int

	others uint32 // cards of other hands and of the table
	keep   uint32 // cards of marriages of the hand that may still be sung
	done   uint32 // cards that were tried
	values [32]int16
}

func (m *moves) more() bool { return m.at < m.n }

// pick takes the most promising.
func (m *moves) pick() uint32 {
	best := m.at
	for j := m.at + 1; j < m.n; j++ {
		if m.list[j] > m.list[best] {
			best = j
		}
	}
	c := m.list[best]
	m.list[best] = m.list[m.at]
	m.at++
	return uint32(c & 31)
}

func (m *moves) tried(c uint32, v int) {
	m.done |= 1 << c
	m.values[c&31] = int16(v)
}

// skip says that a card need not be tried, since one that was is as strong. Between them
// no other hand has a card, so that what follows is the same but for what they are worth:
// where the one is taken the other would be, and at most the difference of their points
// changes sides. best takes part of the bound.
func (m *moves) skip(s *Solver, c uint32, up bool, alpha, beta int, best *int) bool {
	suit := suitMask[c&31]
	if m.done&suit == 0 {
		return false
	}
	near := (m.others | m.done) & suit
	if above := near &^ (2<<c - 1); above != 0 {
		if m.bounded(s, c, number(above&-above), up, alpha, beta, best) {
			return true
		}
	}
	if below := near & (1<<c - 1); below != 0 {
		return m.bounded(s, c, uint32(bits.Len32(below)-1)&31, up, alpha, beta, best)
	}
	return false
}

func (m *moves) bounded(s *Solver, c, d uint32, up bool, alpha, beta int, best *int) bool {
	if m.done>>d&1 == 0 || m.keep>>c&1 != m.keep>>d&1 {
		return false
	}
	differ := 0
	if !s.onTrick {
		differ = 2 * int(pointsOf[c&31]-pointsOf[d&31])
		if differ < 0 {
			differ = -differ
		}
	}
	v := int(m.values[d&31])
	if up {
		if v += differ; v <= alpha {
			*best = max(*best, v)
			return true
		}
		return false
	}
	if v -= differ; v >= beta {
		*best = min(*best, v)
		return true
	}
	return false
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
func (m *moves) leads(s *Solver, l *level, leader, hint, state uint32) {
	hand := l.hands[leader&3]
	m.others = l.all &^ hand
	if s.sings {
		m.keep = unsung(hand, state)
		m.keep |= m.keep << 1
	}
	left, right := l.hands[(leader+1)&3], l.hands[(leader+3)&3]
	for rest := hand; rest != 0; rest &= rest - 1 {
		c := number(rest)
		card, suit := rest&-rest, suitMask[c]
		k := 0
		if strongest(left, suit) > card {
			k++
		}
		if strongest(right, suit) > card {
			k++
		}
		if c >= 15 {
			k += 3
		}
		score := leadBase[k] + leadSlope[k]*int32(pointsOf[c])
		if m.keep>>c&1 != 0 {
			score += leadKeep
		}
		if c == hint {
			score = 1000
		}
		m.list[m.n] = score<<5 | int32(c)
		m.n++
	}
}

// follows lists what a seat may play to the cards on the table.
func (m *moves) follows(s *Solver, l *level, seat, on, legal, state uint32) {
	hand := l.hands[seat&3]
	m.others = l.all &^ hand
	if s.sings {
		m.keep = unsung(hand, state)
		m.keep |= m.keep << 1
	}
	// What those can do who come behind.
	mine := l.hands[seat&3] | l.hands[(seat+2)&3]
	on &= l.eligible
	partners, theirs := on&mine, on&^mine
	for q := uint32(s.next[seat&3]); q != l.leader; q = uint32(s.next[q&3]) {
		if q&1 == seat&1 {
			partners |= l.strongest[q&3]
		} else {
			theirs |= l.strongest[q&3]
		}
	}
	for rest := legal; rest != 0; rest &= rest - 1 {
		c := number(rest)
		card := rest & -rest & l.eligible
		k := 0
		if c >= 15 {
			k += 4
		}
		if card > on {
			k++
		}
		if card|partners > theirs {
			k += 2
		}
		score := followBase[k] + followSlope[k]*int32(pointsOf[c])
		if m.keep>>c&1 != 0 {
			score += followKeep
		}
		m.list[m.n] = score<<5 | int32(c)
		m.n++
	}
}
