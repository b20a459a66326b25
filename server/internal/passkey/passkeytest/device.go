// Package passkeytest is a device that keeps a passkey, for tests.
package passkeytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/fxamacker/cbor/v2"
)

// Device makes one passkey and signs with it, as a browser's page is asked to. Make one
// with New.
type Device struct {
	// Origin is the page's.
	Origin     string
	Credential []byte
	Key        *ecdsa.PrivateKey
	// Count grows with each use.
	Count uint32
	// Unverified: it does not ask its owner.
	Unverified bool

	t    testing.TB
	user []byte
}

// New returns a device on which a page of that origin is open.
func New(t testing.TB, origin string) *Device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &Device{Origin: origin, Credential: []byte(rand.Text()), Key: key, t: t}
}

var b64 = base64.RawURLEncoding

func (d *Device) marshal(v any) []byte {
	d.t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		d.t.Fatal(err)
	}
	return data
}

func (d *Device) client(kind, challenge string) []byte {
	d.t.Helper()
	return d.marshal(map[string]any{"type": kind, "challenge": challenge, "origin": d.Origin, "crossOrigin": false})
}

// data is what the device says of itself: the site, what was done, and its count.
func (d *Device) data(site string, attested []byte) []byte {
	hash := sha256.Sum256([]byte(site))
	flags := byte(0x01)
	if !d.Unverified {
		flags |= 0x04
	}
	if attested != nil {
		flags |= 0x40
	}
	d.Count++
	return append(binary.BigEndian.AppendUint32(append(hash[:], flags), d.Count), attested...)
}

// Create answers a page that asks for a passkey.
func (d *Device) Create(options json.RawMessage) json.RawMessage {
	d.t.Helper()
	var asked struct {
		Challenge string
		RP        struct{ ID string }
		User      struct{ ID string }
	}
	if err := json.Unmarshal(options, &asked); err != nil {
		d.t.Fatal(err)
	}
	var err error
	if d.user, err = b64.DecodeString(asked.User.ID); err != nil {
		d.t.Fatal(err)
	}
	point, err := d.Key.PublicKey.Bytes()
	if err != nil {
		d.t.Fatal(err)
	}
	key, err := cbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]})
	if err != nil {
		d.t.Fatal(err)
	}
	attested := binary.BigEndian.AppendUint16(make([]byte, 16), uint16(len(d.Credential)))
	attested = append(append(attested, d.Credential...), key...)
	object, err := cbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": d.data(asked.RP.ID, attested)})
	if err != nil {
		d.t.Fatal(err)
	}
	return d.answer(map[string]any{
		"clientDataJSON": b64.EncodeToString(d.client("webauthn.create", asked.Challenge)), "attestationObject": b64.EncodeToString(object),
	})
}

// Sign answers a page that asks for a signature.
func (d *Device) Sign(options json.RawMessage) json.RawMessage {
	d.t.Helper()
	var asked struct{ Challenge, RPID string }
	if err := json.Unmarshal(options, &asked); err != nil {
		d.t.Fatal(err)
	}
	client := d.client("webauthn.get", asked.Challenge)
	data := d.data(asked.RPID, nil)
	hash := sha256.Sum256(client)
	sum := sha256.Sum256(append(data[:len(data):len(data)], hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.Key, sum[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return d.answer(map[string]any{
		"clientDataJSON": b64.EncodeToString(client), "authenticatorData": b64.EncodeToString(data),
		"signature": b64.EncodeToString(signature), "userHandle": b64.EncodeToString(d.user),
	})
}

func (d *Device) answer(response map[string]any) json.RawMessage {
	d.t.Helper()
	id := b64.EncodeToString(d.Credential)
	return d.marshal(map[string]any{"id": id, "rawId": id, "type": "public-key", "response": response, "clientExtensionResults": map[string]any{}})
}
