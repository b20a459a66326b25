package account_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
)

const (
	issuer, audience = "cuatrola", "cuatrola-api"
	ttl              = time.Hour
	player           = "01890a5d-ac96-774b-bcce-b302099a8057"
	session          = "01890a5d-ac96-774b-bcce-b302099a8058"
)

var caller = account.Caller{PlayerID: player, SessionID: session}

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newKey(t *testing.T) []byte {
	t.Helper()
	text, err := account.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func newTokens(t *testing.T, keys []byte) *account.Tokens {
	t.Helper()
	parsed, err := account.ParseKeys(keys)
	if err != nil {
		t.Fatal(err)
	}
	return account.NewTokens(parsed, issuer, audience, ttl)
}

func private(t *testing.T, text []byte) ed25519.PrivateKey {
	t.Helper()
	block, _ := pem.Decode(text)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return key.(ed25519.PrivateKey)
}

func publicPEM(t *testing.T, text []byte) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(private(t, text).Public())
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

func issue(t *testing.T, tokens *account.Tokens) account.Token {
	t.Helper()
	token, err := tokens.Issue(caller, t0)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestTokenRoundTrip(t *testing.T) {
	tokens := newTokens(t, newKey(t))
	token := issue(t, tokens)
	if want := t0.Add(ttl); !token.ExpiresAt.Equal(want) {
		t.Errorf("expires at %v, want %v", token.ExpiresAt, want)
	}
	for _, at := range []time.Time{t0, t0.Add(-29 * time.Second), t0.Add(ttl + 29*time.Second)} {
		if got, err := tokens.Verify(token.Access, at); err != nil || got != caller {
			t.Errorf("at %v: %v, %v", at, got, err)
		}
	}
}

// What the library would let through, each as a token that is right but for one
// thing.
func TestTokenTraps(t *testing.T) {
	text, other := newKey(t), newKey(t)
	tokens := newTokens(t, text)
	key, public := private(t, text), private(t, text).Public().(ed25519.PublicKey)
	good := issue(t, tokens).Access
	parsed, _, err := jwt.NewParser().ParseUnverified(good, &jwt.RegisteredClaims{})
	if err != nil {
		t.Fatal(err)
	}
	kid := parsed.Header["kid"]

	forge := func(method jwt.SigningMethod, key any, kid any, change func(jwt.MapClaims)) string {
		t.Helper()
		claims := jwt.MapClaims{
			"iss": issuer, "aud": audience, "sub": player, "sid": session, "iat": t0.Unix(), "exp": t0.Add(ttl).Unix(),
		}
		if change != nil {
			change(claims)
		}
		token := jwt.NewWithClaims(method, claims)
		if kid != nil {
			token.Header["kid"] = kid
		}
		text, err := token.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	with := func(name string, value any) string {
		return forge(jwt.SigningMethodEdDSA, key, kid, func(c jwt.MapClaims) { c[name] = value })
	}
	without := func(name string) string {
		return forge(jwt.SigningMethodEdDSA, key, kid, func(c jwt.MapClaims) { delete(c, name) })
	}
	if _, err := tokens.Verify(forge(jwt.SigningMethodEdDSA, key, kid, nil), t0); err != nil {
		t.Fatalf("the token that is right: %v", err)
	}

	parts := strings.Split(good, ".")
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		t.Fatal(err)
	}
	signature[0] ^= 1
	altered := parts[0] + "." + parts[1] + "." + base64.RawURLEncoding.EncodeToString(signature)

	for _, c := range []struct {
		name, token string
		code        fault.Code
	}{
		{"empty", "", fault.Unauthenticated},
		{"no token", "a.b.c", fault.Unauthenticated},
		{"altered signature", altered, fault.Unauthenticated},
		{"no signature", parts[0] + "." + parts[1] + ".", fault.Unauthenticated},
		{"no exp", without("exp"), fault.Unauthenticated},
		{"expired", with("exp", t0.Add(-31*time.Second).Unix()), fault.TokenExpired},
		{"expired for another", forge(jwt.SigningMethodEdDSA, private(t, other), kid, func(c jwt.MapClaims) {
			c["exp"] = t0.Add(-time.Hour).Unix()
		}), fault.Unauthenticated},
		{"alg none", forge(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, kid, nil), fault.Unauthenticated},
		{"HMAC with the public key", forge(jwt.SigningMethodHS256, []byte(public), kid, nil), fault.Unauthenticated},
		{"HMAC with the public key's PEM", forge(jwt.SigningMethodHS256, publicPEM(t, text), kid, nil), fault.Unauthenticated},
		{"HMAC with an empty key", forge(jwt.SigningMethodHS256, []byte{}, kid, nil), fault.Unauthenticated},
		{"no kid", forge(jwt.SigningMethodEdDSA, key, nil, nil), fault.Unauthenticated},
		{"a kid that is no text", forge(jwt.SigningMethodEdDSA, key, 7, nil), fault.Unauthenticated},
		{"unknown kid", forge(jwt.SigningMethodEdDSA, key, "0000000000000000", nil), fault.Unauthenticated},
		{"unknown key", issue(t, newTokens(t, other)).Access, fault.Unauthenticated},
		{"unknown key under a known kid", forge(jwt.SigningMethodEdDSA, private(t, other), kid, nil), fault.Unauthenticated},
		{"wrong aud", with("aud", "cuatrola-admin"), fault.Unauthenticated},
		{"no aud", without("aud"), fault.Unauthenticated},
		{"wrong iss", with("iss", "someone"), fault.Unauthenticated},
		{"no iss", without("iss"), fault.Unauthenticated},
		{"issued in the future", with("iat", t0.Add(time.Minute).Unix()), fault.Unauthenticated},
		{"not valid yet", with("nbf", t0.Add(time.Minute).Unix()), fault.Unauthenticated},
		{"no sid", without("sid"), fault.Unauthenticated},
		{"a sid that is no session", with("sid", "all"), fault.Unauthenticated},
		{"a sid that is no text", with("sid", 7), fault.Unauthenticated},
		{"no sub", without("sub"), fault.Unauthenticated},
		{"a sub that is no player", with("sub", "admin"), fault.Unauthenticated},
	} {
		got, err := tokens.Verify(c.token, t0)
		if got != (account.Caller{}) || fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v, %v; want code %s", c.name, got, err, c.code)
		}
		if err != nil && c.token != "" && strings.Contains(err.Error(), c.token) {
			t.Errorf("%s: the token is in the error: %v", c.name, err)
		}
	}
}

// A new key signs while the previous one still verifies, kept whole or as its
// public half.
func TestKeyRotation(t *testing.T) {
	oldKey, newKey := newKey(t), newKey(t)
	before := issue(t, newTokens(t, oldKey)).Access
	for name, previous := range map[string][]byte{"private": oldKey, "public": publicPEM(t, oldKey)} {
		tokens := newTokens(t, append(append([]byte{}, newKey...), previous...))
		if _, err := tokens.Verify(before, t0); err != nil {
			t.Errorf("%s: the previous key's token: %v", name, err)
		}
		if _, err := newTokens(t, newKey).Verify(issue(t, tokens).Access, t0); err != nil {
			t.Errorf("%s: the new key does not sign: %v", name, err)
		}
	}
}

// By the command: what a key has signed lives on until it expires, or until the
// rotation after the next.
func TestRotateKeys(t *testing.T) {
	rotate := func(text []byte) []byte {
		t.Helper()
		next, err := account.RotateKeys(text, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	first := newKey(t)
	old := issue(t, newTokens(t, first)).Access
	second := rotate(first)
	if bytes.Contains(second, first) || bytes.Count(second, []byte("PRIVATE KEY")) != 2 {
		t.Error("the former key could still sign")
	}
	tokens := newTokens(t, second)
	for _, at := range []time.Duration{0, ttl, ttl + 29*time.Second} {
		if got, err := tokens.Verify(old, t0.Add(at)); err != nil || got != caller {
			t.Errorf("%v after the rotation: %v, %v", at, got, err)
		}
	}
	if _, err := tokens.Verify(old, t0.Add(ttl+31*time.Second)); fault.CodeOf(err) != fault.TokenExpired {
		t.Errorf("expired: %v", err)
	}
	fresh := issue(t, tokens).Access
	if _, err := newTokens(t, first).Verify(fresh, t0); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("still signs with the former key: %v", err)
	}
	third := newTokens(t, rotate(second))
	if _, err := third.Verify(fresh, t0); err != nil {
		t.Errorf("the previous key's token: %v", err)
	}
	if _, err := third.Verify(old, t0); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("the token of the one before: %v", err)
	}
	// A server that runs takes them up.
	tokens.SetKeys(func() account.Keys {
		k, err := account.ParseKeys(first)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}())
	if _, err := tokens.Verify(fresh, t0); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("keys that were set are not used: %v", err)
	}
}

