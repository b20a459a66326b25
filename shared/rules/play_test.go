package rules_test

import (
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// What may be played, and why not. Seat 0 led, the seat to play is the next; trumps are bastos.
func TestPlayable(t *testing.T) {
	best := rules.Mesa.Rules()
	led := rules.Clasica.Rules()
	forced := with(rules.Mesa, func(rs *rules.RuleSet) { rs.Undertrump = rules.UndertrumpForced })
	exempt := with(rules.Mesa, func(rs *rules.RuleSet) { rs.PartnerExempt = true })
	for _, c := range []struct {
		what  string
		rules rules.RuleSet
		table string
		hand  string
		legal string
	}{
		{"leading: any card", best, "", "SO AC SB", "SO AC SB"},
		{"no cards, nothing to play", best, "SO", "", ""},

		{"follow and beat", best, "RO", "CO 3O AC SB", "3O"},
		{"follow, unable to beat", best, "3O", "CO RO AC SB", "CO RO"},
		{"equally good to beat with any higher card", best, "SO", "CO RO AO", "CO RO AO"},
		{"beat the best on the table", best, "SO RO", "CO 3O AB", "3O"},
		{"beat the card led", led, "SO RO", "CO 3O AB", "CO 3O"},
		{"beat the card led, which is the best too", led, "RO SO", "CO 3O", "3O"},
		{"a card of another suit is no better", best, "SO AC", "CO RO", "CO RO"},
		{"a trump lead is beaten in trumps", best, "RB", "SB AB AC", "AB"},
		{"a trump lead, void: any card", best, "RB", "SO AC", "SO AC"},
		{"a trump lead, unable to beat", best, "AB", "SB RB AC", "SB RB"},

		{"ruffed: any card of the suit", best, "SO SB", "CO 3O AB", "CO 3O"},
		{"void: a trump is due", best, "SO", "AC SB AB", "SB AB"},
		{"void and out of trumps: any card", best, "SO", "AC 3E", "AC 3E"},
		{"ruffed, void: a higher trump is due", best, "SO CB", "AC SB RB AB", "RB AB"},
		{"ruffed, void, trumps too low: any card", best, "SO 3B", "AC SB RB", "AC SB RB"},
		{"ruffed, void, trumps too low: a trump all the same", forced, "SO 3B", "AC SB RB", "SB RB"},
		{"ruffed, void, no trump, forced: any card", forced, "SO 3B", "AC 3E", "AC 3E"},
		{"forced, not ruffed: a trump, as always", forced, "SO", "AC SB", "SB"},
		{"overtrumping comes before undertrumping", forced, "SO CB", "AC SB RB", "RB"},
		{"overruffed: the higher ruff counts", best, "SO CB 3B", "RB AB AC", "AB"},

		{"the partner wins: following is enough", exempt, "RO SO", "CO 3O AC", "CO 3O"},
		{"the partner wins: a void hand may play anything", exempt, "RO SO", "AC SB", "AC SB"},
		{"the partner wins by a ruff: the same", exempt, "SO CB SC", "RO 3O AB", "RO 3O"},
		{"the partner wins by a ruff, void: anything", exempt, "SO CB SC", "AC SB AB", "AC SB AB"},
		{"the partner is losing: no exemption", exempt, "RO 3O", "CO AO AC", "AO"},
		{"the partner has not played: no exemption", exempt, "RO", "CO 3O", "3O"},
		{"without the option the partner's trick is beaten too", best, "RO SO", "CO 3O", "3O"},
	} {
		t.Run(c.what, func(t *testing.T) {
			trick := rules.NewTrick(0)
			for i, card := range cards(t, c.table) {
				trick.Add(rules.Seat(i), card, rules.Bastos)
			}
			hand := rules.Of(cards(t, c.hand)...)
			legal := c.rules.Playable(rules.Bastos, rules.Seat(trick.Count), &trick, hand)
			if legal != rules.Of(cards(t, c.legal)...) {
				t.Errorf("%s on %s: %s, want %s", c.hand, c.table, text(rules.Actions(legal)), c.legal)
			}
		})
	}
}

func TestReasonsAgainstCards(t *testing.T) {
	forced := with(rules.Liga, func(rs *rules.RuleSet) { rs.Undertrump = rules.UndertrumpForced })
	for _, c := range []struct {
		what    string
		rules   rules.RuleSet
		hands   string // seat 3 deals and shows the sota of bastos
		actions string
		refused string
		reason  rules.Reason
	}{
		{"no card of the pack", rules.Liga.Rules(), "AO/AC/AE/SB", noBid, "7O", rules.CardUnknown},
		{"no text at all", rules.Liga.Rules(), "AO/AC/AE/SB", noBid, "", rules.CardUnknown},
		{"a card as others write it", rules.Liga.Rules(), "AO/AC/AE/SB", noBid, "ao", rules.CardUnknown},
		{"another's card", rules.Liga.Rules(), "AO/AC/AE/SB", noBid, "AC", rules.CardNotInHand},
		{"a card already played", rules.Liga.Rules(), "AO SC 3C AC SE/SO/CO RB 3B 3E AE/SB 3O", noBid + " AO SO CO 3O", "AO", rules.CardNotInHand},
		{"another's card comes before the duty to follow", rules.Liga.Rules(), "SO/CO/AE/SB", noBid + " SO", "AE", rules.CardNotInHand},
		{"another suit", rules.Liga.Rules(), "SO/CO AC/AE/SB", noBid + " SO", "AC", rules.MustFollow},
		{"a trump instead of following", rules.Liga.Rules(), "SO/CO AB/AE/SB", noBid + " SO", "AB", rules.MustFollow},
		{"too low", rules.Liga.Rules(), "RO/CO AO/AE/SB", noBid + " RO", "CO", rules.MustBeat},
		{"no trump, not ruffed", rules.Liga.Rules(), "SO/AC 3C RC CC AB/AE/SB", noBid + " SO", "AC", rules.MustTrump},
		{"a side card, could overtrump", rules.Liga.Rules(), "SO/3C RC CC SC CB/AE 3E RE CE RB/SB", noBid + " SO CB", "AE", rules.MustOvertrump},
		{"a low trump, could overtrump", rules.Liga.Rules(), "SO/3C RC CC SC CB/AE 3E RE AB SB/3B", noBid + " SO CB", "SB", rules.MustOvertrump},
		{"a side card, forced to undertrump", forced, "SO/3C RC CC SC RB/AE 3E RE CE CB/SB", noBid + " SO RB", "AE", rules.MustTrump},
	} {
		t.Run(c.what, func(t *testing.T) {
			shown := "SB"
			if !strings.Contains(c.hands[strings.LastIndex(c.hands, "/"):], "SB") {
				shown = "3B"
			}
			m := table(t, c.rules, 3, c.hands, shown, c.actions)
			refuses(t, &m, c.refused, c.reason)
		})
	}
}

func TestTrickGoesTo(t *testing.T) {
	for _, c := range []struct {
		what, table string
		winner      rules.Seat
	}{
		{"the highest of the led suit", "RO AO 3O SO", 1},
		{"rank is A 3 R C S", "SO CO RO 3O", 3},
		{"a trump, however low", "AO 3O SB RO", 2},
		{"the highest trump", "AO CB SB AB", 3},
		{"the led suit, whatever else is thrown", "SO AC AE 3C", 0},
		{"a trump lead's highest", "CB AO RB SB", 2},
		{"the best of three", "SO RO CO", 1},
	} {
		trick := rules.NewTrick(0)
		for i, card := range cards(t, c.table) {
			trick.Add(rules.Seat(i), card, rules.Bastos)
		}
		if trick.Winner != c.winner {
			t.Errorf("%s (%s): seat %d, want %d", c.what, c.table, trick.Winner, c.winner)
		}
	}
}

// Where the bidder's partner sits out, its five cards stay where they are and it
// is never asked for anything.
func TestPartnerSitsOut(t *testing.T) {
	m := table(t, rules.Clasica.Rules(), 3, anyHands, "AB", "pass quintola")
	r := dice(1)
	for m.Turn() != rules.NoSeat {
		if m.Turn() == 3 {
			t.Fatal("the seat that sits out is to act")
		}
		act(t, &m, pick(r, &m).String())
	}
	if n := m.Held(3).Len(); n != rules.HandSize {
		t.Errorf("the seat that sat out holds %d cards", n)
	}
	h := m.Hand()
	for _, trick := range h.Tricks[:h.TrickCount] {
		if trick.Count != 3 {
			t.Errorf("a trick of %d cards", trick.Count)
		}
	}
	if sum := int(h.Points[0] + h.Points[1]); sum != 130-m.Held(3).Points() {
		t.Errorf("%d points in all, %d of them under the cards of the seat that sat out", sum, m.Held(3).Points())
	}
}
