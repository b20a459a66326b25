package account_test

import (
	"bytes"
	"encoding/base64"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	passwords "github.com/cuatrola/cuatrola/server/password"
)

// clock is moved by hand.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.at }

func (c *clock) pass(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.at = c.at.Add(d) }

// cheap passwords make tests quick.
var cheap = passwords.Cost{Memory: 8, Passes: 1}

// process is one of several servers over a database.
type process struct {
	*account.Service
	told []string // sessions that it announced
}

func newProcess(t *testing.T, s *store.Store, c *clock, key []byte, options ...account.Option) *process {
	t.Helper()
	p := &process{}
	options = append([]account.Option{account.WithPasswordCost(cheap)}, options...)
	options = append(options, account.WithAnnounce(func(ids []string, _ fault.Code) { p.told = append(p.told, ids...) }))
	p.Service = account.New(s, newTokens(t, key), c.now, options...)
	return p
}

func code(t *testing.T, err error, want fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != want {
		t.Errorf("got %v, want code %q", err, want)
	}
}

func signUp(t *testing.T, s *account.Service, name string) account.Guest {
	t.Helper()
	g, err := s.SignUp(t.Context(), account.NewGuest{Name: name, Device: "phone"})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func refresh(t *testing.T, s *account.Service, token string) account.SignedIn {
	t.Helper()
	in, err := s.Refresh(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestRefresh(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		c := &clock{at: t0}
		key := newKey(t)
		p := newProcess(t, db, c, key)
		ctx := t.Context()
		first := signUp(t, p.Service, "Ana")

		c.pass(ttl + time.Minute)
		_, err := p.Authenticate(first.Token.Access)
		code(t, err, fault.TokenExpired)
		second := refresh(t, p.Service, first.Refresh)
		if caller, err := p.Authenticate(second.Token.Access); err != nil || caller.SessionID != first.SessionID ||
			second.Player != first.Player || second.Refresh == first.Refresh ||
			!second.RefreshExpiresAt.Equal(c.now().Add(account.DefaultRefreshTTL)) {
			t.Errorf("refreshed as %+v, %v", second, err)
		}

		// Another process answers the retry alike, up to the grace's end.
		q := newProcess(t, db, c, key)
		c.pass(account.RetryGrace - time.Millisecond)
		if again := refresh(t, q.Service, first.Refresh); again.Refresh != second.Refresh || again.SessionID != second.SessionID {
			t.Errorf("the retry got another successor")
		}
		c.pass(time.Millisecond)
		_, err = q.Refresh(ctx, first.Refresh)
		code(t, err, fault.RefreshReused)
		if !slices.Equal(q.told, []string{first.SessionID}) {
			t.Errorf("announced %v", q.told)
		}
		_, err = q.Authenticate(second.Token.Access)
		code(t, err, fault.SessionEnded)
		for _, token := range []string{first.Refresh, second.Refresh} {
			_, err = p.Refresh(ctx, token)
			code(t, err, fault.RefreshInvalid)
		}
		for _, token := range []string{"", "x", first.Refresh + "A", first.Refresh[1:], first.DeviceSecret} {
			_, err = p.Refresh(ctx, token)
			code(t, err, fault.RefreshInvalid)
		}
		// The device itself may still sign in.
		if _, err := p.SignIn(ctx, first.DeviceSecret, ""); err != nil {
			t.Error(err)
		}
	})
}

// Within the grace, but its successor has been used: that is no retry.
func TestOldTokenAfterItsSuccessor(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		p := newProcess(t, db, &clock{at: t0}, newKey(t))
		first := signUp(t, p.Service, "Ana")
		third := refresh(t, p.Service, refresh(t, p.Service, first.Refresh).Refresh)
		_, err := p.Refresh(t.Context(), first.Refresh)
		code(t, err, fault.RefreshReused)
		_, err = p.Refresh(t.Context(), third.Refresh)
		code(t, err, fault.RefreshInvalid)
	})
}

