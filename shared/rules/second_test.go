package rules_test

import (
	"math"
	"slices"
	"strings"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// This file is a second implementation of the rules, to hold the first one to. It
// follows the rules' text sentence by sentence, as plainly as can be and with no
// thought of speed: cards are texts, hands are lists, and every question is
// answered by walking them.

// unlimited stands for an option that is null.
const unlimited = math.MaxInt

type secondBid struct {
	name   string
	tricks int // 0: on points
	value  int
}

// secondRules are the options by the names and values that house rules use.
type secondRules struct {
	bids                             []secondBid
	end                              string
	target                           int
	exactTarget                      bool
	bonusAbove                       int
	tie                              string
	cantes                           string
	maxCantes                        int
	fortyFirst                       bool
	beat                             string
	stopWhenLost                     bool
	undertrump                       string
	partnerExempt, raise, bidderLead bool
}

// secondPreset is the table of presets.
func secondPreset(name string) secondRules {
	switch name {
	case "clasica":
		return secondRules{
			bids: []secondBid{{"solo", 0, 2}, {"cuatrola", 4, 4}, {"quintola", 5, 5}},
			end:  "points", target: 11, exactTarget: true, bonusAbove: unlimited, tie: "mano",
			cantes: "declare", maxCantes: unlimited, fortyFirst: false,
			beat: "led", stopWhenLost: false,
			undertrump: "free", partnerExempt: false, raise: true, bidderLead: false,
		}
	case "mesa":
		return secondRules{
			bids: []secondBid{{"solo", 0, 2}, {"cuatrola", 5, 4}},
			end:  "hands", target: 11, exactTarget: false, bonusAbove: unlimited, tie: "mano",
			cantes: "auto", maxCantes: unlimited, fortyFirst: true,
			beat: "best", stopWhenLost: false,
			undertrump: "free", partnerExempt: false, raise: true, bidderLead: false,
		}
	case "mesa-quintola":
		o := secondPreset("mesa")
		o.bids = secondPreset("clasica").bids
		return o
	case "liga":
		return secondRules{
			bids: []secondBid{{"solo", 3, 2}, {"cuatrola", 4, 4}, {"quintola", 5, 5}},
			end:  "points", target: 21, exactTarget: true, bonusAbove: 100, tie: "lastTrick",
			cantes: "declare", maxCantes: 2, fortyFirst: true,
			beat: "best", stopWhenLost: true,
			undertrump: "free", partnerExempt: false, raise: true, bidderLead: false,
		}
	}
	panic("no preset " + name)
}

// secondRulesOf translates a rule set. The presets' own values are compared in
// TestPresets, so that this does not hide a wrong table.
func secondRulesOf(rs rules.RuleSet) secondRules {
	orUnlimited := func(n int) int {
		if n < 0 {
			return unlimited
		}
		return n
	}
	return secondRules{
		bids: secondPreset(rs.Preset.String()).bids,
		end:  rs.End.String(), target: int(rs.Target), exactTarget: rs.ExactTarget,
		bonusAbove: orUnlimited(int(rs.BonusAbove)), tie: rs.Tie.String(),
		cantes: rs.Cantes.String(), maxCantes: orUnlimited(int(rs.MaxCantes)), fortyFirst: rs.FortyFirst,
		beat: rs.Beat.String(), stopWhenLost: rs.StopWhenLost,
		undertrump: rs.Undertrump.String(), partnerExempt: rs.PartnerExempt,
		raise: rs.Raising, bidderLead: rs.BidderLeads,
	}
}

type secondPlay struct {
	seat int
	card string
}

type secondTrick struct {
	plays  []secondPlay
	winner int
}

type secondCante struct {
	seat          int
	suit          string
	points, trick int
}

type secondHand struct {
	bid           string
	bidder        int // -1: nobody
	tricks        []secondTrick
	cantes        []secondCante
	points, won   [2]int
	winner, value int
	score         [2]int
}

type secondMatch struct {
	o        secondRules
	finished []secondHand
	score    [2]int
	winner   int // -1: open

	phase  string // "deal", "bid", "play", "sing", "over"
	turn   int
	dealer int
	trump  string // a suit
	held   [4][]string
	bids   []string
	toSing []int // seats still to be asked
	table  []secondPlay
	hand   secondHand
}

func newSecondMatch(o secondRules) *secondMatch {
	return &secondMatch{o: o, winner: -1, phase: "deal", turn: -1}
}

func suitOf(card string) string       { return card[1:] }
func strengthOf(card string) int      { return strings.Index("SCR3A", card[:1]) }
func worthOf(card string) int         { return []int{2, 3, 4, 10, 11}[strengthOf(card)] }
func partnerOf(seat int) int          { return (seat + 2) % 4 }
func pairOf(seat int) int             { return seat % 2 }
func inPack(card string) bool         { return slices.Contains(pack, card) }
func ofSuit(c, s string) bool         { return suitOf(c) == s }
func beats(c, d string) bool          { return ofSuit(c, suitOf(d)) && strengthOf(c) > strengthOf(d) }
func without[T any](l []T, i int) []T { return slices.Delete(slices.Clone(l), i, i+1) }

var (
	pack = []string{
		"SO", "CO", "RO", "3O", "AO", "SC", "CC", "RC", "3C", "AC",
		"SE", "CE", "RE", "3E", "AE", "SB", "CB", "RB", "3B", "AB",
	}
	otherThanCards = []string{
		"pass", "solo", "cuatrola", "quintola", "sing:O", "sing:C", "sing:E", "sing:B", "silent",
	}
)

func (m *secondMatch) deal(dealer int, held [4][]string, shown string) {
	m.dealer, m.held, m.trump = dealer, held, suitOf(shown)
	m.bids, m.toSing, m.table = nil, nil, nil
	m.hand = secondHand{bid: "pass", bidder: -1}
	m.phase, m.turn = "bid", (dealer+1)%4
}

// sitsOut says that the seat's partner bid.
func (m *secondMatch) sitsOut(seat int) bool {
	return m.hand.bidder >= 0 && seat == partnerOf(m.hand.bidder)
}

func (m *secondMatch) nextActive(seat int) int {
	for {
		seat = (seat + 1) % 4
		if !m.sitsOut(seat) {
			return seat
		}
	}
}

func (m *secondMatch) bid(name string) (secondBid, int) {
	for i, b := range m.o.bids {
		if b.name == name {
			return b, i
		}
	}
	return secondBid{}, -1
}

// onPoints says that the hand is played for points: nobody bid, or the bid is.
func (m *secondMatch) onPoints() bool {
	b, _ := m.bid(m.hand.bid)
	return b.tricks == 0
}

// why is the reason for refusing an action of the seat whose turn it is.
func (m *secondMatch) why(action string) string {
	isBid := slices.Contains([]string{"pass", "solo", "cuatrola", "quintola"}, action)
	isCante := action == "silent" || strings.HasPrefix(action, "sing:")
	switch {
	case m.phase == "over":
		return "match_over"
	case m.phase == "deal":
		return "hand_over"
	case isBid != (m.phase == "bid"), isCante != (m.phase == "sing"):
		return "wrong_phase"
	case isBid:
		return m.whyNotBid(action)
	case isCante:
		if action == "silent" || slices.Contains(m.maySing(m.turn), strings.TrimPrefix(action, "sing:")) {
			return "ok"
		}
		return "cante_not_available"
	}
	return m.whyNotCard(action)
}

func (m *secondMatch) whyNotBid(name string) string {
	if name == "pass" {
		return "ok"
	}
	b, rank := m.bid(name)
	if rank < 0 {
		return "bid_not_in_rules"
	}
	if _, highest := m.bid(m.hand.bid); rank <= highest {
		return "bid_too_low"
	}
	if m.o.exactTarget && m.o.end == "points" && m.score[pairOf(m.turn)]+b.value > m.o.target {
		return "bid_past_target"
	}
	return "ok"
}

// winning is the play that wins the table's trick so far.
func (m *secondMatch) winning() secondPlay {
	best := m.table[0]
	for _, p := range m.table[1:] {
		if beats(p.card, best.card) || ofSuit(p.card, m.trump) && !ofSuit(best.card, m.trump) {
			best = p
		}
	}
	return best
}

func (m *secondMatch) whyNotCard(card string) string {
	hand := m.held[m.turn]
	if !inPack(card) {
		return "unknown_card"
	}
	if !slices.Contains(hand, card) {
		return "card_not_in_hand"
	}
	if len(m.table) == 0 {
		return "ok"
	}
	led := m.table[0].card
	holds := func(is func(c string) bool) bool { return slices.ContainsFunc(hand, is) }
	trumpLead := ofSuit(led, m.trump)
	ruffed := !trumpLead && slices.ContainsFunc(m.table, func(p secondPlay) bool { return ofSuit(p.card, m.trump) })
	exempt := m.o.partnerExempt && m.winning().seat == partnerOf(m.turn)

	if holds(func(c string) bool { return ofSuit(c, suitOf(led)) }) {
		if !ofSuit(card, suitOf(led)) {
			return "must_follow"
		}
		if ruffed || exempt {
			return "ok"
		}
		due := led
		if m.o.beat == "best" {
			for _, p := range m.table {
				if beats(p.card, due) {
					due = p.card
				}
			}
		}
		if !beats(card, due) && holds(func(c string) bool { return beats(c, due) }) {
			return "must_beat"
		}
		return "ok"
	}
	if exempt || trumpLead {
		return "ok"
	}
	isTrump := func(c string) bool { return ofSuit(c, m.trump) }
	if !ruffed {
		if holds(isTrump) && !isTrump(card) {
			return "must_trump"
		}
		return "ok"
	}
	ruff := m.winning().card
	if holds(func(c string) bool { return beats(c, ruff) }) {
		if !beats(card, ruff) {
			return "must_overtrump"
		}
		return "ok"
	}
	if m.o.undertrump == "forced" && holds(isTrump) && !isTrump(card) {
		return "must_trump"
	}
	return "ok"
}

// maySing is the suits that the seat may sing, in the order O, C, E, B.
func (m *secondMatch) maySing(seat int) (suits []string) {
	already := 0
	for _, c := range m.hand.cantes {
		if pairOf(c.seat) == pairOf(seat) {
			already++
		}
	}
	if m.sitsOut(seat) || already >= m.o.maxCantes {
		return nil
	}
	for _, suit := range []string{"O", "C", "E", "B"} {
		sung := slices.ContainsFunc(m.hand.cantes, func(c secondCante) bool { return c.suit == suit })
		if slices.Contains(m.held[seat], "R"+suit) && slices.Contains(m.held[seat], "C"+suit) && !sung {
			suits = append(suits, suit)
		}
	}
	if m.o.fortyFirst && slices.Contains(suits, m.trump) {
		return []string{m.trump}
	}
	return suits
}

// legal is every legal action: cards by suit and strength, bids, cantes.
func (m *secondMatch) legal() (texts []string) {
	for _, a := range slices.Concat(pack, otherThanCards) {
		if m.why(a) == "ok" {
			texts = append(texts, a)
		}
	}
	return texts
}

func (m *secondMatch) apply(action string) {
	switch m.phase {
	case "bid":
		m.speak(action)
	case "play":
		m.playCard(action)
	case "sing":
		if action == "silent" {
			m.toSing = m.toSing[1:]
		} else {
			m.sing(m.turn, strings.TrimPrefix(action, "sing:"))
			m.toSing = nil
		}
		m.askOrLead()
	}
}

func (m *secondMatch) speak(name string) {
	m.bids = append(m.bids, name)
	over := len(m.bids) == 4
	if name != "pass" {
		m.hand.bid, m.hand.bidder = name, m.turn
		highest := m.o.bids[len(m.o.bids)-1].name
		over = over || name == highest || !m.o.raise
	}
	if !over {
		m.turn = (m.turn + 1) % 4
		return
	}
	m.phase, m.turn = "play", (m.dealer+1)%4
	if m.sitsOut(m.turn) {
		m.turn = m.nextActive(m.turn)
	}
	if m.o.bidderLead && m.hand.bidder >= 0 {
		m.turn = m.hand.bidder
	}
}

func (m *secondMatch) playCard(card string) {
	m.held[m.turn] = without(m.held[m.turn], slices.Index(m.held[m.turn], card))
	m.table = append(m.table, secondPlay{m.turn, card})
	active := 4
	if m.hand.bidder >= 0 {
		active = 3
	}
	if len(m.table) < active {
		m.turn = m.nextActive(m.turn)
		return
	}

	winner := m.winning().seat
	m.hand.tricks = append(m.hand.tricks, secondTrick{m.table, winner})
	m.hand.won[pairOf(winner)]++
	for _, p := range m.table {
		m.hand.points[pairOf(winner)] += worthOf(p.card)
	}
	m.table = nil
	m.turn = winner
	played := len(m.hand.tricks)
	if played == 5 {
		m.hand.points[pairOf(winner)] += 10
		m.finish()
		return
	}
	if b, _ := m.bid(m.hand.bid); m.o.stopWhenLost && b.tricks > 0 && m.hand.won[pairOf(m.hand.bidder)]+5-played < b.tricks {
		m.finish()
		return
	}
	m.toSing = nil
	if m.onPoints() {
		m.toSing = m.singers(winner)
	}
	if m.o.cantes == "auto" && len(m.toSing) > 0 {
		m.sing(m.toSing[0], m.maySing(m.toSing[0])[0])
		m.toSing = nil
	}
	m.askOrLead()
}

// singers is who is asked after a trick, in order.
func (m *secondMatch) singers(winner int) (order []int) {
	seats := []int{winner, partnerOf(winner)}
	if m.o.fortyFirst && slices.Contains(m.maySing(seats[1]), m.trump) {
		slices.Reverse(seats) // only one seat can hold the forty
	}
	for _, s := range seats {
		if len(m.maySing(s)) > 0 {
			order = append(order, s)
		}
	}
	return order
}

func (m *secondMatch) sing(seat int, suit string) {
	points := 20
	if suit == m.trump {
		points = 40
	}
	m.hand.cantes = append(m.hand.cantes, secondCante{seat, suit, points, len(m.hand.tricks)})
	m.hand.points[pairOf(seat)] += points
}

func (m *secondMatch) askOrLead() {
	if len(m.toSing) > 0 {
		m.phase, m.turn = "sing", m.toSing[0]
		return
	}
	m.phase, m.turn = "play", m.hand.tricks[len(m.hand.tricks)-1].winner
}

func (m *secondMatch) finish() {
	h := &m.hand
	b, _ := m.bid(h.bid)
	if b.tricks > 0 {
		h.winner, h.value = pairOf(h.bidder), b.value
		if h.won[h.winner] < b.tricks {
			h.winner = 1 - h.winner
		}
	} else {
		switch {
		case h.points[0] > h.points[1]:
			h.winner = 0
		case h.points[1] > h.points[0]:
			h.winner = 1
		case m.o.tie == "lastTrick":
			h.winner = pairOf(h.tricks[4].winner)
		default:
			h.winner = pairOf((m.dealer + 1) % 4)
		}
		h.value = b.value
		if h.bidder < 0 {
			h.value = 1
			if h.points[h.winner] > m.o.bonusAbove {
				h.value = 2
			}
		}
	}
	m.score[h.winner] += h.value
	h.score = m.score
	m.finished = append(m.finished, *h)
	m.phase, m.turn = "deal", -1

	var over bool
	if m.o.end == "points" {
		over = m.score[h.winner] >= m.o.target
	} else {
		over = len(m.finished) >= m.o.target && m.score[0] != m.score[1]
	}
	if over {
		m.phase = "over"
		m.winner = 0
		if m.score[1] > m.score[0] {
			m.winner = 1
		}
	}
}
