package panel_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/gofiber/contrib/websocket"
	"github.com/pquerna/otp/totp"

	"github.com/cuatrola/cuatrola"
	"github.com/cuatrola/cuatrola/server/attempt"
	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/internal/panel"
	"github.com/cuatrola/cuatrola/server/internal/passkey"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	passwords "github.com/cuatrola/cuatrola/server/password"
	"github.com/cuatrola/cuatrola/server/staff"
)

// contract is the project's, read once for all tests.
var contract = sync.OnceValue(func() (c struct {
	doc    *openapi3.T
	router routers.Router
	err    error
},
) {
	if c.doc, c.err = openapi3.NewLoader().LoadFromData(cuatrola.OpenAPI); c.err == nil {
		c.doc.Servers = nil
		c.router, c.err = gorillamux.NewRouter(c.doc)
	}
	return c
})

// world is a server with the panel on a real listener. Whatever goes through its
// clients is held against the contract.
type world struct {
	t      testing.TB
	url    string
	http   *http.Client
	doc    *openapi3.T
	router routers.Router
	store  *store.Store
	staff  *staff.Service
	trail  *audit.Service
	log    buffer

	mu   sync.Mutex
	skew time.Duration   // how far the clock is ahead
	seen map[string]bool // "operation status code" that the server has answered
}

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) { b.mu.Lock(); defer b.mu.Unlock(); return b.b.Write(p) }

func (b *buffer) String() string { b.mu.Lock(); defer b.mu.Unlock(); return b.b.String() }

func (w *world) now() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return time.Now().Add(w.skew) }

// pass lets time pass.
func (w *world) pass(d time.Duration) { w.mu.Lock(); defer w.mu.Unlock(); w.skew += d }

// newWorld returns a server over a database of that kind. Areas bring their domains by
// changing the options.
func newWorld(t testing.TB, kind string, change ...func(*world, *panel.Options)) *world {
	t.Helper()
	w := &world{t: t, seen: map[string]bool{}, store: storetest.New(t, kind)}
	w.trail = audit.New(w.store, w.now, rand.Reader)
	attempts := attempt.New(w.store, w.now)
	keys, err := passkey.New("https://example.org")
	if err != nil {
		t.Fatal(err)
	}
	w.staff = staff.New(staff.Options{Store: w.store, Trail: w.trail, Attempts: attempts, Now: w.now, Cost: cheap, Keys: keys})
	log := slog.New(slog.NewJSONHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o := panel.Options{Staff: w.staff, Trail: w.trail, PublicURL: "https://example.org", Log: log, Now: w.now}
	for _, f := range change {
		f(w, &o)
	}
	server, err := rest.New(rest.Options{
		Panel: panel.New(o), Page: fstest.MapFS{}, PanelPage: fstest.MapFS{}, Stream: websocket.New(func(*websocket.Conn) {}),
		Ready: func(context.Context) error { return nil }, Observe: func(string, string, int, time.Duration) {}, Log: log, Now: time.Now,
		Attempts: attempts,
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	w.http = &http.Client{Transport: &http.Transport{DisableCompression: true}}
	t.Cleanup(func() {
		w.http.CloseIdleConnections()
		if err := server.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(w.log.String())
		}
	})
	w.url = "http://" + l.Addr().String()
	c := contract()
	if c.err != nil {
		t.Fatal(c.err)
	}
	w.doc, w.router = c.doc, c.router
	return w
}

// each runs a test on both databases.
func each(t *testing.T, f func(t *testing.T, kind string)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, _ *store.Store) { f(t, t.Name()[strings.LastIndex(t.Name(), "/")+1:]) })
}

// client is a browser of one of the staff; the zero value's is nobody's.
type client struct {
	w      *world
	member panel.StaffMember
	cookie string // as Set-Cookie had it, up to the attributes
	csrf   string
	secret string // of the second factor
}

// cheap passwords make tests quick.
var cheap = passwords.Cost{Memory: 8, Passes: 1}

// password is that of all members.
const password = "quien reparte no elige"

// code is the second factor's of now.
func (w *world) code(secret string) string {
	w.t.Helper()
	code, err := totp.GenerateCode(secret, w.now())
	if err != nil {
		w.t.Fatal(err)
	}
	return code
}

// as makes a member with a role, who has followed a link.
func (w *world) as(role staff.Role) *client {
	w.t.Helper()
	ctx := audit.As(w.t.Context(), audit.CommandLine("test"))
	w.mu.Lock()
	name := fmt.Sprintf("%s-%d", role, len(w.seen)+int(w.skew/time.Second))
	w.mu.Unlock()
	_, token, err := w.staff.Invite(ctx, name+"-"+randomText()+"@example.org", role, "A test needs one.")
	if err != nil {
		w.t.Fatal(err)
	}
	return w.accept(token, name, "")
}

// accept follows a link.
func (w *world) accept(token, name, email string) *client {
	w.t.Helper()
	c := &client{w: w}
	var invited panel.StaffInvitation
	c.must(http.StatusOK, "POST", "/admin/v1/invitation", map[string]any{"token": token}).into(w.t, &invited)
	body := map[string]any{"token": token, "name": name, "password": password, "code": w.code(invited.TotpSecret)}
	if email != "" {
		body["email"] = email
	}
	a := c.must(http.StatusCreated, "POST", "/admin/v1/invitation/accept", body)
	var accepted panel.StaffAccepted
	a.into(w.t, &accepted)
	c.keep(a, accepted.Session)
	c.secret = invited.TotpSecret
	return c
}

