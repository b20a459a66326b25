package account_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	passwords "github.com/cuatrola/cuatrola/server/password"
	"github.com/cuatrola/cuatrola/server/privacy"
)

// postbox is where mails arrive.
type postbox struct {
	mu    sync.Mutex
	mails []account.Mail
	err   error
}

func (b *postbox) Send(_ context.Context, m account.Mail) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mails = append(b.mails, m)
	return b.err
}

// take empties the box, once all work has been done.
func (b *postbox) take(s *account.Service) []account.Mail {
	s.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	mails := b.mails
	b.mails = nil
	return mails
}

var linkToken = regexp.MustCompile(`https://example\.org/#(verify|reset)=([\w-]+)`)

// link is the token of the one mail that was sent.
func (b *postbox) link(t *testing.T, s *account.Service, kind, to string) string {
	t.Helper()
	mails := b.take(s)
	if len(mails) != 1 || mails[0].To != to {
		t.Fatalf("mails: %+v, want one to %s", mails, to)
	}
	found := linkToken.FindStringSubmatch(mails[0].Text)
	if found == nil || found[1] != kind {
		t.Fatalf("no link to %s in %q", kind, mails[0].Text)
	}
	return found[2]
}

// provider knows ID tokens that are their own subject.
type provider struct{}

func (provider) Subject(_ context.Context, _, idToken, nonce string) (string, error) {
	if idToken == "" || nonce != "nonce" {
		return "", fault.New(fault.InvalidIDToken, "bad")
	}
	return idToken, nil
}

const password = "quien va a la derecha"

func newHouse(t *testing.T, db *store.Store) (*process, *clock, *postbox) {
	t.Helper()
	c, b := &clock{at: t0}, &postbox{}
	p := newProcess(t, db, c, newKey(t), account.WithMailer(b, "https://example.org/"), account.WithIDTokens(provider{}))
	t.Cleanup(p.Wait)
	return p, c, b
}

func linkEmail(t *testing.T, p *process, b *postbox, who account.Player, email, password string) {
	t.Helper()
	if err := p.LinkEmail(t.Context(), who, email, password); err != nil {
		t.Fatal(err)
	}
	if err := p.ConfirmEmail(t.Context(), b.link(t, p.Service, "verify", email)); err != nil {
		t.Fatal(err)
	}
}

func providers(t *testing.T, p *process, playerID string) []string {
	t.Helper()
	all, err := p.Identities(t.Context(), playerID)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, i := range all {
		names = append(names, i.Provider)
	}
	return names
}

func isGuest(t *testing.T, p *process, playerID string) bool {
	t.Helper()
	got, err := p.Player(t.Context(), playerID)
	if err != nil {
		t.Fatal(err)
	}
	return got.Guest
}

