package rules

// View is everything that one seat, or a spectator, may know of a match. Two
// matches that the viewer cannot tell apart give the same View, whatever the
// other hands hold.
//
// Who is being asked to sing is hidden with the rest, because only holders of a
// king and its knight are asked: while another seat is asked, the match looks to
// the viewer as if the winner of the trick were about to lead. The winner itself
// cannot help noticing that it has to wait; it then sees PhaseSing and no turn.
type View struct {
	Rules RuleSet
	// Viewer is the seat that sees this, or Spectator.
	Viewer Seat
	Phase  Phase
	// Turn is the seat to act, as far as the viewer may know; NoSeat if none.
	Turn Seat
	// Winner of the match, NoPair while it is open.
	Winner Pair
	// Seq counts the actions that the viewer has been shown since the match began.
	Seq uint32
	// HandsFinished counts the hands ended; it is the index of the hand in play.
	HandsFinished uint16
	Score         [2]uint16
	Dealer        Seat
	// Trump is the card that the dealer showed.
	Trump Card
	// Out is the seat that sits out because its partner bid, or NoSeat.
	Out Seat
	// Cards the viewer holds; empty for a spectator.
	Cards Cards
	// Legal is what the viewer may do now; empty unless it is the viewer's turn.
	Legal Actions
	// Bids made in this hand, from mano, Spoken of them.
	Bids   [Seats]Action
	Spoken uint8
	// Table is the trick in play.
	Table Trick
	// Hand is what the table has seen of this hand, or of the last one until the
	// next is dealt.
	Hand Hand
}

// View writes what a viewer, a seat or Spectator, may know into v.
func (m *Match) View(viewer Seat, v *View) {
	*v = View{
		Rules: m.rules, Viewer: viewer, Phase: m.phase, Turn: m.turn, Winner: m.winner,
		Seq: m.seen(viewer), HandsFinished: m.finished, Score: m.score,
		Dealer: m.dealer, Trump: m.trump, Out: m.out,
		Bids: m.bids, Spoken: m.spoken, Table: m.table, Hand: m.hand,
	}
	if viewer < Seats {
		v.Cards = m.held[viewer]
	}
	switch {
	case viewer == m.turn:
		v.Legal = m.legal
	case m.phase != PhaseSing:
	case viewer == m.table.Lead:
		v.Turn = NoSeat
	default:
		v.Phase, v.Turn = PhasePlay, m.table.Lead
	}
}

// Check says why the viewer's action would be refused, or OK: what a client can
// tell about its own move before it sends it.
func (v *View) Check(a Action) Reason {
	switch {
	case v.Phase == PhaseMatchOver:
		return MatchOver
	case v.Phase == PhaseDeal:
		return HandOver
	case v.Turn != v.Viewer, v.Viewer >= Seats:
		return NotYourTurn
	}
	// What the viewer may do depends on nothing that it cannot see, so a match
	// that shows the same view answers for the real one.
	var held [Seats]Cards
	held[v.Viewer] = v.Cards
	m := v.Suppose(held)
	return m.Check(v.Viewer, a)
}

// Suppose is a match that shows this view, with the hands supposed to lie as
// given: where a bot or a coach thinks ahead. Counts of what other viewers have
// seen are not those of the real match.
func (v *View) Suppose(held [Seats]Cards) Match {
	m := Match{
		rules: v.Rules, phase: v.Phase, turn: v.Turn, winner: v.Winner,
		finished: v.HandsFinished, score: v.Score,
		dealer: v.Dealer, trump: v.Trump, suit: v.Trump.Suit(), held: held, out: v.Out,
		spoken: v.Spoken, bids: v.Bids, table: v.Table, hand: v.Hand,
	}
	m.shown = v.Seq
	if v.Phase == PhaseSing && v.Turn == NoSeat {
		// The viewer waits for its partner, the only other seat that can be asked.
		m.turn = v.Table.Lead.Partner()
	}
	for _, c := range v.Hand.Cantes[:v.Hand.CanteCount] {
		m.sung |= 1 << c.Suit
	}
	if m.phase == PhaseSing {
		// Whoever comes before has been asked, seen or not.
		for s := m.nextSinger(); s != NoSeat && s != m.turn; s = m.nextSinger() {
			m.asked |= 1 << s
		}
	}
	m.legal = m.allowed()
	return m
}

// Unseen is the set of cards that the viewer has neither in hand nor seen
// played.
func (v *View) Unseen() Cards {
	unseen := Deck &^ v.Cards
	for i := range v.Hand.Tricks[:v.Hand.TrickCount] {
		unseen &^= v.Hand.Tricks[i].played()
	}
	return unseen &^ v.Table.played()
}
