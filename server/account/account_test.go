package account_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/name"
)

func newService(t *testing.T, options ...account.Option) (*account.Service, *store.Store) {
	s := storetest.New(t, store.SQLite)
	return account.New(s, newTokens(t, newKey(t)), func() time.Time { return t0 }, options...), s
}

func TestGuest(t *testing.T) {
	service, db := newService(t)
	ctx := t.Context()
	guest, err := service.SignUp(ctx, account.NewGuest{Name: "  Ana María  "})
	if err != nil {
		t.Fatal(err)
	}
	if p := guest.Player; p.Name != "Ana María" || !p.Guest || !p.CreatedAt.Equal(t0) {
		t.Errorf("signed up as %+v", p)
	}
	if id, err := service.Authenticate(guest.Token.Access); err != nil || id.PlayerID != guest.Player.ID {
		t.Errorf("Authenticate = %v, %v", id, err)
	}
	if p, err := service.Player(ctx, guest.Player.ID); err != nil || p != guest.Player {
		t.Errorf("Player = %+v, %v", p, err)
	}
	session, err := service.SignIn(ctx, guest.DeviceSecret, "")
	if err != nil || session.Player != guest.Player {
		t.Errorf("SignIn = %+v, %v", session, err)
	}
	if id, err := service.Authenticate(session.Token.Access); err != nil || id.PlayerID != guest.Player.ID {
		t.Errorf("Authenticate = %v, %v", id, err)
	}

	// Only the secret's hash is kept: the hash itself lets nobody in.
	secret, err := base64.RawURLEncoding.DecodeString(guest.DeviceSecret)
	if err != nil || len(secret) != 32 {
		t.Fatalf("the secret has %d bytes, %v", len(secret), err)
	}
	hash := sha256.Sum256(secret)
	if p, err := db.PlayerByDevice(ctx, hash); err != nil || p != guest.Player {
		t.Errorf("by hash: %+v, %v", p, err)
	}
	for name, secret := range map[string]string{
		"empty":    "",
		"hash":     base64.RawURLEncoding.EncodeToString(hash[:]),
		"cut":      guest.DeviceSecret[1:],
		"longer":   guest.DeviceSecret + "AAAA",
		"not text": strings.Repeat("\x00", 43),
	} {
		if _, err := service.SignIn(ctx, secret, ""); fault.CodeOf(err) != fault.UnknownDevice {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A sign-up whose answer was lost is sent again, and is one guest.
func TestGuestTwice(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		service := account.New(db, newTokens(t, newKey(t)), func() time.Time { return t0 })
		wish := account.NewGuest{Name: "Ana", Secret: base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))}
		guests := make([]account.Guest, 8)
		errs := make([]error, len(guests))
		var all sync.WaitGroup
		for i := range guests {
			all.Go(func() { guests[i], errs[i] = service.SignUp(t.Context(), wish) })
		}
		all.Wait()
		sessions := map[string]bool{}
		for i, g := range guests {
			if errs[i] != nil || g.Player != guests[0].Player || g.Player.Name != "Ana" || g.DeviceSecret != wish.Secret {
				t.Errorf("%d: %+v, %v", i, g, errs[i])
			}
			sessions[g.SessionID] = true
		}
		if len(sessions) != len(guests) {
			t.Errorf("%d sessions", len(sessions))
		}
		for _, secret := range []string{"x", wish.Secret[1:], wish.Secret + "A", strings.Repeat("=", 43)} {
			if _, err := service.SignUp(t.Context(), account.NewGuest{Secret: secret}); fault.CodeOf(err) != fault.InvalidRequest {
				t.Errorf("%q: %v", secret, err)
			}
		}
	})
}

func TestNames(t *testing.T) {
	service, _ := newService(t)
	for _, wish := range []string{"A", strings.Repeat("ñ", name.Max), "Joan 🃏"} {
		if g, err := service.SignUp(t.Context(), account.NewGuest{Name: wish}); err != nil || g.Player.Name != wish || g.Player.RenamedAt.IsZero() {
			t.Errorf("%q: %+v, %v", wish, g.Player, err)
		}
	}
	for _, wish := range []string{
		" ", strings.Repeat("ñ", name.Max+1), "a\nb", "a\x00b", "a\u202eb", "\xff",
	} {
		_, err := service.SignUp(t.Context(), account.NewGuest{Name: wish})
		if fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%q: %v", wish, err)
		}
	}
	if _, err := service.SignUp(t.Context(), account.NewGuest{Name: "Admin"}); fault.CodeOf(err) != fault.NameReserved {
		t.Errorf("an admin: %v", err)
	}
	// A name that is taken, by a look-alike here, is given with digits behind it, and
	// with the right to choose another.
	if g, err := service.SignUp(t.Context(), account.NewGuest{Name: "jоan 🃏", Language: "ca"}); err != nil || !strings.HasPrefix(g.Player.Name, "jоan 🃏-") ||
		!g.Player.RenamedAt.IsZero() || g.Player.Language != "ca" {
		t.Errorf("a taken name: %+v, %v", g.Player, err)
	}
	a, err := service.SignUp(t.Context(), account.NewGuest{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := service.SignUp(t.Context(), account.NewGuest{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Player.Name == b.Player.Name || a.Player.Name == "" {
		t.Errorf("names made up: %q and %q", a.Player.Name, b.Player.Name)
	}
}

// Without randomness there is no sign-up, rather than a secret that can be guessed.
func TestNoRandomness(t *testing.T) {
	_, db := newService(t)
	for n := range 64 {
		service := account.New(db, newTokens(t, newKey(t)), func() time.Time { return t0 }, account.WithRandom(bytes.NewReader(make([]byte, n))))
		if _, err := service.SignUp(t.Context(), account.NewGuest{Name: "Ana"}); err == nil {
			t.Errorf("signed up with %d random bytes", n)
		}
	}
}
