package attempt_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/attempt"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

const (
	home, hotel, evil = "192.0.2.1", "198.51.100.7", "203.0.113.66"
)

var ana = attempt.Identity("email", "ana@example.net")

type desk struct {
	t     *testing.T
	guard *attempt.Guard
	store *store.Store
	at    time.Time
}

func newDesk(t *testing.T, s *store.Store) *desk {
	d := &desk{t: t, store: s, at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	d.guard = attempt.New(s, func() time.Time { return d.at })
	return d
}

// wait is how long the try has to wait; zero if it is let through.
func (d *desk) wait(identity, address string) time.Duration {
	d.t.Helper()
	err := d.guard.Begin(d.t.Context(), identity, address)
	if err == nil {
		return 0
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Code != fault.RateLimited || f.RetryAfter <= 0 {
		d.t.Fatal(err)
	}
	return f.RetryAfter
}

func (d *desk) right(identity, address string) {
	d.t.Helper()
	if w := d.wait(identity, address); w != 0 {
		d.t.Fatalf("the owner waits %v", w)
	}
	if err := d.guard.Succeed(d.t.Context(), identity, address); err != nil {
		d.t.Fatal(err)
	}
}

// Whoever guesses from one address is let through more and more rarely.
func TestGuessing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for i := range attempt.Free {
			if w := d.wait(ana, evil); w != 0 {
				t.Errorf("try %d waits %v", i, w)
			}
		}
		for _, seconds := range []int{1, 2, 4, 8, 16, 32, 60, 60, 60} {
			want := time.Duration(seconds) * time.Second
			// A restart changes nothing.
			d.guard = attempt.New(s, func() time.Time { return d.at })
			if w := d.wait(ana, evil); w != 0 && w != want {
				t.Errorf("waits %v, want %v", w, want)
			}
			d.at = d.at.Add(want - time.Millisecond)
			if w := d.wait(ana, evil); w != time.Millisecond {
				t.Errorf("just before: waits %v", w)
			}
			d.at = d.at.Add(time.Millisecond)
			if w := d.wait(ana, evil); w != 0 {
				t.Errorf("after %v: waits %v", want, w)
			}
		}
		if w := d.wait(attempt.Identity("email", "ben@example.net"), evil); w != 0 {
			t.Errorf("another identity waits %v", w)
		}
		d.at = d.at.Add(attempt.Window)
		if w := d.wait(ana, evil); w != 0 {
			t.Errorf("an hour later: waits %v", w)
		}
	})
}

// While strangers guess from many addresses, the owner is let in where it has been
// before, and after one wait anywhere else.
func TestTheOwnerIsNotLockedOut(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.right(ana, home)
		strangers := []string{"203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"}
		attack := func() {
			for range 20 {
				d.at = d.at.Add(time.Second)
				for _, a := range strangers {
					d.wait(ana, a)
				}
			}
		}
		attack()
		d.right(ana, home)
		first := d.wait(ana, hotel)
		if first <= 0 || first > attempt.MaxWait {
			t.Errorf("from a new address the owner waits %v", first)
		}
		until := d.at.Add(first)
		for d.at.Before(until) {
			// Asking too early makes it no longer, nor does what the strangers do: as
			// long as the wait has reached its most.
			if w := d.wait(ana, hotel); w > attempt.MaxWait {
				t.Errorf("waits %v", w)
			}
			attack()
		}
		d.at = d.at.Add(attempt.MaxWait)
		d.right(ana, hotel)
		attack()
		d.right(ana, hotel)
		// The owner's own address is slowed by its own wrong tries only, but by those.
		for range attempt.Free {
			d.wait(ana, home)
		}
		if w := d.wait(ana, home); w != time.Second {
			t.Errorf("a guest of the house waits %v", w)
		}
	})
}

// Who tries one password on many people waits too.
func TestManyIdentities(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for i := range attempt.FreeByAddress {
			if w := d.wait(attempt.Identity("email", string(rune('a'+i))), evil); w != 0 {
				t.Fatalf("try %d waits %v", i, w)
			}
		}
		if w := d.wait(ana, evil); w != time.Second {
			t.Errorf("waits %v", w)
		}
		if w := d.wait(ana, home); w != 0 {
			t.Errorf("from elsewhere: waits %v", w)
		}
	})
}

// Many at once gain nothing.
func TestAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		var let atomic.Int64
		var all sync.WaitGroup
		for range 40 {
			all.Go(func() {
				switch err := d.guard.Begin(t.Context(), ana, evil); fault.CodeOf(err) {
				case "":
					let.Add(1)
				case fault.RateLimited:
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := let.Load(); n != attempt.Free {
			t.Errorf("%d were let through", n)
		}
	})
}

// Of two who come from one address at once, the later may be let through before the
// earlier, who does not wait for that.
func TestOvertaken(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.right(ana, home)
		for i := range attempt.Free {
			d.at = d.at.Add(-time.Millisecond)
			if w := d.wait(attempt.Identity("email", string(rune('a'+i))), home); w != 0 {
				t.Errorf("somebody else, %d ms earlier, waits %v", i+1, w)
			}
			if w := d.wait(ana, home); w != 0 {
				t.Errorf("the owner, %d ms earlier, waits %v", i+1, w)
			}
		}
	})
}

func TestPrune(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.right(ana, home)
		d.wait(ana, evil)
		count := func(want int) {
			t.Helper()
			if err := d.guard.Prune(t.Context()); err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, v := range storetest.Dump(t, s) {
				if v.Table == "sign_in_tries" && v.Column == "identity" {
					n++
				}
			}
			if n != want {
				t.Errorf("%d rows, want %d", n, want)
			}
		}
		count(5) // two addresses, the identity, two pairs
		d.at = d.at.Add(attempt.Window + time.Second)
		count(1)
		d.at = d.at.Add(attempt.KnownFor)
		count(0)
	})
}