func TestEmail(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		p, c, b := newHouse(t, db)
		ctx := t.Context()
		ana, ben := signUp(t, p.Service, "Ana"), signUp(t, p.Service, "Ben")
		if err := p.LinkEmail(ctx, ana.Player, " Ana@Example.ORG", password); err != nil {
			t.Fatal(err)
		}
		token := b.link(t, p.Service, "verify", "ana@example.org")
		// Until the link is followed, nothing has changed.
		_, err := p.SignInWithEmail(ctx, "ana@example.org", password, "")
		code(t, err, fault.InvalidCredentials)
		if !isGuest(t, p, ana.Player.ID) || !slices.Equal(providers(t, p, ana.Player.ID), []string{"device"}) {
			t.Error("linked before the link was followed")
		}
		if err := p.ConfirmEmail(ctx, token); err != nil {
			t.Fatal(err)
		}
		code(t, p.ConfirmEmail(ctx, token), fault.LinkInvalid)
		code(t, p.ConfirmEmail(ctx, token[1:]), fault.LinkInvalid)
		code(t, p.ResetPassword(ctx, token, password), fault.LinkInvalid)
		if isGuest(t, p, ana.Player.ID) || !slices.Equal(providers(t, p, ana.Player.ID), []string{"device", "email"}) {
			t.Error("not linked")
		}
		in, err := p.SignInWithEmail(ctx, "ANA@example.org", password, "laptop")
		if err != nil || in.Player.ID != ana.Player.ID || in.Player.Guest {
			t.Errorf("signed in as %+v, %v", in, err)
		}
		for _, try := range [][2]string{
			{"ana@example.org", password + " "},
			{"ben@example.org", password},
			{"ana", password},
			{"", ""},
			{"ana@example.org", strings.Repeat("x", 10000)},
		} {
			_, err := p.SignInWithEmail(ctx, try[0], try[1], "")
			code(t, err, fault.InvalidCredentials)
		}
		if mails := b.take(p.Service); len(mails) != 0 {
			t.Errorf("sent %+v", mails)
		}

		// Another's address: only who reads its mail learns that it is taken.
		if err := p.LinkEmail(ctx, ben.Player, "ana@example.org", "mano y a callar"); err != nil {
			t.Fatal(err)
		}
		token = b.link(t, p.Service, "verify", "ana@example.org")
		code(t, p.ConfirmEmail(ctx, token), fault.IdentityTaken)
		if !isGuest(t, p, ben.Player.ID) {
			t.Error("an address that is another's was linked")
		}
		if _, err := p.SignInWithEmail(ctx, "ana@example.org", password, ""); err != nil {
			t.Error(err)
		}

		// A new address takes the old one's place, and everybody is signed out.
		old := in
		if err := p.LinkEmail(ctx, ana.Player, "ana@example.net", "mano y a callar"); err != nil {
			t.Fatal(err)
		}
		if err := p.ConfirmEmail(ctx, b.link(t, p.Service, "verify", "ana@example.net")); err != nil {
			t.Fatal(err)
		}
		if mails := b.take(p.Service); len(mails) != 1 || mails[0].To != "ana@example.org" {
			t.Errorf("the old address was told %+v", mails)
		}
		_, err = p.Authenticate(old.Token.Access)
		code(t, err, fault.SessionEnded)
		_, err = p.SignInWithEmail(ctx, "ana@example.org", password, "")
		code(t, err, fault.InvalidCredentials)
		if _, err := p.SignInWithEmail(ctx, "ana@example.net", "mano y a callar", ""); err != nil {
			t.Error(err)
		}

		// A link that is too old.
		if err := p.LinkEmail(ctx, ben.Player, "ben@example.org", password); err != nil {
			t.Fatal(err)
		}
		token = b.link(t, p.Service, "verify", "ben@example.org")
		c.pass(account.VerifyTTL)
		code(t, p.ConfirmEmail(ctx, token), fault.LinkInvalid)
	})
}

func TestReset(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		p, c, b := newHouse(t, db)
		ctx := t.Context()
		ana := signUp(t, p.Service, "Ana")
		linkEmail(t, p, b, ana.Player, "ana@example.org", password)
		in, err := p.SignInWithEmail(ctx, "ana@example.org", password, "")
		if err != nil {
			t.Fatal(err)
		}

		if err := p.RequestReset(ctx, "nobody@example.org"); err != nil {
			t.Error(err)
		}
		if mails := b.take(p.Service); len(mails) != 0 {
			t.Errorf("sent %+v", mails)
		}
		reset := func() string {
			t.Helper()
			if err := p.RequestReset(ctx, "Ana@example.org"); err != nil {
				t.Fatal(err)
			}
			return b.link(t, p.Service, "reset", "ana@example.org")
		}
		first, second := reset(), reset()
		code(t, p.ResetPassword(ctx, second, "short"), fault.InvalidRequest)
		code(t, p.ConfirmEmail(ctx, second), fault.LinkInvalid)
		if err := p.ResetPassword(ctx, second, "mano y a callar"); err != nil {
			t.Fatal(err)
		}
		for _, token := range []string{first, second, "", "x"} {
			code(t, p.ResetPassword(ctx, token, password), fault.LinkInvalid)
		}
		for _, access := range []string{in.Token.Access, ana.Token.Access} {
			_, err = p.Authenticate(access)
			code(t, err, fault.SessionEnded)
		}
		_, err = p.SignInWithEmail(ctx, "ana@example.org", password, "")
		code(t, err, fault.InvalidCredentials)
		if _, err := p.SignInWithEmail(ctx, "ana@example.org", "mano y a callar", ""); err != nil {
			t.Error(err)
		}

		third := reset()
		c.pass(account.ResetTTL)
		code(t, p.ResetPassword(ctx, third, password), fault.LinkInvalid)
		// A link to an address that the player has given up.
		fourth := reset()
		linkEmail(t, p, b, ana.Player, "ana@example.net", password)
		b.take(p.Service)
		code(t, p.ResetPassword(ctx, fourth, password), fault.LinkInvalid)
	})
}

