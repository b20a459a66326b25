package account

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/fault"
)

// leeway is how far two machines' clocks may differ.
const leeway = 30 * time.Second

// Keys sign tokens and verify them. The zero value has none.
type Keys struct {
	signing ed25519.PrivateKey
	id      string
	trusted map[string]ed25519.PublicKey // by identifier; holds the signing key's too
}

// GenerateKey returns a new signing key as a PEM block, as ParseKeys reads it.
func GenerateKey(random io.Reader) ([]byte, error) {
	_, private, err := ed25519.GenerateKey(random)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// ParseKeys reads PEM blocks of Ed25519 keys. The first is a private key and
// signs. Those after it, private or public, verify only: the previous key stays
// there until the last token it signed has expired.
func ParseKeys(text []byte) (Keys, error) {
	k := Keys{trusted: map[string]ed25519.PublicKey{}}
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		private, public, err := parseKey(block)
		if err != nil {
			return Keys{}, err
		}
		id := keyID(public)
		if k.signing == nil {
			if private == nil {
				return Keys{}, errors.New("account: the first key has to be a private one, for it signs")
			}
			k.signing, k.id = private, id
		}
		k.trusted[id] = public
	}
	if k.signing == nil {
		return Keys{}, errors.New("account: no PEM block of an Ed25519 private key")
	}
	return k, nil
}

func parseKey(block *pem.Block) (private ed25519.PrivateKey, public ed25519.PublicKey, err error) {
	var key any
	switch block.Type {
	case "PRIVATE KEY":
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case "PUBLIC KEY":
		key, err = x509.ParsePKIXPublicKey(block.Bytes)
	default:
		return nil, nil, fmt.Errorf("account: a PEM block %q where a key was due", block.Type)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("account: a key that cannot be read: %w", err)
	}
	switch key := key.(type) {
	case ed25519.PrivateKey:
		return key, key.Public().(ed25519.PublicKey), nil
	case ed25519.PublicKey:
		return nil, key, nil
	}
	return nil, nil, errors.New("account: a key that is not Ed25519")
}

// keyID names a key in a token's header, by what it is and not by where it is
// kept, so that every process gives it the same name.
func keyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:8])
}

// Tokens issues and verifies access tokens. Make one with NewTokens.
type Tokens struct {
	keys             Keys
	issuer, audience string
	ttl              time.Duration
}

// NewTokens returns a Tokens that signs with keys and lets a token live for ttl.
func NewTokens(keys Keys, issuer, audience string, ttl time.Duration) *Tokens {
	return &Tokens{keys: keys, issuer: issuer, audience: audience, ttl: ttl}
}

// claims are what an access token says.
type claims struct {
	jwt.RegisteredClaims
	SessionID string `json:"sid"`
}

// Issue signs a token for the player's session.
func (t *Tokens) Issue(c Caller, now time.Time) (Token, error) {
	// A token counts in whole seconds.
	issued := now.UTC().Truncate(time.Second)
	expires := issued.Add(t.ttl).Truncate(time.Second)
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer:    t.issuer,
			Audience:  jwt.ClaimStrings{t.audience},
			Subject:   c.PlayerID,
			IssuedAt:  jwt.NewNumericDate(issued),
			ExpiresAt: jwt.NewNumericDate(expires),
		},
		SessionID: c.SessionID,
	})
	token.Header["kid"] = t.keys.id
	text, err := token.SignedString(t.keys.signing)
	if err != nil {
		return Token{}, fmt.Errorf("account: signing a token: %w", err)
	}
	return Token{Access: text, ExpiresAt: expires}, nil
}

// Verify returns whose valid token it is. Whether the session has been ended, it
// does not know.
//
// Codes: Unauthenticated, TokenExpired.
func (t *Tokens) Verify(text string, now time.Time) (Caller, error) {
	// The library accepts a token without exp, any algorithm and any audience
	// unless it is told otherwise, so it is told everything.
	parser := jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}),
		jwt.WithExpirationRequired(),
		jwt.WithIssuer(t.issuer),
		jwt.WithAudience(t.audience),
		jwt.WithIssuedAt(),
		jwt.WithLeeway(leeway),
		jwt.WithTimeFunc(func() time.Time { return now }),
		jwt.WithStrictDecoding(),
	)
	var said claims
	_, err := parser.ParseWithClaims(text, &said, func(token *jwt.Token) (any, error) {
		id, _ := token.Header["kid"].(string)
		key, ok := t.keys.trusted[id]
		if !ok {
			return nil, errors.New("unknown kid")
		}
		return key, nil
	})
	if errors.Is(err, jwt.ErrTokenExpired) {
		return Caller{}, fault.Wrap(fault.TokenExpired, "The access token has expired.", err)
	}
	if err == nil && uuid.Validate(said.Subject) != nil {
		err = errors.New("sub is not a player")
	}
	if err == nil && uuid.Validate(said.SessionID) != nil {
		err = errors.New("sid is not a session")
	}
	if err != nil {
		return Caller{}, fault.Wrap(fault.Unauthenticated, "The access token is not valid.", err)
	}
	return Caller{PlayerID: said.Subject, SessionID: said.SessionID}, nil
}
