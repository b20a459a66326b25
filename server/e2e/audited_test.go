package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/cuatrola/cuatrola/server/internal/client"
)

// member is one of the staff, signed in.
type member struct {
	srv          *server
	cookie, csrf string
}

// errUnknown: nobody knows whether it was done.
var errUnknown = errors.New("no answer")

// ask sends a request to the panel; errUnknown if there is no answer.
func (m *member) ask(ctx context.Context, method, path string, body, into any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, m.srv.url+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if m.cookie != "" {
		req.Header.Set("Cookie", m.cookie)
		req.Header.Set("X-CSRF-Token", m.csrf)
	}
	res, err := m.srv.http.Do(req)
	if err != nil {
		return errUnknown
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return errUnknown
	}
	if set := res.Header.Get("Set-Cookie"); set != "" && m.cookie == "" {
		m.cookie, _, _ = strings.Cut(set, ";")
	}
	switch {
	case res.StatusCode >= 500: // it was told to end, or could not tell
		return errUnknown
	case res.StatusCode >= 300:
		return fmt.Errorf("%s %s: %d %s", method, path, res.StatusCode, answer)
	case into == nil:
		return nil
	}
	return json.Unmarshal(answer, into)
}

// newOwner comes in by a link from the command line.
func newOwner(t *testing.T, s *server) *member {
	t.Helper()
	create := exec.CommandContext(t.Context(), binary, "admin", "create", "marta@example.org", "--reason", "For a test.", "--author", "test", "--public-url", s.url)
	create.Env = s.env
	out, err := create.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	found := regexp.MustCompile(`#(\S+)`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("no link: %s", out)
	}
	token, err := url.PathUnescape(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	m := &member{srv: s}
	var invited struct{ TotpSecret string }
	if err := m.ask(t.Context(), "POST", "/admin/v1/invitation", map[string]any{"token": token}, &invited); err != nil {
		t.Fatal(err)
	}
	code, err := totp.GenerateCode(invited.TotpSecret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var accepted struct{ Session struct{ CsrfToken string } }
	if err := m.ask(t.Context(), "POST", "/admin/v1/invitation/accept",
		map[string]any{"token": token, "name": "Marta", "password": "quien reparte no elige", "code": code}, &accepted); err != nil {
		t.Fatal(err)
	}
	m.csrf = accepted.Session.CsrfToken
	return m
}

// The server is killed again and again while staff change things. Each change that was
// acknowledged is there, with one line in the audit; each line in the audit has its
// change; and of what nobody knows, either both are there or neither.
func TestKilledWhileStaffChangesThings(t *testing.T) {
	const workers, crashes = 6, 12
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			s := newServer(t, database, "CUATROLA_LIMIT_MAILS=0")
			owner := newOwner(t, s)
			players := make([]string, workers)
			for i := range players {
				c, err := client.SignUp(ctx, s.url, s.http)
				if err != nil {
					t.Fatal(err)
				}
				players[i] = c.Player.ID
			}
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 0))
			var acks, nextKill atomic.Int64
			due := make(chan struct{}, 1)
			arm := func() { nextKill.Store(acks.Load() + 5 + random.Int64N(30)) }
			arm()
			var mu sync.Mutex
			acknowledged := map[string]int{} // reasons
			done := make(chan struct{})
			var busy sync.WaitGroup
			for i := range workers {
				busy.Go(func() {
					for n := 0; ; n++ {
						select {
						case <-done:
							return
						default:
						}
						reason := fmt.Sprintf("reason-%d-%d.", i, n)
						var err error
						switch n % 3 {
						case 0: // sent until it is answered: done once by its key
							for {
								err = owner.ask(ctx, "POST", "/admin/v1/players/"+players[i]+"/grant", map[string]any{"coins": 1, "key": fmt.Sprintf("grant-%d-%d", i, n), "reason": reason}, nil)
								if !errors.Is(err, errUnknown) {
									break
								}
								s.wait(ctx)
							}
						case 1:
							err = owner.ask(ctx, "POST", "/admin/v1/staff-invitations", map[string]any{"email": fmt.Sprintf("a%d-%d@example.org", i, n), "role": "viewer", "reason": reason}, nil)
						default:
							err = owner.ask(ctx, "POST", "/admin/v1/players/"+players[i]+"/notes", map[string]any{"text": reason}, nil)
						}
						switch {
						case errors.Is(err, errUnknown):
							s.wait(ctx)
							continue
						case err != nil:
							t.Error(err)
							cancel()
							return
						}
						mu.Lock()
						acknowledged[reason]++
						mu.Unlock()
						if acks.Add(1) >= nextKill.Load() {
							select {
							case due <- struct{}{}:
							default:
							}
						}
					}
				})
			}
			for range crashes {
				select {
				case <-due:
				case <-ctx.Done():
					t.Fatal("too few changes: ", context.Cause(ctx))
				}
				s.kill()
				s.start()
				s.wait(ctx)
				arm()
			}
			close(done)
			busy.Wait()

			// What the trail says.
			var trail struct {
				grants, invitations map[string]int // by reason
				notes               map[string]int // by the note
			}
			trail.grants, trail.invitations, trail.notes = map[string]int{}, map[string]int{}, map[string]int{}
			type line struct {
				ID, Action, Reason string
				After              struct{ Note string }
			}
			for cursor := ""; ; {
				var page struct {
					Entries    []line
					NextCursor string
				}
				if err := owner.ask(ctx, "GET", "/admin/v1/audit?limit=100"+cursor, nil, &page); err != nil {
					t.Fatal(err)
				}
				for _, e := range page.Entries {
					switch e.Action {
					case "players.grant":
						trail.grants[e.Reason]++
					case "staff.invite":
						trail.invitations[e.Reason]++
					case "players.note":
						trail.notes[e.After.Note]++
					}
				}
				if page.NextCursor == "" {
					break
				}
				cursor = "&cursor=" + page.NextCursor
			}
			// What there is.
			grants, invitations, notes := 0, 0, map[string]string{}
			for _, p := range players {
				for cursor := ""; ; {
					var page struct {
						Lines      []struct{ Kind string }
						NextCursor string
					}
					if err := owner.ask(ctx, "GET", "/admin/v1/players/"+p+"/statement?limit=100"+cursor, nil, &page); err != nil {
						t.Fatal(err)
					}
					for _, l := range page.Lines {
						if l.Kind == "grant" {
							grants++
						}
					}
					if page.NextCursor == "" {
						break
					}
					cursor = "&cursor=" + page.NextCursor
				}
				for cursor := ""; ; {
					var page struct {
						Notes      []struct{ ID, Text string }
						NextCursor string
					}
					if err := owner.ask(ctx, "GET", "/admin/v1/players/"+p+"/notes?limit=100"+cursor, nil, &page); err != nil {
						t.Fatal(err)
					}
					for _, n := range page.Notes {
						notes[n.ID] = n.Text
					}
					if page.NextCursor == "" {
						break
					}
					cursor = "&cursor=" + page.NextCursor
				}
			}
			var staff struct{ Invitations []struct{ Email string } }
			if err := owner.ask(ctx, "GET", "/admin/v1/staff", nil, &staff); err != nil {
				t.Fatal(err)
			}
			for _, l := range staff.Invitations {
				if strings.HasPrefix(l.Email, "a") {
					invitations++
				}
			}

			for what, reasons := range map[string]map[string]int{"grant": trail.grants, "invitation": trail.invitations, "note": trail.notes} {
				for reason, n := range reasons {
					if n != 1 {
						t.Errorf("the audit has %d lines about %s %q", n, what, reason)
					}
				}
			}
			delete(trail.invitations, "For a test.")
			if len(trail.grants) != grants || len(trail.invitations) != invitations || len(trail.notes) != len(notes) {
				t.Errorf("the audit has %d grants, %d invitations and %d notes; there are %d, %d and %d",
					len(trail.grants), len(trail.invitations), len(trail.notes), grants, invitations, len(notes))
			}
			written := map[string]bool{}
			for id, text := range notes {
				written[text] = true
				if trail.notes[id] != 1 {
					t.Errorf("the audit has nothing about note %s", text)
				}
			}
			for reason := range acknowledged {
				if trail.grants[reason]+trail.invitations[reason] == 0 && !written[reason] {
					t.Errorf("%s was acknowledged, and is gone", reason)
				}
			}
			if len(acknowledged) < crashes*3 || grants == 0 || invitations == 0 || len(notes) == 0 {
				t.Errorf("only %d changes", len(acknowledged))
			}
			t.Logf("%d changes, %d of them acknowledged, over %d crashes", grants+invitations+len(notes), len(acknowledged), crashes)
		})
	}
}
