package solve

import "math/bits"

// moves are the cards that a seat may play: the most promising first, and what was found
// of those that were tried.
type moves struct {
	// list has the cards from at to n that are still to be tried, with how promising
	// they look: the score in the upper bits, the card in the lower.
	list  [8]int32
	at, n int

	others uint32 // cards of other hands and of the table
	keep   uint32 // cards of marriages of the hand that may still be sung
	done   uint32 // cards that were tried
	values [32]int16
}

func (m *moves) more() bool { return m.at < m.n }

// pick takes the most promising.
func (m *moves) pick() uint32 {
	at, best := m.at, m.list[m.at&7]
	for j := m.at + 1; j < m.n; j++ {
		if x := m.list[j&7]; x > best {
			at, best = j, x
		}
	}
	m.list[at&7] = m.list[m.at&7]
	m.at++
	return uint32(best & 31)
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
// A lead is of a class: 1 if the opponent to the left can beat it, 2 if the one to the
// right can, 4 if the partner can, 8 for a trump; and of another, by who has no card of its
// suit. A card that follows is of a class too: 1 if it beats what is on the table, 2 if its
// side then is expected to win, 4 for a trump, 8 where nobody comes behind. A class has a
// base, and a slope by the card's points.
var (
	leadBase    = [16]int32{92, -36, -76, -28, 22, 36, 12, 24, 10, -152, -184, -46, -22, -120, -40, -46}
	leadSlope   = [16]int32{3, -4, -4, -9, 3, -1, -1, 1, -1, 0, 0, -1, 0, 9, 3, 2}
	leadVoid    = [16]int32{32, -40, 0, -96, 32, 8, -32, -88, 64, 32, -8, -160, 80, 32, -8, -168}
	followBase  = [16]int32{4, 0, 56, 50, 0, 0, 30, 50, 44, 0, 48, 50, 0, 0, 38, 50}
	followSlope = [16]int32{-2, -1, 1, 4, -6, -1, -1, -1, -9, -1, 4, 4, -9, -1, -1, -1}
)

const (
	leadKiller = 160 // for the lead that was enough the last time
	leadKeep   = -22 // for a card of a marriage that may still be sung
	followKeep = -10
)

// begin empties the list.
func (m *moves) begin(l *level, hand uint32) {
	m.others, m.keep, m.done, m.at, m.n = l.all&^hand, 0, 0, 0, 0
	if l.married != 0 {
		m.keep = unsung(hand, l.state)
		m.keep |= m.keep << 1
	}
}

// leads lists what a seat may lead.
func (m *moves) leads(l *level, leader, hint uint32) {
	hand := l.hands[leader&3]
	m.begin(l, hand)
	left, partner, right := l.hands[(leader+1)&3], l.hands[(leader+2)&3], l.hands[(leader+3)&3]
	killer := uint32(l.killer[leader&3])
	n := 0
	for rest := hand; rest != 0; rest &= rest - 1 {
		c := number(rest)
		card, suit := rest&-rest, suitMask[c]
		t := isTrump(c)
		k := one(strongest(left, suit) > card) | one(strongest(right, suit) > card)<<1 |
			one(strongest(partner, suit) > card)<<2 | t<<3
		void := one(left&suit == 0) | one(right&suit == 0)<<1 | one(partner&suit == 0)<<2 | t<<3
		score := leadBase[k&15] + leadSlope[k&15]*int32(pointsOf[c]) + leadVoid[void&15] + leadKeep*int32(m.keep>>c&1)
		if c == killer {
			score += leadKiller
		}
		if c == hint {
			score = 2000
		}
		m.list[n&7] = score<<5 | int32(c)
		n++
	}
	m.n = n
}

// one is 1 for true and 0 for false: a number to count with where a branch would be
// taken as often as not.
func one(b bool) uint32 {
	var n uint32
	if b {
		n = 1
	}
	return n
}

// isTrump is 1 for a trump, whose numbers are 15 to 19, and else 0.
func isTrump(c uint32) uint32 { return (c + 1) >> 4 }

// follows lists what a seat may play to the cards on the table.
func (m *moves) follows(s *Solver, l *level, seat, on, legal uint32) {
	m.begin(l, l.hands[seat&3])
	// What those can do who come behind.
	mine := l.hands[seat&3] | l.hands[(seat+2)&3]
	on &= l.eligible
	partners, theirs := on&mine, on&^mine
	// One of the others' seats and the partner come behind if the leader is further off.
	off := (l.leader - seat) & 3
	theirs |= l.strongest[(seat+1)&3] & -(off >> 1)
	partners |= l.strongest[(seat+2)&3] & -(off & (off >> 1))
	base := one(uint32(s.next[seat&3]) == l.leader) << 3
	n := 0
	for rest := legal; rest != 0; rest &= rest - 1 {
		c := number(rest)
		card := rest & -rest & l.eligible
		k := base + one(card > on) + 2*one(card|partners > theirs) + 4*isTrump(c)
		score := followBase[k&15] + followSlope[k&15]*int32(pointsOf[c]) + followKeep*int32(m.keep>>c&1)
		m.list[n&7] = score<<5 | int32(c)
		n++
	}
	m.n = n
}
