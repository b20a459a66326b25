// Package oidc checks the ID tokens of Apple and Google (OpenID Connect) against
// the keys that they publish.
//
// go-oidc verifies signature, issuer and expiry. What it leaves to its caller is
// here: the nonce, a leeway for clocks, several audiences (an app for each system,
// and the page), and how often the keys are fetched, which it would do for every
// token with an unknown kid.
package oidc

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/cuatrola/cuatrola/server/fault"
)

const (
	// FetchEvery is how long the keys are not fetched again. After a rotation the
	// first token with the new key is good at once, unless somebody has just tried an
	// unknown one: then after this time.
	FetchEvery = 10 * time.Second

	leeway       = 30 * time.Second
	fetchTimeout = 10 * time.Second
	maxKeys      = 1 << 20 // bytes
	maxSubject   = 255     // the standard's own limit
)

// Provider is who issues ID tokens.
type Provider struct {
	Name      string // as identities have it
	Issuer    string // a token's iss
	KeysURL   string // its JWKS document
	Audiences []string
}

// Verifier checks the ID tokens of several providers. Make one with New.
type Verifier struct {
	providers map[string]*provider
	now       func() time.Time
}

type provider struct {
	Provider
	verifier *oidc.IDTokenVerifier
}

// New returns a verifier that reads the clock now. Providers without audiences are
// left out: their tokens could be for anybody.
func New(now func() time.Time, providers ...Provider) *Verifier {
	v := &Verifier{providers: make(map[string]*provider), now: now}
	for _, p := range providers {
		if len(p.Audiences) == 0 {
			continue
		}
		client := &http.Client{
			Timeout:   fetchTimeout,
			Transport: &fetcher{now: now, next: http.DefaultTransport},
			// Keys come from where the operator has said, and from nowhere else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		keys := oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), client), p.KeysURL)
		v.providers[p.Name] = &provider{p, oidc.NewVerifier(p.Issuer, keySet{keys}, &oidc.Config{
			SkipClientIDCheck:    true, // checked here, for there are several
			SupportedSigningAlgs: []string{oidc.RS256, oidc.ES256},
			// Its only use of the clock is to see whether a token has expired.
			Now: func() time.Time { return now().Add(-leeway) },
		})}
	}
	return v
}

// Subject implements account.IDTokens. No e-mail address is read from a token:
// whose an account is never depends on one.
func (v *Verifier) Subject(ctx context.Context, name, idToken, nonce string) (string, error) {
	p := v.providers[name]
	if p == nil {
		return "", fault.New(fault.ProviderDisabled, "This server does not take these accounts.")
	}
	var unreachable error
	token, err := p.verifier.Verify(context.WithValue(ctx, fetchErrorKey{}, &unreachable), idToken)
	if unreachable != nil {
		return "", fault.Wrap(fault.Unavailable, "The account's provider does not answer. Try again.", unreachable)
	}
	if err == nil {
		err = p.check(token, nonce, v.now())
	}
	if err != nil {
		return "", fault.Wrap(fault.InvalidIDToken, "The ID token is not valid.", err)
	}
	return token.Subject, nil
}

// check is what go-oidc leaves to its caller.
func (p *provider) check(t *oidc.IDToken, nonce string, now time.Time) error {
	if len(t.Audience) == 0 {
		return errors.New("oidc: no audience")
	}
	for _, a := range t.Audience {
		if !slices.Contains(p.Audiences, a) {
			return errors.New("oidc: another audience")
		}
	}
	if t.Subject == "" || len(t.Subject) > maxSubject {
		return errors.New("oidc: no subject, or one that is too long")
	}
	if t.IssuedAt.After(now.Add(leeway)) {
		return errors.New("oidc: issued in the future")
	}
	// Apple's libraries have the client give the provider the nonce's hash.
	sum := sha256.Sum256([]byte(nonce))
	if nonce == "" || !equal(t.Nonce, nonce) && !equal(t.Nonce, hex.EncodeToString(sum[:])) {
		return errors.New("oidc: another nonce")
	}
	return nil
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

type fetchErrorKey struct{}

// keySet tells the caller of Verify why the keys could not be had, which go-oidc
// puts into a text.
type keySet struct{ remote oidc.KeySet }

func (k keySet) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	payload, err := k.remote.VerifySignature(ctx, jwt)
	var f *fetchError
	if to, ok := ctx.Value(fetchErrorKey{}).(*error); ok && (errors.As(err, &f) || errors.Is(err, context.DeadlineExceeded)) {
		*to = err
	}
	return payload, err
}

// fetchError is why the keys could not be had.
type fetchError struct{ err error }

func (e *fetchError) Error() string { return "oidc: keys: " + e.err.Error() }
func (e *fetchError) Unwrap() error { return e.err }

var errTooSoon = errors.New("oidc: the keys were fetched a moment ago")

// fetcher fetches the keys, but not too often: a flood of tokens with made-up kids
// must not become a flood at the provider's.
type fetcher struct {
	now  func() time.Time
	next http.RoundTripper

	mu   sync.Mutex
	last time.Time
	err  error // of the last time
}

// RoundTrip implements http.RoundTripper.
func (f *fetcher) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if !f.last.IsZero() && now.Sub(f.last) < FetchEvery {
		// Without keys no token can be called bad.
		if f.err != nil {
			return nil, f.err
		}
		return nil, errTooSoon
	}
	f.last = now
	res, err := f.fetch(r)
	f.err = nil
	if err != nil {
		f.err = &fetchError{err}
		return nil, f.err
	}
	return res, nil
}

func (f *fetcher) fetch(r *http.Request) (*http.Response, error) {
	res, err := f.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		_ = res.Body.Close()
		return nil, fmt.Errorf("status %d", res.StatusCode)
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(res.Body, maxKeys), res.Body}
	return res, nil
}
