// Package clocktest has a clock that tests and simulations move.
package clocktest

import (
	"container/heap"
	"sync"
	"time"
)

// Clock stands until it is told to go on. It implements match.Clock. Make one with
// New.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	alarms alarms
	next   int // numbers the alarms, so that those of one moment ring in order
}

// New returns a clock that stands at a time.
func New(at time.Time) *Clock { return &Clock{now: at} }

// Now is where the clock stands.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc has f called by Advance once d has passed.
func (c *Clock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &alarm{at: c.now.Add(max(d, 0)), number: c.next, f: f}
	c.next++
	heap.Push(&c.alarms, a)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		was := a.f != nil
		a.f = nil
		return was
	}
}

// Advance lets d pass. What falls due meanwhile happens, one after the other in the
// calling goroutine, also what only comes of that.
func (c *Clock) Advance(d time.Duration) {
	end := c.Now().Add(d)
	for {
		c.mu.Lock()
		if len(c.alarms) == 0 || c.alarms[0].at.After(end) {
			c.now = end
			c.mu.Unlock()
			return
		}
		a := heap.Pop(&c.alarms).(*alarm)
		f := a.f
		a.f = nil
		if a.at.After(c.now) && f != nil {
			c.now = a.at
		}
		c.mu.Unlock()
		if f != nil {
			f()
		}
	}
}

type alarm struct {
	at     time.Time
	number int
	f      func() // nil once it has rung or was stopped
}

// alarms are a heap of the next first.
type alarms []*alarm

func (a alarms) Len() int { return len(a) }

func (a alarms) Less(i, j int) bool {
	if a[i].at.Equal(a[j].at) {
		return a[i].number < a[j].number
	}
	return a[i].at.Before(a[j].at)
}

func (a alarms) Swap(i, j int) { a[i], a[j] = a[j], a[i] }

// Push implements heap.Interface.
func (a *alarms) Push(x any) { *a = append(*a, x.(*alarm)) }

// Pop implements heap.Interface.
func (a *alarms) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}
