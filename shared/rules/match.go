package rules

// Phase is what a match waits for.
type Phase uint8

// The phases.
const (
	// PhaseDeal: a hand is to be dealt.
	PhaseDeal Phase = iota
	// PhaseBid: a seat is to bid or pass.
	PhaseBid
	// PhasePlay: a seat is to play a card.
	PhasePlay
	// PhaseSing: a seat is asked whether it sings.
	PhaseSing
	// PhaseMatchOver: the match has its winner.
	PhaseMatchOver
)

var phaseNames = []string{"deal", "bid", "play", "sing", "over"}

// String is the phase's name in traces and views.
func (p Phase) String() string { return nameOf(phaseNames, uint8(p)) }

// Deal (reparto) is the five cards of each seat.
type Deal [Seats][HandSize]Card

// Hands is each seat's cards as a set. ok is false unless the deal holds the
// twenty cards once each.
func (d *Deal) Hands() (hands [Seats]Cards, ok bool) {
	var all Cards
	for s := range d {
		hands[s] = Of(d[s][:]...)
		all |= hands[s]
	}
	return hands, all == Deck // twenty that make up the pack are once each
}

// Cante is a king and knight of one suit, sung by a seat.
type Cante struct {
	Seat Seat
	Suit Suit
	// Points: 40 in trumps, 20 otherwise.
	Points uint8
	// Trick is the number of tricks that had been played when it was sung.
	Trick uint8
}

// Hand is what the table has seen of one hand, finished or not.
type Hand struct {
	// Bid is Pass if nobody bid, or nobody has yet.
	Bid Action
	// Bidder is NoSeat if nobody bid.
	Bidder Seat
	// Tricks taken, TrickCount of them.
	Tricks     [HandSize]Trick
	TrickCount uint8
	// Cantes sung, CanteCount of them.
	Cantes     [Suits]Cante
	CanteCount uint8
	// Points of each pair: cards taken, the last trick's 10, cantes.
	Points [2]uint16
	// TricksWon by each pair.
	TricksWon [2]uint8
	// Winner of the hand and the match points it took; NoPair and 0 while the
	// hand is open.
	Winner Pair
	Value  uint8
	// Score of the match after this hand, or so far while it is open.
	Score [2]uint16
}

const (
	lastTrickPoints = 10
	fortyPoints     = 40
	twentyPoints    = 20
)

// Match is a match's whole state, hidden cards included. It is a value: copying
// it copies the match. The zero Match is not playable, use [NewMatch].
type Match struct {
	rules    RuleSet
	phase    Phase
	turn     Seat
	winner   Pair
	finished uint16
	score    [2]uint16
	// shown counts the actions that everybody has seen, silent those that only
	// the seat itself has.
	shown  uint32
	silent [Seats]uint32
	// legal is kept up to date after each change: it is asked for more often than
	// the state changes.
	legal Actions

	dealer Seat
	trump  Card
	suit   Suit // of the trump
	held   [Seats]Cards
	out    Seat
	spoken uint8
	bids   [Seats]Action
	asked  uint8 // bit set of the seats asked since the last trick
	sung   uint8 // bit set of the suits sung in this hand
	table  Trick
	hand   Hand
}

// NewMatch is a match that waits for its first deal. The rule set must be valid.
func NewMatch(rs RuleSet) Match {
	return Match{
		rules: rs, phase: PhaseDeal, turn: NoSeat, winner: NoPair,
		dealer: NoSeat, trump: NoCard, out: NoSeat,
		table: NewTrick(NoSeat), hand: newHand([2]uint16{}),
	}
}

func newHand(score [2]uint16) Hand {
	return Hand{Bid: Pass, Bidder: NoSeat, Winner: NoPair, Score: score}
}

// Rules the match is played by.
func (m *Match) Rules() RuleSet { return m.rules }

// Phase the match is in.
func (m *Match) Phase() Phase { return m.phase }

// Turn is the seat that is to act; NoSeat between hands and at the end.
func (m *Match) Turn() Seat { return m.turn }

