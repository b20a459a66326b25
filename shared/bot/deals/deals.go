// Package deals lists the ways in which the cards that a seat cannot see may lie.
//
// What counts is what the rules make certain: a seat that did not follow suit has none
// of it, one that did not beat could not, a cante shows two cards, and the card that the
// dealer turned up is the dealer's. What is only likely (a bid, a silence, a card that a
// good player would not have played) is for others to weigh.
package deals

import "github.com/cuatrola/cuatrola/shared/rules"

// Deals are the ways in which the unseen cards may lie for one viewer, numbered from 0.
// The zero value has none; call Set. Nothing in it allocates.
type Deals struct {
	count  int
	known  [rules.Seats]rules.Cards // cards whose place is certain
	unseen [rules.DeckSize]rules.Card
	cards  int // of unseen in use
	others [rules.Seats - 1]rules.Seat
	needs  [rules.Seats - 1]uint8 // how many of unseen each of the others holds
	may    [rules.DeckSize]uint8  // which of the others may hold the card, by bits
	// ways[i][a][b] counts how the cards from i on may lie if the first of the others
	// still needs a of them and the second b; the third takes the rest.
	ways [rules.DeckSize + 1][rules.HandSize + 1][rules.HandSize + 1]int32

	silences silences
}

// Set makes them those of a view and says how many there are: 0 if the viewer is no seat
// or the view is none that a match can show.
func (d *Deals) Set(v *rules.View) int {
	d.count = 0
	d.known = [rules.Seats]rules.Cards{}
	if v.Viewer >= rules.Seats || v.Dealer >= rules.Seats || !v.Trump.Valid() ||
		v.Hand.TrickCount > rules.HandSize || v.Table.Count > rules.Seats || v.Hand.CanteCount > rules.Suits {
		return 0
	}
	d.known[v.Viewer] = v.Cards

	var need [rules.Seats]int
	for s := range need {
		need[s] = rules.HandSize
	}
	var barred [rules.Seats]rules.Cards // what the seat would have had to play instead
	unseen := v.Unseen()
	for i := range int(v.Hand.TrickCount) + 1 {
		t := &v.Table
		if i < int(v.Hand.TrickCount) {
			t = &v.Hand.Tricks[i]
		}
		if t.Lead >= rules.Seats {
			if t.Count > 0 {
				return 0
			}
			continue
		}
		table := rules.NewTrick(t.Lead)
		for k := range int(t.Count) {
			c, s := t.Cards[k], rules.SeatOf(t.Lead, v.Out, k)
			if !c.Valid() {
				return 0
			}
			if s != v.Viewer && k > 0 {
				for rest := unseen &^ barred[s]; rest != 0; rest &= rest - 1 {
					x := rest.First()
					if !v.Rules.Playable(v.Trump.Suit(), s, &table, rules.Of(c, x)).Has(c) {
						barred[s] |= rules.Of(x)
					}
				}
			}
			table.Add(s, c, v.Trump.Suit())
			need[s]--
		}
	}

	place := func(c rules.Card, s rules.Seat) {
		if unseen.Has(c) && s != v.Viewer {
			unseen = unseen.Without(c)
			d.known[s] |= rules.Of(c)
			need[s]--
		}
	}
	place(v.Trump, v.Dealer)
	for _, c := range v.Hand.Cantes[:v.Hand.CanteCount] {
		if c.Seat >= rules.Seats || c.Suit >= rules.Suits {
			return 0
		}
		place(rules.NewCard(rules.King, c.Suit), c.Seat)
		place(rules.NewCard(rules.Knight, c.Suit), c.Seat)
	}

	sum, i := 0, 0
	for s := range rules.Seat(rules.Seats) {
		if s == v.Viewer {
			continue
		}
		if need[s] < 0 || d.known[s]&barred[s] != 0 {
			return 0
		}
		d.others[i], d.needs[i] = s, uint8(need[s])
		sum += need[s]
		i++
	}
	if sum != unseen.Len() || need[v.Viewer] != v.Cards.Len() {
		return 0
	}
	d.cards = 0
	for rest := unseen; rest != 0; rest &= rest - 1 {
		c := rest.First()
		d.unseen[d.cards], d.may[d.cards] = c, 0
		for i, s := range d.others {
			if !barred[s].Has(c) {
				d.may[d.cards] |= 1 << i
			}
		}
		d.cards++
	}
	d.countWays()
	d.silences.set(v)
	return d.count
}

func (d *Deals) countWays() {
	clear(d.ways[d.cards][0][:])
	for a := range d.ways[d.cards] {
		d.ways[d.cards][a] = [rules.HandSize + 1]int32{}
	}
	d.ways[d.cards][0][0] = 1
	for i := d.cards - 1; i >= 0; i-- {
		left := d.cards - i
		may := d.may[i]
		for a := range int(d.needs[0]) + 1 {
			for b := range int(d.needs[1]) + 1 {
				third := left - a - b
				n := int32(0)
				if third >= 0 && third <= int(d.needs[2]) {
					if a > 0 && may&1 != 0 {
						n = d.ways[i+1][a-1][b]
					}
					if b > 0 && may&2 != 0 {
						n += d.ways[i+1][a][b-1]
					}
					if third > 0 && may&4 != 0 {
						n += d.ways[i+1][a][b]
					}
				}
				d.ways[i][a][b] = n
			}
		}
	}
	d.count = int(d.ways[0][d.needs[0]][d.needs[1]])
}

// Count is how many there are.
func (d *Deals) Count() int { return d.count }

// Nth is what each seat holds in the i-th of them, 0 ≤ i < Count: the viewer's own cards
// too, and those of a seat that sits out. Each number is another lie of the cards, so
// that random numbers make them all equally likely.
func (d *Deals) Nth(i int) [rules.Seats]rules.Cards {
	held := d.known
	n := int32(i)
	a, b := d.needs[0], d.needs[1]
	for k := range d.cards {
		c := rules.Of(d.unseen[k])
		may := d.may[k]
		if may&1 != 0 && a > 0 {
			w := d.ways[k+1][a-1][b]
			if n < w {
				a--
				held[d.others[0]] |= c
				continue
			}
			n -= w
		}
		if may&2 != 0 && b > 0 {
			w := d.ways[k+1][a][b-1]
			if n < w {
				b--
				held[d.others[1]] |= c
				continue
			}
			n -= w
		}
		held[d.others[2]] |= c
	}
	return held
}

// May is what a seat holds in one of the deals or another, as far as each card for itself
// tells; for the viewer, what it holds.
func (d *Deals) May(s rules.Seat) rules.Cards {
	if s >= rules.Seats {
		return 0
	}
	cards := d.known[s]
	for i, other := range d.others {
		if other != s || d.needs[i] == 0 {
			continue
		}
		for k := range d.cards {
			if d.may[k]>>i&1 != 0 {
				cards |= rules.Of(d.unseen[k])
			}
		}
	}
	return cards
}
