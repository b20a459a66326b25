// Package oidc checks the ID tokens of Apple and Google (OpenID Connect) against
// the keys that they publish.
//
// go-oidc verifies issuer and expiry. What it leaves to its caller is here: the
// nonce, a leeway for clocks, several audiences (an app for each system, and the
// page). So are the keys (keys.go): its own set of them fetches for every token with
// an unknown kid.
package oidc

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/cuatrola/cuatrola/server/fault"
)

const (
	// FetchEvery is how long the keys are not fetched again. After a rotation the
	// first token with the new key is good at once, unless somebody has just tried an
	// unknown one: then after this time.
	FetchEvery = 10 * time.Second

	leeway     = 30 * time.Second
	maxSubject = 255 // the standard's own limit
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
		v.providers[p.Name] = &provider{p, oidc.NewVerifier(p.Issuer, newKeySet(p.KeysURL, now), &oidc.Config{
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
	token, err := v.verify(ctx, name, idToken, func(t *oidc.IDToken) error { return sameNonce(t.Nonce, nonce) })
	if err != nil {
		return "", err
	}
	return token.Subject, nil
}

// Machine returns the verified e-mail address of the service account that shows an ID
// token of the provider's, as Google's machines do with what they send. Such a token
// answers no nonce; whose it may be is for the caller to say. Codes: as Subject's.
func (v *Verifier) Machine(ctx context.Context, name, idToken string) (email string, err error) {
	var who struct {
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
	}
	if _, err := v.verify(ctx, name, idToken, func(t *oidc.IDToken) error {
		if err := t.Claims(&who); err != nil || who.Email == "" || !who.Verified {
			return errors.New("oidc: no verified address")
		}
		return nil
	}); err != nil {
		return "", err
	}
	return who.Email, nil
}

// verify checks all of a token that is the same for every purpose, and then what it is
// wanted for.
func (v *Verifier) verify(ctx context.Context, name, idToken string, purpose func(*oidc.IDToken) error) (*oidc.IDToken, error) {
	p := v.providers[name]
	if p == nil {
		return nil, fault.New(fault.ProviderDisabled, "This server does not take these accounts.")
	}
	var unreachable error
	token, err := p.verifier.Verify(context.WithValue(ctx, unreachableKey{}, &unreachable), idToken)
	if unreachable != nil {
		return nil, fault.Wrap(fault.Unavailable, "The account's provider does not answer. Try again.", unreachable)
	}
	if err == nil {
		err = errors.Join(p.check(token, v.now()), purpose(token))
	}
	if err != nil {
		return nil, fault.Wrap(fault.InvalidIDToken, "The ID token is not valid.", err)
	}
	return token, nil
}

// check is what go-oidc leaves to its caller.
func (p *provider) check(t *oidc.IDToken, now time.Time) error {
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
	return nil
}

func sameNonce(got, nonce string) error {
	// Apple's libraries have the client give the provider the nonce's hash.
	sum := sha256.Sum256([]byte(nonce))
	if nonce == "" || !equal(got, nonce) && !equal(got, hex.EncodeToString(sum[:])) {
		return errors.New("oidc: another nonce")
	}
	return nil
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
