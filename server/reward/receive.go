package reward

import "time"

// Receive adds boosters and days of a VIP pass, or takes them back if they are below
// zero. It returns how many it was: what has been used up is not there to be taken.
// Of a day that has begun, all counts as taken.
func (s *Standing) Receive(at time.Time, boosters, days int) (gotBoosters, gotDays int) {
	gotBoosters = max(boosters, -s.BoostersHeld)
	s.BoostersHeld += gotBoosters
	if days == 0 {
		return gotBoosters, 0
	}
	if !s.VIP(at) {
		if days < 0 {
			return gotBoosters, 0
		}
		s.VIPUntil = at
	}
	const day = 24 * time.Hour
	left := int((s.VIPUntil.Sub(at) + day - 1) / day)
	gotDays = max(days, -left)
	if s.VIPUntil = s.VIPUntil.Add(time.Duration(gotDays) * day); s.VIPUntil.Before(at) {
		s.VIPUntil = at
	}
	return gotBoosters, gotDays
}
