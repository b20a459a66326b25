package appstoretest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// What marks the certificates that sign purchases, and those that issue them.
var (
	LeafMarker   = asn1.ObjectIdentifier{1, 2, 840, 113635, 100, 6, 11, 1}
	IssuerMarker = asn1.ObjectIdentifier{1, 2, 840, 113635, 100, 6, 2, 1}
)

// Certificate is one with its key.
type Certificate struct {
	*x509.Certificate
	Key *ecdsa.PrivateKey
}

// Wish is what a certificate is to be.
type Wish struct {
	CA bool
	// Marker is an extension's identifier; nil for none.
	Marker   asn1.ObjectIdentifier
	From, To time.Time
	Curve    elliptic.Curve
}

// Issue makes a certificate that by signs; nil for one that signs itself.
func Issue(t testing.TB, by *Certificate, w Wish) *Certificate {
	t.Helper()
	if w.Curve == nil {
		w.Curve = elliptic.P256()
	}
	key, err := ecdsa.GenerateKey(w.Curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 64))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "Test " + serial.String()}, NotBefore: w.From, NotAfter: w.To,
		IsCA: w.CA, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature,
	}
	if w.CA {
		template.KeyUsage = x509.KeyUsageCertSign
	}
	if w.Marker != nil {
		template.ExtraExtensions = []pkix.Extension{{Id: w.Marker, Value: []byte{5, 0}}}
	}
	parent, signer := template, key
	if by != nil {
		parent, signer = by.Certificate, by.Key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &Certificate{made, key}
}

// Chain signs, with its first certificate.
type Chain []*Certificate

// NewChain makes a root, an issuer and a leaf, good for years around the time.
func NewChain(t testing.TB, at time.Time) Chain {
	t.Helper()
	from, to := at.AddDate(-5, 0, 0), at.AddDate(5, 0, 0)
	root := Issue(t, nil, Wish{CA: true, From: from, To: to, Curve: elliptic.P384()})
	issuer := Issue(t, root, Wish{CA: true, Marker: IssuerMarker, From: from, To: to, Curve: elliptic.P384()})
	return Chain{Issue(t, issuer, Wish{Marker: LeafMarker, From: from, To: to}), issuer, root}
}

// Pool is the chain's root, for who verifies.
func (c Chain) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(c[len(c)-1].Certificate)
	return pool
}

// RootFile writes the chain's root into a PEM file.
func (c Chain) RootFile(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "root.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c[len(c)-1].Raw})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Header is the x5c member of what the chain signs.
func (c Chain) Header() []string {
	var all []string
	for _, one := range c {
		all = append(all, base64.StdEncoding.EncodeToString(one.Raw))
	}
	return all
}

// Sign signs a payload.
func (c Chain) Sign(t testing.TB, payload Object) string {
	t.Helper()
	return Sign(t, jwt.SigningMethodES256, c[0].Key, map[string]any{"x5c": c.Header()}, payload)
}

// Sign signs a payload by any method, with what the header is to have.
func Sign(t testing.TB, method jwt.SigningMethod, key any, header map[string]any, payload Object) string {
	t.Helper()
	token := jwt.NewWithClaims(method, jwt.MapClaims(payload))
	delete(token.Header, "typ")
	for name, value := range header {
		token.Header[name] = value
	}
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
