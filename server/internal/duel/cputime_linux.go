package duel

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is what this thread has used of a processor: unlike real time it does
// not tell of what else the machine does. The goroutine has to be locked to its thread.
func processorTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
