package overview_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/overview"
)

// kept is a store that may fail.
type kept struct {
	fail    error
	minutes map[time.Time]map[overview.Key]int64
	writes  int
}

func (k *kept) Pulse(_ context.Context, _ string, minutes []overview.Minute) error {
	if k.fail != nil {
		return k.fail
	}
	for _, m := range minutes {
		k.minutes[m.At] = m.Counts
		k.writes++
	}
	return nil
}

// What cannot be kept is kept later, once; what waits is bounded in minutes and labels.
func TestPulse(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 30, 0, time.UTC)
	k := &kept{minutes: map[time.Time]map[overview.Key]int64{}}
	p := overview.NewPulse(k, "one", func() time.Time { return now }, nil)
	flush := func(want error) {
		t.Helper()
		if err := p.Flush(t.Context()); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	requests := func(at time.Time) int64 {
		return k.minutes[at.Truncate(time.Minute)][overview.Key{What: overview.Requests, Label: "2xx"}]
	}
	first := now
	p.Request("GET", "/", 200)
	flush(nil)
	p.Request("GET", "/", 204)
	k.fail = errors.New("the power went")
	flush(k.fail)
	now = now.Add(time.Minute)
	p.Request("GET", "/", 200)
	k.fail = nil
	flush(nil)
	flush(nil)
	if requests(first) != 2 || requests(now) != 1 || k.writes != 4 { // the last minute twice, for it is not over
		t.Errorf("%v in %d writes", k.minutes, k.writes)
	}

	// A database that is away for long.
	k.fail = errors.New("still away")
	for range 200 {
		now = now.Add(time.Minute)
		for i := range 300 {
			p.Add(overview.Failures, fmt.Sprint(i), 1)
		}
		flush(k.fail)
	}
	k.fail, k.writes = nil, 0
	flush(nil)
	if k.writes > 62 {
		t.Errorf("%d minutes have waited", k.writes)
	}
	if n := len(k.minutes[now.Truncate(time.Minute)]); n > 201 {
		t.Errorf("a minute has %d labels", n)
	}
	if n := k.minutes[now.Truncate(time.Minute)][overview.Key{What: overview.Failures, Label: "other"}]; n != 100 {
		t.Errorf("%d others", n)
	}
}
