package rest_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// The traps of the libraries below, and where each has its test.
//
// Fiber and fasthttp:
//   - A body kept after its handler is overwritten by the next request:
//     TestNothingOfARequestIsReused.
//   - A compressed body is inflated past the limit on bodies: TestCompressedBody.
//   - X-Forwarded-For is believed of anybody: TestHeaders; its leftmost entry is taken,
//     which the client writes, and of several lines the first: TestTrustedProxies.
//   - The limiter is five a minute for everybody: TestLimits, by account and address.
//   - No prefork: TestNoPrefork.
//   - A handler's context does not end when the client leaves: TestDeadline.
//   - Unknown methods and broken requests are answered with texts of its own:
//     TestHardening, TestNoHTTP. Headers and bodies without end: TestSizes.
//
// JWT and OIDC:
//   - No exp, another algorithm, an empty HMAC key, an unknown kid, another issuer or
//     audience, a future iat: account.TestTokenTraps; with the whole stack around it,
//     TestForgedTokens. Current and previous key: account.TestKeyRotation.
//   - No nonce is checked, email_verified may be a text: oidc.TestSubject,
//     oidc.TestRefuses. A fetch for each unknown kid: oidc.TestUnknownKidFlood.
//
// Accounts:
//   - A refresh token that comes twice, and its grace: account.TestRefresh,
//     account.TestRefreshAtOnce.
//   - Hashing passwords is bounded: account.TestPasswords. An identity that is
//     another's: identities in TestContract.
//   - A deleted player's ledger and records add up: TestNothingPersonalIsLeft.
//
// Webhooks:
//   - An empty secret verifies, a time in the future too, and another version of the
//     interface may be read wrongly: stripe.TestCheck, stripe.TestStamp,
//     stripe.TestRefusedEvents; with the whole stack around it, TestWebhooks. Whatever
//     the bytes are: TestWebhookBody.
//
// Stores:
//   - A receipt or notification that only looks like Apple's, in every way that it can:
//     appstore.TestRefuses, appstore.TestRefusesNotifications; Google's:
//     googleplay.TestRefuses, googleplay.TestRefusesNotifications; with the whole stack
//     around them, TestStoresWebhooks.
//   - Sandbox and testers: appstore.TestSandbox, googleplay.TestTest. One that is not
//     paid yet, and one that nobody says to be delivered: googleplay.TestRefuses,
//     googleplay.TestDelivered. Whoever presents it, and what is told late, twice or in
//     any order: store.TestCoinsAreWhatTheStoresSay.
//
// Purchases:
//   - Amount, currency, mode, payer and payment are the order's, or nothing is given:
//     store.TestEventsThatDoNotFit. The client names no amount: TestShopContract.
//   - Events come twice, late and in any order, and refunds before the payment:
//     shop.TestOrderForgetsTheOrderOfFacts, store.TestEventsThatComeEarly,
//     store.TestCoinsAreWhatWasPaid; or not at all: store.TestReconcile.
//   - One payment gives once, whoever shows it: store.TestRedeem. It is given before the
//     store is told, and told until it has heard: store.TestDeliver.
//   - Refunds are cumulative, and what is spent is owed: store.TestBuying,
//     store.TestDebtsArePaidFirst, store.TestDebtsAtOnce.
//   - Connections that break and a server that is killed: store.TestShopBreaks,
//     e2e.TestKilledBetweenPaymentAndGrant.
//
// GORM and the databases:
//   - Zero values, conditions that stay, soft deletion: store.TestGORMTraps,
//     store.TestNoConditionStays.
//   - U+0000, which JSON and SQLite take and PostgreSQL does not: TestNastyValues.
//
// Whatever else a client can send: TestHardening, FuzzRequest, socket.TestGarbledFrames,
// socket.FuzzFrames.

// raw sends bytes as they are and reads the answer. A server may hang up on what is
// not HTTP; the answer is then empty.
func (w *world) raw(t testing.TB, request []byte) answer {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	// The server may have answered, and hung up, before all was sent.
	_, _ = conn.Write(request)
	_ = conn.(*net.TCPConn).CloseWrite()
	method, _, _ := bytes.Cut(request, []byte(" "))
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: string(method)})
	if err != nil {
		return answer{}
	}
	defer res.Body.Close()
	a := answer{status: res.StatusCode, header: res.Header}
	if a.body, err = io.ReadAll(res.Body); err != nil {
		return answer{}
	}
	return a
}

