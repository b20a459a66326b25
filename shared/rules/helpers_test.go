package rules_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// dice are repeatable: a test that fails, fails again.
func dice(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 20)) }

// allActions is every action there is, unknown ones and nonsense included.
func allActions() []rules.Action {
	var all []rules.Action
	for a := rules.Action(0); a <= rules.Silent+2; a++ {
		all = append(all, a)
	}
	return append(all, 128, rules.UnknownCante, rules.UnknownCard, 255)
}

// allSeats is everyone who may be named as the one that acts: the seats, nobody,
// and seats that do not exist.
func allSeats() []rules.Seat { return []rules.Seat{0, 1, 2, 3, rules.Spectator, 100, rules.NoSeat} }

// list is a set of actions in its stable order.
func list(as rules.Actions) []rules.Action {
	var l []rules.Action
	for ; as != 0; as = as.Rest() {
		a, _ := as.First()
		l = append(l, a)
	}
	return l
}

// text is a set of actions in its stable order, as records write them.
func text(as rules.Actions) string {
	var l []string
	for _, a := range list(as) {
		l = append(l, a.String())
	}
	return strings.Join(l, " ")
}

// cards reads cards as "RE SC".
func cards(t testing.TB, texts string) []rules.Card {
	t.Helper()
	var l []rules.Card
	for _, f := range strings.Fields(texts) {
		c, ok := rules.ParseCard(f)
		if !ok {
			t.Fatalf("%q is no card", f)
		}
		l = append(l, c)
	}
	return l
}

func shuffled(r *rand.Rand) (deck [rules.DeckSize]rules.Card) {
	for i, c := range r.Perm(rules.DeckSize) {
		deck[i] = rules.Card(c)
	}
	return deck
}

func randomDeal(r *rand.Rand) (deal rules.Deal) {
	for i, c := range shuffled(r) {
		deal[i/rules.HandSize][i%rules.HandSize] = c
	}
	return deal
}

// dealNext deals a random hand to a match that waits for one.
func dealNext(r *rand.Rand, m *rules.Match) rules.HandRecord {
	dealer := rules.Seat(r.IntN(rules.Seats))
	if m.Dealer() != rules.NoSeat {
		dealer = m.Dealer().Next()
	}
	rec := rules.HandRecord{Dealer: dealer, Deal: randomDeal(r)}
	rec.Trump = rec.Deal[dealer][r.IntN(rules.HandSize)]
	if why := m.Deal(rec.Dealer, &rec.Deal, rec.Trump); why != rules.OK {
		panic("deal refused: " + why.String())
	}
	return rec
}

// pick is a random legal action. It passes more often than not, since hands that
// somebody bids are the shorter and, for cantes, the duller ones.
func pick(r *rand.Rand, m *rules.Match) rules.Action {
	legal := m.Legal()
	if m.Phase() == rules.PhaseBid && r.IntN(4) > 0 {
		return rules.Pass
	}
	return legal.Nth(r.IntN(legal.Len()))
}

// randomMatch plays a random match to its end and shows each state to visit:
// before every deal and action, and at the end.
func randomMatch(r *rand.Rand, rs rules.RuleSet, visit func(*rules.Match)) (rules.Match, []rules.HandRecord) {
	m := rules.NewMatch(rs)
	var hands []rules.HandRecord
	for m.Phase() != rules.PhaseMatchOver {
		visit(&m)
		rec := dealNext(r, &m)
		for m.Turn() != rules.NoSeat {
			visit(&m)
			a := pick(r, &m)
			if why := m.Apply(m.Turn(), a); why != rules.OK {
				panic("legal action refused: " + why.String())
			}
			rec.Actions = append(rec.Actions, a)
		}
		hands = append(hands, rec)
	}
	visit(&m)
	return m, hands
}