// keep takes the session up.
func (c *client) keep(a answer, s panel.StaffSession) {
	c.cookie, _, _ = strings.Cut(a.header.Get("Set-Cookie"), ";")
	c.csrf, c.member = s.CsrfToken, s.Member
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) code() string {
	if a.status < 400 {
		return ""
	}
	var p struct{ Code string }
	_ = json.Unmarshal(a.body, &p)
	return p.Code
}

func (a answer) into(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(a.body, v); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
}

// send sends a request as the panel's page does, and holds the answer against the
// contract. A body that is a string is sent as it is; nil for none.
func (c *client) send(method, path string, body any) answer {
	c.w.t.Helper()
	return c.sendWith(method, path, body, nil)
}

func (c *client) sendWith(method, path string, body any, header map[string]string) answer {
	w := c.w
	w.t.Helper()
	var in io.Reader
	switch body := body.(type) {
	case nil:
	case string:
		in = strings.NewReader(body)
	default:
		data, err := json.Marshal(body)
		if err != nil {
			w.t.Fatal(err)
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, in)
	if err != nil {
		w.t.Fatal(err)
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.cookie != "" {
		req.Header.Set("Cookie", c.cookie)
	}
	if c.csrf != "" && method != http.MethodGet {
		req.Header.Set(panel.HeaderCSRF, c.csrf)
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	res, err := w.http.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	a := answer{status: res.StatusCode, header: res.Header}
	if a.body, err = io.ReadAll(res.Body); err != nil {
		w.t.Fatal(err)
	}
	w.check(req, a)
	return a
}

// must sends a request that has to be answered with that status.
func (c *client) must(status int, method, path string, body any) answer {
	c.w.t.Helper()
	a := c.send(method, path, body)
	if a.status != status {
		c.w.t.Fatalf("%s %s: %d, want %d: %s", method, path, a.status, status, a.body)
	}
	return a
}

// refused sends a request that has to be answered with that status and code.
func (c *client) refused(status int, code, method, path string, body any) {
	c.w.t.Helper()
	if a := c.send(method, path, body); a.status != status || a.code() != code {
		c.w.t.Errorf("%s %s: %d %s, want %d %s: %s", method, path, a.status, a.code(), status, code, a.body)
	}
}

func init() {
	openapi3filter.RegisterBodyDecoder("application/jsonl", openapi3filter.PlainBodyDecoder)
	openapi3filter.RegisterBodyDecoder("text/csv", openapi3filter.PlainBodyDecoder)
}

// check fails unless the contract allows the answer, and remembers it.
func (w *world) check(req *http.Request, a answer) {
	w.t.Helper()
	if a.status >= 400 {
		if got := a.header.Get("Content-Type"); got != "application/problem+json" {
			w.t.Errorf("%s %s: a problem of type %q: %s", req.Method, req.URL.Path, got, a.body)
		}
		var body any
		if err := json.Unmarshal(a.body, &body); err != nil {
			w.t.Errorf("%s %s: %v", req.Method, req.URL.Path, err)
		} else if err := w.doc.Components.Schemas["Problem"].Value.VisitJSON(body); err != nil {
			w.t.Errorf("%s %s: %v", req.Method, req.URL.Path, err)
		}
	}
	plain := &url.URL{Path: req.URL.Path}
	route, params, err := w.router.FindRoute(&http.Request{Method: req.Method, URL: plain})
	if err != nil {
		return // not in the contract: the answer is a problem, checked above
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, Route: route, PathParams: params},
		Status:                 a.status, Header: a.header, Body: io.NopCloser(bytes.NewReader(a.body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	}
	if err := openapi3filter.ValidateResponse(w.t.Context(), input); err != nil {
		w.t.Errorf("%s %s: %d: %v\n%s", req.Method, req.URL.Path, a.status, err, a.body)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[fmt.Sprintf("%s %d %s", route.Operation.OperationID, a.status, a.code())] = true
}

// common are the answers that are the same for all operations, and tested where they
// come from: the guards here and in package rest.
var common = []string{"401", "403", "413", "415", "429", "500", "503"}

// allSeen fails for each answer that the contract documents and no request got, of the
// operations that have one of the tags; except for the statuses given, or the answers.
func (w *world) allSeen(except []string, tags ...string) {
	w.t.Helper()
	for _, item := range w.doc.Paths.Map() {
		for _, op := range item.Operations() {
			if !slices.Contains(tags, op.Tags[0]) {
				continue
			}
			for status, response := range op.Responses.Map() {
				if slices.Contains(except, status) {
					continue
				}
				codes := []string{""}
				if problem := response.Value.Content["application/problem+json"]; problem != nil {
					codes = slices.Collect(maps.Keys(problem.Examples))
				}
				for _, code := range codes {
					if key := op.OperationID + " " + status + " " + code; !w.seen[key] && !slices.Contains(except, key) {
						w.t.Errorf("no request was answered with %s", key)
					}
				}
			}
		}
	}
}

// trailOf lists what the audit has about a subject, newest first.
func (w *world) trailOf(kind, id string) []audit.Entry {
	w.t.Helper()
	entries, err := w.trail.Find(w.t.Context(), audit.Search{Subject: audit.Subject{Kind: kind, ID: id}, Limit: 1000})
	if err != nil {
		w.t.Fatal(err)
	}
	return entries
}
