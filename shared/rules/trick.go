package rules

// Trick (baza) is one round of cards, on the table or taken.
type Trick struct {
	// Lead is the seat that led or is to lead.
	Lead Seat
	// Winner is the seat that took the trick, or is winning it so far; NoSeat
	// while nothing is played.
	Winner Seat
	// Best is the winner's card, NoCard while nothing is played.
	Best Card
	// Count is the number of cards played.
	Count uint8
	// Cards in the order played, NoCard beyond Count.
	Cards [Seats]Card
}

// NewTrick is the empty trick that lead is to open.
func NewTrick(lead Seat) Trick {
	var t Trick
	t.open(lead)
	return t
}

// open makes the trick the empty one that lead is to open.
func (t *Trick) open(lead Seat) {
	t.Lead, t.Winner, t.Best, t.Count = lead, NoSeat, NoCard, 0
	t.Cards = [Seats]Card{NoCard, NoCard, NoCard, NoCard}
}

// Add puts a seat's card on the table. The trick must not be full.
func (t *Trick) Add(s Seat, c Card, trump Suit) {
	t.Cards[t.Count%Seats] = c
	t.Count++
	if t.Winner == NoSeat || beating(t.Best, trump).Has(c) {
		t.Winner, t.Best = s, c
	}
}

// Points that the trick's cards are worth.
func (t *Trick) Points() int {
	sum := 0
	for _, c := range t.Cards[:t.Count] {
		sum += c.Points()
	}
	return sum
}

// played is the set of the trick's cards.
func (t *Trick) played() Cards { return Of(t.Cards[:t.Count]...) }

// SeatOf is the seat that played the i-th card of a trick that lead opened
// while the seat out sat out (NoSeat: nobody did).
func SeatOf(lead, out Seat, i int) Seat {
	s := lead
	for ; i > 0; i-- {
		s = nextActive(s, out)
	}
	return s
}

func nextActive(s, out Seat) Seat {
	s = s.Next()
	if s == out {
		s = s.Next()
	}
	return s
}

// Playable is the part of a hand that the seat may play to the trick on the
// table, under the obligations to follow (asistir), beat (montar) and ruff
// (fallar).
func (rs *RuleSet) Playable(trump Suit, seat Seat, table *Trick, hand Cards) Cards {
	if table.Count == 0 || hand&(hand-1) == 0 { // the lead, or a single card
		return hand
	}
	lead, best := table.Cards[0], table.Best
	ruffed := best.Suit() != lead.Suit()
	exempt := rs.PartnerExempt && table.Winner == seat.Partner()

	if following := hand.In(lead.Suit()); following != 0 {
		if ruffed || exempt {
			return following
		}
		target := best
		if rs.Beat == BeatLed {
			target = lead
		}
		if higher := following & stronger(target); higher != 0 {
			return higher
		}
		return following
	}

	if exempt {
		return hand
	}
	trumps := hand.In(trump)
	if !ruffed {
		if trumps != 0 { // none under a trump lead, or there would be something to follow with
			return trumps
		}
		return hand
	}
	if over := trumps & stronger(best); over != 0 {
		return over
	}
	if rs.Undertrump == UndertrumpForced && trumps != 0 {
		return trumps
	}
	return hand
}

// whyNotPlayable says why the seat may not play a card that Playable leaves out.
func (rs *RuleSet) whyNotPlayable(c Card, trump Suit, table *Trick, hand Cards) Reason {
	switch {
	case !c.Valid():
		return CardUnknown
	case !hand.Has(c):
		return CardNotInHand
	}
	lead := table.Cards[0].Suit()
	switch {
	case hand.In(lead) != 0 && c.Suit() != lead:
		return MustFollow
	case c.Suit() == lead:
		return MustBeat
	case hand.In(trump)&stronger(table.Best) != 0:
		return MustOvertrump
	default:
		return MustTrump
	}
}
