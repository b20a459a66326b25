package bot

import "github.com/cuatrola/cuatrola/shared/rules"

// pickCard is the card that the rules of thumb play for the seat whose turn it
// is. It looks at that seat's own hand and at what has been played, never at
// another hand.
func pickCard(m *rules.Match) rules.Card {
	seat := m.Turn()
	legal := m.Legal().Cards()
	if legal.Len() == 1 {
		return legal.First()
	}
	// The view is what keeps the rules of thumb honest: it has no other hand.
	var v rules.View
	m.View(seat, &v)
	unseen := v.Unseen()
	if v.Table.Count == 0 {
		return lead(&v, legal, unseen)
	}
	return follow(&v, legal, unseen)
}

// lead prefers a card that nobody can beat in its suit: side aces while trumps
// are few, trumps for a bidder, who wants them gone. Else the cheapest card.
func lead(v *rules.View, legal, unseen rules.Cards) rules.Card {
	trump := v.Trump.Suit()
	pulls := v.Hand.Bidder == v.Viewer || legal.In(trump).Len() >= 3
	best, bestScore := rules.NoCard, -1
	for rest := legal; rest != 0; rest &= rest - 1 {
		c := rest.First()
		isTrump := c.Suit() == trump
		score := 20 - c.Points()
		if unseen.In(c.Suit())>>c == 0 { // nothing unseen beats it in its suit
			score = 30 + c.Points()
			if isTrump && pulls {
				score += 20
			}
		} else if isTrump {
			score -= 8
		}
		if score > bestScore {
			best, bestScore = c, score
		}
	}
	return best
}

// follow takes the trick when it can and it is worth it, gives the partner's
// trick its points, and throws the cheapest card otherwise.
func follow(v *rules.View, legal, unseen rules.Cards) rules.Card {
	trump := v.Trump.Suit()
	last := int(v.Table.Count) == playersIn(v)-1
	if v.Table.Winner == v.Viewer.Partner() {
		safe := last || unseen.In(v.Table.Best.Suit())>>v.Table.Best == 0
		if safe && v.Hand.Bid == rules.Pass {
			return richest(legal, trump)
		}
		return cheapest(legal, trump)
	}
	var winning rules.Cards
	for rest := legal; rest != 0; rest &= rest - 1 {
		c := rest.First()
		if c.Suit() == v.Table.Best.Suit() && c > v.Table.Best || c.Suit() == trump && v.Table.Best.Suit() != trump {
			winning |= rules.Of(c)
		}
	}
	switch {
	case winning == 0:
		return cheapest(legal, trump)
	case winning.In(trump) != 0 || !last:
		// The strongest side card may hold; a trump need only be high enough.
		if side := winning &^ winning.In(trump); side != 0 {
			return richest(side, trump)
		}
		return winning.First()
	default:
		return richest(winning, trump)
	}
}

func playersIn(v *rules.View) int {
	if v.Out != rules.NoSeat {
		return rules.Seats - 1
	}
	return rules.Seats
}

// cheapest is the card of fewest points, a side card before a trump.
func cheapest(cards rules.Cards, trump rules.Suit) rules.Card {
	return extreme(cards, func(c rules.Card) int { return -c.Points() - trumpWorth(c, trump) })
}

// richest is the card of most points, a side card before a trump.
func richest(cards rules.Cards, trump rules.Suit) rules.Card {
	return extreme(cards, func(c rules.Card) int { return c.Points() - trumpWorth(c, trump) })
}

func trumpWorth(c rules.Card, trump rules.Suit) int {
	if c.Suit() == trump {
		return 12
	}
	return 0
}

func extreme(cards rules.Cards, worth func(rules.Card) int) rules.Card {
	best := cards.First()
	for rest := cards & (cards - 1); rest != 0; rest &= rest - 1 {
		if c := rest.First(); worth(c) > worth(best) {
			best = c
		}
	}
	return best
}
