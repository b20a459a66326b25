package rest_test

import (
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/attempt"
	"github.com/cuatrola/cuatrola/server/internal/limit"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// moved is a clock that stands until it is moved.
type moved struct {
	mu sync.Mutex
	at time.Time
}

func (m *moved) now() time.Time { m.mu.Lock(); defer m.mu.Unlock(); return m.at }

func (m *moved) move(d time.Duration) { m.mu.Lock(); defer m.mu.Unlock(); m.at = m.at.Add(d) }

// shows fails unless the answer tells how it stands with the limit.
func (a answer) shows(t *testing.T, limit, remaining, reset string) {
	t.Helper()
	for name, want := range map[string]string{"RateLimit-Limit": limit, "RateLimit-Remaining": remaining, "RateLimit-Reset": reset} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%d: %s: %q, want %q", a.status, name, got, want)
		}
	}
}

// from sends a request as if a proxy had it from that address.
func (w *world) from(address string, r request) answer {
	w.t.Helper()
	header := map[string]string{"X-Forwarded-For": address}
	for name, value := range r.header {
		header[name] = value
	}
	r.header = header
	return w.send(r)
}

func newLimited(t *testing.T, limits rest.Limits) (*world, *moved) {
	clock := &moved{at: time.Now()}
	w := newWorld(t, store.SQLite, func(o *rest.Options) {
		o.Limits, o.Now = limits, clock.now
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
	})
	return w, clock
}

func TestLimits(t *testing.T) {
	w, clock := newLimited(t, rest.Limits{
		Address: limit.New[netip.Addr](30, time.Minute),
		Account: limit.New[string](4, time.Minute),
		SignUps: limit.New[netip.Addr](2, time.Hour),
		Mails:   limit.New[netip.Addr](1, time.Hour),
		Exports: limit.New[string](1, time.Hour),

		ClientFaults: limit.New[string](1, time.Hour),
	})
	signUp := request{method: "POST", path: "/v1/guests", body: "{}"}
	guest := func(address string) string {
		t.Helper()
		a := w.from(address, signUp)
		var g rest.Guest
		a.into(t, &g)
		return g.AccessToken
	}
	ana := guest("192.0.2.1")
	w.from("192.0.2.1", signUp).shows(t, "2", "0", "3600")
	refused := w.from("192.0.2.1", signUp)
	refused.shows(t, "2", "0", "3600")
	if refused.status != http.StatusTooManyRequests || refused.code() != "rate_limited" || refused.header.Get("Retry-After") != "1800" {
		t.Errorf("a guest too many: %d %s, %v", refused.status, refused.body, refused.header)
	}
	ben := guest("192.0.2.2")

	me := request{method: "GET", path: "/v1/me", token: ana}
	for left := 3; left >= 0; left-- {
		// An account's limit holds wherever it asks from.
		w.from("192.0.2."+strconv.Itoa(10+left), me).shows(t, "4", strconv.Itoa(left), strconv.Itoa(15*(4-left)))
	}
	refused = w.from("192.0.2.20", me)
	if refused.status != http.StatusTooManyRequests || refused.code() != "rate_limited" || refused.header.Get("Retry-After") != "15" {
		t.Errorf("a request too many: %d %s, %v", refused.status, refused.body, refused.header)
	}
	if a := w.from("192.0.2.20", request{method: "GET", path: "/v1/me", token: ben}); a.status != http.StatusOK {
		t.Errorf("another account: %d %s", a.status, a.body)
	}
	clock.move(15 * time.Second)
	if a := w.from("192.0.2.20", me); a.status != http.StatusOK {
		t.Errorf("after Retry-After: %d %s", a.status, a.body)
	}

	// What costs more than a request has a limit of its own.
	reset := request{method: "POST", path: "/v1/email/reset-request", body: `{"email":"ana@example.net"}`}
	w.from("192.0.2.30", reset).shows(t, "1", "0", "3600")
	if a := w.from("192.0.2.30", reset); a.code() != "rate_limited" {
		t.Errorf("a mail too many: %d %s", a.status, a.body)
	}
	clock.move(time.Minute)
	export := request{method: "GET", path: "/v1/me/export", token: ben}
	w.from("192.0.2.31", export).shows(t, "1", "0", "3600")
	if a := w.from("192.0.2.32", export); a.code() != "rate_limited" || a.header.Get("Retry-After") != "3600" {
		t.Errorf("an export too many: %d %s", a.status, a.body)
	}

	clock.move(time.Minute)
	fault := request{method: "POST", path: "/v1/client-faults", token: ben, body: `{"kind":"crash","client":"web 1"}`}
	if a := w.from("192.0.2.33", fault); a.status != http.StatusNoContent {
		t.Errorf("a fault: %d %s", a.status, a.body)
	}
	if a := w.from("192.0.2.34", fault); a.code() != "rate_limited" || a.header.Get("Retry-After") != "3600" {
		t.Errorf("a fault too many: %d %s", a.status, a.body)
	}

	// Whatever an address asks for is counted, even what there is not.
	unknown := request{method: "GET", path: "/nothing-s3cret"}
	for left := 29; left >= 0; left-- {
		if a := w.from("2001:db8::1", unknown); a.status != http.StatusNotFound {
			t.Fatalf("%d left: %d", left, a.status)
		}
	}
	// A neighbour in the same /64 is the same client.
	refused = w.from("2001:db8::2", unknown)
	refused.shows(t, "30", "0", "60")
	if refused.status != http.StatusTooManyRequests || refused.header.Get("Retry-After") != "2" {
		t.Errorf("a request too many: %d %s, %v", refused.status, refused.body, refused.header)
	}
	if a := w.from("2001:db8:0:1::1", unknown); a.status != http.StatusNotFound {
		t.Errorf("another network: %d", a.status)
	}
	for range 100 {
		for _, path := range []string{"/healthz", "/readyz"} {
			if a := w.from("2001:db8::2", request{method: "GET", path: path}); a.status != http.StatusOK {
				t.Fatalf("a probe: %d", a.status)
			}
		}
	}
	if log := w.log.String(); strings.Contains(log, "s3cret") {
		t.Error("the log has the address of nothing")
	}
}

