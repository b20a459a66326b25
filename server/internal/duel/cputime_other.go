//go:build !linux

package duel

import "time"

var begin = time.Now()

// processorTime is real time, where the time of a thread is not to be had.
func processorTime() time.Duration { return time.Since(begin) }
