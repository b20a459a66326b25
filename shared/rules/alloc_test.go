package rules_test

import (
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// Nothing that is called while a match is played allocates: bots and the module
// call it by the million.
func TestNothingAllocates(t *testing.T) {
	for _, p := range rules.Presets() {
		rs := p.Rules()
		_, hands := randomMatch(dice(11), rs, func(*rules.Match) {})
		var m rules.Match
		var v rules.View
		var sum int
		if n := testing.AllocsPerRun(20, func() {
			m = rules.NewMatch(rs)
			for i := range hands {
				h := &hands[i]
				sum += int(m.Deal(h.Dealer, &h.Deal, h.Trump))
				for _, a := range h.Actions {
					sum += m.Legal().Len()
					sum += int(m.Check(m.Turn(), a)) + int(m.Check(m.Turn(), rules.UnknownCard))
					m.View(m.Turn(), &v)
					sum += int(v.Check(a)) + v.Unseen().Len()
					sum += int(m.Apply(m.Turn(), a))
				}
				score := m.Score()
				sum += int(score[0]) + m.Hand().Tricks[0].Points()
			}
			m.View(rules.Spectator, &v)
		}); n != 0 {
			t.Errorf("%v: a match allocates %v times", p, n)
		}
		if n := testing.AllocsPerRun(20, func() {
			m = rules.NewMatch(rs)
			rules.Replay(&m, hands, nil, nil)
		}); n != 0 {
			t.Errorf("%v: a replay allocates %v times", p, n)
		}
	}
}
