package reward_test

import (
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/reward"
)

func TestReceive(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		held           int
		vip            time.Duration // left; below 0 for a pass that has ended
		boosters, days int
		got            [2]int
		wantHeld       int
		wantVIP        time.Duration
	}{
		"given":                    {held: 1, boosters: 2, days: 10, got: [2]int{2, 10}, wantHeld: 3, wantVIP: 10 * day},
		"given beside a pass":      {vip: 5*day + 1, days: 10, got: [2]int{0, 10}, wantVIP: 15*day + 1},
		"given behind one":         {vip: -time.Hour, days: 10, got: [2]int{0, 10}, wantVIP: 10 * day},
		"taken":                    {held: 3, vip: 31 * day, boosters: -2, days: -30, got: [2]int{-2, -30}, wantHeld: 1, wantVIP: day},
		"taken, partly used":       {held: 1, vip: 10*day + time.Hour, boosters: -2, days: -30, got: [2]int{-1, -11}, wantHeld: 0, wantVIP: 0},
		"taken, all of it used":    {vip: -day, boosters: -2, days: -30, wantVIP: -day},
		"taken to the day":         {vip: 30 * day, days: -30, got: [2]int{0, -30}},
		"nothing of what is there": {held: 2, vip: day, wantHeld: 2, wantVIP: day},
	} {
		s := reward.Standing{BoostersHeld: c.held, VIPUntil: now.Add(c.vip)}
		boosters, days := s.Receive(now, c.boosters, c.days)
		if got := [2]int{boosters, days}; got != c.got || s.BoostersHeld != c.wantHeld || !s.VIPUntil.Equal(now.Add(c.wantVIP)) {
			t.Errorf("%s: %v, %+v", name, got, s)
		}
	}
}