// Winner of the match, NoPair while it is open.
func (m *Match) Winner() Pair { return m.winner }

// Score of the match, by pair.
func (m *Match) Score() [2]uint16 { return m.score }

// HandsFinished counts the hands that have ended.
func (m *Match) HandsFinished() int { return int(m.finished) }

// Dealer of the hand in play or just ended, NoSeat before the first.
func (m *Match) Dealer() Seat { return m.dealer }

// Trump is the card that the dealer shows, NoCard before the first hand.
func (m *Match) Trump() Card { return m.trump }

// Held is what a seat holds now. It is not for that seat's opponents: see
// [Match.View].
func (m *Match) Held(s Seat) Cards {
	if s >= Seats {
		return 0
	}
	return m.held[s]
}

// SitsOut is the seat that takes no part because its partner bid, or NoSeat.
func (m *Match) SitsOut() Seat { return m.out }

// Hand is the hand in play, or the last one until the next is dealt.
func (m *Match) Hand() *Hand { return &m.hand }

// Seen counts the actions that a viewer has been shown. It is the number that
// View carries as Seq.
func (m *Match) Seen(viewer Seat) int { return int(m.seen(viewer)) }

func (m *Match) seen(viewer Seat) uint32 {
	if viewer < Seats {
		return m.shown + m.silent[viewer]
	}
	return m.shown
}

// Deal starts the next hand. Refused with MatchOver, HandUnfinished, BadDealer
// (the deal moves one seat on after each hand) or BadDeal.
func (m *Match) Deal(dealer Seat, deal *Deal, trump Card) Reason {
	switch {
	case m.phase == PhaseMatchOver:
		return MatchOver
	case m.phase != PhaseDeal:
		return HandUnfinished
	case dealer >= Seats, m.dealer != NoSeat && dealer != m.dealer.Next():
		return BadDealer
	}
	held, ok := deal.Hands()
	if !ok || !held[dealer].Has(trump) {
		return BadDeal
	}
	m.dealer, m.trump, m.suit, m.held = dealer, trump, trump.Suit(), held
	m.out, m.spoken, m.bids = NoSeat, 0, [Seats]Action{}
	m.asked, m.sung = 0, 0
	m.hand = newHand(m.score)
	m.phase, m.turn = PhaseBid, dealer.Next()
	m.table.open(m.turn)
	m.legal = m.allowed()
	return OK
}

// Legal is everything that the seat whose turn it is may do.
func (m *Match) Legal() Actions { return m.legal }

func (m *Match) allowed() Actions {
	if m.turn >= Seats {
		return 0
	}
	switch m.phase {
	case PhasePlay:
		if m.table.Count == 0 {
			return Actions(m.held[m.turn])
		}
		return Actions(m.rules.Playable(m.suit, m.turn, &m.table, m.held[m.turn]))
	case PhaseBid:
		legal := one(Pass)
		for a := m.hand.Bid + 1; a <= Quintola; a++ {
			if m.whyNotBid(a) == OK {
				legal |= one(a)
			}
		}
		return legal
	case PhaseSing:
		return one(Silent) | Actions(m.singable(m.turn))<<SingOros
	}
	return 0
}

// Check says why an action is refused, or OK. With NoSeat the caller vouches
// for the seat: the action is taken for that of the seat whose turn it is.
func (m *Match) Check(s Seat, a Action) Reason {
	switch {
	case m.permits(s, a):
		return OK
	case m.phase == PhaseMatchOver:
		return MatchOver
	case m.phase == PhaseDeal:
		return HandOver
	case s != m.turn && s != NoSeat:
		return NotYourTurn
	case a.phase() != m.phase:
		return WrongPhase
	}
	switch m.phase {
	case PhaseBid:
		return m.whyNotBid(a)
	case PhaseSing:
		return CanteNotAvailable
	}
	return m.rules.whyNotPlayable(Card(a), m.suit, &m.table, m.held[m.turn])
}

// permits is Check == OK; nothing is legal while no seat is to act.
func (m *Match) permits(s Seat, a Action) bool {
	return m.legal.Has(a) && (s == m.turn || s == NoSeat)
}