// Nobody's mailbox is flooded, and nobody floods others'.
func TestMailsAreBounded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		p, c, b := newHouse(t, db)
		ctx := t.Context()
		ana := signUp(t, p.Service, "Ana")
		for i := range 3 * account.MaxMails {
			if err := p.LinkEmail(ctx, ana.Player, string(rune('a'+i))+"@example.org", password); err != nil {
				t.Fatal(err)
			}
			p.Wait()
		}
		if n := len(b.take(p.Service)); n != account.MaxMails {
			t.Errorf("a player sent %d mails", n)
		}
		c.pass(time.Hour)
		for range account.MaxMails + 2 {
			if err := p.LinkEmail(ctx, signUp(t, p.Service, "").Player, "one@example.org", password); err != nil {
				t.Fatal(err)
			}
			p.Wait()
		}
		if n := len(b.take(p.Service)); n != account.MaxMails {
			t.Errorf("an address got %d mails", n)
		}
		c.pass(time.Hour)
		linkEmail(t, p, b, ana.Player, "one@example.org", password)
	})
}

// A mail that cannot be sent is logged, and fails nobody.
func TestMailerFails(t *testing.T) {
	p, _, b := newHouse(t, storetest.New(t, store.SQLite))
	b.err = errors.New("planted")
	if err := p.LinkEmail(t.Context(), signUp(t, p.Service, "Ana").Player, "ana@example.org", password); err != nil {
		t.Error(err)
	}
}

func TestLinkToken(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		p, _, b := newHouse(t, db)
		ctx := t.Context()
		ana, ben := signUp(t, p.Service, "Ana"), signUp(t, p.Service, "Ben")
		_, err := p.SignInWithToken(ctx, account.ViaGoogle, "815", "nonce", "")
		code(t, err, fault.UnknownIdentity)
		_, err = p.SignInWithToken(ctx, account.ViaGoogle, "815", "another", "")
		code(t, err, fault.InvalidIDToken)
		code(t, p.LinkToken(ctx, ana.Player.ID, account.ViaGoogle, "815", "another"), fault.InvalidIDToken)
		for range 2 {
			if err := p.LinkToken(ctx, ana.Player.ID, account.ViaGoogle, "815", "nonce"); err != nil {
				t.Fatal(err)
			}
		}
		if isGuest(t, p, ana.Player.ID) {
			t.Error("still a guest")
		}
		in, err := p.SignInWithToken(ctx, account.ViaGoogle, "815", "nonce", "tablet")
		if err != nil || in.Player.ID != ana.Player.ID {
			t.Errorf("signed in as %+v, %v", in, err)
		}
		// The same number at another provider is somebody else.
		_, err = p.SignInWithToken(ctx, account.ViaApple, "815", "nonce", "")
		code(t, err, fault.UnknownIdentity)

		// Nothing is merged.
		code(t, p.LinkToken(ctx, ben.Player.ID, account.ViaGoogle, "815", "nonce"), fault.IdentityTaken)
		code(t, p.LinkToken(ctx, ana.Player.ID, account.ViaGoogle, "816", "nonce"), fault.AlreadyLinked)
		if got := providers(t, p, ben.Player.ID); !slices.Equal(got, []string{"device"}) {
			t.Errorf("Ben has %v", got)
		}

		if err := p.LinkToken(ctx, ana.Player.ID, account.ViaApple, "815", "nonce"); err != nil {
			t.Fatal(err)
		}
		linkEmail(t, p, b, ana.Player, "ana@example.org", password)
		if got := providers(t, p, ana.Player.ID); len(got) != 4 {
			t.Errorf("Ana has %v", got)
		}
		// All but the last can be taken away.
		for _, provider := range []string{"device", "google", "email"} {
			if err := p.Unlink(ctx, ana.Player.ID, provider); err != nil {
				t.Error(err)
			}
			code(t, p.Unlink(ctx, ana.Player.ID, provider), fault.NotFound)
		}
		code(t, p.Unlink(ctx, ana.Player.ID, "apple"), fault.LastIdentity)
		code(t, p.Unlink(ctx, ben.Player.ID, "device"), fault.LastIdentity)
		_, err = p.SignIn(ctx, ana.DeviceSecret, "")
		code(t, err, fault.UnknownDevice)
		_, err = p.SignInWithToken(ctx, account.ViaGoogle, "815", "nonce", "")
		code(t, err, fault.UnknownIdentity)
		_, err = p.SignInWithEmail(ctx, "ana@example.org", password, "")
		code(t, err, fault.InvalidCredentials)
		if isGuest(t, p, ana.Player.ID) {
			t.Error("a guest although Apple is linked")
		}
		// What was unlinked is free again; whoever has devices only is a guest again.
		if err := p.LinkToken(ctx, ben.Player.ID, account.ViaGoogle, "815", "nonce"); err != nil {
			t.Error(err)
		}
		if err := p.Unlink(ctx, ben.Player.ID, account.ViaGoogle); err != nil || !isGuest(t, p, ben.Player.ID) {
			t.Errorf("unlinked, %v, and no guest", err)
		}
	})
}