// holds fails if the answer is one that no request may get.
func (w *world) holds(t testing.TB, request []byte, a answer) {
	t.Helper()
	shown := request[:min(len(request), 600)]
	if a.status >= 500 && !bytes.Contains(request, []byte("/docs")) { // which need not be built
		t.Errorf("%d %s: %q", a.status, a.body, shown)
	}
	if a.status < 400 || bytes.HasPrefix(request, []byte("HEAD ")) || a.status >= 500 {
		return
	}
	if media := a.header.Get("Content-Type"); media != "application/problem+json" {
		t.Errorf("%d of type %q: %q", a.status, media, shown)
		return
	}
	var p rest.Problem
	if err := json.Unmarshal(a.body, &p); err != nil || p.Status != a.status || p.RequestID == "" {
		t.Errorf("%d: %v: %s: %q", a.status, err, a.body, shown)
	}
	if !slices.Contains(w.doc.Components.Schemas["Code"].Value.Enum, any(string(p.Code))) {
		t.Errorf("unknown code %q: %q", p.Code, shown)
	}
}

// form is a request that can be spoilt.
type form struct {
	method, path, token, headers string
	body                         []byte
}

func (f form) bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: cuatrola\r\nConnection: close\r\n", f.method, f.path)
	if f.token != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\n", f.token)
	}
	b.WriteString(f.headers)
	if f.body != nil {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(f.body))
	}
	b.WriteString("\r\n")
	b.Write(f.body)
	return b.Bytes()
}

// forms are a good request for each operation and each of its examples.
func (w *world) forms(token, matchID string) []form {
	var all []form
	for path, item := range w.doc.Paths.Map() {
		path := strings.NewReplacer("{matchId}", matchID, "{playerId}", matchID, "{sessionId}", matchID).Replace(path)
		for method, op := range item.Operations() {
			f := form{method: method, path: path}
			if op.Security != nil {
				f.token = token
			}
			var query []string
			for _, p := range op.Parameters {
				switch p.Value.In {
				case "query":
					query = append(query, fmt.Sprint(p.Value.Name, "=", p.Value.Example))
				case "header":
					f.headers += fmt.Sprintf("%s: %v\r\n", p.Value.Name, p.Value.Example)
				}
			}
			if query != nil {
				f.path += "?" + strings.Join(query, "&")
			}
			if op.RequestBody == nil {
				all = append(all, f)
				continue
			}
			for _, e := range op.RequestBody.Value.Content["application/json"].Examples {
				body, err := json.Marshal(e.Value.Value)
				if err != nil {
					panic(err)
				}
				f.body = body
				all = append(all, f)
			}
		}
	}
	// The order of maps is another each time.
	slices.SortFunc(all, func(a, b form) int {
		return strings.Compare(a.method+a.path+string(a.body), b.method+b.path+string(b.body))
	})
	return all
}

// oddities are put into requests.
var oddities = []string{
	"\x00", `\u0000`, "%00", "\xff", "\xc3", `\ud800`, "%ff", "%", "%zz", "\u202e", "../", "%2f", "//", "?", "#", ";", "&", "=",
	"'", `"`, "' OR 1=1 --", "${x}", "{", "}", "[", "]", ",", "null", "true", "-1", "0", "1e999", "9223372036854775808", "1.5",
	"99999999999999999999999999999999", "\r\n", "\n", "\t", " ", "é", "🃏", "Bearer ", "eyJhbGciOiJub25lIn0.e30.",
	`{"a":`, `"__proto__":{},`, `"id":1,"id":2`,
	strings.Repeat("[", 20_000), strings.Repeat(`{"a":`, 20_000), strings.Repeat("a", 9_000), strings.Repeat("9", 400),
}

func spoil(r *rand.Rand, text []byte) []byte {
	text = slices.Clone(text)
	for range 1 + r.IntN(3) {
		at := 0
		if len(text) > 0 {
			at = r.IntN(len(text))
		}
		switch r.IntN(5) {
		case 0:
			if len(text) > 0 {
				text[at] = byte(r.Uint32())
			}
		case 1:
			text = text[:at]
		case 2:
			text = append(text[at:len(text):len(text)], text[:at]...)
		default:
			text = slices.Insert(text, at, []byte(oddities[r.IntN(len(oddities))])...)
		}
	}
	return text
}

// nasty are texts that some database, codec or person chokes on.
var nasty = []string{
	`"\u0000"`, `"a\u0000b"`, `"\ud800"`, "\"\xff\"", `"\u202e"`, `"` + strings.Repeat("a", 300) + `"`, `""`, `" "`, "null", "1e999", "{}", "[]",
	"-1", "1.5", "9223372036854775808", `"'; DROP TABLE players; --"`, `"00000000-0000-0000-0000-000000000000"`,
}

