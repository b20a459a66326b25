package account

import (
	"crypto/sha256"
	"sync"
	"time"
)

// verified remembers access tokens whose signature has been found good. To verify
// one costs more than all else that a plain request does, and a client sends the
// same token for as long as it lives. Times and keys are looked at each time all the
// same, and what is not good is not remembered. It knows tokens by their SHA-256.
type verified struct {
	shards [verifiedShards]verifiedShard
}

const (
	verifiedShards = 16
	// verifiedKept is how many tokens a shard has at least before it forgets some.
	verifiedKept = 1 << 12
)

type verifiedShard struct {
	mu sync.Mutex
	// When young is full it becomes old, and what was old is forgotten, unless it was
	// asked for meanwhile.
	young, old map[[sha256.Size]byte]good
}

// good is what a token says whose signature is good.
type good struct {
	caller            Caller
	keys              *Keys // those that it was verified with
	from, issued, end time.Time
}

// at tells whether the token is good at that time with these keys.
func (g good) at(now time.Time, keys *Keys) bool {
	return g.keys == keys && now.Before(g.end.Add(leeway)) && !now.Before(g.issued.Add(-leeway)) && !now.Before(g.from.Add(-leeway))
}

func (v *verified) get(id [sha256.Size]byte) (good, bool) {
	s := &v.shards[id[0]%verifiedShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	if g, ok := s.young[id]; ok {
		return g, true
	}
	g, ok := s.old[id]
	if ok {
		s.put(id, g)
	}
	return g, ok
}

func (v *verified) put(id [sha256.Size]byte, g good) {
	s := &v.shards[id[0]%verifiedShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(id, g)
}

func (s *verifiedShard) put(id [sha256.Size]byte, g good) {
	if s.young == nil || len(s.young) >= verifiedKept {
		s.old, s.young = s.young, make(map[[sha256.Size]byte]good)
	}
	s.young[id] = g
}
