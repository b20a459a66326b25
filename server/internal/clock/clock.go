// Package clock is the wall clock behind the interfaces that the domains have for
// time.
package clock

import "time"

// Wall tells the real time.
type Wall struct{}

// Now is the time.
func (Wall) Now() time.Time { return time.Now() }

// AfterFunc calls f in its own goroutine once d has passed. stop keeps a call
// that has not begun from happening.
func (Wall) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(d, f).Stop
}