// leaves calls f with the JSON text in which each value in turn is another.
func leaves(body []byte, f func([]byte)) {
	var form any
	if json.Unmarshal(body, &form) != nil {
		return
	}
	const mark = "\x01here\x01"
	quoted, _ := json.Marshal(mark)
	var walk func(value any, set func(any))
	walk = func(value any, set func(any)) {
		switch v := value.(type) {
		case map[string]any:
			for key, inner := range v {
				walk(inner, func(x any) { v[key] = x })
			}
		case []any:
			for i, inner := range v {
				walk(inner, func(x any) { v[i] = x })
			}
		}
		set(mark)
		text, _ := json.Marshal(form)
		for _, n := range nasty {
			f(bytes.Replace(text, quoted, []byte(n), 1))
		}
		set(value)
	}
	walk(form, func(x any) { form = x })
}

// Each value of each example, and each part of each address, replaced by texts that
// something down below chokes on.
func TestNastyValues(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		w := newWorld(t, t.Name()[strings.LastIndex(t.Name(), "/")+1:])
		token, _ := w.guest("Ana")
		try := func(f form) {
			t.Helper()
			request := f.bytes()
			a := w.raw(t, request)
			w.holds(t, request, a)
			if a.status == http.StatusUnauthorized && f.token != "" {
				token, _ = w.guest("") // it has signed itself out
			}
		}
		for _, f := range w.forms(token, w.newMatch(token, "mesa").MatchID) {
			if f.token != "" {
				f.token = token
			}
			leaves(f.body, func(body []byte) {
				if f.token != "" {
					f.token = token
				}
				try(form{method: f.method, path: f.path, token: f.token, headers: f.headers, body: body})
			})
			parts := strings.FieldsFunc(f.path, func(r rune) bool { return r == '/' || r == '=' || r == '?' || r == '&' })
			for _, part := range parts {
				for _, n := range []string{"%00", "%ff", "%c3", "a%2fb", "'", "%F0%9F%83%8F", "..", "", strings.Repeat("a", 500), "-1", "9223372036854775808"} {
					bad := f
					bad.path = strings.Replace(f.path, part, n, 1)
					try(bad)
				}
			}
		}
		if log := w.log.String(); strings.Contains(log, "panic") || strings.Contains(log, "request failed") {
			t.Error("the log tells of a failure")
		}
	})
}

// Whatever is sent, the answer is never a 5xx and always one of the contract's
// codes: requests of every operation, spoilt in one part, on both databases.
func TestHardening(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		kind := t.Name()[strings.LastIndex(t.Name(), "/")+1:]
		w := newWorld(t, kind)
		const seed = 20260328
		r := rand.New(rand.NewPCG(seed, uint64(len(kind))))
		t.Logf("seed %d", seed)
		for round := range 8 {
			token, _ := w.guest(fmt.Sprintf("Spoilt %d", round))
			forms := w.forms(token, w.newMatch(token, "mesa").MatchID)
			r.Shuffle(len(forms), func(i, j int) { forms[i], forms[j] = forms[j], forms[i] })
			for _, f := range forms {
				for range 4 {
					bad := f
					switch r.IntN(6) {
					case 0:
						bad.path = string(spoil(r, []byte(f.path)))
					case 1:
						bad.token = string(spoil(r, []byte(f.token)))
					case 2:
						bad.headers += string(spoil(r, []byte("Idempotency-Key: k\r\nX-Request-Id: 12345678\r\nX-Forwarded-For: 192.0.2.1\r\n")))
					case 3:
						bad.method = string(spoil(r, []byte(f.method)))
					default:
						bad.body = spoil(r, f.body)
					}
					request := bad.bytes()
					w.holds(t, request, w.raw(t, request))
				}
			}
		}
		if log := w.log.String(); strings.Contains(log, "panic") || strings.Contains(log, "request failed") {
			t.Error("the log tells of a failure")
		}
		w.expect(http.StatusOK, "", request{method: "GET", path: "/readyz"})
	})
}

// FuzzRequest sends whatever the fuzzer thinks of.
func FuzzRequest(f *testing.F) {
	w := newWorld(f, store.SQLite)
	token, _ := w.guest("Ana")
	for _, form := range w.forms(token, w.newMatch(token, "mesa").MatchID) {
		f.Add(form.method, form.path, "Authorization: Bearer "+form.token+"\r\n"+form.headers, form.body)
	}
	f.Fuzz(func(t *testing.T, method, path, headers string, body []byte) {
		request := form{method: method, path: path, headers: headers, body: body}.bytes()
		w.holds(t, request, w.raw(t, request))
	})
}

