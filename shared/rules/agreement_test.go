package rules_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// The rules and their second, plain implementation say the same of whole random
// matches, of every action in every state.
func TestAgreesWithSecondImplementation(t *testing.T) {
	eachRuleSet(t, 1500, func(t *testing.T, r *rand.Rand, rs rules.RuleSet) {
		matches := 1
		if rs == rs.Preset.Rules() {
			matches = 150
		}
		for range matches {
			compareMatch(t, r, rs)
		}
	})
}

func compareMatch(t *testing.T, r *rand.Rand, rs rules.RuleSet) {
	t.Helper()
	m := rules.NewMatch(rs)
	second := newSecondMatch(secondRulesOf(rs))
	where := "before the first hand"
	fail := func(what string, got, want any) {
		t.Helper()
		t.Fatalf("%+v\n%s: %s is %v, want %v", rs, where, what, got, want)
	}
	for step := 0; ; step++ {
		if got := m.Phase().String(); got != second.phase {
			fail("phase", got, second.phase)
		}
		if turn := int(int8(m.Turn())); turn != second.turn {
			fail("turn", turn, second.turn)
		}
		for _, a := range allActions() {
			if got, want := m.Check(rules.NoSeat, a).String(), second.why(a.String()); got != want {
				fail("reason against "+a.String(), got, want)
			}
		}
		if got, want := text(m.Legal()), fmt.Sprint(second.legal()); "["+got+"]" != want {
			fail("legal", got, want)
		}
		if score := m.Score(); [2]int{int(score[0]), int(score[1])} != second.score {
			fail("score", score, second.score)
		}
		if winner := int(int8(m.Winner())); winner != second.winner {
			fail("winner", winner, second.winner)
		}
		switch m.Phase() {
		case rules.PhaseMatchOver, rules.PhaseDeal:
			if n := m.HandsFinished(); n != len(second.finished) {
				fail("number of hands", n, len(second.finished))
			} else if n > 0 {
				got, want := handOf(m.Hand()), fmt.Sprint(second.finished[n-1])
				if got != want {
					fail("hand", got, want)
				}
			}
			if m.Phase() == rules.PhaseMatchOver {
				return
			}
			rec := dealNext(r, &m)
			var held [4][]string
			for s := range rec.Deal {
				for _, c := range rec.Deal[s] {
					held[s] = append(held[s], c.String())
				}
			}
			second.deal(int(rec.Dealer), held, rec.Trump.String())
			where = fmt.Sprintf("hand %d %v", m.HandsFinished(), rec)
		default:
			a := pick(r, &m)
			where += fmt.Sprintf(" %d:%v", m.Turn(), a)
			m.Apply(m.Turn(), a)
			second.apply(a.String())
		}
	}
}

// handOf translates a finished hand for comparison with a secondHand.
func handOf(h *rules.Hand) string {
	second := secondHand{
		bid: h.Bid.String(), bidder: int(int8(h.Bidder)),
		won:    [2]int{int(h.TricksWon[0]), int(h.TricksWon[1])},
		points: [2]int{int(h.Points[0]), int(h.Points[1])},
		winner: int(h.Winner), value: int(h.Value), score: [2]int{int(h.Score[0]), int(h.Score[1])},
	}
	out := rules.NoSeat
	if h.Bidder != rules.NoSeat {
		out = h.Bidder.Partner()
	}
	for _, trick := range h.Tricks[:h.TrickCount] {
		var plays []secondPlay
		for i, c := range trick.Cards[:trick.Count] {
			plays = append(plays, secondPlay{int(rules.SeatOf(trick.Lead, out, i)), c.String()})
		}
		second.tricks = append(second.tricks, secondTrick{plays, int(trick.Winner)})
	}
	for _, c := range h.Cantes[:h.CanteCount] {
		second.cantes = append(second.cantes, secondCante{int(c.Seat), c.Suit.String(), int(c.Points), int(c.Trick)})
	}
	return fmt.Sprint(second)
}

// What may be played is the same in random positions, among them such as play
// from a deal reaches seldom or never.
func TestPlayableAgreesWithSecondImplementation(t *testing.T) {
	r := dice(7)
	for range 60_000 {
		rs := randomRules(r)
		second := newSecondMatch(secondRulesOf(rs))
		second.phase = "play"
		deck := shuffled(r)
		trump := rules.Suit(r.IntN(rules.Suits))
		second.trump = trump.String()

		count := r.IntN(rules.Seats)
		lead := rules.Seat(r.IntN(rules.Seats))
		out := rules.NoSeat
		if count < 3 && r.IntN(3) == 0 {
			out = (lead + 1 + rules.Seat(r.IntN(3))) & 3
		}
		table := rules.NewTrick(lead)
		for i := range count {
			s := rules.SeatOf(lead, out, i)
			table.Add(s, deck[i], trump)
			second.table = append(second.table, secondPlay{int(s), deck[i].String()})
		}
		seat := rules.SeatOf(lead, out, count)
		hand := rules.Of(deck[10 : 10+r.IntN(rules.HandSize+1)]...)
		second.turn = int(seat)
		for _, a := range list(rules.Actions(hand)) {
			second.held[seat] = append(second.held[seat], a.String())
		}
		var want []string
		for _, c := range second.held[seat] {
			if second.why(c) == "ok" {
				want = append(want, c)
			}
		}
		got := text(rules.Actions(rs.Playable(trump, seat, &table, hand)))
		if "["+got+"]" != fmt.Sprint(want) {
			t.Fatalf("%+v\ntrump %v, table %v, hand %v of seat %d: playable [%s], want %v",
				rs, trump, second.table, second.held[seat], seat, got, want)
		}
		if len(second.held[seat]) > 0 && got == "" {
			t.Fatalf("a hand with no card to play: %v", second.held[seat])
		}
	}
}

// The presets hold what the rules' table says.
func TestPresets(t *testing.T) {
	for _, p := range rules.Presets() {
		rs := p.Rules()
		got, want := secondRulesOf(rs), secondPreset(p.String())
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v is\n%+v, want\n%+v", p, got, want)
		}
		var bids []secondBid
		for i, b := range rs.Bids {
			if b.Value > 0 {
				bids = append(bids, secondBid{(rules.Solo + rules.Action(i)).String(), int(b.Needs), int(b.Value)})
			}
		}
		if !slices.Equal(bids, want.bids) {
			t.Errorf("%v has the bids %v, want %v", p, bids, want.bids)
		}
		if err := rs.Validate(); err != nil {
			t.Errorf("%v: %v", p, err)
		}
	}
}
