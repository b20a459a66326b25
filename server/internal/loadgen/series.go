package loadgen

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latencies are kept in microseconds, to three digits. What took longer than the
// longest counts as that.
const (
	longest = int64(2 * time.Minute / time.Microsecond)
	digits  = 3
)

func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(1, longest, digits) }

// series is what became of one sort of thing that the clients do: how long each
// took, counted from when it was due, and what went wrong. Only what was due while
// it was measured counts.
type series struct {
	name string

	mu         sync.Mutex
	from, to   time.Time // what is due from here to there counts
	all, since *hdrhistogram.Histogram
	errors     map[string]int64
	unsent     int64
	points     []Point
}

func newSeries(name string) *series {
	return &series{name: name, all: newHistogram(), since: newHistogram(), errors: make(map[string]int64)}
}

// measure sets what counts.
func (s *series) measure(from, to time.Time) {
	s.mu.Lock()
	s.from, s.to = from, to
	s.mu.Unlock()
}

func (s *series) counts(due time.Time) bool {
	return !s.from.IsZero() && !due.Before(s.from) && due.Before(s.to)
}

// done says that what was due then is done now.
func (s *series) done(due, now time.Time) {
	us := min(max(now.Sub(due).Microseconds(), 1), longest)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts(due) {
		_ = s.since.RecordValue(us) // which is in its range
	}
}

// failed says that what was due then went wrong.
func (s *series) failed(due time.Time, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts(due) {
		s.errors[code]++
	}
}

// skipped says that n things were due and not even sent, since too many were under
// way.
func (s *series) skipped(due time.Time, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts(due) {
		s.unsent += n
	}
}

// tick ends an interval.
func (s *series) tick(at, interval time.Duration) Point {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := Point{
		At: at.Seconds(), Rate: float64(s.since.TotalCount()) / interval.Seconds(),
		P50: ms(s.since.ValueAtQuantile(50)), P99: ms(s.since.ValueAtQuantile(99)),
	}
	s.all.Merge(s.since)
	s.since.Reset()
	s.points = append(s.points, p)
	return p
}

func ms(us int64) float64 { return float64(us) / 1000 }

// report is what became of it in all.
func (s *series) report(took time.Duration) Series {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Merge(s.since)
	s.since.Reset()
	h := s.all
	r := Series{
		Name: s.name, Count: h.TotalCount(), Rate: float64(h.TotalCount()) / took.Seconds(),
		Unsent: s.unsent, Errors: s.errors, Points: s.points,
		Mean: h.Mean() / 1000, P50: ms(h.ValueAtQuantile(50)), P90: ms(h.ValueAtQuantile(90)), P99: ms(h.ValueAtQuantile(99)),
		P999: ms(h.ValueAtQuantile(99.9)), Max: ms(h.Max()),
	}
	if encoded, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase); err == nil {
		r.HDR = string(encoded)
	}
	return r
}
