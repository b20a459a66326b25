package e2e_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/internal/client"
	"github.com/cuatrola/cuatrola/server/internal/oidc/oidctest"
)

// visit is one device of a person, beside the player's own client.
type visit struct {
	t     *testing.T
	s     *server
	token string
}

// ask sends a request and returns its answer; it fails unless the status is so.
func (v *visit) ask(method, path string, body any, status int) []byte {
	v.t.Helper()
	got, text := v.try(method, path, body)
	if got != status {
		v.t.Fatalf("%s %s: %d, want %d: %s", method, path, got, status, text)
	}
	return text
}

func (v *visit) try(method, path string, body any) (status int, text []byte) {
	v.t.Helper()
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			v.t.Fatal(err)
		}
		in = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.s.url+path, in)
	if err != nil {
		v.t.Fatal(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if v.token != "" {
		r.Header.Set("Authorization", "Bearer "+v.token)
	}
	res, err := v.s.http.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	if text, err = io.ReadAll(res.Body); err != nil {
		v.t.Fatal(err)
	}
	return res.StatusCode, text
}

// signIn signs this device in.
func (v *visit) signIn(body any) {
	v.t.Helper()
	var session struct {
		AccessToken string `json:"accessToken"`
	}
	if err := json.Unmarshal(v.ask("POST", "/v1/sessions", body, http.StatusCreated), &session); err != nil {
		v.t.Fatal(err)
	}
	v.token = session.AccessToken
}

var mailedLink = regexp.MustCompile(`#verify=([\w-]+)`)

// mailed waits for the mail to the address, which the embedded mailer puts into a
// file, and returns its link's token.
func mailed(ctx context.Context, t *testing.T, dir, to string) string {
	t.Helper()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		files, err := filepath.Glob(filepath.Join(dir, "mail", "*.txt"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if link := mailedLink.FindSubmatch(text); link != nil && bytes.Contains(text, []byte(to)) {
				return string(link[1])
			}
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			t.Fatalf("no mail to %s", to)
		}
	}
}

// toldBye reads the socket until the server ends it, and returns the reason.
func toldBye(stream *client.Stream) string {
	for {
		f, err := stream.Next()
		if err != nil {
			return err.Error()
		}
		if f.Type == "bye" {
			return f.Code
		}
	}
}

// A person's whole way: from one tap, over a match and two more ways in, to another
// device, out of all of them, home with a copy of everything, and gone.
func TestAccountFromFirstToLast(t *testing.T) {
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			issuer := oidctest.New(t, time.Now)
			google := issuer.Provider(account.ViaGoogle)
			dir := t.TempDir()
			s := newServer(t, database, "CUATROLA_DATA_DIR="+dir, "CUATROLA_DELETION_GRACE=1s",
				"CUATROLA_GOOGLE_ISSUER="+google.Issuer, "CUATROLA_GOOGLE_KEYS_URL="+google.KeysURL,
				"CUATROLA_GOOGLE_AUDIENCES="+strings.Join(google.Audiences, ","))
			const (
				address, password = "ana@example.net", "quien va a la derecha"
				nonce             = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
			)
			withGoogle := map[string]any{"google": map[string]string{"idToken": issuer.Token("google-ana", nonce, nil), "nonce": nonce}}
			withEmail := map[string]string{"email": address, "password": password}

			// One tap, and a match.
			p := &player{srv: s, random: rand.New(rand.NewPCG(3, 2026))}
			if err := p.signUp(ctx); err != nil {
				t.Fatal(err)
			}
			rec, err := p.play(ctx, map[string]any{"preset": "mesa", "target": 3})
			if err != nil {
				t.Fatal(err)
			}

			// E-mail and Google, linked to the guest that there is.
			phone := &visit{t, s, p.client.Token()}
			phone.ask("POST", "/v1/me/identities/email", withEmail, http.StatusAccepted)
			phone.ask("POST", "/v1/email/verify", map[string]string{"token": mailed(ctx, t, dir, address)}, http.StatusNoContent)
			phone.ask("POST", "/v1/me/identities", withGoogle, http.StatusOK)

			// Somebody else's way in stays theirs: a choice, and nothing merged.
			other := &player{srv: s, random: rand.New(rand.NewPCG(3, 2027))}
			if err := other.signUp(ctx); err != nil {
				t.Fatal(err)
			}
			stranger := &visit{t, s, other.client.Token()}
			if text := stranger.ask("POST", "/v1/me/identities", withGoogle, http.StatusConflict); !bytes.Contains(text, []byte(`"identity_taken"`)) {
				t.Errorf("%s", text)
			}

			// A second device, by either way: the same player, coins and history.
			tablet, laptop := &visit{t: t, s: s}, &visit{t: t, s: s}
			tablet.signIn(withGoogle)
			laptop.signIn(withEmail)
			phone.ask("POST", "/v1/wallet/daily", nil, http.StatusOK)
			coins := phone.ask("GET", "/v1/wallet", nil, http.StatusOK)
			me := phone.ask("GET", "/v1/me", nil, http.StatusOK)
			for _, path := range []string{"/v1/me", "/v1/wallet", "/v1/wallet/transfers", "/v1/matches", "/v1/matches/" + rec.ID + "/record", "/v1/players/" + p.client.Player.ID} {
				here := phone.ask("GET", path, nil, http.StatusOK)
				for _, device := range []*visit{tablet, laptop} {
					if there := device.ask("GET", path, nil, http.StatusOK); !bytes.Equal(here, there) {
						t.Errorf("%s: %s here, %s there", path, here, there)
					}
				}
			}
			if !bytes.Contains(me, []byte(p.client.Player.ID)) || !bytes.Contains(me, []byte(`"guest":false`)) {
				t.Errorf("after linking: %s", me)
			}

			// Out everywhere: open sockets too.
			stream, err := p.client.Stream(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Close()
			if f, err := stream.Next(); err != nil || f.Type != "welcome" {
				t.Fatalf("%+v, %v", f, err)
			}
			tablet.ask("DELETE", "/v1/sessions", nil, http.StatusNoContent)
			if why := toldBye(stream); why != "session_ended" {
				t.Errorf("the phone's socket ended by %s", why)
			}
			for _, device := range []*visit{phone, tablet, laptop} {
				if text := device.ask("GET", "/v1/me", nil, http.StatusUnauthorized); !bytes.Contains(text, []byte(`"session_ended"`)) {
					t.Errorf("%s", text)
				}
			}

			// Back in, for a copy of everything.
			laptop.signIn(withEmail)
			if purse := laptop.ask("GET", "/v1/wallet", nil, http.StatusOK); !bytes.Equal(purse, coins) {
				t.Errorf("the purse was %s and is %s", coins, purse)
			}
			file := laptop.ask("GET", "/v1/me/export", nil, http.StatusOK)
			z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
			if err != nil {
				t.Fatal(err)
			}
			var export strings.Builder
			for _, f := range z.File {
				r, err := f.Open()
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.Copy(&export, r); err != nil { //nolint:gosec // our own file
					t.Fatal(err)
				}
			}
			for _, want := range []string{p.client.Player.Name, address, "google-ana", rec.ID, hex.EncodeToString(rec.Fair.ServerSeed[:])} {
				if !strings.Contains(export.String(), want) {
					t.Errorf("the export has no %s", want)
				}
			}

			// And gone: no way in is left, and the socket has been told.
			watching, err := client.WithToken(s.url, s.http, laptop.token).Stream(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer watching.Close()
			laptop.ask("DELETE", "/v1/me", nil, http.StatusAccepted)
			if why := toldBye(watching); why != "session_ended" {
				t.Errorf("the laptop's socket ended by %s", why)
			}
			// The sessions end just before the rest does.
			for status := http.StatusCreated; status == http.StatusCreated; {
				status, _ = (&visit{t: t, s: s}).try("POST", "/v1/sessions", withGoogle)
			}
			nobody := &visit{t: t, s: s}
			for _, way := range []any{withGoogle, withEmail} {
				nobody.ask("POST", "/v1/sessions", way, http.StatusUnauthorized)
			}
			laptop.ask("GET", "/v1/me", nil, http.StatusUnauthorized)
			stranger.ask("GET", "/v1/players/"+p.client.Player.ID, nil, http.StatusNotFound)
			// What was hers is free, for a new start.
			stranger.ask("POST", "/v1/me/identities", withGoogle, http.StatusOK)
			fmt.Printf("%s: %d bytes of export\n", database, len(file))
		})
	}
}
