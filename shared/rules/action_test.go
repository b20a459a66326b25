package rules_test

import (
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// The stable order of actions and their texts: cards by suit and strength, bids,
// cantes. Records, clients and the module's numbers depend on it.
const actionOrder = "SO CO RO 3O AO SC CC RC 3C AC SE CE RE 3E AE SB CB RB 3B AB " +
	"pass solo cuatrola quintola sing:O sing:C sing:E sing:B silent"

func TestActionOrder(t *testing.T) {
	if got := text(1<<29 - 1); got != actionOrder {
		t.Errorf("%s\nwant\n%s", got, actionOrder)
	}
	for i, name := range strings.Fields(actionOrder) {
		if a := rules.ParseAction(name); a != rules.Action(i) || a.String() != name {
			t.Errorf("%q is action %d (%v), want %d", name, a, a, i)
		}
	}
	all := rules.Actions(1<<29 - 1)
	for i := range all.Len() {
		if all.Nth(i) != rules.Action(i) {
			t.Errorf("action %d of all is %v", i, all.Nth(i))
		}
	}
}

func TestCards(t *testing.T) {
	points := 0
	for i, name := range strings.Fields(actionOrder)[:rules.DeckSize] {
		c, ok := rules.ParseCard(name)
		if !ok || c != rules.Card(i) || rules.NewCard(c.Rank(), c.Suit()) != c || c.String() != name {
			t.Errorf("%q is card %d", name, c)
		}
		want := map[byte]int{'A': 11, '3': 10, 'R': 4, 'C': 3, 'S': 2}[name[0]]
		if c.Points() != want || rules.Of(c).Points() != want {
			t.Errorf("%v is worth %d, want %d", c, c.Points(), want)
		}
		points += c.Points()
	}
	if points != 120 || rules.Deck.Points() != 120 {
		t.Errorf("the pack is worth %d, want 120", points)
	}
	for _, bad := range []string{"", "A", "AO ", "OA", "7O", "AX", "aO", "Ao", "10O", "ÁO", "??"} {
		if c, ok := rules.ParseCard(bad); ok || c != rules.NoCard {
			t.Errorf("%q is the card %v", bad, c)
		}
	}
}

func TestUnknownActions(t *testing.T) {
	for name, want := range map[string]rules.Action{
		"": rules.UnknownCard, "7O": rules.UnknownCard, "Pass": rules.UnknownCard, "pass ": rules.UnknownCard,
		"envido": rules.UnknownCard, "sing": rules.UnknownCard, "SING:O": rules.UnknownCard, "??": rules.UnknownCard,
		"sing:": rules.UnknownCante, "sing:X": rules.UnknownCante, "sing:OO": rules.UnknownCante, "sing:o": rules.UnknownCante,
	} {
		if a := rules.ParseAction(name); a != want {
			t.Errorf("%q is %v, want %v", name, a, want)
		}
	}
}

func TestActionSets(t *testing.T) {
	var none rules.Actions
	if _, ok := none.First(); ok || none.Len() != 0 || none.Has(0) || none.Rest() != 0 {
		t.Error("the empty set holds something")
	}
	if rules.Cards(0).First() != rules.NoCard {
		t.Error("the empty set of cards has a first card")
	}
	all := rules.Actions(1<<29 - 1)
	for _, a := range []rules.Action{29, 31, 32, 100, rules.UnknownCante, rules.UnknownCard, 255} {
		if all.Has(a) || rules.Actions(1<<32-1).Has(a) {
			t.Errorf("a set holds %d, which is no action", a)
		}
	}
	if all.Cards() != rules.Deck {
		t.Error("the cards of all actions are not the pack")
	}
	if rules.Deck.Has(rules.NoCard) || rules.Deck.Has(20) {
		t.Error("the pack holds what is no card")
	}
}

func TestSeats(t *testing.T) {
	for s, want := range []struct {
		next, partner rules.Seat
		pair          rules.Pair
	}{{1, 2, 0}, {2, 3, 1}, {3, 0, 0}, {0, 1, 1}} {
		if s := rules.Seat(s); s.Next() != want.next || s.Partner() != want.partner || s.Pair() != want.pair {
			t.Errorf("seat %d: next %d, partner %d, pair %d", s, s.Next(), s.Partner(), s.Pair())
		}
	}
}

// The codes that programs compare, in the order in which reasons are looked for.
func TestReasonCodes(t *testing.T) {
	const want = "match_over hand_over not_your_turn wrong_phase bid_not_in_rules bid_too_low bid_past_target " +
		"cante_not_available unknown_card card_not_in_hand must_follow must_beat must_overtrump must_trump " +
		"bad_deal bad_dealer hand_unfinished"
	var got []string
	for _, r := range rules.Reasons() {
		got = append(got, r.String())
	}
	if strings.Join(got, " ") != want {
		t.Errorf("%v\nwant %v", got, want)
	}
}