// randomRules is a rule set with every option drawn at random.
func randomRules(r *rand.Rand) rules.RuleSet {
	rs := rules.Presets()[r.IntN(len(rules.Presets()))].Rules()
	flag := func() bool { return r.IntN(2) == 0 }
	rs.End = rules.End(r.IntN(2))
	rs.Target = uint8(1 + r.IntN(12))
	rs.ExactTarget = flag()
	rs.BonusAbove = []int16{rules.None, 0, 60, 64, 65, 66, 100, 250}[r.IntN(8)]
	rs.Tie = rules.Tie(r.IntN(2))
	rs.Cantes = rules.Cantes(r.IntN(2))
	rs.MaxCantes = int8(r.IntN(6)) - 1
	rs.FortyFirst = flag()
	rs.Beat = rules.Beat(r.IntN(2))
	rs.StopWhenLost = flag()
	rs.Undertrump = rules.Undertrump(r.IntN(2))
	rs.PartnerExempt = flag()
	rs.Raising = flag()
	rs.BidderLeads = flag()
	return rs
}

// eachRuleSet runs f for every preset and for n random house rules.
func eachRuleSet(t *testing.T, n int, f func(t *testing.T, r *rand.Rand, rs rules.RuleSet)) {
	for _, p := range rules.Presets() {
		t.Run(p.String(), func(t *testing.T) { f(t, dice(uint64(p)), p.Rules()) })
	}
	t.Run("house rules", func(t *testing.T) {
		for i := range n {
			r := dice(uint64(100 + i))
			f(t, r, randomRules(r))
		}
	})
}

// table deals a hand and plays the actions given: "pass solo AO …". hands are the
// cards of seats 0 to 3, between slashes; a hand of fewer than five is filled up
// with what is left.
func table(t testing.TB, rs rules.RuleSet, dealer rules.Seat, hands, trump, actions string) rules.Match {
	t.Helper()
	m := rules.NewMatch(rs)
	deal := fill(t, hands)
	if why := m.Deal(dealer, &deal, cards(t, trump)[0]); why != rules.OK {
		t.Fatalf("deal refused: %v", why)
	}
	act(t, &m, actions)
	return m
}

func fill(t testing.TB, hands string) (deal rules.Deal) {
	t.Helper()
	left := rules.Deck
	parts := strings.Split(hands, "/")
	for _, part := range parts {
		left &^= rules.Of(cards(t, part)...)
	}
	for s := range deal {
		hand := []rules.Card{}
		if s < len(parts) {
			hand = cards(t, parts[s])
		}
		for len(hand) < rules.HandSize {
			hand = append(hand, left.First())
			left = left.Without(left.First())
		}
		copy(deal[s][:], hand)
	}
	return deal
}

// act does the actions one by one; none may be refused.
func act(t testing.TB, m *rules.Match, actions string) {
	t.Helper()
	for _, f := range strings.Fields(actions) {
		if why := m.Apply(m.Turn(), rules.ParseAction(f)); why != rules.OK {
			t.Fatalf("%s by seat %d refused: %v", f, m.Turn(), why)
		}
	}
}

// refuses checks that the seat whose turn it is may not do something, and why.
func refuses(t testing.TB, m *rules.Match, action string, want rules.Reason) {
	t.Helper()
	before := *m
	if why := m.Apply(m.Turn(), rules.ParseAction(action)); why != want {
		t.Errorf("%s: %v, want %v", action, why, want)
	}
	if *m != before {
		t.Errorf("%s was refused and changed the match", action)
	}
}

// expects checks who is to act and what that seat may do.
func expects(t testing.TB, m *rules.Match, phase rules.Phase, turn rules.Seat, legal string) {
	t.Helper()
	if m.Phase() != phase || m.Turn() != turn || text(m.Legal()) != legal {
		t.Errorf("%v of seat %d: %s; want %v of seat %d: %s",
			m.Phase(), m.Turn(), text(m.Legal()), phase, turn, legal)
	}
}

// with is a preset with some options changed.
func with(p rules.Preset, change func(*rules.RuleSet)) rules.RuleSet {
	rs := p.Rules()
	change(&rs)
	return rs
}
