package oidc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/oidc"
	"github.com/cuatrola/cuatrola/server/internal/oidc/oidctest"
)

const nonce = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"

type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.at }

func (c *clock) pass(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.at = c.at.Add(d) }

func newIssuer(t *testing.T) (*clock, *oidctest.Issuer, *oidc.Verifier) {
	c := &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	i := oidctest.New(t, c.now)
	off := i.Provider("apple")
	off.Audiences = nil
	return c, i, oidc.New(c.now, i.Provider("google"), off)
}

func TestSubject(t *testing.T) {
	c, i, v := newIssuer(t)
	for name, token := range map[string]string{
		"plain":            i.Token("815", nonce, nil),
		"hashed nonce":     i.Token("815", oidctest.Hashed(nonce), nil),
		"another audience": i.Token("815", nonce, map[string]any{"aud": []string{"org.example.other"}}),
		"no e-mail":        i.Token("815", nonce, map[string]any{"email": nil, "email_verified": nil}),
		"e-mail verified":  i.Token("815", nonce, map[string]any{"email_verified": true}),
		"expired just now": i.Token("815", nonce, map[string]any{"exp": c.now().Add(-29 * time.Second).Unix()}),
		"a clock ahead":    i.Token("815", nonce, map[string]any{"iat": c.now().Add(29 * time.Second).Unix()}),
	} {
		if got, err := v.Subject(t.Context(), "google", token, nonce); err != nil || got != "815" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if n := i.Fetches(); n != 1 {
		t.Errorf("the keys were fetched %d times", n)
	}
	for _, provider := range []string{"apple", "device", ""} {
		_, err := v.Subject(t.Context(), provider, i.Token("815", nonce, nil), nonce)
		if fault.CodeOf(err) != fault.ProviderDisabled {
			t.Errorf("%s: %v", provider, err)
		}
	}
}

// Each token is right but for one thing.
func TestRefuses(t *testing.T) {
	c, i, v := newIssuer(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	with := func(name string, value any) string { return i.Token("815", nonce, map[string]any{name: value}) }
	good := i.Token("815", nonce, nil)
	parts := strings.Split(good, ".")
	for name, token := range map[string]string{
		"empty":                 "",
		"no token":              "a.b.c",
		"no signature":          parts[0] + "." + parts[1] + ".",
		"another's signature":   parts[0] + "." + parts[1] + "." + strings.Split(i.Token("816", nonce, nil), ".")[2],
		"wrong audience":        with("aud", "org.example.stranger"),
		"one audience too many": with("aud", []string{oidctest.Audience, "org.example.stranger"}),
		"no audience":           with("aud", nil),
		"wrong issuer":          with("iss", "https://example.org"),
		"no issuer":             with("iss", nil),
		"expired":               with("exp", c.now().Add(-31*time.Second).Unix()),
		"no exp":                with("exp", nil),
		"issued in the future":  with("iat", c.now().Add(31*time.Second).Unix()),
		"no subject":            with("sub", nil),
		"empty subject":         with("sub", ""),
		"long subject":          with("sub", strings.Repeat("8", 256)),
		"no nonce":              with("nonce", nil),
		"empty nonce":           with("nonce", ""),
		"another nonce":         with("nonce", nonce+"0"),
		"hash of another nonce": with("nonce", oidctest.Hashed(nonce+"0")),
		"another key":           i.Sign(jwt.SigningMethodES256, key, "key-1", "815", nonce, nil),
		"unknown kid":           i.Sign(jwt.SigningMethodES256, key, "key-9", "815", nonce, nil),
		"alg none":              i.Sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, "key-1", "815", nonce, nil),
		"no kid":                i.Sign(jwt.SigningMethodES256, key, "", "815", nonce, nil),
		"a kid of a new kind":   i.Sign(jwt.SigningMethodES256, key, "new", "815", nonce, nil),
		"HMAC":                  i.Sign(jwt.SigningMethodHS256, []byte("key"), "key-1", "815", nonce, nil),
	} {
		if got, err := v.Subject(t.Context(), "google", token, nonce); got != "" || fault.CodeOf(err) != fault.InvalidIDToken {
			t.Errorf("%s: %q, %v", name, got, err)
		} else if token != "" && strings.Contains(err.Error(), token) {
			t.Errorf("%s: the token is in the error: %v", name, err)
		}
	}
	// A client that has no nonce cannot do without.
	for _, token := range []string{with("nonce", ""), with("nonce", nil), with("nonce", oidctest.Hashed(""))} {
		if _, err := v.Subject(t.Context(), "google", token, ""); fault.CodeOf(err) != fault.InvalidIDToken {
			t.Errorf("without a nonce: %v", err)
		}
	}
}

// A machine's token needs no nonce, but a verified address and all the rest.
func TestMachine(t *testing.T) {
	c, i, v := newIssuer(t)
	machine := func(more map[string]any) string {
		all := map[string]any{"nonce": nil, "email": "push@example.iam.gserviceaccount.com", "email_verified": true}
		maps.Copy(all, more)
		return i.Token("1", "", all)
	}
	if got, err := v.Machine(t.Context(), "google", machine(nil)); err != nil || got != "push@example.iam.gserviceaccount.com" {
		t.Errorf("%q, %v", got, err)
	}
	for name, token := range map[string]string{
		"no address":       machine(map[string]any{"email": nil}),
		"empty address":    machine(map[string]any{"email": ""}),
		"not verified":     machine(map[string]any{"email_verified": false}),
		"not said":         machine(map[string]any{"email_verified": nil}),
		"verified in text": machine(map[string]any{"email_verified": "true"}), // Apple's way, and Apple sends none
		"wrong audience":   machine(map[string]any{"aud": "org.example.stranger"}),
		"wrong issuer":     machine(map[string]any{"iss": "https://example.org"}),
		"expired":          machine(map[string]any{"exp": c.now().Add(-31 * time.Second).Unix()}),
		"in the future":    machine(map[string]any{"iat": c.now().Add(31 * time.Second).Unix()}),
		"empty":            "",
	} {
		if got, err := v.Machine(t.Context(), "google", token); got != "" || fault.CodeOf(err) != fault.InvalidIDToken {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := v.Machine(t.Context(), "apple", machine(nil)); fault.CodeOf(err) != fault.ProviderDisabled {
		t.Errorf("off: %v", err)
	}
	i.Break(true)
	c.pass(2 * time.Hour)
	i.Rotate()
	if _, err := v.Machine(t.Context(), "google", machine(nil)); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("broken: %v", err)
	}
}

// A new key is taken at once, the one before stays good while it is published.
func TestRotation(t *testing.T) {
	c, i, v := newIssuer(t)
	before := i.Token("815", nonce, nil)
	if _, err := v.Subject(t.Context(), "google", before, nonce); err != nil {
		t.Fatal(err)
	}
	c.pass(oidc.FetchEvery)
	i.Rotate()
	for _, token := range []string{i.Token("815", nonce, nil), before} {
		if _, err := v.Subject(t.Context(), "google", token, nonce); err != nil {
			t.Error(err)
		}
	}
	if n := i.Fetches(); n != 2 {
		t.Errorf("the keys were fetched %d times", n)
	}
}

// A key that its provider has withdrawn is good for an hour at most, though not
// because the provider does not answer.
func TestWithdrawnKey(t *testing.T) {
	c, i, v := newIssuer(t)
	key := i.Key()
	old := func() error {
		t.Helper()
		_, err := v.Subject(t.Context(), "google", i.Sign(jwt.SigningMethodES256, key, "key-1", "815", nonce, nil), nonce)
		return err
	}
	if err := old(); err != nil {
		t.Fatal(err)
	}
	i.Rotate()
	i.Withdraw()
	i.Break(true)
	c.pass(time.Hour + time.Second)
	if err := old(); err != nil {
		t.Errorf("while the provider is down: %v", err)
	}
	i.Break(false)
	c.pass(oidc.FetchEvery)
	if err := old(); fault.CodeOf(err) != fault.InvalidIDToken {
		t.Errorf("withdrawn: %v", err)
	}
}

// Tokens with made-up kids do not flood the provider, nor do they keep the others
// out: not those with known keys, and those with a new key not for long.
func TestUnknownKidFlood(t *testing.T) {
	c, i, v := newIssuer(t)
	if _, err := v.Subject(t.Context(), "google", i.Token("815", nonce, nil), nonce); err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	flood := func() {
		t.Helper()
		for n := range 50 {
			made := i.Sign(jwt.SigningMethodES256, key, fmt.Sprint("made-up-", n), "815", nonce, nil)
			if _, err := v.Subject(t.Context(), "google", made, nonce); fault.CodeOf(err) != fault.InvalidIDToken {
				t.Errorf("a made-up kid: %v", err)
			}
		}
	}
	c.pass(oidc.FetchEvery)
	flood()
	if n := i.Fetches(); n != 2 {
		t.Errorf("the keys were fetched %d times", n)
	}
	if _, err := v.Subject(t.Context(), "google", i.Token("815", nonce, nil), nonce); err != nil {
		t.Errorf("during the flood: %v", err)
	}
	i.Rotate()
	c.pass(oidc.FetchEvery)
	flood()
	if _, err := v.Subject(t.Context(), "google", i.Token("815", nonce, nil), nonce); err != nil {
		t.Errorf("with the new key: %v", err)
	}
	if n := i.Fetches(); n != 3 {
		t.Errorf("the keys were fetched %d times", n)
	}
}

// A provider that does not answer is no reason to call a token bad.
func TestUnreachable(t *testing.T) {
	c, i, v := newIssuer(t)
	i.Break(true)
	token := i.Token("815", nonce, nil)
	for range 3 {
		if _, err := v.Subject(t.Context(), "google", token, nonce); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("broken: %v", err)
		}
	}
	i.Break(false)
	c.pass(oidc.FetchEvery)
	if _, err := v.Subject(t.Context(), "google", token, nonce); err != nil {
		t.Errorf("mended: %v", err)
	}
	if n := i.Fetches(); n != 2 {
		t.Errorf("the keys were fetched %d times", n)
	}
}