// Passwords are tried more and more rarely, by whoever tries, and not by the owner.
func TestGuessedPasswords(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		w := newWorld(t, t.Name()[strings.LastIndex(t.Name(), "/")+1:], func(o *rest.Options) {
			o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		})
		ana, _ := w.guest("Ana")
		const address = "ana@example.net"
		w.expect(http.StatusAccepted, "", request{
			method: "POST", path: "/v1/me/identities/email", token: ana, body: map[string]string{"email": address, "password": password},
		})
		w.expect(http.StatusNoContent, "", request{method: "POST", path: "/v1/email/verify", body: map[string]string{"token": w.link(address)}})
		try := func(from, email, password string) answer {
			return w.from(from, request{method: "POST", path: "/v1/sessions", body: map[string]string{"email": email, "password": password}})
		}
		if a := try("192.0.2.1", address, password); a.status != http.StatusCreated {
			t.Fatalf("%d %s", a.status, a.body)
		}
		// An address that nobody has is slowed alike: the limit tells nothing.
		for i, email := range []string{address, "nobody@example.net"} {
			from := "203.0.113." + strconv.Itoa(i)
			for range attempt.Free {
				if a := try(from, email, "wrong password"); a.code() != "invalid_credentials" {
					t.Errorf("%s: %d %s", email, a.status, a.body)
				}
			}
			// Even the right one, which might be a guess; however it is written.
			if a := try(from, strings.ToUpper(email), password); a.code() != "rate_limited" || a.header.Get("Retry-After") != "1" {
				t.Errorf("%s: %d %s", email, a.status, a.body)
			}
		}
		if a := try("192.0.2.1", address, password); a.status != http.StatusCreated {
			t.Errorf("the owner, at home: %d %s", a.status, a.body)
		}
		if a := try("198.51.100.7", address, password); a.code() != "rate_limited" {
			t.Errorf("the owner, elsewhere: %d %s", a.status, a.body)
		}
		w.tries.move(attempt.MaxWait)
		if a := try("198.51.100.7", address, password); a.status != http.StatusCreated {
			t.Errorf("the owner, elsewhere, after the wait: %d %s", a.status, a.body)
		}
	})
}

