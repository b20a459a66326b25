package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/cuatrola/cuatrola/server/internal/client"
)

// desk is a member of staff at the panel of a server.
type desk struct {
	t            *testing.T
	s            *server
	cookie, csrf string
}

var invitation = regexp.MustCompile(`/admin/invitation#(\S+)`)

// newDesk has somebody come in by a link that the command line has made.
func newDesk(t *testing.T, s *server, role string) *desk {
	t.Helper()
	create := exec.CommandContext(t.Context(), binary, "admin", "create", "eva@example.org", "--role", role, "--reason", "A test.", "--author", "test")
	create.Env = s.env
	out, err := create.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	link := invitation.FindSubmatch(out)
	if link == nil {
		t.Fatalf("no link: %s", out)
	}
	token, err := url.QueryUnescape(string(link[1]))
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, s: s}
	var invited struct{ TotpSecret string }
	d.ask("POST", "/admin/v1/invitation", map[string]string{"token": token}, http.StatusOK, &invited)
	code, err := totp.GenerateCode(invited.TotpSecret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var accepted struct{ Session struct{ CsrfToken string } }
	d.ask("POST", "/admin/v1/invitation/accept",
		map[string]string{"token": token, "name": "Eva", "password": "quien reparte no elige", "code": code}, http.StatusCreated, &accepted)
	d.csrf = accepted.Session.CsrfToken
	return d
}

func (d *desk) ask(method, path string, body any, status int, answer any) {
	d.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		d.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(d.t.Context(), method, d.s.url+path, bytes.NewReader(data))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-CSRF-Token", d.csrf)
	if d.cookie != "" {
		r.Header.Set("Cookie", d.cookie)
	}
	res, err := d.s.http.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status {
		d.t.Fatalf("%s %s: %d, want %d: %s, %v", method, path, res.StatusCode, status, text, err)
	}
	if set := res.Header.Get("Set-Cookie"); set != "" {
		d.cookie, _, _ = strings.Cut(set, ";")
	}
	if answer != nil {
		if err := json.Unmarshal(text, answer); err != nil {
			d.t.Fatalf("%v: %s", err, text)
		}
	}
}

// Who is put out at one process is out at every other at once: the socket ends with the
// reason, the access token is good no more, and the place in the queue is given up with
// what it cost.
func TestSuspendedEverywhereAtOnce(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	bus := "NATS_URL=" + newBus(t)
	here := newServer(t, "postgres", bus)
	shared := []string{bus}
	for _, name := range []string{"DATABASE_URL=", "CUATROLA_JWT_KEY_FILE="} {
		last := ""
		for _, setting := range here.env {
			if strings.HasPrefix(setting, name) {
				last = setting
			}
		}
		shared = append(shared, last)
	}
	there := newServer(t, "postgres", shared...)

	p := &player{srv: there, random: rand.New(rand.NewPCG(7, 2026))}
	if err := p.signUp(ctx); err != nil {
		t.Fatal(err)
	}
	phone := &visit{t, there, p.client.Token()}
	phone.ask("GET", "/v1/wallet", nil, http.StatusOK)
	if _, err := p.client.Enter(ctx, "suspended", client.Queue{Rules: "mesa", Stake: 100}); err != nil {
		t.Fatal(err)
	}
	stream, err := p.client.Stream(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if f, err := stream.Next(); err != nil || f.Type != "welcome" {
		t.Fatalf("%+v, %v", f, err)
	}

	eva := newDesk(t, here, "support")
	at := "/admin/v1/players/" + p.client.Player.ID
	eva.ask("POST", at+"/suspend", map[string]string{"word": "harassment", "reason": "A test."}, http.StatusOK, nil)
	if why := toldBye(stream); why != "suspended" {
		t.Errorf("the socket ends with %q", why)
	}
	if text := phone.ask("GET", "/v1/me", nil, http.StatusUnauthorized); !bytes.Contains(text, []byte(`"session_ended"`)) {
		t.Errorf("%s", text)
	}
	if err := p.client.SignIn(ctx); err == nil || !strings.Contains(err.Error(), "suspended") {
		t.Errorf("signing in: %v", err)
	}
	var file struct {
		Coins int64
		Place string
	}
	eva.ask("GET", at, nil, http.StatusOK, &file)
	if file.Place != "none" || file.Coins != 500 {
		t.Errorf("%+v", file)
	}
	eva.ask("POST", at+"/lift", map[string]string{"reason": "A test."}, http.StatusNoContent, nil)
	if err := p.client.SignIn(ctx); err != nil {
		t.Error(err)
	}
}
