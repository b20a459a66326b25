package bot_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// BenchmarkDecisions is how long a level thinks: over all decisions of whole matches by
// each preset in which there is something to choose, the median, and the time that one
// of a hundred takes longer than. The server and docs/benchmarks.md rely on the latter.
func BenchmarkDecisions(b *testing.B) {
	var views []rules.View
	for i, p := range rules.Presets() {
		play(b, p.Rules(), uint64(i), [2]player{tabernero, tabernero}, func(m *rules.Match) {
			if m.Legal().Len() > 1 {
				var v rules.View
				m.View(m.Turn(), &v)
				views = append(views, v)
			}
		})
	}
	for _, level := range bot.Levels() {
		b.Run(level.String(), func(b *testing.B) {
			thinker := new(bot.Player)
			var times []time.Duration
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				begun := time.Now()
				thinker.Choose(level, &views[i%len(views)], uint64(i/len(views)), bot.Budget{})
				times = append(times, time.Since(begun))
				i++
			}
			slices.Sort(times)
			us := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
			b.ReportMetric(us(times[len(times)/2]), "p50-µs")
			b.ReportMetric(us(times[len(times)*99/100]), "p99-µs")
			b.ReportMetric(us(times[len(times)-1]), "max-µs")
		})
	}
}
