package solve_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// What whole hands cost, from the first lead and of random deals: the exact value, who
// wins, and the exact value of every lead. Each deal's time is its best, for whatever else
// the machine does can only add to it: solves/s and the percentiles are over these.
func BenchmarkSolve(b *testing.B) {
	const everything, everyAction = 1 << 10, rules.Actions(1<<solve.Actions - 1)
	for _, c := range []struct {
		name      string
		bid       rules.Action
		low, high int
		moves     bool
	}{
		{name: "four/points", bid: rules.Pass, low: -everything, high: everything},
		{name: "four/points/winner", bid: rules.Pass, low: 0, high: 1},
		{name: "four/points/moves", bid: rules.Pass, low: -everything, high: everything, moves: true},
		{name: "three/points", bid: rules.Solo, low: -everything, high: everything},
		{name: "three/points/winner", bid: rules.Solo, low: 0, high: 1},
		{name: "three/points/moves", bid: rules.Solo, low: -everything, high: everything, moves: true},
		{name: "three/tricks", bid: rules.Cuatrola, low: -everything, high: everything},
		{name: "three/tricks/winner", bid: rules.Cuatrola, low: 3, high: 4},
		{name: "three/tricks/moves", bid: rules.Cuatrola, low: -everything, high: everything, moves: true},
	} {
		b.Run(c.name, func(b *testing.B) {
			rs := rules.Clasica.Rules()
			var deals [2000][rules.Seats]rules.Cards
			var times [len(deals)]time.Duration
			r := rand.New(rand.NewPCG(1, 2))
			for i := range deals {
				for at, card := range r.Perm(rules.DeckSize) {
					deals[i][at%rules.Seats] |= rules.Of(rules.Card(card))
				}
				times[i] = time.Hour
			}
			var s solve.Solver
			var values [solve.Actions]int16
			n := 0
			for b.Loop() {
				i := n % len(deals)
				n++
				dealer, trump, bidder := rules.Seat(i%4), rules.Suit(i/4%4), rules.NoSeat
				if c.bid != rules.Pass {
					bidder = rules.Seat(i / 16 % 4)
				}
				s.Contract(&rs, dealer, trump, c.bid, bidder)
				begun := time.Now()
				s.Deal(&deals[i])
				if c.moves {
					s.Worths(everyAction, c.low, c.high, &values)
				} else {
					s.Worth(c.low, c.high)
				}
				times[i] = min(times[i], time.Since(begun))
			}
			seen := times[:min(n, len(times))]
			slices.Sort(seen)
			var sum time.Duration
			for _, t := range seen {
				sum += t
			}
			b.ReportMetric(float64(len(seen))/sum.Seconds(), "solves/s")
			b.ReportMetric(float64(s.Nodes)/float64(n), "nodes/op")
			b.ReportMetric(float64(seen[len(seen)/2].Nanoseconds())/1e3, "µs-median")
			b.ReportMetric(float64(seen[len(seen)*99/100].Nanoseconds())/1e3, "µs-p99")
		})
	}
}
