package loadgen

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// open does things when they are due, however long those before take: one that waits
// behind a slow one counts from when it was due. How far apart they are follows an
// exponential distribution, as with people who do not know of one another. It
// returns when all that it began is done. At most so many are under way; what is due
// meanwhile counts as unsent.
func open(ctx context.Context, s *series, rate float64, most int, random *rand.Rand, do func(ctx context.Context, due time.Time)) {
	var all sync.WaitGroup
	defer all.Wait()
	under := make(chan struct{}, most)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for due := time.Now(); ; due = due.Add(time.Duration(random.ExpFloat64() / rate * float64(time.Second))) {
		if wait := time.Until(due); wait > 0 {
			timer.Reset(wait)
			select {
			case <-timer.C:
			case <-ctx.Done():
				return
			}
		}
		if ctx.Err() != nil {
			return
		}
		select {
		case under <- struct{}{}:
			all.Go(func() {
				do(context.WithoutCancel(ctx), due)
				<-under
			})
		default:
			s.skipped(due, 1)
		}
	}
}

// closed has each client do one thing after the other. What is due is what is sent,
// so a slow answer keeps the next from being due: it says how much a server bears,
// and little of how long people wait.
func closed(ctx context.Context, clients int, do func(ctx context.Context, due time.Time)) {
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for ctx.Err() == nil {
				do(context.WithoutCancel(ctx), time.Now())
			}
		})
	}
	all.Wait()
}