// Bytes that are no HTTP get a problem or nothing.
func TestNoHTTP(t *testing.T) {
	w := newWorld(t, store.SQLite)
	for _, text := range []string{
		"", "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
		"GET /v1/me HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
		"POST /v1/guests HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
		"POST /v1/guests HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"POST /v1/guests HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
		"POST /v1/guests HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"POST /v1/guests HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
		"GET http://elsewhere.example/v1/me HTTP/1.1\r\nHost: a\r\n\r\n",
		"CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: a\r\n\r\n",
		"TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /v1/me HTTP/1.1\r\n: x\r\nHost: a\r\n\r\n", "GET /v1/me HTTP/1.1\r\nHost : a\r\n\r\n",
		"GET /v1/stream HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		"GET /v1/stream HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 1\r\nSec-WebSocket-Key: x\r\n\r\n",
	} {
		w.holds(t, []byte(text), w.raw(t, []byte(text)))
	}
	w.expect(http.StatusOK, "", request{method: "GET", path: "/readyz"})
}

// Headers and bodies have a size, announced or not.
func TestSizes(t *testing.T) {
	w := newWorld(t, store.SQLite)
	token, _ := w.guest("Ana")
	for name, c := range map[string]struct {
		request string
		status  int
		code    string
	}{
		"large header": {"GET /v1/me HTTP/1.1\r\nHost: a\r\nX-Large: " + strings.Repeat("x", 9<<10) + "\r\n\r\n", 400, "invalid_request"},
		"large path":   {"GET /" + strings.Repeat("x", 9<<10) + " HTTP/1.1\r\nHost: a\r\n\r\n", 400, "invalid_request"},
		"many headers": {"GET /v1/me HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("X-A: 1\r\n", 2000) + "\r\n", 400, "invalid_request"},
		"large enough": {"GET /v1/me HTTP/1.1\r\nHost: a\r\nX-Large: " + strings.Repeat("x", 7<<10) + "\r\nAuthorization: Bearer " + token + "\r\n\r\n", 200, ""},
		"large body":   {"POST /v1/guests HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n", 413, "payload_too_large"},
		"large body in chunks": {"POST /v1/guests HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
			strings.Repeat("1000\r\n"+strings.Repeat(" ", 0x1000)+"\r\n", 17), 413, "payload_too_large"},
	} {
		if a := w.raw(t, []byte(c.request)); a.status != c.status || a.code() != c.code {
			t.Errorf("%s: %d %s, want %d %s", name, a.status, a.body, c.status, c.code)
		}
	}
}

// Tokens that are right but for one thing, through the whole stack.
func TestForgedTokens(t *testing.T) {
	w := newWorld(t, store.SQLite)
	good, _ := w.guest("Ana")
	claims := jwt.MapClaims{}
	token, _, err := jwt.NewParser().ParseUnverified(good, claims)
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	forge := func(method jwt.SigningMethod, key any) string {
		forged := jwt.NewWithClaims(method, claims)
		forged.Header["kid"] = token.Header["kid"]
		text, err := forged.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	parts := strings.Split(good, ".")
	for name, text := range map[string]string{
		"another key":      forge(jwt.SigningMethodEdDSA, other),
		"no algorithm":     forge(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType),
		"HMAC without key": forge(jwt.SigningMethodHS256, []byte{}),
		"no signature":     parts[0] + "." + parts[1] + ".",
		"two parts":        parts[0] + "." + parts[1],
		"five parts":       good + ".a.b",
		"padded":           good + "=",
		"twice":            good + " " + good,
		"a list":           good + "," + good,
		"dots":             strings.Repeat(".", 4000),
		"bytes":            "\x80\xfe",
	} {
		a := w.send(request{method: "GET", path: "/v1/me", header: map[string]string{"Authorization": "Bearer " + text}})
		if a.status != http.StatusUnauthorized || a.code() != "unauthenticated" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	w.expect(http.StatusOK, "", request{method: "GET", path: "/v1/me", token: good})
}

// A request's work ends by a deadline of its own, since Fiber does not tell it that
// the client has left.
func TestDeadline(t *testing.T) {
	var bounded atomic.Bool
	w := newWorld(t, store.SQLite, func(o *rest.Options) {
		o.Ready = func(ctx context.Context) error {
			deadline, ok := ctx.Deadline()
			bounded.Store(ok && time.Until(deadline) < time.Minute)
			return nil
		}
	})
	w.expect(http.StatusOK, "", request{method: "GET", path: "/readyz"})
	if !bounded.Load() {
		t.Error("a request may take for ever")
	}
}

func TestNoPrefork(t *testing.T) {
	w := newWorld(t, store.SQLite, func(o *rest.Options) {
		s, err := rest.New(*o)
		if err != nil {
			t.Fatal(err)
		}
		if s.Prefork() {
			t.Error("the server splits into processes")
		}
	})
	w.send(request{method: "GET", path: "/healthz"}) // a server that is shut down before it serves goes on for ever
}
