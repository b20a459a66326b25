package limit_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/limit"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestBucket(t *testing.T) {
	m := limit.New[string](3, time.Minute)
	for left := 2; left >= 0; left-- {
		if v := m.Take("a", t0); !v.OK || v.Limit != 3 || v.Remaining != left || v.Retry != 0 {
			t.Errorf("%d left: %+v", left, v)
		}
	}
	if v := m.Take("a", t0); v.OK || v.Remaining != 0 || v.Retry != 20*time.Second || v.Reset != time.Minute {
		t.Errorf("empty: %+v", v)
	}
	if v := m.Take("b", t0); !v.OK || v.Remaining != 2 || v.Reset != 20*time.Second {
		t.Errorf("another key: %+v", v)
	}
	// What was refused costs nothing.
	if v := m.Take("a", t0.Add(20*time.Second)); !v.OK || v.Remaining != 0 {
		t.Errorf("a third of a minute later: %+v", v)
	}
	if v := m.Take("a", t0.Add(time.Hour)); !v.OK || v.Remaining != 2 {
		t.Errorf("an hour later: %+v", v)
	}
}

// However many keys there are, memory is bounded, and a key that asks too often is
// not forgotten because others come and go.
func TestManyKeys(t *testing.T) {
	m := limit.New[int](2, time.Second)
	now := t0
	for i := range 200_000 {
		now = now.Add(time.Millisecond)
		m.Take(i+1, now)
		m.Take(0, now)
		if v := m.Take(0, now); v.Remaining > 0 {
			t.Fatalf("key %d: the busy key was forgotten: %+v", i, v)
		}
	}
	if n := m.Len(); n > 64*512 {
		t.Errorf("%d buckets, though all but a few are full", n)
	}
	crowd := limit.New[int](1, time.Hour)
	for i := range 1_200_000 {
		crowd.Take(i, t0)
	}
	if n := crowd.Len(); n > 64<<14 {
		t.Errorf("%d buckets of a crowd", n)
	}
}

func TestAddress(t *testing.T) {
	for in, want := range map[string]string{
		"192.0.2.1":            "192.0.2.1",
		"::ffff:192.0.2.1":     "192.0.2.1",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::",
		"2001:db8:1:2::1":      "2001:db8:1:2::",
		"fe80::1%eth0":         "fe80::",
	} {
		if got := limit.Address(netip.MustParseAddr(in)); got.String() != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
