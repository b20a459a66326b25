package rules_test

import (
	"fmt"
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// Seat 3 deals and shows a basto. Seat 0 leads the ace of oros and takes the
// trick; it holds two twenties and its partner the forty. Seat 1 holds a twenty
// too, but its pair has not won.
const (
	singersHands = "AO RC CC RE CE / 3O SC 3C AC SE / SO RB CB AE AB / CO RO SB 3B 3E"
	firstTrick   = " AO 3O SO CO"
	noBid        = "pass pass pass pass"
)

func singers(t *testing.T, rs rules.RuleSet, actions string) rules.Match {
	t.Helper()
	return table(t, rs, 3, singersHands, "SB", actions)
}

func limit(p rules.Preset, n int8) rules.RuleSet {
	return with(p, func(rs *rules.RuleSet) { rs.MaxCantes = n })
}

func TestAskedInTurn(t *testing.T) {
	t.Run("the winner, then the partner", func(t *testing.T) {
		m := singers(t, rules.Clasica.Rules(), noBid+firstTrick)
		expects(t, &m, rules.PhaseSing, 0, "sing:C sing:E silent")
		act(t, &m, "silent")
		expects(t, &m, rules.PhaseSing, 2, "sing:B silent")
		act(t, &m, "silent")
		expects(t, &m, rules.PhasePlay, 0, "CC RC CE RE")
	})
	t.Run("with fortyFirst a holder of the forty, then the winner", func(t *testing.T) {
		m := singers(t, rules.Liga.Rules(), noBid+firstTrick)
		expects(t, &m, rules.PhaseSing, 2, "sing:B silent")
		act(t, &m, "silent")
		expects(t, &m, rules.PhaseSing, 0, "sing:C sing:E silent")
		act(t, &m, "silent")
		expects(t, &m, rules.PhasePlay, 0, "CC RC CE RE")
	})
	t.Run("the first to sing ends it", func(t *testing.T) {
		m := singers(t, rules.Clasica.Rules(), noBid+firstTrick+" sing:E")
		expects(t, &m, rules.PhasePlay, 0, "CC RC CE RE")
		if h := m.Hand(); h.CanteCount != 1 || h.Cantes[0] != (rules.Cante{Seat: 0, Suit: rules.Espadas, Points: 20, Trick: 1}) {
			t.Errorf("cantes %v", h.Cantes[:h.CanteCount])
		}
	})
	t.Run("and all are asked anew after the next trick", func(t *testing.T) {
		// Seat 2 keeps its forty and ruffs nothing; the pair wins espadas by its ace.
		m := singers(t, rules.Clasica.Rules(), noBid+firstTrick+" silent silent RE SE AE 3E")
		expects(t, &m, rules.PhaseSing, 2, "sing:B silent")
		act(t, &m, "silent")
		expects(t, &m, rules.PhaseSing, 0, "sing:C silent") // the espadas are broken
	})
	t.Run("a suit is sung once in a hand", func(t *testing.T) {
		m := singers(t, rules.Clasica.Rules(), noBid+firstTrick+" sing:C RE SE AE 3E")
		expects(t, &m, rules.PhaseSing, 2, "sing:B silent")
		act(t, &m, "silent")
		if m.Phase() != rules.PhasePlay {
			t.Error("seat 0 is asked for a suit that it has sung")
		}
	})
}

func TestNotAsked(t *testing.T) {
	for _, c := range []struct {
		what    string
		rules   rules.RuleSet
		actions string
	}{
		{"in a hand on tricks", rules.Liga.Rules(), "solo pass pass pass" + " AO 3O CO"},
		{"with no cante allowed", limit(rules.Clasica, 0), noBid + firstTrick},
		{"by the other pair's trick", rules.Clasica.Rules(), noBid + " RE 3E"},
	} {
		t.Run(c.what, func(t *testing.T) {
			if c.what == "by the other pair's trick" {
				// Seat 1 takes the trick and has nothing; seats 0 and 2 are not asked.
				m := table(t, c.rules, 3, "SO RC CC RE CE / AO SC 3C AC SE / 3O RB CB AE AB / CO RO SB 3B 3E", "SB", noBid+" SO AO 3O CO")
				expects(t, &m, rules.PhasePlay, 1, "SC 3C AC SE")
				return
			}
			m := singers(t, c.rules, c.actions)
			if m.Phase() != rules.PhasePlay {
				t.Errorf("%v of seat %d", m.Phase(), m.Turn())
			}
		})
	}
	t.Run("where the partner sits out", func(t *testing.T) {
		// A solo on points: seat 2, with the forty, sits out.
		m := singers(t, rules.Clasica.Rules(), "solo pass pass pass AO 3O CO")
		expects(t, &m, rules.PhaseSing, 0, "sing:C sing:E silent")
		act(t, &m, "silent")
		expects(t, &m, rules.PhasePlay, 0, "CC RC CE RE")
	})
}

func TestFortyFirst(t *testing.T) {
	// Seat 0 holds the forty and a twenty.
	const hands = "AO RB CB RE CE / 3O / SO / CO SB"
	start := func(rs rules.RuleSet) rules.Match { return table(t, rs, 3, hands, "SB", noBid+firstTrick) }

	m := start(rules.Clasica.Rules())
	expects(t, &m, rules.PhaseSing, 0, "sing:E sing:B silent")

	m = start(rules.Liga.Rules())
	expects(t, &m, rules.PhaseSing, 0, "sing:B silent")
	refuses(t, &m, "sing:E", rules.CanteNotAvailable)
	refuses(t, &m, "sing:O", rules.CanteNotAvailable)
	refuses(t, &m, "sing:X", rules.CanteNotAvailable)
	refuses(t, &m, "RE", rules.WrongPhase)
	refuses(t, &m, "pass", rules.WrongPhase)
	act(t, &m, "sing:B")
	if h := m.Hand(); h.Cantes[0].Points != 40 || h.Points[0] != 11+10+2+3+40 {
		t.Errorf("the forty gave %d, the pair has %d", h.Cantes[0].Points, h.Points[0])
	}
	refuses(t, &m, "silent", rules.WrongPhase)
}

func TestMaxCantes(t *testing.T) {
	// Seat 0 takes two tricks with aces and could sing four times with its partner.
	const hands = "AO AC RE CE SE / 3O 3C / SO RB CB RC CC / CO SC SB"
	for n := int8(rules.None); n <= 4; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			m := table(t, limit(rules.Clasica, n), 3, hands, "SB", noBid+firstTrick)
			sung := 0
			for range 2 {
				if m.Phase() == rules.PhaseSing {
					sung++
					first, _ := m.Legal().First()
					act(t, &m, first.String())
				}
				if m.Hand().TrickCount == 1 {
					act(t, &m, "AC 3C CC")
					act(t, &m, list(m.Legal())[0].String())
				}
			}
			want := 2
			if n >= 0 && n < 2 {
				want = int(n)
			}
			if sung != want || int(m.Hand().CanteCount) != want {
				t.Errorf("%d cantes, want %d", sung, want)
			}
		})
	}
	t.Run("of one pair do not count for the other", func(t *testing.T) {
		hands := "AO SO RE CE 3C / 3O RB CB AC 3B / CO / RO SB"
		m := table(t, limit(rules.Clasica, 1), 3, hands, "SB", noBid+" AO 3O CO RO sing:E 3C AC")
		for m.Phase() == rules.PhasePlay {
			act(t, &m, list(m.Legal())[0].String())
		}
		expects(t, &m, rules.PhaseSing, 1, "sing:B silent")
	})
}

