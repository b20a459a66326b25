// Package oidctest is an issuer of ID tokens for tests, on a listener of its own.
package oidctest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"

	"github.com/cuatrola/cuatrola/server/internal/oidc"
)

// Audience is whom the issuer's tokens are for.
const Audience = "org.example.cuatrola"

// Issuer signs ID tokens. Make one with New.
type Issuer struct {
	URL string
	t   testing.TB
	now func() time.Time

	mu      sync.Mutex
	key     *ecdsa.PrivateKey
	kid     string
	keys    []jose.JSONWebKey
	fetches int
	broken  bool
}

// New starts an issuer, until the test ends.
func New(t testing.TB, now func() time.Time) *Issuer {
	t.Helper()
	i := &Issuer{t: t, now: now}
	server := httptest.NewServer(http.HandlerFunc(i.serve))
	t.Cleanup(server.Close)
	i.URL = server.URL
	i.Rotate()
	return i
}

// Provider is how a server knows the issuer under that name.
func (i *Issuer) Provider(name string) oidc.Provider {
	return oidc.Provider{Name: name, Issuer: i.URL, KeysURL: i.URL + "/keys", Audiences: []string{"org.example.other", Audience}}
}

func (i *Issuer) serve(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if r.URL.Path != "/keys" {
		http.NotFound(w, r)
		return
	}
	i.fetches++
	if i.broken {
		http.Error(w, "planted", http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	// Beside a kind of key that nobody has heard of yet.
	keys := []any{map[string]string{"kty": "NEW", "kid": "new"}}
	for _, key := range i.keys {
		keys = append(keys, key)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"keys": keys})
}

// Rotate signs with a new key from now on. The keys before stay published.
func (i *Issuer) Rotate() {
	i.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		i.t.Fatal(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.key, i.kid = key, fmt.Sprint("key-", len(i.keys)+1)
	i.keys = append(i.keys, jose.JSONWebKey{Key: key.Public(), KeyID: i.kid, Algorithm: "ES256", Use: "sig"})
}

// Key is the key that signs.
func (i *Issuer) Key() crypto.PrivateKey { i.mu.Lock(); defer i.mu.Unlock(); return i.key }

// Withdraw publishes the newest key alone.
func (i *Issuer) Withdraw() { i.mu.Lock(); defer i.mu.Unlock(); i.keys = i.keys[len(i.keys)-1:] }

// Break has the issuer answer with errors, or no more.
func (i *Issuer) Break(broken bool) { i.mu.Lock(); defer i.mu.Unlock(); i.broken = broken }

// Fetches is how often the keys have been asked for.
func (i *Issuer) Fetches() int { i.mu.Lock(); defer i.mu.Unlock(); return i.fetches }

// Token signs a token about the subject that is right, but for the claims given.
// A nil takes a claim away.
func (i *Issuer) Token(subject, nonce string, claims map[string]any) string {
	i.t.Helper()
	i.mu.Lock()
	key, kid := i.key, i.kid
	i.mu.Unlock()
	return i.Sign(jwt.SigningMethodES256, key, kid, subject, nonce, claims)
}

// Sign is Token with another key.
func (i *Issuer) Sign(method jwt.SigningMethod, key crypto.PrivateKey, kid, subject, nonce string, claims map[string]any) string {
	i.t.Helper()
	now := i.now()
	all := jwt.MapClaims{
		"iss": i.URL, "aud": Audience, "sub": subject, "nonce": nonce,
		"iat": now.Unix(), "exp": now.Add(10 * time.Minute).Unix(),
		// As Apple writes it.
		"email": "ana@example.org", "email_verified": "true",
	}
	maps.Copy(all, claims)
	for name, value := range all {
		if value == nil {
			delete(all, name)
		}
	}
	token := jwt.NewWithClaims(method, all)
	token.Header["kid"] = kid
	text, err := token.SignedString(key)
	if err != nil {
		i.t.Fatal(err)
	}
	return text
}

// Hashed is a nonce as Apple's libraries hand it on.
func Hashed(nonce string) string {
	sum := sha256.Sum256([]byte(nonce))
	return hex.EncodeToString(sum[:])
}
