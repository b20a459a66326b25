// Package clock is the time behind the interfaces that the domains have for it: the
// machine's own, or the one that all processes over a database have in common.
package clock

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Wall tells the machine's time.
type Wall struct{}

// Now is the time.
func (Wall) Now() time.Time { return time.Now() }

// AfterFunc calls f in its own goroutine once d has passed. stop keeps a call
// that has not begun from happening.
func (Wall) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(d, f).Stop
}

// Common tells the time of a clock elsewhere, such as the database's, so that all who
// ask it agree: machines' own clocks may differ, and jump when somebody sets them. In
// between it goes by what has passed here, which no setting changes. Until it is set, it
// is [Wall]. The zero value is ready to use.
type Common struct {
	Wall
	read atomic.Pointer[reading]
}

// reading is what the clock elsewhere said when, and by how much that may be wrong.
type reading struct {
	there, here time.Time
	within      time.Duration
}

// drift is how fast two clocks may part: a ten thousandth.
const drift = 10_000

// doubt is by how much the time may be wrong at a later moment.
func (r *reading) doubt(at time.Time) time.Duration {
	return r.within + at.Sub(r.here)/drift
}

// Now is the time.
func (c *Common) Now() time.Time {
	r := c.read.Load()
	if r == nil {
		return time.Now()
	}
	return r.there.Add(time.Since(r.here))
}

// maxAway is how far the time may be from the clock's by the way that the answer took.
const maxAway = 5 * time.Second

// Set asks the clock elsewhere what time it is, and goes by that from now on, unless it
// knows better: an answer may be wrong by half of the time that it took. It says how far it
// was ahead. An answer that took too long changes nothing.
func (c *Common) Set(ctx context.Context, ask func(context.Context) (time.Time, error)) (ahead time.Duration, err error) {
	before := time.Now()
	there, err := ask(ctx)
	if err != nil {
		return 0, fmt.Errorf("clock: %w", err)
	}
	here := time.Now()
	took := here.Sub(before)
	if took > maxAway {
		return 0, fmt.Errorf("clock: the answer took %v", took)
	}
	r := &reading{there: there.Add(took / 2), here: here, within: took / 2}
	ahead = c.Now().Sub(r.there) - time.Since(here)
	old := c.read.Load()
	// If both cannot be right, somebody has set a clock.
	if old == nil || r.within <= old.doubt(here) || ahead.Abs() > r.within+old.doubt(here) {
		c.read.Store(r)
	}
	return ahead, nil
}
