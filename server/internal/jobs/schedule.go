package jobs

import "time"

// Schedule divides time into turns, each of which a job runs for once. Make one with
// [Every] or [Daily].
type Schedule struct {
	every time.Duration
	// of a day; zone is nil for every
	hour, minute int
	zone         *time.Location
}

// Every has a turn each time d has passed, from a second up to a day. Turns begin at
// multiples of d since the zero time, so that all processes agree on them.
func Every(d time.Duration) Schedule {
	if d < time.Second || d > 24*time.Hour {
		panic("jobs: a job runs every second at most, and every day at least")
	}
	return Schedule{every: d}
}

// Daily has one turn a day, which begins at hour:minute by the clocks of a zone. On
// a day on which they skip that time, it begins as much later as they skip.
func Daily(hour, minute int, zone *time.Location) Schedule {
	return Schedule{every: 24 * time.Hour, hour: hour, minute: minute, zone: zone}
}

// turn is when the turn began that a time falls into.
func (s Schedule) turn(at time.Time) time.Time {
	if s.zone == nil {
		return at.UTC().Truncate(s.every)
	}
	at = at.In(s.zone)
	begin := time.Date(at.Year(), at.Month(), at.Day(), s.hour, s.minute, 0, 0, s.zone)
	if begin.After(at) {
		begin = time.Date(at.Year(), at.Month(), at.Day()-1, s.hour, s.minute, 0, 0, s.zone)
	}
	return begin.UTC()
}

// next is when the turn begins after the one that a time falls into.
func (s Schedule) next(at time.Time) time.Time {
	// In the middle of it, whatever the clocks do in between.
	return s.turn(s.turn(at).Add(s.every + s.every/2))
}
