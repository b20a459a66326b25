package store_test

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/staff"
)

// atOnce runs f so many times at once, and counts how often it said yes.
func atOnce(t *testing.T, times int, f func(i int) (bool, error)) int {
	t.Helper()
	var wg sync.WaitGroup
	answers := make([]bool, times)
	for i := range times {
		wg.Go(func() {
			var err error
			if answers[i], err = f(i); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	yes := 0
	for _, a := range answers {
		if a {
			yes++
		}
	}
	return yes
}

func TestPasskeys(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, at := t.Context(), time.UnixMilli(1_790_000_000_000).UTC()
		id := func(n int) string { return fmt.Sprintf("01890a5d-ac96-774b-bcce-%012d", n) }
		link := staff.Link{ID: id(1), Hash: sha256.Sum256([]byte("x")), Kind: staff.LinkInvite, Role: staff.Owner, CreatedAt: at, ExpiresAt: at.Add(time.Hour)}
		if _, err := s.AddLink(ctx, link, true); err != nil {
			t.Fatal(err)
		}
		m := staff.Member{ID: id(2), Name: "Marta", Email: "marta@example.org", Role: staff.Owner, CreatedAt: at, PasswordHash: "x", SealedTOTP: []byte("x")}
		if err := s.Follow(ctx, link.ID, at, m, [][sha256.Size]byte{{1}}); err != nil {
			t.Fatal(err)
		}

		// A challenge is taken once, by whoever comes first.
		for n := range 2 {
			c := staff.Challenge{ID: id(10 + n), MemberID: m.ID, Secret: []byte("secret"), ExpiresAt: at.Add(time.Duration(n) * time.Hour)}
			if err := s.AddChallenge(ctx, c, at.Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.TakeChallenge(ctx, id(10)); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("one that has expired is there: %v", err)
		}
		if n := atOnce(t, 8, func(int) (bool, error) {
			c, err := s.TakeChallenge(ctx, id(11))
			if fault.CodeOf(err) == fault.NotFound {
				return false, nil
			}
			return err == nil && c.MemberID == m.ID && string(c.Secret) == "secret", err
		}); n != 1 {
			t.Errorf("one challenge was taken %d times", n)
		}

		// No more than so many, and none twice.
		key := func(n int) staff.Passkey {
			return staff.Passkey{ID: id(100 + n), MemberID: m.ID, Name: "Laptop", Credential: fmt.Append(nil, "credential ", n), PublicKey: []byte("key"), BackupEligible: true, CreatedAt: at}
		}
		if n := atOnce(t, 8, func(i int) (bool, error) { return s.AddPasskey(ctx, key(i), 3) }); n != 3 {
			t.Errorf("%d passkeys of at most 3", n)
		}
		have, err := s.Passkeys(ctx, m.ID)
		if err != nil || len(have) != 3 {
			t.Fatalf("%+v, %v", have, err)
		}
		again := have[0]
		again.ID = id(200)
		if added, err := s.AddPasskey(ctx, again, 10); added || err != nil {
			t.Errorf("the same credential twice: %v, %v", added, err)
		}
		if found, err := s.PasskeyByCredential(ctx, have[1].Credential); err != nil || found.ID != have[1].ID || !found.BackupEligible {
			t.Errorf("%+v, %v", found, err)
		}

		// A device that counts never counts the same twice; one that does not count may.
		used := have[0]
		used.SignCount, used.BackedUp, used.UsedAt = 5, true, at
		if n := atOnce(t, 8, func(int) (bool, error) { return s.UsePasskey(ctx, used) }); n != 1 {
			t.Errorf("one count was taken %d times", n)
		}
		used.SignCount = 0
		if ok, err := s.UsePasskey(ctx, used); ok || err != nil {
			t.Errorf("a count that goes back: %v, %v", ok, err)
		}
		for range 2 {
			if ok, err := s.UsePasskey(ctx, have[1]); !ok || err != nil {
				t.Errorf("no count at all: %v, %v", ok, err)
			}
		}

		if err := s.RemovePasskey(ctx, id(3), have[2].ID); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("another's: %v", err)
		}
		if err := s.RemovePasskey(ctx, m.ID, have[2].ID); err != nil {
			t.Error(err)
		}
		reset := link
		reset.ID, reset.Hash, reset.Kind, reset.MemberID, reset.Email = id(4), sha256.Sum256([]byte("y")), staff.LinkReset, m.ID, m.Email
		if _, err := s.AddLink(ctx, reset, false); err != nil {
			t.Fatal(err)
		}
		if err := s.Follow(ctx, reset.ID, at, m, [][sha256.Size]byte{{2}}); err != nil {
			t.Fatal(err)
		}
		if have, err := s.Passkeys(ctx, m.ID); err != nil || len(have) != 0 {
			t.Errorf("passkeys outlive a reset: %+v, %v", have, err)
		}
	})
}
