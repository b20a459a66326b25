package passkey_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/passkey"
	"github.com/cuatrola/cuatrola/server/internal/passkey/passkeytest"
	"github.com/cuatrola/cuatrola/server/staff"
)

var (
	marta     = staff.Member{ID: "01890a5d-ac96-774b-bcce-b302099a8090", Name: "Marta", Email: "marta@example.org"}
	challenge = bytes.Repeat([]byte{7}, 32)
)

func TestSites(t *testing.T) {
	for _, url := range []string{"", "x", "http://", "http://192.0.2.1:8080"} {
		if _, err := passkey.New(url); err == nil {
			t.Errorf("%q is taken for a site", url)
		}
	}
	for _, url := range []string{"http://localhost:8080", "https://play.example.org/"} {
		if _, err := passkey.New(url); err != nil {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// From making one to using it, and what is refused on the way.
func TestPasskey(t *testing.T) {
	keys, err := passkey.New("https://example.org")
	if err != nil {
		t.Fatal(err)
	}
	options, err := keys.Creation(marta, nil, challenge)
	if err != nil {
		t.Fatal(err)
	}
	var asked struct {
		Challenge string
		User      struct{ ID, Name string }
	}
	if err := json.Unmarshal(options, &asked); err != nil || asked.Challenge == "" || asked.User.Name != marta.Email {
		t.Errorf("%v: %s", err, options)
	}
	device := passkeytest.New(t, "https://example.org")
	made, err := keys.Created(marta, challenge, device.Create(options))
	if err != nil {
		t.Fatal(err)
	}
	if made.MemberID != marta.ID || len(made.PublicKey) == 0 || !bytes.Equal(made.Credential, device.Credential) {
		t.Errorf("%+v", made)
	}
	if options, err = keys.Creation(marta, []staff.Passkey{made}, challenge); err != nil || !bytes.Contains(options, []byte("excludeCredentials")) {
		t.Errorf("a device would make a second one: %v %s", err, options)
	}

	request, err := keys.Request(challenge)
	if err != nil {
		t.Fatal(err)
	}
	known := func(memberID string, credential []byte) (staff.Passkey, error) {
		if memberID != marta.ID || !bytes.Equal(credential, made.Credential) {
			return staff.Passkey{}, errors.New("unknown")
		}
		return made, nil
	}
	used, err := keys.Requested(challenge, device.Sign(request), known)
	if err != nil || used.MemberID != marta.ID || used.SignCount <= made.SignCount {
		t.Errorf("%+v, %v", used, err)
	}

	other := bytes.Repeat([]byte{8}, 32)
	elsewhere := *device
	elsewhere.Origin = "https://example.org.evil.example"
	stranger := passkeytest.New(t, "https://example.org")
	stranger.Create(options)
	unasked := *device
	unasked.Unverified = true
	forged := *device
	forged.Key = stranger.Key
	for name, answer := range map[string]json.RawMessage{
		"another site":            elsewhere.Sign(request),
		"another device":          stranger.Sign(request),
		"another key":             forged.Sign(request),
		"the owner was not asked": unasked.Sign(request),
		"nothing":                 json.RawMessage(`{}`),
	} {
		if _, err := keys.Requested(challenge, answer, known); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if _, err := keys.Requested(other, device.Sign(request), known); err == nil {
		t.Error("an answer to another challenge is taken")
	}
	if _, err := keys.Created(marta, other, device.Create(options)); err == nil {
		t.Error("a passkey for another challenge is taken")
	}
	if _, err := keys.Created(marta, challenge, elsewhere.Create(options)); err == nil {
		t.Error("a passkey of another site is taken")
	}
	if _, err := keys.Created(marta, challenge, unasked.Create(options)); err == nil {
		t.Error("a passkey whose owner was not asked is taken")
	}
	// A copy counts what the other has counted already.
	made.SignCount = 100
	if used, err := keys.Requested(challenge, device.Sign(request), known); err != nil || used.SignCount != 100 {
		t.Errorf("%+v, %v", used, err)
	}
}