// Of two who link one account at once, one gets it; of two ways in that are
// unlinked at once, one stays.
func TestLinkAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		p, _, _ := newHouse(t, db)
		players := make([]account.Guest, 6)
		errs := make([]error, len(players))
		for i := range players {
			players[i] = signUp(t, p.Service, "")
		}
		var all sync.WaitGroup
		for i := range players {
			all.Go(func() { errs[i] = p.LinkToken(t.Context(), players[i].Player.ID, account.ViaApple, "1", "nonce") })
		}
		all.Wait()
		winner := slices.Index(errs, nil)
		for i, err := range errs {
			if i != winner {
				code(t, err, fault.IdentityTaken)
			}
		}
		if winner < 0 {
			t.Fatal("nobody got it")
		}
		id := players[winner].Player.ID
		for range 4 {
			var left, right error
			all.Go(func() { left = p.Unlink(t.Context(), id, account.ViaDevice) })
			all.Go(func() { right = p.Unlink(t.Context(), id, account.ViaApple) })
			all.Wait()
			if (left == nil) == (right == nil) && len(providers(t, p, id)) != 1 {
				t.Errorf("%v and %v: the player has %v", left, right, providers(t, p, id))
			}
		}
		if n := len(providers(t, p, id)); n != 1 {
			t.Errorf("%d ways in are left", n)
		}
	})
}