// Apply does an action, or refuses it and changes nothing. See [Match.Check].
func (m *Match) Apply(s Seat, a Action) Reason {
	if !m.permits(s, a) {
		return m.Check(s, a)
	}
	m.shown++
	switch m.phase {
	case PhasePlay:
		m.play(Card(a))
	case PhaseBid:
		m.applyBid(a)
	case PhaseSing:
		if suit, sings := a.Suit(); sings {
			m.sing(m.turn, suit)
			m.toLead()
			break
		}
		// That a seat keeps silent would tell the others that it holds a king and
		// its knight, so only that seat sees it.
		m.shown--
		m.silent[m.turn]++
		m.asked |= 1 << m.turn
		m.askToSing()
	}
	if m.phase == PhasePlay { // the most frequent by far, so by the shortest way
		m.legal = m.playable()
	} else {
		m.legal = m.allowed()
	}
	return OK
}

func (m *Match) playable() Actions {
	return Actions(m.rules.Playable(m.suit, m.turn, &m.table, m.held[m.turn]))
}

func (m *Match) whyNotBid(a Action) Reason {
	bid := m.rules.bid(a)
	switch {
	case a == Pass:
		return OK
	case bid.Value == 0:
		return BidNotInRules
	case a <= m.hand.Bid:
		return BidTooLow
	case m.rules.ExactTarget && m.rules.End == EndPoints &&
		m.score[m.turn.Pair()]+uint16(bid.Value) > uint16(m.rules.Target):
		return BidPastTarget
	}
	return OK
}

func (m *Match) applyBid(a Action) {
	m.bids[m.spoken] = a
	m.spoken++
	if a != Pass {
		m.hand.Bid, m.hand.Bidder = a, m.turn
	}
	if m.spoken < Seats && (a == Pass || m.rules.Raising && a != m.rules.highestBid()) {
		m.turn = m.turn.Next()
		return
	}
	lead := m.dealer.Next()
	if bidder := m.hand.Bidder; bidder != NoSeat {
		m.out = bidder.Partner()
		switch {
		case m.rules.BidderLeads:
			lead = bidder
		case lead == m.out:
			lead = lead.Next()
		}
	}
	m.table.open(lead)
	m.toLead()
}

// toLead gives the turn to the seat that opens the next trick.
func (m *Match) toLead() { m.phase, m.turn = PhasePlay, m.table.Lead }

func (m *Match) play(c Card) {
	turn := m.turn
	m.held[turn] = m.held[turn].Without(c)
	m.table.Add(turn, c, m.suit)
	active := uint8(Seats)
	if m.out != NoSeat {
		active--
	}
	if m.table.Count < active {
		m.turn = nextActive(turn, m.out)
		return
	}
	m.takeTrick()
}

func (m *Match) takeTrick() {
	h := &m.hand
	winner := m.table.Winner
	pair := winner.Pair()
	h.Tricks[h.TrickCount] = m.table
	h.TrickCount++
	h.TricksWon[pair]++
	h.Points[pair] += uint16(m.table.Points())
	m.table.open(winner)

	if h.TrickCount == HandSize {
		h.Points[pair] += lastTrickPoints
		m.endHand()
		return
	}
	needs := m.rules.bid(h.Bid).Needs
	if needs > 0 {
		if m.rules.StopWhenLost && h.TricksWon[h.Bidder.Pair()]+HandSize-h.TrickCount < needs {
			m.endHand()
			return
		}
		m.toLead()
		return
	}
	m.asked = 0
	m.askToSing()
}

// askToSing gives the turn to the next seat that is asked whether it sings, or
// to the leader when there is none; with automatic cantes it sings for the
// first that can.
func (m *Match) askToSing() {
	s := m.nextSinger()
	if s == NoSeat {
		m.toLead()
		return
	}
	if m.rules.Cantes == CantesAuto {
		suits := m.singable(s)
		for suit := Oros; suit < Suits; suit++ {
			if suits>>suit&1 != 0 {
				m.sing(s, suit)
				break
			}
		}
		m.toLead()
		return
	}
	m.phase, m.turn = PhaseSing, s
}

