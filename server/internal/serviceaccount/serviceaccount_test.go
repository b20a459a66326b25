package serviceaccount_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/serviceaccount"
)

// text is a key in PEM.
func text(t *testing.T, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func TestRead(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key.json")
	read := func(name string, value any) (serviceaccount.Credentials, error) {
		t.Helper()
		members := map[string]any{
			"type": "service_account", "project_id": "cuatrola-test", "private_key_id": "key-1", "private_key": text(t, key),
			"client_email": "server@cuatrola.example", "token_uri": "https://oauth2.example/token",
		}
		if members[name] = value; value == nil {
			delete(members, name)
		}
		text, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return serviceaccount.Read(file)
	}
	c, err := read("extra", "member")
	if err != nil {
		t.Fatal(err)
	}
	config := c.Config("some-scope")
	if config.Email != c.ClientEmail || config.PrivateKeyID != "key-1" || config.TokenURL != "https://oauth2.example/token" ||
		len(config.Scopes) != 1 || config.Scopes[0] != "some-scope" || string(config.PrivateKey) != c.PrivateKey {
		t.Errorf("%+v", config)
	}
	for _, is := range []struct {
		name  string
		value any
		says  string
	}{
		{"project_id", nil, "project_id"},
		{"client_email", "", "client_email"},
		{"private_key", "hunter2", "private_key"},
		{"private_key", "-----BEGIN PRIVATE KEY-----\naHVudGVyMg==\n-----END PRIVATE KEY-----\n", "PKCS"},
		{"private_key", text(t, other), "RSA"},
		{"token_uri", "hunter2", "token_uri"},
	} {
		_, err := read(is.name, is.value)
		if err == nil || !strings.Contains(err.Error(), is.says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", is.says, err)
		}
	}
	if err := os.WriteFile(file, []byte(`{"private_key": hunter2`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := serviceaccount.Read(file); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("no JSON: %v", err)
	}
	if _, err := serviceaccount.Read(file + "y"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