func TestNormalEmail(t *testing.T) {
	for in, want := range map[string]string{
		"ana@example.org":           "ana@example.org",
		" ANA@Example.ORG ":         "ana@example.org",
		"ana+mesa@example.org":      "ana+mesa@example.org",
		"ana@bücher.example":        "ana@xn--bcher-kva.example",
		"ana@BÜCHER.example":        "ana@xn--bcher-kva.example",
		"ana@xn--bcher-kva.example": "ana@xn--bcher-kva.example",
		"ａｎａ@example.org":           "ana@example.org",
		"ñ@example.org":             "ñ@example.org",
	} {
		if got, err := account.NormalEmail(in); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{
		"", "ana", "ana@", "@example.org", "ana@localhost", "Ana <ana@example.org>", "ana@example.org, ben@example.org",
		"ana@example.org\r\nBcc: ben@example.org", "a b@example.org", `"a b"@example.org`, "ana@exa mple.org", "ana@-.org",
		"ana@[127.0.0.1]", strings.Repeat("a", 250) + "@example.org", "ana@example.org\x00", "\xff@example.org", "ana@@example.org",
	} {
		if got, err := account.NormalEmail(in); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
}

// A password typed on another keyboard is the same password, and what is kept of
// it tells nothing.
func TestPasswords(t *testing.T) {
	db := storetest.New(t, store.SQLite)
	b := &postbox{}
	p := newProcess(t, db, &clock{at: t0}, newKey(t), account.WithMailer(b, "https://example.org/"), account.WithPasswordCost(passwords.Recommended))
	t.Cleanup(p.Wait)
	ctx := t.Context()
	ana, ben := signUp(t, p.Service, "Ana"), signUp(t, p.Service, "Ben")
	linkEmail(t, p, b, ana.Player, "ana@example.org", "contraseña")
	linkEmail(t, p, b, ben.Player, "ben@example.org", "contraseña")
	if _, err := p.SignInWithEmail(ctx, "ana@example.org", "contrasen\u0303a", ""); err != nil {
		t.Error(err)
	}
	var kept []string
	for _, email := range []string{"ana@example.org", "ben@example.org"} {
		i, err := db.Identity(ctx, account.ViaEmail, email)
		if err != nil || !strings.HasPrefix(i.Secret, "$argon2id$v=19$m=19456,t=2,p=1$") {
			t.Errorf("kept %q, %v", i.Secret, err)
		}
		kept = append(kept, i.Secret)
	}
	if kept[0] == kept[1] {
		t.Error("the same password is kept alike")
	}
	for _, bad := range []string{"", "sietesiete"[:7], strings.Repeat("ñ", 129), "\xff\xff\xff\xff\xff\xff\xff\xff"} {
		code(t, p.LinkEmail(ctx, ana.Player, "ana@example.net", bad), fault.InvalidRequest)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	// Whoever waits too long for the processor is told so.
	for range 50 {
		if _, err := p.SignInWithEmail(cancelled, "nobody@example.org", password, ""); err == nil {
			t.Error("signed in")
		}
	}
}

// late changes an identity when a session has just been made with it.
type late struct {
	account.Store
	change func()
}

func (l *late) CreateSession(ctx context.Context, s account.Session, limit int) ([]string, error) {
	ended, err := l.Store.CreateSession(ctx, s, limit)
	l.change()
	return ended, err
}

// A sign-in with the old password, at the moment in which another is set.
func TestSignInDuringReset(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		p, c, b := newHouse(t, db)
		ctx := t.Context()
		ana := signUp(t, p.Service, "Ana")
		linkEmail(t, p, b, ana.Player, "ana@example.org", password)
		if err := p.LinkToken(ctx, ana.Player.ID, account.ViaGoogle, "815", "nonce"); err != nil {
			t.Fatal(err)
		}
		slow := &late{Store: db}
		q := account.New(slow, newTokens(t, newKey(t)), c.now, account.WithIDTokens(provider{}))
		slow.change = func() {
			identity, err := db.Identity(ctx, account.ViaEmail, "ana@example.org")
			if err != nil {
				t.Error(err)
			}
			identity.Secret = "another"
			if err := errors.Join(db.UnlinkIdentity(ctx, ana.Player.ID, account.ViaEmail), db.LinkIdentity(ctx, identity)); err != nil {
				t.Error(err)
			}
		}
		_, err := q.SignInWithEmail(ctx, "ana@example.org", password, "late")
		code(t, err, fault.InvalidCredentials)
		slow.change = func() {
			if err := db.UnlinkIdentity(ctx, ana.Player.ID, account.ViaGoogle); err != nil {
				t.Error(err)
			}
		}
		_, err = q.SignInWithToken(ctx, account.ViaGoogle, "815", "nonce", "late")
		code(t, err, fault.UnknownIdentity)
		list, err := p.Sessions(ctx, ana.Player.ID)
		if err != nil || slices.ContainsFunc(list, func(s account.Session) bool { return s.Device == "late" }) {
			t.Errorf("sessions %+v, %v", list, err)
		}
	})
}

// Whoever is forgotten gets nothing new, whatever was under way.
func TestForgottenPlayer(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		p, c, b := newHouse(t, db)
		ctx := t.Context()
		ana := signUp(t, p.Service, "Ana")
		linkEmail(t, p, b, ana.Player, "ana@example.org", password)
		forget := func() {
			if _, err := db.RequestDeletion(ctx, privacy.Deletion{PlayerID: ana.Player.ID, RequestedAt: c.now(), DueAt: c.now()}); err != nil {
				t.Error(err)
			}
			if done, err := db.Erase(ctx, ana.Player.ID, "nobody", c.now()); err != nil || !done {
				t.Errorf("erased: %v, %v", done, err)
			}
		}
		q := account.New(&forgetful{db, forget}, newTokens(t, newKey(t)), c.now)
		_, err := q.SignInWithEmail(ctx, "ana@example.org", password, "")
		code(t, err, fault.InvalidCredentials)
		_, err = p.SignIn(ctx, ana.DeviceSecret, "")
		code(t, err, fault.UnknownDevice)
		_, err = p.Refresh(ctx, ana.Refresh)
		code(t, err, fault.RefreshInvalid)
		code(t, p.LinkToken(ctx, ana.Player.ID, account.ViaGoogle, "815", "nonce"), fault.NotFound)
		if err := p.LinkEmail(ctx, ana.Player, "ana@example.org", password); err != nil {
			t.Error(err)
		}
		if mails := b.take(p.Service); len(mails) != 0 {
			t.Errorf("sent %+v", mails)
		}
		if err := p.EndSessions(ctx, ana.Player.ID); err != nil {
			t.Error(err)
		}
	})
}

// forgetful forgets a player just before a session is made.
type forgetful struct {
	account.Store
	forget func()
}

func (f *forgetful) CreateSession(ctx context.Context, s account.Session, limit int) ([]string, error) {
	f.forget()
	return f.Store.CreateSession(ctx, s, limit)
}