func TestAutomaticCantes(t *testing.T) {
	noForty := with(rules.Mesa, func(rs *rules.RuleSet) { rs.FortyFirst = false })
	for _, c := range []struct {
		what  string
		rules rules.RuleSet
		want  rules.Cante
	}{
		{"the forty of the partner first", rules.Mesa.Rules(), rules.Cante{Seat: 2, Suit: rules.Bastos, Points: 40, Trick: 1}},
		{"else the winner's first suit", noForty, rules.Cante{Seat: 0, Suit: rules.Copas, Points: 20, Trick: 1}},
	} {
		t.Run(c.what, func(t *testing.T) {
			m := singers(t, c.rules, noBid+firstTrick)
			expects(t, &m, rules.PhasePlay, 0, "CC RC CE RE")
			if h := m.Hand(); h.CanteCount != 1 || h.Cantes[0] != c.want {
				t.Errorf("cantes %v, want %v", h.Cantes[:h.CanteCount], c.want)
			}
		})
	}
	t.Run("one after each trick", func(t *testing.T) {
		m := singers(t, rules.Mesa.Rules(), noBid+firstTrick+" RE SE AE 3E")
		if h := m.Hand(); h.CanteCount != 2 || h.Cantes[1] != (rules.Cante{Seat: 0, Suit: rules.Copas, Points: 20, Trick: 2}) {
			t.Errorf("cantes %v", h.Cantes[:h.CanteCount])
		}
	})
	t.Run("under the limit", func(t *testing.T) {
		m := singers(t, limit(rules.Mesa, 1), noBid+firstTrick+" RE SE AE 3E")
		if h := m.Hand(); h.CanteCount != 1 {
			t.Errorf("cantes %v", h.Cantes[:h.CanteCount])
		}
	})
}
