// Package attempt slows down the guessing of passwords, without locking out whoever
// has the right one.
//
// Wrong tries are counted for the identity and for the address that they come from.
// After some that are free, each next one has to wait, longer and longer, up to a
// minute. Two things keep an attacker from shutting the owner out with that:
//
//   - An address from which the owner has signed in before counts for itself. What
//     strangers try elsewhere does not slow it.
//   - Everybody waits from their own last try. Whoever comes from a new address while
//     strangers guess waits once, and then is let in, however often they try meanwhile.
//
// All of it is in the database, so that it holds over restarts and processes. A
// device's secret and the tokens of Apple and Google cannot be guessed and are not
// counted; package limit bounds how often they are sent.
package attempt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
)

const (
	// Free is how many wrong tries an identity or an owner's address has, and
	// FreeByAddress how many an address has over all identities, for many people may
	// share one.
	Free          = 5
	FreeByAddress = 50
	// MaxWait is the longest that anybody waits for the next try.
	MaxWait = time.Minute
	// Window is how long after the last wrong try all are forgotten.
	Window = time.Hour
	// KnownFor is how long after its last use an address stays the owner's.
	KnownFor = 90 * 24 * time.Hour
)

// Who is a key of tries: an identity, an address, both, or neither.
type Who struct{ Identity, Address string }

// Tries is what is known of a key. The zero value is nothing.
type Tries struct {
	Count  int // wrong ones, or under way
	LastAt time.Time
	Known  bool // the identity's owner has signed in from the address
}

// Store keeps tries.
type Store interface {
	// ChangeTries has f change what is known of the keys, in their order, while nobody
	// else does, and keeps it.
	ChangeTries(ctx context.Context, keys []Who, f func([]Tries)) error
	// PruneTries forgets what was last used before a time, and what is known before
	// another.
	PruneTries(ctx context.Context, before, knownBefore time.Time) error
}

// Guard says who may try. Make one with New.
type Guard struct {
	store Store
	now   func() time.Time
}

// New returns a guard over the store.
func New(store Store, now func() time.Time) *Guard { return &Guard{store: store, now: now} }

// Identity is the key of an identity, which does not tell it.
func Identity(provider, subject string) string { return hash(provider + ":" + subject) }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// keys are the address's, the identity's and the pair's; in the order in which all
// take them.
func keys(identity, address string) []Who {
	address = hash("address:" + address)
	return []Who{{"", address}, {identity, ""}, {identity, address}}
}

// Begin is called before a password is looked at. The try counts as wrong from here
// on, so that many at once gain nothing, until Succeed.
//
// Codes: RateLimited, with the time after which the same is let through. What was
// refused does not count.
func (g *Guard) Begin(ctx context.Context, identity, address string) error {
	now := g.now().UTC().Truncate(time.Millisecond)
	var wait time.Duration
	err := g.store.ChangeTries(ctx, keys(identity, address), func(tries []Tries) {
		for i := range tries {
			if now.Sub(tries[i].LastAt) >= Window {
				tries[i].Count = 0
			}
		}
		from, whole, pair := &tries[0], &tries[1], &tries[2]
		counted := whole
		if pair.Known {
			counted = pair
		}
		since := pair.LastAt
		due := pause(counted.Count - Free + 1)
		if due > 0 && now.Sub(since) >= Window {
			// A stranger's first try: the wait begins now.
			pair.LastAt, since = now, now
		}
		wait = max(left(since, due, now), left(from.LastAt, pause(from.Count-FreeByAddress+1), now))
		if wait > 0 {
			return
		}
		from.Count, from.LastAt = from.Count+1, now
		pair.Count, pair.LastAt = pair.Count+1, now
		if !pair.Known {
			whole.Count, whole.LastAt = whole.Count+1, now
		}
	})
	if err == nil && wait > 0 {
		err = &fault.Error{Code: fault.RateLimited, Message: "Too many wrong passwords. Try again later.", RetryAfter: wait}
	}
	return err
}

// left is what is left of a pause. Where none is due nobody waits, though the last try
// may be later than now: of two at once the one that came first may be let through last.
func left(since time.Time, pause time.Duration, now time.Time) time.Duration {
	if pause == 0 {
		return 0
	}
	return max(0, since.Add(pause).Sub(now))
}

// Succeed is called when the password was right: the try was none of the wrong ones,
// and the address is the owner's from now on.
func (g *Guard) Succeed(ctx context.Context, identity, address string) error {
	now := g.now().UTC().Truncate(time.Millisecond)
	return g.store.ChangeTries(ctx, keys(identity, address), func(tries []Tries) {
		from, whole, pair := &tries[0], &tries[1], &tries[2]
		from.Count = max(0, from.Count-1)
		if !pair.Known {
			whole.Count = max(0, whole.Count-1)
		}
		*pair = Tries{LastAt: now, Known: true}
	})
}

// Prune forgets what matters no more.
func (g *Guard) Prune(ctx context.Context) error {
	now := g.now()
	return g.store.PruneTries(ctx, now.Add(-Window), now.Add(-KnownFor))
}

// pause is how long the so manyth try beyond the free ones has to wait: a second,
// two, four and so on.
func pause(beyond int) time.Duration {
	if beyond <= 0 {
		return 0
	}
	return min(MaxWait, time.Second<<min(beyond-1, 10))
}
