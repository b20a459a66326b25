package loadgen

import (
	"fmt"
	"math/bits"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// watch holds what a table's four seats are told against the rules. The four
// together know all cards, so it plays the match beside the server, from the first
// deal on, and every view has to be the one that the rules give that seat.
type watch struct {
	m     rules.Match
	seeds int
	// lost: too few views came with a deal to know it. The rest of the match is not
	// checked.
	lost bool
}

func newWatch(rs rules.RuleSet) *watch { return &watch{m: rules.NewMatch(rs)} }

// follow takes the next event and what views came with it, and says how many of them
// it has checked, and what is wrong.
func (w *watch) follow(e event, views *[rules.Seats]*view) (checked int, wrong error) {
	if w.lost {
		return 0, nil
	}
	switch e.kind {
	case "seed":
		w.seeds++
	case "act":
		if reason := w.m.Apply(rules.Seat(e.seat), rules.ParseAction(e.action)); reason != rules.OK {
			w.lost = true
			return 0, fmt.Errorf("seat %d's %s is against the rules: %s", e.seat, e.action, reason)
		}
	default: // given up
		w.lost = true
		return 0, nil
	}
	if w.m.Phase() == rules.PhaseDeal && w.seeds == rules.Seats {
		if known, err := w.deal(views); err != nil || !known {
			w.lost = true
			return 0, err
		}
	}
	for s, v := range views {
		if v == nil {
			continue
		}
		checked++
		if err := w.compare(rules.Seat(s), v); err != nil {
			return checked, fmt.Errorf("seat %d's view behind event %d: %w", s, v.seq, err)
		}
	}
	return checked, nil
}

// deal deals what the views show.
func (w *watch) deal(views *[rules.Seats]*view) (known bool, err error) {
	var held [rules.Seats]rules.Cards
	var shown *view
	hidden, all := -1, rules.Cards(0)
	for s, v := range views {
		switch {
		case v != nil:
			held[s], shown = v.cards, v
			all |= v.cards
		case hidden >= 0:
			return false, nil
		default:
			hidden = s
		}
	}
	if hidden >= 0 {
		held[hidden] = rules.Deck &^ all
	}
	var deal rules.Deal
	for s, cards := range held {
		if bits.OnesCount32(uint32(cards)) != rules.HandSize {
			return false, fmt.Errorf("seat %d is dealt %d cards", s, bits.OnesCount32(uint32(cards)))
		}
		for i := range deal[s] {
			deal[s][i] = cards.First()
			cards = cards.Without(cards.First())
		}
	}
	if reason := w.m.Deal(rules.Seat(shown.dealer), &deal, shown.trump); reason != rules.OK {
		return false, fmt.Errorf("the deal is against the rules: %s", reason)
	}
	return true, nil
}

// compare says how a view differs from what the rules give that seat.
func (w *watch) compare(s rules.Seat, v *view) error {
	if v.unreadable != "" {
		return fmt.Errorf("%s cannot be read", v.unreadable)
	}
	var want rules.View
	w.m.View(s, &want)
	phase, turn, dealer := want.Phase.String(), int(want.Turn), int(want.Dealer)
	if want.Phase == rules.PhaseDeal {
		phase = "seeds"
	}
	if want.Turn >= rules.Seats {
		turn = -1
	}
	if want.Dealer >= rules.Seats {
		dealer = -1
	}
	var legal rules.Actions
	for _, a := range v.legal {
		if action := rules.ParseAction(a); want.Legal.Has(action) {
			legal |= 1 << action
		} else {
			return fmt.Errorf("%s is not allowed by the rules", a)
		}
	}
	switch {
	case v.phase != phase:
		return fmt.Errorf("phase %s instead of %s", v.phase, phase)
	case phase == "seeds": // whose turn it is says nothing before the deal
	case v.turn != turn:
		return fmt.Errorf("turn %d instead of %d", v.turn, turn)
	case legal != want.Legal:
		return fmt.Errorf("%v may be played, by the rules %d actions", v.legal, want.Legal.Len())
	case v.cards != want.Cards:
		return fmt.Errorf("its cards are not those that it holds")
	case v.trump != want.Trump || v.dealer != dealer:
		return fmt.Errorf("trump or dealer are not those of the deal")
	case v.score != [2]int{int(want.Score[0]), int(want.Score[1])}:
		return fmt.Errorf("score %v instead of %v", v.score, want.Score)
	case len(v.table) != int(want.Table.Count):
		return fmt.Errorf("%d cards on the table instead of %d", len(v.table), want.Table.Count)
	}
	for i, c := range want.Table.Cards[:want.Table.Count] {
		if v.table[i] != c.String() {
			return fmt.Errorf("%s on the table instead of %s", v.table[i], c)
		}
	}
	return nil
}