// With two processes that read the file one after the other, no token is refused
// at any moment.
func TestPrepareKey(t *testing.T) {
	must := func(text []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	first := must(account.RotateKeys(newKey(t), rand.Reader)) // with a previous one
	prepared := must(account.PrepareKey(first, rand.Reader))
	if again := must(account.PrepareKey(prepared, rand.Reader)); !bytes.Equal(again, prepared) {
		t.Error("prepared twice")
	}
	rotated := must(account.RotateKeys(prepared, rand.Reader))
	steps := [][]byte{first, prepared, rotated}
	for i := range steps[1:] {
		a, b := newTokens(t, steps[i]), newTokens(t, steps[i+1])
		if _, err := a.Verify(issue(t, b).Access, t0); err != nil {
			t.Errorf("step %d: the later process's token at the earlier: %v", i, err)
		}
		if _, err := b.Verify(issue(t, a).Access, t0); err != nil {
			t.Errorf("step %d: the earlier process's token at the later: %v", i, err)
		}
	}
	if bytes.Count(rotated, []byte("BEGIN")) != 2 {
		t.Errorf("%s", rotated)
	}
	for name, f := range map[string]func([]byte, io.Reader) ([]byte, error){"rotate": account.RotateKeys, "prepare": account.PrepareKey} {
		if _, err := f([]byte("hunter2"), rand.Reader); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := f(first, bytes.NewReader(nil)); err == nil {
			t.Errorf("%s without randomness: no error", name)
		}
	}
}

func TestParseKeysRefuses(t *testing.T) {
	key := newKey(t)
	for name, text := range map[string][]byte{
		"nothing":      nil,
		"no PEM":       []byte("hunter2"),
		"public first": append(publicPEM(t, key), key...),
		"other block":  pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte{1}}),
		"cut":          pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte{1}}),
	} {
		if _, err := account.ParseKeys(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
