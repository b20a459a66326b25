package clock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/clock"
)

// It is the machine's own until it is set, and what is asked from then on.
func TestCommon(t *testing.T) {
	var c clock.Common
	if before, now := time.Now(), c.Now(); now.Before(before) || now.After(time.Now()) {
		t.Errorf("by itself it is %v", now)
	}
	for _, far := range []time.Duration{time.Hour, -48 * time.Hour, 0} {
		before := time.Now()
		if _, err := c.Set(t.Context(), func(context.Context) (time.Time, error) { return time.Now().Add(far), nil }); err != nil {
			t.Fatal(err)
		}
		asked := time.Since(before)
		if now, want := c.Now(), time.Now().Add(far); now.Before(want.Add(-asked-time.Since(before))) || now.After(want.Add(asked)) {
			t.Errorf("%v from here it is %v, want %v", far, now, want)
		}
	}
	// It goes on by what has passed, whatever the machine's clock is set to.
	if a, b := c.Now(), c.Now(); b.Before(a) {
		t.Error("it goes backwards")
	}
	planted := errors.New("planted")
	at := c.Now()
	if _, err := c.Set(t.Context(), func(context.Context) (time.Time, error) { return time.Time{}, planted }); !errors.Is(err, planted) {
		t.Error(err)
	}
	if now := c.Now(); now.Before(at) || now.After(at.Add(time.Hour)) {
		t.Errorf("behind a failure it is %v, before it %v", now, at)
	}
}

// An answer that was long on its way is worse than one that was not, and so is no news;
// unless it shows that the clock was set.
func TestSlowAnswers(t *testing.T) {
	var c clock.Common
	set := func(ask func(context.Context) (time.Time, error)) (asked time.Duration) {
		t.Helper()
		before := time.Now()
		if _, err := c.Set(t.Context(), ask); err != nil {
			t.Fatal(err)
		}
		return time.Since(before)
	}
	quick := set(func(context.Context) (time.Time, error) { return time.Now(), nil })
	long := 10*quick + 20*time.Millisecond
	slow := func(far time.Duration) func(context.Context) (time.Time, error) {
		return func(context.Context) (time.Time, error) {
			at := time.Now()
			for time.Since(at) < long { // on its way
			}
			return at.Add(far), nil
		}
	}
	set(slow(0))
	if before, now, after := time.Now(), c.Now(), time.Now(); now.Before(before.Add(-quick)) || now.After(after.Add(quick)) {
		t.Errorf("behind a slow answer it is %v, which is %v", before, now)
	}
	set(slow(time.Hour))
	if now := c.Now(); now.Before(time.Now().Add(time.Hour - long)) {
		t.Errorf("the clock was set, and it is %v still", now)
	}
}

func TestAhead(t *testing.T) {
	var c clock.Common
	ask := func(context.Context) (time.Time, error) { return time.Now().Add(-time.Hour), nil }
	ahead, err := c.Set(t.Context(), ask)
	if err != nil || ahead < time.Hour-time.Minute || ahead > time.Hour+time.Minute {
		t.Errorf("an hour ahead: %v, %v", ahead, err)
	}
	if ahead, err = c.Set(t.Context(), ask); err != nil || ahead.Abs() > time.Minute {
		t.Errorf("set already: %v, %v", ahead, err)
	}
}
