package overview

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Minute is what a process has counted in one.
type Minute struct {
	At     time.Time
	Counts map[Key]int64
}

// Key names a count.
type Key struct {
	What  What
	Label string
}

// PulseStore is what a Pulse needs of the Store.
type PulseStore interface {
	Pulse(ctx context.Context, process string, minutes []Minute) error
}

// Pulse counts in memory what a process does that nobody else keeps, and keeps it by
// the minute, so that one panel can show what all processes do. A minute is written
// as a whole, again and again while it lasts, so that a write that was lost or came
// twice changes nothing. Make one with NewPulse.
type Pulse struct {
	store   PulseStore
	process string
	now     func() time.Time
	gauges  map[What]func() int64

	mu      sync.Mutex
	minutes map[time.Time]map[Key]int64 // those that are not kept as they ended
}

const (
	// maxLabels bounds the counts of a minute; what is more is counted as "other".
	maxLabels = 200
	// maxMinutes bounds what waits for a database that does not answer.
	maxMinutes = 60
)

// NewPulse returns a pulse of a process at zero. gauges are asked in each minute for
// what counts as it is, and is no sum.
func NewPulse(store PulseStore, process string, now func() time.Time, gauges map[What]func() int64) *Pulse {
	return &Pulse{store: store, process: process, now: now, gauges: gauges, minutes: make(map[time.Time]map[Key]int64)}
}

func (p *Pulse) minute() time.Time { return p.now().UTC().Truncate(time.Minute) }

// Add counts something.
func (p *Pulse) Add(what What, label string, n int64) {
	at := p.minute()
	p.mu.Lock()
	defer p.mu.Unlock()
	counts := p.minutes[at]
	if counts == nil {
		counts = make(map[Key]int64)
		p.minutes[at] = counts
	}
	key := Key{what, label}
	if _, known := counts[key]; !known && len(counts) >= maxLabels {
		key.Label = "other"
	}
	counts[key] += n
}

// Request counts a request that was answered. route is the pattern, not the path.
func (p *Pulse) Request(method, route string, status int) {
	p.Add(Requests, strconv.Itoa(status/100)+"xx", 1)
	if status >= 500 {
		p.Add(Failures, method+" "+route, 1)
	}
}

// Flush keeps what was counted. It is called every few seconds, and once at the end.
// After an error the same is kept with the next call.
func (p *Pulse) Flush(ctx context.Context) error {
	for what, read := range p.gauges {
		n := read()
		p.Add(what, "", 0) // the minute is there
		p.mu.Lock()
		if counts := p.minutes[p.minute()]; counts != nil {
			counts[Key{what, ""}] = n
		}
		p.mu.Unlock()
	}
	current := p.minute()
	p.mu.Lock()
	var minutes []Minute
	for _, at := range slices.SortedFunc(maps.Keys(p.minutes), time.Time.Compare) {
		minutes = append(minutes, Minute{at, maps.Clone(p.minutes[at])})
	}
	p.mu.Unlock()
	if len(minutes) == 0 {
		return nil
	}
	err := p.store.Pulse(ctx, p.process, minutes)
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, m := range minutes {
		// What was counted into a minute while it was being written stays for the next.
		kept := err == nil && m.At.Before(current) && maps.Equal(m.Counts, p.minutes[m.At])
		if kept || i < len(minutes)-maxMinutes {
			delete(p.minutes, m.At)
		}
	}
	return err
}

// waitBounds are the upper bounds by which waits are counted.
var waitBounds = []time.Duration{
	500 * time.Millisecond, 1 * time.Second, 2 * time.Second, 3 * time.Second, 5 * time.Second, 7 * time.Second, 10 * time.Second,
	15 * time.Second, 20 * time.Second, 25 * time.Second, 30 * time.Second, 40 * time.Second, 50 * time.Second, 60 * time.Second,
	75 * time.Second, 90 * time.Second, 2 * time.Minute, 150 * time.Second, 3 * time.Minute, 4 * time.Minute, 5 * time.Minute,
	10 * time.Minute, 30 * time.Minute, 24 * time.Hour,
}

// WaitLabel is the label of a wait: its mode, and the bound in milliseconds that it
// lies below.
func WaitLabel(mode string, waited time.Duration) string {
	i, _ := slices.BinarySearch(waitBounds, waited)
	return mode + "/" + strconv.FormatInt(waitBounds[min(i, len(waitBounds)-1)].Milliseconds(), 10)
}

// waits are counts by bound.
type waits map[time.Duration]int64

// byMode sorts counts of waits by their mode.
func byMode(counts []Count) map[string]waits {
	all := make(map[string]waits)
	for _, c := range counts {
		mode, bound, _ := strings.Cut(c.Label, "/")
		ms, err := strconv.ParseInt(bound, 10, 64)
		if c.What != Waits || err != nil {
			continue
		}
		if all[mode] == nil {
			all[mode] = make(waits)
		}
		all[mode][time.Duration(ms)*time.Millisecond] += c.N
	}
	return all
}

func (w waits) count() (n int64) {
	for _, c := range w {
		n += c
	}
	return n
}

// quantile is the wait that a share of all was shorter than, as exactly as the bounds
// tell: between two of them it is taken to grow evenly.
func (w waits) quantile(share float64) time.Duration {
	rank := share * float64(w.count())
	below, lower := 0.0, time.Duration(0)
	for _, bound := range waitBounds {
		n := float64(w[bound])
		if n > 0 && below+n >= rank {
			return lower + time.Duration(float64(bound-lower)*(rank-below)/n)
		}
		below, lower = below+n, bound
	}
	return 0
}
