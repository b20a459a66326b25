package main

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// A server with an account at the push service pushes what one player's request
// makes another's notice.
func TestServePushes(t *testing.T) {
	pushed := make(chan []byte, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"access_token":"a","expires_in":3600,"token_type":"Bearer"}`)
	})
	mux.HandleFunc("POST /v1/projects/test/messages:send", func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Authorization") != "Bearer a" {
			t.Error(r.Header, err)
		}
		pushed <- body
	})
	service := httptest.NewServer(mux)
	defer service.Close()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	file, err := json.Marshal(map[string]string{
		"project_id": "test", "client_email": "push@test.example", "token_uri": service.URL + "/token",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	if err != nil {
		t.Fatal(err)
	}
	c := settings(t)
	c.FCMCredentials, c.FCMURL = filepath.Join(t.TempDir(), "fcm.json"), service.URL
	if err := os.WriteFile(c.FCMCredentials, file, 0o600); err != nil {
		t.Fatal(err)
	}
	stop := start(t, c)
	ask := func(method, path, token, body string) (answer struct{ AccessToken string }) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+c.Listen+path, bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || res.StatusCode >= 300 {
			t.Fatalf("%s %s: %d, %v", method, path, res.StatusCode, err)
		}
		return answer
	}
	ana := ask("POST", "/v1/guests", "", `{"name":"Ana"}`).AccessToken
	ben := ask("POST", "/v1/guests", "", `{"name":"Ben","language":"ca"}`).AccessToken
	ask("PUT", "/v1/me/push-tokens", ben, `{"token":"bens-phone","platform":"ios"}`)
	ask("POST", "/v1/friends/requests", ana, `{"name":"Ben"}`)
	var got struct {
		Message struct {
			Token        string
			Notification struct{ Body string }
		}
	}
	if err := json.Unmarshal(<-pushed, &got); err != nil || got.Message.Token != "bens-phone" || got.Message.Notification.Body != "Ana et demana amistat." {
		t.Errorf("pushed %+v, %v", got, err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
