package rest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/internal/oidc"
	"github.com/cuatrola/cuatrola/server/internal/oidc/oidctest"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
)

// postbox is where mails arrive.
type postbox struct {
	mu    sync.Mutex
	mails []account.Mail
}

func (b *postbox) Send(_ context.Context, m account.Mail) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mails = append(b.mails, m)
	return nil
}

func (w *world) issuer(t testing.TB) *oidc.Verifier {
	w.google = oidctest.New(t, time.Now)
	return oidc.New(time.Now, w.google.Provider(account.ViaGoogle))
}

var linkToken = regexp.MustCompile(`https://example\.org/#(?:verify|reset)=([\w-]+)`)

// link is the token of the newest mail to the address.
func (w *world) link(to string) string {
	w.t.Helper()
	w.accounts.Wait()
	w.mails.mu.Lock()
	defer w.mails.mu.Unlock()
	for _, m := range slices.Backward(w.mails.mails) {
		if m.To == to {
			return linkToken.FindStringSubmatch(m.Text)[1]
		}
	}
	w.t.Fatalf("no mail to %s", to)
	return ""
}

const (
	password = "quien va a la derecha"
	nonce    = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
)

// identities goes through every answer about ways in.
func (w *world) identities() {
	w.t.Helper()
	ana, secret := w.guest("Linked Ana")
	ben, _ := w.guest("Linked Ben")
	post := func(path, token string, body any) request {
		return request{method: "POST", path: path, token: token, body: body}
	}
	google := func(subject string) map[string]any {
		return map[string]any{"google": map[string]string{"idToken": w.google.Token(subject, nonce, nil), "nonce": nonce}}
	}

	// The examples: the right form, and nobody's.
	for _, r := range w.requestExamples("createSession") {
		want := "invalid_credentials"
		switch {
		case strings.Contains(string(r), "deviceSecret"):
			want = "unknown_device"
		case strings.Contains(string(r), "apple"):
			want = "provider_disabled"
		case strings.Contains(string(r), "google"):
			want = "invalid_id_token"
		}
		a := w.send(post("/v1/sessions", "", r))
		if a.code() != want {
			w.t.Errorf("%s: %d: %s", r, a.status, a.body)
		}
	}
	for _, r := range w.requestExamples("linkIdentity") {
		a := w.send(post("/v1/me/identities", ana, r))
		if a.status != http.StatusUnprocessableEntity {
			w.t.Errorf("%s: %d: %s", r, a.status, a.body)
		}
	}
	for _, body := range []string{
		`{}`, `{"deviceName":"x"}`, `{"email":"ana@example.org"}`, `{"password":"12345678"}`,
		`{"deviceSecret":"` + secret + `","email":"ana@example.org","password":"12345678"}`,
		`{"email":"ana@example.org","password":"12345678","google":{"idToken":"x","nonce":"` + nonce + `"}}`,
	} {
		w.expect(http.StatusBadRequest, "invalid_request", post("/v1/sessions", "", body))
	}

	// Google.
	w.expect(http.StatusUnauthorized, "unknown_identity", post("/v1/sessions", "", google("815")))
	w.expect(http.StatusOK, "", post("/v1/me/identities", ana, google("815")))
	w.expect(http.StatusCreated, "", post("/v1/sessions", "", google("815")))
	taken := w.send(post("/v1/me/identities", ben, google("815")))
	var problem rest.Problem
	taken.into(w.t, &problem)
	if taken.code() != "identity_taken" || problem.Choices == nil ||
		!slices.Equal(*problem.Choices, []rest.ProblemChoices{"sign_in_there", "cancel"}) {
		w.t.Errorf("a taken identity: %d: %s", taken.status, taken.body)
	}
	w.expect(http.StatusConflict, "already_linked", post("/v1/me/identities", ana, google("816")))
	w.expect(http.StatusBadRequest, "invalid_request", post("/v1/me/identities", ana, `{"apple":{},"google":{}}`))

	// E-mail.
	for _, r := range w.requestExamples("linkEmail") {
		w.expect(http.StatusAccepted, "", post("/v1/me/identities/email", ana, r))
	}
	w.expect(http.StatusBadRequest, "invalid_request", post("/v1/me/identities/email", ana, `{"email":"ana","password":"12345678"}`))
	w.expect(http.StatusBadRequest, "invalid_request", post("/v1/me/identities/email", ana, `{"email":"ana@example.org","password":"1234567"}`))
	token := map[string]string{"token": w.link("ana@example.org")}
	w.expect(http.StatusNoContent, "", post("/v1/email/verify", "", token))
	w.expect(http.StatusUnprocessableEntity, "link_invalid", post("/v1/email/verify", "", token))
	for _, r := range w.requestExamples("verifyEmail") {
		w.expect(http.StatusUnprocessableEntity, "link_invalid", post("/v1/email/verify", "", r))
	}
	w.expect(http.StatusAccepted, "", post("/v1/me/identities/email", ben, map[string]string{"email": "ANA@example.org", "password": password}))
	w.expect(http.StatusConflict, "identity_taken", post("/v1/email/verify", "", map[string]string{"token": w.link("ana@example.org")}))
	var me rest.Player
	w.send(request{method: "GET", path: "/v1/me", token: ana}).into(w.t, &me)
	if me.Guest {
		w.t.Error("still a guest")
	}
	var list rest.IdentityList
	w.send(request{method: "GET", path: "/v1/me/identities", token: ana}).into(w.t, &list)
	var ways []string
	for _, i := range list.Identities {
		way := string(i.Provider)
		if i.Email != nil {
			way += " " + *i.Email
		}
		ways = append(ways, way)
	}
	if !slices.Equal(ways, []string{"device", "google", "email ana@example.org"}) {
		w.t.Errorf("ways in: %q", ways)
	}
	signIn := func(password string) request {
		return post("/v1/sessions", "", map[string]string{"email": "Ana@example.org", "password": password})
	}
	w.expect(http.StatusCreated, "", signIn(password))
	w.expect(http.StatusUnauthorized, "invalid_credentials", signIn("another password"))

	// A forgotten password.
	for _, body := range append(w.requestExamples("requestPasswordReset"), json.RawMessage(`{"email":"nobody@example.org"}`)) {
		w.expect(http.StatusAccepted, "", post("/v1/email/reset-request", "", body))
	}
	w.expect(http.StatusBadRequest, "invalid_request", post("/v1/email/reset-request", "", `{"email":"ana"}`))
	for _, r := range w.requestExamples("resetPassword") {
		w.expect(http.StatusUnprocessableEntity, "link_invalid", post("/v1/email/reset", "", r))
	}
	reset := map[string]string{"token": w.link("ana@example.org"), "password": "mano y a callar"}
	w.expect(http.StatusNoContent, "", post("/v1/email/reset", "", reset))
	w.expect(http.StatusUnprocessableEntity, "link_invalid", post("/v1/email/reset", "", reset))
	w.expect(http.StatusUnauthorized, "session_ended", request{method: "GET", path: "/v1/me", token: ana})
	w.expect(http.StatusUnauthorized, "invalid_credentials", signIn(password))
	a := w.send(signIn("mano y a callar"))
	var session rest.Session
	a.into(w.t, &session)
	if a.status != http.StatusCreated || session.Player.ID != me.ID {
		w.t.Errorf("%d: %s", a.status, a.body)
	}

	// All but the last can be taken away.
	unlink := func(provider string) request {
		return request{method: "DELETE", path: "/v1/me/identities/" + provider, token: session.AccessToken}
	}
	for _, provider := range []string{"email", "device"} {
		w.expect(http.StatusNoContent, "", unlink(provider))
		w.expect(http.StatusNotFound, "not_found", unlink(provider))
	}
	w.expect(http.StatusConflict, "last_identity", unlink("google"))
	w.expect(http.StatusBadRequest, "invalid_request", unlink("facebook"))
}

// Nothing that lets somebody in is in the log, nor an address.
func TestIdentitiesAreNotLogged(t *testing.T) {
	w := newWorld(t, store.SQLite)
	w.identities()
	log := w.log.String()
	for _, secret := range []string{password, "example.org", w.link("ana@example.org"), nonce, "eyJ", "argon2id"} {
		if strings.Contains(log, secret) {
			t.Errorf("%q is in the log", secret)
		}
	}
}
