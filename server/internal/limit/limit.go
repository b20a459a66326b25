// Package limit says who has asked too often. Each key, an address or an account,
// has a bucket that holds so many requests and fills up evenly.
//
// The buckets are in this process's memory: over several processes a client has
// as many of them. They keep a client from taking the server for itself, not a
// secret from being guessed; package attempt does that, in the database. A shared
// implementation would be another [Limiter].
package limit

import (
	"hash/maphash"
	"math"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limiter takes requests from the buckets of keys.
type Limiter[K comparable] interface {
	// Take takes one request from the key's bucket, if there is one.
	Take(key K, now time.Time) Verdict
}

// Verdict is what a bucket says to one request.
type Verdict struct {
	OK bool
	// Limit is how many requests a full bucket holds, Remaining how many are left.
	Limit, Remaining int
	// Reset is when the bucket will be full again, Retry when it will hold one
	// request, zero if it does.
	Reset, Retry time.Duration
}

const (
	shards = 64
	// shardCap is how many buckets a shard may hold. Who can fill that many has
	// that many addresses, and a bucket of each.
	shardCap = 1 << 14
	// sweepFrom is how many buckets a shard has before it looks for full ones.
	sweepFrom = 256
)

// Memory is a Limiter in the process's memory. Make one with New.
type Memory[K comparable] struct {
	requests int
	per      time.Duration
	seed     maphash.Seed
	shards   [shards]shard[K]
}

type shard[K comparable] struct {
	mu      sync.Mutex
	buckets map[K]*rate.Limiter
	sweepAt int
}

// New returns a Memory that lets each key have so many requests in that time.
// All of them may come at once.
func New[K comparable](requests int, per time.Duration) *Memory[K] {
	m := &Memory[K]{requests: requests, per: per, seed: maphash.MakeSeed()}
	for i := range m.shards {
		m.shards[i] = shard[K]{buckets: make(map[K]*rate.Limiter), sweepAt: sweepFrom}
	}
	return m
}

// Take implements Limiter.
func (m *Memory[K]) Take(key K, now time.Time) Verdict {
	b := m.bucket(key, now)
	v := Verdict{OK: b.AllowN(now, 1), Limit: m.requests}
	tokens := b.TokensAt(now)
	v.Remaining = max(0, int(math.Floor(tokens)))
	v.Reset = m.wait(float64(m.requests) - tokens)
	if !v.OK {
		v.Retry = m.wait(1 - tokens)
	}
	return v
}

// wait is how long it takes until so many requests have come into a bucket.
func (m *Memory[K]) wait(tokens float64) time.Duration {
	return time.Duration(max(0, tokens) * float64(m.per) / float64(m.requests))
}

func (m *Memory[K]) bucket(key K, now time.Time) *rate.Limiter {
	s := &m.shards[maphash.Comparable(m.seed, key)%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.buckets[key]; b != nil {
		return b
	}
	if len(s.buckets) >= s.sweepAt {
		s.sweep(now, m.requests)
	}
	b := rate.NewLimiter(rate.Limit(float64(m.requests)/m.per.Seconds()), m.requests)
	s.buckets[key] = b
	return b
}

// sweep forgets full buckets, since a new one is full too. It looks again when as
// many have been added as it has left, so that it costs each key a constant.
func (s *shard[K]) sweep(now time.Time, full int) {
	for key, b := range s.buckets {
		if b.TokensAt(now) >= float64(full) {
			delete(s.buckets, key)
		}
	}
	if len(s.buckets) >= shardCap {
		// A crowd of addresses. Half of them, whichever, start afresh.
		for key := range s.buckets {
			if delete(s.buckets, key); len(s.buckets) <= shardCap/2 {
				break
			}
		}
	}
	s.sweepAt = min(shardCap, max(sweepFrom, 2*len(s.buckets)))
}

// Address is the key of a client's address. Whoever has one address of IPv6 has
// the whole /64 that it is in.
func Address(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return a
}