// Every operation can be told to wait.
func TestEveryOperationHasALimit(t *testing.T) {
	w, _ := newLimited(t, rest.Limits{Address: limit.New[netip.Addr](1, time.Hour)})
	w.from("192.0.2.1", request{method: "GET", path: "/v1/rules"})
	for path, item := range w.doc.Paths.Map() {
		for method, op := range item.Operations() {
			if len(op.Tags) > 0 && op.Tags[0] == "operations" {
				continue
			}
			path := strings.NewReplacer("{", "", "}", "").Replace(path)
			if a := w.from("192.0.2.1", request{method: method, path: path}); a.code() != "rate_limited" {
				t.Errorf("%s %s: %d %s", method, path, a.status, a.body)
			}
		}
	}
}

// Of X-Forwarded-For, only what trusted proxies have put there counts: Fiber's own
// c.IP() takes the leftmost, which the client writes.
func TestTrustedProxies(t *testing.T) {
	w, _ := newLimited(t, rest.Limits{})
	for header, want := range map[string]string{
		"192.0.2.1":                         "192.0.2.1",
		"203.0.113.66, 192.0.2.2":           "192.0.2.2",
		"203.0.113.66,192.0.2.3, 10.1.2.3":  "192.0.2.3",
		"203.0.113.66, junk, 192.0.2.4":     "192.0.2.4",
		"192.0.2.5, junk":                   "127.0.0.1",
		"192.0.2.6, junk, 10.1.2.4":         "10.1.2.4",
		"203.0.113.66|192.0.2.10":           "192.0.2.10",
		"203.0.113.66|192.0.2.11, 10.1.2.3": "192.0.2.11",
		"10.1.2.5":                          "10.1.2.5",
		"":                                  "127.0.0.1",
		"::ffff:192.0.2.7":                  "192.0.2.7",
		"2001:db8::8":                       "2001:db8::8",
		strings.Repeat("198.51.100.1, ", 200) + "192.0.2.9": "192.0.2.9",
	} {
		lines := http.Header{}
		for line := range strings.SplitSeq(header, "|") {
			lines.Add("X-Forwarded-For", line)
		}
		a := w.sendWith(request{method: "GET", path: "/v1/rules"}, lines)
		line := ""
		for l := range strings.SplitSeq(w.log.String(), "\n") {
			if strings.Contains(l, a.header.Get("X-Request-Id")) {
				line = l
			}
		}
		if !strings.Contains(line, `"ip":"`+want+`"`) {
			t.Errorf("%s: want %s: %s", header, want, line)
		}
	}
}

func TestCrossOrigin(t *testing.T) {
	const origin = "https://play.example"
	w := newWorld(t, store.SQLite, func(o *rest.Options) { o.Origins = []string{"https://a.example", origin} })
	preflight := func(origin string) answer {
		return w.send(request{method: "OPTIONS", path: "/v1/matches", header: map[string]string{
			"Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,idempotency-key",
		}})
	}
	a := preflight(origin)
	if a.status != http.StatusNoContent || a.header.Get("Access-Control-Allow-Origin") != origin ||
		!strings.Contains(a.header.Get("Access-Control-Allow-Methods"), "POST") ||
		!strings.Contains(a.header.Get("Access-Control-Allow-Headers"), "Idempotency-Key") {
		t.Errorf("preflight: %d %v", a.status, a.header)
	}
	if a := preflight("https://evil.example"); a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another origin: %v", a.header)
	}
	get := func(w *world, origin string) http.Header {
		return w.send(request{method: "GET", path: "/v1/me", header: map[string]string{"Origin": origin}}).header
	}
	h := get(w, origin)
	if h.Get("Access-Control-Allow-Origin") != origin || !strings.Contains(h.Get("Access-Control-Expose-Headers"), "RateLimit-Remaining") ||
		!strings.Contains(h.Get("Access-Control-Expose-Headers"), "Date") ||
		h.Get("Access-Control-Allow-Credentials") != "" || !strings.Contains(h.Get("Vary"), "Origin") {
		t.Errorf("an error for another origin's page: %v", h)
	}
	if h := get(w, "null"); h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("origin null: %v", h)
	}
	// By default nobody else's page is let in.
	if h := get(newWorld(t, store.SQLite), origin); h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("without the setting: %v", h)
	}
}
