package appstore

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	// chainLength is how many certificates sign: the leaf, its issuer and the root.
	chainLength = 3
	// leeway is how far ahead of ours the clock may be that dates a signature.
	leeway = 5 * time.Minute
	// maxCertificate is how long one may be, in base64; Apple's have about a thousand
	// characters.
	maxCertificate = 16 << 10
)

// What marks the certificates that sign purchases. Others below the same root sign
// other things, and developers have some of them.
var (
	leafMarker   = asn1.ObjectIdentifier{1, 2, 840, 113635, 100, 6, 11, 1}
	issuerMarker = asn1.ObjectIdentifier{1, 2, 840, 113635, 100, 6, 2, 1}
)

// ReadRoots reads the certificates that chains may end in: PEM blocks, or one
// certificate in DER.
func ReadRoots(file string) (*x509.CertPool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	der := [][]byte{data}
	if block, rest := pem.Decode(data); block != nil {
		for der = nil; block != nil; block, rest = pem.Decode(rest) {
			if block.Type != "CERTIFICATE" {
				return nil, errors.New("appstore: there is something else than certificates in the file")
			}
			der = append(der, block.Bytes)
		}
	}
	pool := x509.NewCertPool()
	for _, one := range der {
		root, err := x509.ParseCertificate(one)
		if err != nil {
			return nil, errors.New("appstore: the file holds no certificate, in PEM or DER")
		}
		if !root.IsCA || root.CheckSignatureFrom(root) != nil {
			return nil, errors.New("appstore: a certificate in the file is no root")
		}
		pool.AddCert(root)
	}
	return pool, nil
}

// payload is what is signed.
type payload interface {
	jwt.Claims
	// signedAt is when, as it says itself.
	signedAt() time.Time
}

// noClaims is for payloads that have none of the claims of a token, such as an expiry.
type noClaims struct{}

func (noClaims) GetExpirationTime() (*jwt.NumericDate, error) { return nil, nil }
func (noClaims) GetIssuedAt() (*jwt.NumericDate, error)       { return nil, nil }
func (noClaims) GetNotBefore() (*jwt.NumericDate, error)      { return nil, nil }
func (noClaims) GetIssuer() (string, error)                   { return "", nil }
func (noClaims) GetSubject() (string, error)                  { return "", nil }
func (noClaims) GetAudience() (jwt.ClaimStrings, error)       { return nil, nil }

// read verifies a signed text, and decodes what was signed into p. No error holds
// anything of the text.
func (c *Counter) read(text string, p payload) error {
	_, err := c.parser.ParseWithClaims(text, p, func(t *jwt.Token) (any, error) { return c.key(t.Header, p.signedAt()) })
	return err
}

// key returns the key of a chain of certificates that the header has, which was good
// when the text was signed. That time is the text's own word, but the certificate's
// holder's: nobody else can give another.
func (c *Counter) key(header map[string]any, at time.Time) (*ecdsa.PublicKey, error) {
	switch _, critical := header["crit"]; {
	case critical:
		return nil, errors.New("appstore: the signature is of a kind that is not known")
	case at.After(c.now().Add(leeway)):
		return nil, errors.New("appstore: signed in the future")
	case at.Unix() <= 0:
		return nil, errors.New("appstore: not dated")
	}
	texts, _ := header["x5c"].([]any)
	if len(texts) != chainLength {
		return nil, fmt.Errorf("appstore: a chain of %d certificates", len(texts))
	}
	var chain [chainLength]*x509.Certificate
	for i, t := range texts {
		text, _ := t.(string)
		if len(text) > maxCertificate {
			return nil, errors.New("appstore: a certificate that is too long")
		}
		der, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil {
			return nil, errors.New("appstore: a certificate that is not in base64")
		}
		if chain[i], err = x509.ParseCertificate(der); err != nil {
			return nil, errors.New("appstore: what should be a certificate is none")
		}
	}
	if !has(chain[0], leafMarker) || !has(chain[1], issuerMarker) {
		return nil, errors.New("appstore: certificates that are not for purchases")
	}
	if err := c.leadsToRoot(chain, at); err != nil {
		return nil, err
	}
	key, ok := chain[0].PublicKey.(*ecdsa.PublicKey)
	if !ok || key.Curve != elliptic.P256() {
		return nil, errors.New("appstore: a key of another kind")
	}
	return key, nil
}

func (c *Counter) leadsToRoot(chain [chainLength]*x509.Certificate, at time.Time) error {
	issuers := x509.NewCertPool()
	issuers.AddCert(chain[1])
	found, err := chain[0].Verify(x509.VerifyOptions{
		Roots: c.roots, Intermediates: issuers, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	})
	if err != nil {
		return fmt.Errorf("appstore: the chain: %w", err)
	}
	for _, way := range found {
		// The library finds a way; it has to be the one that is shown.
		if len(way) == chainLength && way[1].Equal(chain[1]) && way[2].Equal(chain[2]) {
			return nil
		}
	}
	return errors.New("appstore: the chain is another one than it says")
}

func has(c *x509.Certificate, marker asn1.ObjectIdentifier) bool {
	for _, e := range c.Extensions {
		if e.Id.Equal(marker) {
			return true
		}
	}
	return false
}