// Many requests with one token at once are one rotation.
func TestRefreshAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		p := newProcess(t, db, &clock{at: t0}, newKey(t))
		first := signUp(t, p.Service, "Ana")
		got := make([]account.SignedIn, 8)
		errs := make([]error, len(got))
		var all sync.WaitGroup
		for i := range got {
			all.Go(func() { got[i], errs[i] = p.Refresh(t.Context(), first.Refresh) })
		}
		all.Wait()
		for i := range got {
			if errs[i] != nil || got[i].Refresh != got[0].Refresh {
				t.Errorf("%d: another successor, %v", i, errs[i])
			}
		}
		refresh(t, p.Service, got[0].Refresh)
	})
}

// A client that chooses the successor itself is no stranger: it may ask again at any time,
// until the successor is used.
func TestRefreshToAChosenToken(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		c := &clock{at: t0}
		p := newProcess(t, db, c, newKey(t))
		ctx := t.Context()
		chosen := func(c byte) string { return base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{c}, 32)) }
		first := signUp(t, p.Service, "Ana")
		for range 3 {
			in, err := p.RefreshTo(ctx, first.Refresh, chosen('a'))
			if err != nil || in.Refresh != chosen('a') || in.SessionID != first.SessionID {
				t.Fatalf("refreshed as %+v, %v", in, err)
			}
			c.pass(time.Hour)
		}
		// Its successor used, it is a copy.
		refresh(t, p.Service, chosen('a'))
		_, err := p.RefreshTo(ctx, first.Refresh, chosen('a'))
		code(t, err, fault.RefreshReused)

		// Two that choose in the same moment: the second gets nothing and ends nothing.
		first = signUp(t, p.Service, "Ben")
		if _, err = p.RefreshTo(ctx, first.Refresh, chosen('b')); err != nil {
			t.Fatal(err)
		}
		for _, other := range []string{chosen('c'), ""} {
			_, err = p.RefreshTo(ctx, first.Refresh, other)
			code(t, err, fault.RefreshInvalid)
		}
		if in := refresh(t, p.Service, chosen('b')); in.SessionID != first.SessionID {
			t.Errorf("refreshed as %+v", in)
		}
		// Later, it is a copy.
		first = signUp(t, p.Service, "Eva")
		if _, err = p.RefreshTo(ctx, first.Refresh, chosen('d')); err != nil {
			t.Fatal(err)
		}
		c.pass(account.RetryGrace)
		_, err = p.RefreshTo(ctx, first.Refresh, chosen('e'))
		code(t, err, fault.RefreshReused)

		first = signUp(t, p.Service, "Pau")
		for _, next := range []string{"x", chosen('f') + "A", first.Refresh} {
			_, err = p.RefreshTo(ctx, first.Refresh, next)
			code(t, err, fault.InvalidRequest)
		}
		refresh(t, p.Service, first.Refresh)
	})
}

func TestSessionExpires(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		c := &clock{at: t0}
		p := newProcess(t, db, c, newKey(t), account.WithRefreshTTL(2*time.Hour))
		used, unused := signUp(t, p.Service, "Ana"), signUp(t, p.Service, "Ben")
		c.pass(90 * time.Minute)
		next := refresh(t, p.Service, used.Refresh)
		c.pass(time.Hour)
		_, err := p.Refresh(t.Context(), unused.Refresh)
		code(t, err, fault.RefreshInvalid)
		if list, err := p.Sessions(t.Context(), unused.Player.ID); err != nil || len(list) != 0 {
			t.Errorf("lists %+v, %v", list, err)
		}
		code(t, p.EndSession(t.Context(), unused.Player.ID, unused.SessionID), fault.NotFound)
		refresh(t, p.Service, next.Refresh)
		// A token that was spent long ago does not end a session that is over anyway.
		c.pass(3 * time.Hour)
		_, err = p.Refresh(t.Context(), used.Refresh)
		code(t, err, fault.RefreshInvalid)
	})
}

