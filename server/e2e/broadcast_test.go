package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/cuatrola/cuatrola/server/internal/client"
)

// colleague is one of the staff, signed in.
type colleague struct {
	t            *testing.T
	s            *server
	cookie, csrf string
}

// newColleague follows a link that the command line has made.
func newColleague(t *testing.T, s *server, role string) *colleague {
	t.Helper()
	out, err := s.run("admin", "create", role+"@example.org", "--role", role, "--reason", "A test needs one.", "--author", "test")
	link := regexp.MustCompile(`\S+#(\S+)`).FindStringSubmatch(out)
	if err != nil || link == nil {
		t.Fatalf("%v: %s", err, out)
	}
	c := &colleague{t: t, s: s}
	var invited struct{ TotpSecret string }
	c.do("POST", "/admin/v1/invitation", map[string]any{"token": link[1]}, &invited)
	code, err := totp.GenerateCode(invited.TotpSecret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var accepted struct{ Session struct{ CsrfToken string } }
	c.do("POST", "/admin/v1/invitation/accept", map[string]any{"token": link[1], "name": role, "password": "quien reparte no elige", "code": code}, &accepted)
	c.csrf = accepted.Session.CsrfToken
	return c
}

// do sends a request until the server is there to answer it, and wants it taken.
func (c *colleague) do(method, path string, body, into any, header ...string) {
	c.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	for {
		req, err := http.NewRequestWithContext(c.t.Context(), method, c.s.url+path, bytes.NewReader(data))
		if err != nil {
			c.t.Fatal(err)
		}
		if body != nil {
			req.Header.Set("Content-Type", "application/json")
		} else {
			req.Body = http.NoBody
		}
		req.Header.Set("Cookie", c.cookie)
		req.Header.Set("X-CSRF-Token", c.csrf)
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		res, err := c.s.http.Do(req)
		if err != nil {
			if c.t.Context().Err() != nil {
				c.t.Fatal(err)
			}
			continue // it is down
		}
		answer, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode == http.StatusServiceUnavailable {
			continue
		}
		if res.StatusCode >= 300 {
			c.t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, answer)
		}
		if cookie, _, ok := strings.Cut(res.Header.Get("Set-Cookie"), ";"); ok {
			c.cookie = cookie
		}
		if err := json.Unmarshal(answer, into); err != nil {
			c.t.Fatal(err)
		}
		return
	}
}

// The server is killed again and again while something is told to everybody: each
// player is told each thing once.
func TestKilledWhileEverybodyIsTold(t *testing.T) {
	const players, broadcasts = 450, 6
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			s := newServer(t, database)
			c := newColleague(t, s, "economist")
			all := make([]*client.Client, players)
			var wg sync.WaitGroup
			for first := range 15 {
				wg.Go(func() {
					for i := first; i < players; i += 15 {
						var err error
						if all[i], err = client.SignUp(ctx, s.url, s.http); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			if t.Failed() {
				return
			}
			type broadcast struct {
				ID, State     string
				Planned, Sent int
			}
			words := map[string]string{"es": "a", "ca": "b", "en": "c"}
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 0))
			caught := 0
			for i := range broadcasts {
				var b broadcast
				c.do("POST", "/admin/v1/broadcasts", map[string]any{"title": words, "text": words, "filter": map[string]any{}, "seen": players, "reason": "A drill."}, &b,
					"Idempotency-Key", fmt.Sprintf("drill-%d", i))
				for looks := random.IntN(30); looks > 0 && b.State == "sending"; looks-- {
					c.do("GET", "/admin/v1/broadcasts/"+b.ID, nil, &b)
				}
				if b.State == "sending" {
					caught++
				}
				s.kill()
				s.start()
				for s.wait(ctx); b.State == "sending"; {
					c.do("GET", "/admin/v1/broadcasts/"+b.ID, nil, &b)
				}
				if b.Planned != players || b.Sent != players {
					t.Errorf("broadcast %d: %+v", i, b)
				}
			}
			if caught == 0 {
				t.Error("the server was never killed while it was sending")
			}
			for _, one := range all {
				body, err := one.Get(ctx, "/v1/notices?limit=100")
				if err != nil {
					t.Fatal(err)
				}
				var got struct{ Notices []struct{ Kind string } }
				if err := json.Unmarshal(body, &got); err != nil || len(got.Notices) != broadcasts {
					t.Fatalf("%d notices, %v", len(got.Notices), err)
				}
			}
		})
	}
}
