package bot_test

import (
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
	"github.com/cuatrola/cuatrola/shared/rules/wire"
)

// A view may come from anywhere, also one that no match can show. A bot answers it
// with something legal or with nothing: it neither panics nor
// plays for ever.
func FuzzChooseFromAnyView(f *testing.F) {
	for _, p := range rules.Presets() {
		i := 0
		play(f, p.Rules(), 3, [2]player{bot.Random, bot.Random}, func(m *rules.Match) {
			if i++; i%7 == 0 {
				var v rules.View
				m.View(m.Turn(), &v)
				f.Add(wire.AppendView(nil, &v))
			}
		})
	}
	players := []player{bot.Random}
	for _, level := range bot.Levels() {
		players = append(players, by(level, quick))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var v rules.View
		if !wire.ReadView(b, &v) {
			return
		}
		before := v
		for _, p := range players {
			if a, ok := p(&v, 1); ok && (!v.Legal.Has(a) || v.Check(a) != rules.OK) {
				t.Fatalf("%v is not among %b", a, v.Legal)
			}
		}
		for a := range rules.Silent + 2 {
			v.Check(a)
		}
		if v != before {
			t.Fatal("the view was changed")
		}
	})
}