func TestEndSessions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		c := &clock{at: t0}
		key := newKey(t)
		p := newProcess(t, db, c, key)
		ctx := t.Context()
		ana, ben := signUp(t, p.Service, "Ana"), signUp(t, p.Service, "Ben")
		c.pass(time.Minute)
		laptop, err := p.SignIn(ctx, ana.DeviceSecret, "laptop")
		if err != nil {
			t.Fatal(err)
		}
		list, err := p.Sessions(ctx, ana.Player.ID)
		if err != nil || len(list) != 2 || list[0].ID != laptop.SessionID || list[0].Device != "laptop" ||
			list[0].Via != account.ViaDevice || list[1].ID != ana.SessionID {
			t.Errorf("lists %+v, %v", list, err)
		}

		code(t, p.EndSession(ctx, ben.Player.ID, laptop.SessionID), fault.NotFound)
		if err := p.EndSession(ctx, ana.Player.ID, laptop.SessionID); err != nil {
			t.Fatal(err)
		}
		code(t, p.EndSession(ctx, ana.Player.ID, laptop.SessionID), fault.NotFound)
		_, err = p.Authenticate(laptop.Token.Access)
		code(t, err, fault.SessionEnded)
		if _, err := p.Authenticate(ana.Token.Access); err != nil {
			t.Error(err)
		}
		if err := p.EndSessions(ctx, ana.Player.ID); err != nil {
			t.Fatal(err)
		}
		_, err = p.Authenticate(ana.Token.Access)
		code(t, err, fault.SessionEnded)
		if _, err := p.Authenticate(ben.Token.Access); err != nil {
			t.Error(err)
		}
		if want := []string{laptop.SessionID, ana.SessionID}; !slices.Equal(p.told, want) {
			t.Errorf("announced %v, want %v", p.told, want)
		}

		// A process that has heard nothing reads it, and only once.
		q := newProcess(t, db, c, key)
		if _, err := q.Authenticate(ana.Token.Access); err != nil {
			t.Error(err)
		}
		missed, err := q.Sync(ctx)
		slices.Sort(missed)
		want := slices.Sorted(slices.Values(p.told))
		if err != nil || !slices.Equal(missed, want) {
			t.Errorf("read %v, %v, want %v", missed, err, want)
		}
		if missed, err := q.Sync(ctx); err != nil || len(missed) != 0 {
			t.Errorf("read again %v, %v", missed, err)
		}
		_, err = q.Authenticate(ana.Token.Access)
		code(t, err, fault.SessionEnded)

		// Long after, nothing is left of them.
		c.pass(2*account.MaxAccessTTL + 2*time.Minute)
		if missed, err := q.Sync(ctx); err != nil || len(missed) != 0 {
			t.Errorf("read at last %v, %v", missed, err)
		}
		if ids, err := db.EndedSince(ctx, t0); err != nil || len(ids) != 0 {
			t.Errorf("kept %v, %v", ids, err)
		}
		refresh(t, p.Service, ben.Refresh)
	})
}

// A session that is used for ever leaves no trail for ever: a token of long ago is
// unknown, and ends nothing.
func TestOldTokensAreForgotten(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		c := &clock{at: t0}
		p := newProcess(t, db, c, newKey(t), account.WithRefreshTTL(2*time.Hour))
		ana := signUp(t, p.Service, "Ana")
		next := refresh(t, p.Service, ana.Refresh)
		for range 3 {
			c.pass(time.Hour)
			next = refresh(t, p.Service, next.Refresh)
		}
		if _, err := p.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err := p.Refresh(t.Context(), ana.Refresh)
		code(t, err, fault.RefreshInvalid)
		refresh(t, p.Service, next.Refresh)
	})
}

// Signing in for ever does not grow for ever.
func TestSessionsAreBounded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		c := &clock{at: t0}
		p := newProcess(t, db, c, newKey(t))
		ana := signUp(t, p.Service, "Ana")
		for range account.MaxSessions {
			c.pass(time.Second)
			if _, err := p.SignIn(t.Context(), ana.DeviceSecret, ""); err != nil {
				t.Fatal(err)
			}
		}
		list, err := p.Sessions(t.Context(), ana.Player.ID)
		if err != nil || len(list) != account.MaxSessions {
			t.Errorf("%d sessions, %v", len(list), err)
		}
		if !slices.Equal(p.told, []string{ana.SessionID}) {
			t.Errorf("announced %v, want the oldest, %s", p.told, ana.SessionID)
		}
	})
}
