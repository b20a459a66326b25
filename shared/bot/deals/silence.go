package deals

import "github.com/cuatrola/cuatrola/shared/rules"

// silences are the moments at which cantes could be sung: behind each trick but the last.
type silences struct {
	rules   rules.RuleSet
	trump   rules.Suit
	moments int
	at      [rules.HandSize]moment
}

// moment is the table behind a trick, as far as it matters to who may sing.
type moment struct {
	pair  [2]rules.Seat // the trick's winner and the partner, NoSeat if it sits out
	later [2]rules.Cards
	sung  uint8 // suits that were sung before
	// What was sung then, by whom; NoSeat for nothing.
	singer rules.Seat
	suit   rules.Suit
}

func (q *silences) set(v *rules.View) {
	q.rules, q.trump, q.moments = v.Rules, v.Trump.Suit(), 0
	h := &v.Hand
	if h.Bid != rules.Pass && h.Bid <= rules.Quintola && v.Rules.Bids[h.Bid-rules.Solo].Needs > 0 {
		return
	}
	var sung uint8
	var count [2]int8
	for i := range int(h.TrickCount) {
		if i == rules.HandSize-1 {
			return
		}
		m := moment{singer: rules.NoSeat, sung: sung}
		w := h.Tricks[i].Winner
		if w >= rules.Seats {
			return
		}
		m.pair = [2]rules.Seat{w, w.Partner()}
		for k, s := range m.pair {
			if s == v.Out {
				m.pair[k] = rules.NoSeat
			}
			m.later[k] = playedBy(v, s, i+1)
		}
		full := v.Rules.MaxCantes != rules.None && count[w.Pair()] >= v.Rules.MaxCantes
		for _, c := range h.Cantes[:h.CanteCount] {
			if int(c.Trick) == i+1 {
				m.singer, m.suit = c.Seat, c.Suit
				sung |= 1 << c.Suit
				count[c.Seat.Pair()]++
			}
		}
		// Behind the trick that was taken last the pair may be about to be asked.
		asking := i+1 == int(h.TrickCount) && v.Table.Count == 0 && m.singer == rules.NoSeat &&
			v.Rules.Cantes == rules.CantesDeclare
		if !full && !asking {
			q.at[q.moments] = m
			q.moments++
		}
	}
}

// playedBy is what a seat has played from a trick on.
func playedBy(v *rules.View, s rules.Seat, from int) rules.Cards {
	var cs rules.Cards
	for i := from; i <= int(v.Hand.TrickCount); i++ {
		t := &v.Table
		if i < int(v.Hand.TrickCount) {
			t = &v.Hand.Tricks[i]
		}
		for k := range int(t.Count) {
			if rules.SeatOf(t.Lead, v.Out, k) == s {
				cs |= rules.Of(t.Cards[k])
			}
		}
	}
	return cs
}

// Silences counts how often in this lie of the cards a pair could have sung and did not,
// in the tricks that were taken. possible is false if the rules do not leave that to
// them: where cantes are automatic, or where a forty has to be sung before a twenty.
func (d *Deals) Silences(held *[rules.Seats]rules.Cards) (count int, possible bool) {
	q := &d.silences
	auto := q.rules.Cantes == rules.CantesAuto
	for i := range q.moments {
		m := &q.at[i]
		var suits [2]uint8
		for k, s := range m.pair {
			if s != rules.NoSeat {
				suits[k] = marriages(held[s]|m.later[k]) &^ m.sung
			}
		}
		if m.singer == rules.NoSeat {
			if suits != [2]uint8{} {
				count++
				if auto {
					return count, false
				}
			}
			continue
		}
		k := 0
		if m.singer == m.pair[1] {
			k = 1
		}
		forty := uint8(1) << q.trump
		if q.rules.FortyFirst && m.suit != q.trump && suits[k]&forty != 0 {
			return count, false
		}
		if !auto {
			continue
		}
		// The first in order sang, and the first of its suits.
		isForty := q.rules.FortyFirst && m.suit == q.trump
		other := suits[1-k]
		switch {
		case q.rules.FortyFirst && !isForty && other&forty != 0,
			k == 1 && isForty && other&forty != 0,
			k == 1 && !isForty && other != 0,
			!isForty && suits[k]&(1<<m.suit-1) != 0:
			return count, false
		}
	}
	return count, true
}

// marriages are the suits of which a set has king and knight, by bits.
func marriages(cs rules.Cards) uint8 {
	both := cs & (cs >> 1) >> uint(rules.Knight) // bit 0 of each suit: knight, and the king above it
	return uint8(both&1 | both>>4&2 | both>>8&4 | both>>12&8)
}
