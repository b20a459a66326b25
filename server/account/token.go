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
	"sync/atomic"
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
// signs. Those after it verify only: the previous key, of which the public half
// stays until the last token it signed has expired, and a private one that is
// prepared to sign next.
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

// PrepareKey adds the key that will sign after the next RotateKeys, which verifies
// from now on. Several processes cannot take up a new key at the same moment; when
// all of them know it, none refuses what another has signed with it. If there is
// such a key already, nothing changes.
func PrepareKey(text []byte, random io.Reader) ([]byte, error) {
	blocks, prepared, err := keyBlocks(text)
	if err != nil || prepared > 0 {
		return text, err
	}
	next, err := GenerateKey(random)
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, b := range blocks {
		all = append(all, pem.EncodeToMemory(b)...)
	}
	return append(all, next...), nil
}

// RotateKeys puts a new signing key first, the prepared one if there is one. Of the
// present one the public half stays, so that its tokens live on until they expire;
// those of the ones before are good no more.
func RotateKeys(text []byte, random io.Reader) ([]byte, error) {
	blocks, prepared, err := keyBlocks(text)
	if err != nil {
		return nil, err
	}
	present, err := x509.ParsePKCS8PrivateKey(blocks[0].Bytes)
	if err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(present.(ed25519.PrivateKey).Public())
	if err != nil {
		return nil, err
	}
	var next []byte
	if prepared > 0 {
		next = pem.EncodeToMemory(blocks[prepared])
	} else if next, err = GenerateKey(random); err != nil {
		return nil, err
	}
	return append(next, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})...), nil
}

// keyBlocks gives the keys that ParseKeys reads, and which of them is prepared: the
// last private one behind the first, or 0.
func keyBlocks(text []byte) (blocks []*pem.Block, prepared int, err error) {
	if _, err := ParseKeys(text); err != nil {
		return nil, 0, err
	}
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			return blocks, prepared, nil
		}
		if block.Type == "PRIVATE KEY" && len(blocks) > 0 {
			prepared = len(blocks)
		}
		blocks = append(blocks, block)
	}
}

// keyID names a key in a token's header, by what it is and not by where it is
// kept, so that every process gives it the same name.
func keyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:8])
}

// Tokens issues and verifies access tokens. Make one with NewTokens.
type Tokens struct {
	keys             atomic.Pointer[Keys]
	issuer, audience string
	ttl              time.Duration
	verified         verified
}

// NewTokens returns a Tokens that signs with keys and lets a token live for ttl.
func NewTokens(keys Keys, issuer, audience string, ttl time.Duration) *Tokens {
	t := &Tokens{issuer: issuer, audience: audience, ttl: ttl}
	t.SetKeys(keys)
	return t
}

// SetKeys signs and verifies with other keys from now on.
func (t *Tokens) SetKeys(keys Keys) { t.keys.Store(&keys) }

// claims are what an access token says.
type claims struct {
	jwt.RegisteredClaims
	SessionID string `json:"sid"`
}

// Issue signs a token for the player's session.
func (t *Tokens) Issue(c Caller, now time.Time) (Token, error) {
	keys := t.keys.Load()
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
	token.Header["kid"] = keys.id
	text, err := token.SignedString(keys.signing)
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
	keys, id := t.keys.Load(), sha256.Sum256([]byte(text))
	if g, ok := t.verified.get(id); ok && g.at(now, keys) {
		return g.caller, nil
	}
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
		key, ok := keys.trusted[id]
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
	g := good{caller: Caller{PlayerID: said.Subject, SessionID: said.SessionID}, keys: keys, end: said.ExpiresAt.Time}
	if said.IssuedAt != nil {
		g.issued = said.IssuedAt.Time
	}
	if said.NotBefore != nil {
		g.from = said.NotBefore.Time
	}
	t.verified.put(id, g)
	return g.caller, nil
}