// nextSinger is the next seat of the pair that won the trick with something to
// sing that has not been asked: first a holder of an obligatory forty, then the
// trick's winner, then the partner.
func (m *Match) nextSinger() Seat {
	next := NoSeat
	for _, s := range [2]Seat{m.table.Lead.Partner(), m.table.Lead} {
		suits := m.singable(s)
		if suits == 0 || m.asked>>s&1 != 0 {
			continue
		}
		if m.rules.FortyFirst && suits>>m.suit&1 != 0 {
			return s
		}
		next = s // the winner, looked at last, comes before the partner
	}
	return next
}

// singable is the bit set of the suits that a seat of the pair that won the
// last trick may sing.
func (m *Match) singable(s Seat) uint8 {
	held := m.held[s]
	const kingsAndKnights Cards = 0x6 | 0x6<<Ranks | 0x6<<(2*Ranks) | 0x6<<(3*Ranks)
	if (held&kingsAndKnights)&((held&kingsAndKnights)>>1) == 0 || s == m.out || m.canteLimitReached(s.Pair()) {
		return 0
	}
	var suits uint8
	for suit := Oros; suit < Suits; suit++ {
		if pair := marriage(suit); held&pair == pair && m.sung>>suit&1 == 0 {
			suits |= 1 << suit
		}
	}
	if forty := uint8(1) << m.suit; m.rules.FortyFirst && suits&forty != 0 {
		return forty
	}
	return suits
}

func (m *Match) canteLimitReached(p Pair) bool {
	if m.hand.CanteCount == Suits { // with suits unsung: a view supposes it that no match shows
		return true
	}
	if m.rules.MaxCantes == None {
		return false
	}
	sung := int8(0)
	for _, c := range m.hand.Cantes[:m.hand.CanteCount] {
		if c.Seat.Pair() == p {
			sung++
		}
	}
	return sung >= m.rules.MaxCantes
}

func (m *Match) sing(s Seat, suit Suit) {
	h := &m.hand
	points := uint8(twentyPoints)
	if suit == m.suit {
		points = fortyPoints
	}
	h.Cantes[h.CanteCount] = Cante{Seat: s, Suit: suit, Points: points, Trick: h.TrickCount}
	h.CanteCount++
	h.Points[s.Pair()] += uint16(points)
	m.sung |= 1 << suit
}

func (m *Match) endHand() {
	h := &m.hand
	bid := m.rules.bid(h.Bid)
	switch {
	case bid.Needs > 0:
		h.Winner, h.Value = h.Bidder.Pair(), bid.Value
		if h.TricksWon[h.Winner] < bid.Needs {
			h.Winner = h.Winner.Other()
		}
	default:
		h.Winner = m.morePoints()
		h.Value = bid.Value
		if h.Bid == Pass {
			h.Value = 1
			if m.rules.BonusAbove != None && int16(h.Points[h.Winner]) > m.rules.BonusAbove {
				h.Value = 2
			}
		}
	}
	m.score[h.Winner] += uint16(h.Value)
	h.Score = m.score
	m.finished++
	m.phase, m.turn = PhaseDeal, NoSeat
	if m.decided() {
		m.phase = PhaseMatchOver
		m.winner = 0
		if m.score[1] > m.score[0] {
			m.winner = 1
		}
	}
}

func (m *Match) morePoints() Pair {
	h := &m.hand
	switch {
	case h.Points[0] > h.Points[1]:
		return 0
	case h.Points[1] > h.Points[0]:
		return 1
	case m.rules.Tie == TieLastTrick:
		return h.Tricks[h.TrickCount-1].Winner.Pair()
	default:
		return m.dealer.Next().Pair()
	}
}

func (m *Match) decided() bool {
	target := uint16(m.rules.Target)
	if m.rules.End == EndHands {
		return m.finished >= target && m.score[0] != m.score[1]
	}
	return m.score[0] >= target || m.score[1] >= target
}
