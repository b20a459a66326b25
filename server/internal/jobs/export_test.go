package jobs

import "time"

// Turn is when the turn began that a time falls into.
func (s Schedule) Turn(at time.Time) time.Time { return s.turn(at) }

// Hurry has the runner offer and look for turns all the time.
func (r *Runner) Hurry() {
	r.offer, r.poll = 200*time.Millisecond, 110*time.Millisecond
}
