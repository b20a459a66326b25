package solve

import (
	"math/bits"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// Ahead plays the deal on behind a card of the seat whose turn it is, until that seat is to
// play its next. It is for a card with which the seat's pair is content if everybody sees
// all cards: level is the value from which on the pair is that plays for a greater one.
// Its partner plays what keeps it so; opponents, whom then nothing helps, what looks best.
//
// seen tells apart what the seat has seen on the way. won are the cards, of those that it
// may play there, with which its pair is content still. ok is false if the hand does not
// come so far, or a cante might be sung before; and if the seat does not hold the card.
func (s *Solver) Ahead(card rules.Card, level int) (seen uint32, won rules.Cards, ok bool) {
	r := &s.start
	l, seat, on := &s.levels[r.left&7], r.turn, r.on
	c := number(s.rename(rules.Of(card)))
	if r.singing || l.hands[seat&3]>>c&1 == 0 {
		return 0, 0, false
	}
	level -= r.made
	for {
		if on == 0 {
			l.lead(seat, 1<<c)
		}
		on = on.with(c)
		if seat = uint32(s.next[seat&3]); seat == l.leader {
			var gain int
			if l, seat, gain = s.step(l, on); l == nil {
				return 0, 0, false
			}
			on = 0
			level -= gain
		}
		legal := l.hands[seat&3]
		if legal == 0 {
			return 0, 0, false // nobody holds the card that took the trick: no match shows that
		}
		if on != 0 {
			legal = s.playable(l, seat, on.cards())
		}
		if seat == r.turn {
			for ; legal != 0; legal &= legal - 1 {
				if c := number(legal); s.content(l, seat, on, c, level) {
					won |= rules.Of(rules.Card(s.suit(uint8(c/rules.Ranks))*rules.Ranks + uint8(c%rules.Ranks)))
				}
			}
			return seen, won, true
		}
		c = s.likely(l, seat, on, legal, level)
		seen = seen<<5 | (c + 1)
	}
}

// likely is the card that another seat plays in Ahead.
func (s *Solver) likely(l *level, seat uint32, on table, legal uint32, level int) uint32 {
	if legal&(legal-1) == 0 {
		return number(legal)
	}
	m := &l.moves[seat&3]
	if on == 0 {
		m.leads(l, seat, noCard)
	} else {
		m.follows(s, l, seat, on.cards(), legal)
	}
	first := m.pick()
	if seat&1 != s.start.turn&1 || s.content(l, seat, on, first, level) {
		return first
	}
	for m.more() {
		if c := m.pick(); s.content(l, seat, on, c, level) {
			return c
		}
	}
	return first
}

// content says whether a seat's pair is content with a card if all cards are seen.
func (s *Solver) content(l *level, seat uint32, on table, c uint32, level int) bool {
	if on == 0 {
		l.lead(seat, 1<<c)
	}
	s.Nodes++
	return (s.played(l, seat, on.with(c), level-1, level) >= level) == (seat&1 == 0)
}

// step takes a trick and lays out what is behind it. The level is nil if the hand has
// ended or a cante may be sung.
func (s *Solver) step(l *level, on table) (n *level, winner uint32, gain int) {
	if l.left == 1 {
		return nil, 0, 0
	}
	cards, state := on.cards(), l.state
	best := uint32(bits.Len32(cards&l.eligible)-1) & 31
	winner = l.hands[1]>>best&1 | l.hands[2]>>best&1<<1 | l.hands[3]>>best&1*3
	gain = s.gain(winner&1 == 0, on.points())
	n = &s.levels[(l.left-1)&7]
	if s.needs > 0 {
		state += uint32(gain) << wonShift
		if won := int8(state >> wonShift); won+int8(n.left) < s.needs {
			return nil, 0, 0
		}
	}
	n.worth, n.all, n.state = l.worth-on.points(), l.all&^cards, state
	for seat := range n.hands {
		n.hands[seat] = l.hands[seat] &^ cards
	}
	if n.married = l.married &^ (cards | cards>>1 | spread(state)); n.married != 0 {
		return nil, 0, 0
	}
	return n, winner, gain
}
