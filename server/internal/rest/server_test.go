package rest_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/getkin/kin-openapi/openapi3"

	"github.com/cuatrola/cuatrola"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/rules"
)

func TestContractIsWhole(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(cuatrola.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context(), openapi3.EnableExamplesValidation()); err != nil {
		t.Error(err)
	}
	codes := doc.Components.Schemas["Code"].Value.Enum
	inContract := map[string]bool{}
	for _, c := range codes {
		inContract[c.(string)] = true
	}
	for code := range rest.Statuses {
		if !inContract[string(code)] {
			t.Errorf("the contract does not list the code %s", code)
		}
		delete(inContract, string(code))
	}
	for code := range inContract {
		t.Errorf("no error has the code %s", code)
	}
	for _, r := range rules.Reasons() {
		if rest.Statuses[rest.Reason(r)] == 0 {
			t.Errorf("the rules' reason %s has no status", r)
		}
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			for status, r := range op.Responses.Map() {
				for media, content := range r.Value.Content {
					if content.Example == nil && len(content.Examples) == 0 {
						t.Errorf("%s %s: %s %s has no example", method, path, status, media)
					}
				}
			}
			if op.RequestBody != nil {
				for _, content := range op.RequestBody.Value.Content {
					if len(content.Examples) == 0 {
						t.Errorf("%s %s: no example of a request", method, path)
					}
				}
			}
		}
	}
}

// What the contract says of an option is what the rules take.
func TestContractAndRulesAgreeOnOptions(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(cuatrola.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	form := doc.Components.Schemas["HouseRules"].Value
	try := func(name string, value any) {
		t.Helper()
		house := map[string]any{"preset": "liga", name: value}
		_, err := record.ParseRules(house)
		if fits := form.VisitJSON(house) == nil; fits != (err == nil) {
			t.Errorf("%s = %v: the contract says %v, the rules %v", name, value, fits, err)
		}
	}
	options := record.Options(rules.Liga.Rules())
	options = append(options, record.Option{Name: "bids"}, record.Option{Name: "Target"})
	for _, o := range options {
		for n := -2.0; n <= 260; n++ {
			try(o.Name, n)
		}
		for _, v := range []any{
			nil, true, false, 1.5, "", "points", "hands", "mano", "lastTrick", "declare", "auto", "best", "led", "free", "forced",
			"Points",
			[]any{},
			map[string]any{},
		} {
			try(o.Name, v)
		}
	}
	for _, p := range []string{"clasica", "mesa", "mesa-quintola", "liga", "", "Mesa", "x"} {
		_, err := record.ParseRules(p)
		if fits := form.VisitJSON(p) == nil; fits != (err == nil) {
			t.Errorf("preset %q: the contract says %v, the rules %v", p, fits, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	w := newWorld(t, store.SQLite)
	token, _ := w.guest("Ana")
	matches := func(body any) request { return request{method: "POST", path: "/v1/matches", token: token, body: body} }
	for _, c := range []struct {
		name        string
		r           request
		status      int
		code, field string
	}{
		{"no such path", request{method: "GET", path: "/v1/nothing"}, 404, "not_found", ""},
		{"no such file", request{method: "GET", path: "/assets/app-1.js"}, 404, "not_found", ""},
		{"other case", request{method: "GET", path: "/V1/rules"}, 404, "not_found", ""},
		{"slash behind", request{method: "GET", path: "/v1/rules/"}, 404, "not_found", ""},
		{"method", request{method: "DELETE", path: "/v1/rules"}, 405, "method_not_allowed", ""},
		{"method", request{method: "GET", path: "/v1/guests"}, 405, "method_not_allowed", ""},
		{"no body", request{method: "POST", path: "/v1/guests", body: ""}, 400, "invalid_request", ""},
		{"no JSON", request{method: "POST", path: "/v1/guests", body: "{"}, 400, "invalid_request", ""},
		{"not UTF-8", request{method: "POST", path: "/v1/guests", body: "{\"name\":\"A\xff\"}"}, 400, "invalid_request", ""},
		{"two values", request{method: "POST", path: "/v1/guests", body: "{} {}"}, 400, "invalid_request", ""},
		{"a list", request{method: "POST", path: "/v1/guests", body: "[]"}, 400, "invalid_request", ""},
		{"null", request{method: "POST", path: "/v1/guests", body: "null"}, 400, "invalid_request", ""},
		{"other case of a member", request{method: "POST", path: "/v1/guests", body: `{"Name":"Ana"}`}, 400, "invalid_request", "Name"},
		{"empty name", request{method: "POST", path: "/v1/guests", body: `{"name":""}`}, 400, "invalid_request", "name"},
		{"blank name", request{method: "POST", path: "/v1/guests", body: `{"name":"  "}`}, 400, "invalid_request", "name"},
		{"name of the wrong type", request{method: "POST", path: "/v1/guests", body: `{"name":1}`}, 400, "invalid_request", "name"},
		{"long name", request{method: "POST", path: "/v1/guests", body: `{"name":"` + strings.Repeat("ñ", 25) + `"}`}, 400, "invalid_request", "name"},
		{"no rules", matches(`{}`), 400, "invalid_request", "rules"},
		{"no such preset", matches(`{"rules":"tute"}`), 422, "invalid_rules", "preset"},
		{"object without preset", matches(`{"rules":{"target":5}}`), 422, "invalid_rules", "preset"},
		{"target too high", matches(`{"rules":{"preset":"mesa","target":100}}`), 422, "invalid_rules", "target"},
		{"target of the wrong type", matches(`{"rules":{"preset":"mesa","target":"11"}}`), 422, "invalid_rules", "target"},
		{"no such option", matches(`{"rules":{"preset":"mesa","jokers":2}}`), 422, "invalid_rules", "jokers"},
		{"bids", matches(`{"rules":{"preset":"mesa","bids":[]}}`), 422, "invalid_rules", "bids"},
		{"null where it may not be", matches(`{"rules":{"preset":"mesa","target":null}}`), 422, "invalid_rules", "target"},
		{"turn too short", matches(`{"rules":"mesa","turnSeconds":4}`), 400, "invalid_request", "turnSeconds"},
		{"turn too long", matches(`{"rules":"mesa","turnSeconds":301}`), 400, "invalid_request", "turnSeconds"},
		{"turn of half a second", matches(`{"rules":"mesa","turnSeconds":5.5}`), 400, "invalid_request", "turnSeconds"},
		{"pause below zero", matches(`{"rules":"mesa","botPauseMs":-1}`), 400, "invalid_request", "botPauseMs"},
		{"pause too long", matches(`{"rules":"mesa","botPauseMs":5001}`), 400, "invalid_request", "botPauseMs"},
		{"no such seat", matches(`{"rules":"mesa","seat":4}`), 400, "invalid_request", "seat"},
		{"no such level", matches(`{"rules":"mesa","level":"random"}`), 400, "invalid_request", "level"},
		{"levels of three seats", matches(`{"rules":"mesa","levels":["maestro","maestro","maestro"]}`), 400, "invalid_request", "levels"},
		{"no such level of a seat", matches(`{"rules":"mesa","levels":[null,null,"?",null]}`), 400, "invalid_request", "levels.2"},
		{"an empty key", request{method: "POST", path: "/v1/matches", token: token, body: `{"rules":"mesa"}`, header: map[string]string{"Idempotency-Key": "a b"}}, 400, "invalid_request", "Idempotency-Key"},
		{"a long key", request{method: "POST", path: "/v1/matches", token: token, body: `{"rules":"mesa"}`, header: map[string]string{"Idempotency-Key": strings.Repeat("k", 129)}}, 400, "invalid_request", "Idempotency-Key"},
		{"limit too high", request{method: "GET", path: "/v1/matches?limit=101", token: token}, 400, "invalid_request", "limit"},
		{"limit no number", request{method: "GET", path: "/v1/matches?limit=all", token: token}, 400, "invalid_request", "limit"},
		{"no cursor", request{method: "GET", path: "/v1/matches?cursor=1", token: token}, 400, "invalid_request", "cursor"},
		{"another scheme", request{method: "GET", path: "/v1/me", header: map[string]string{"Authorization": "Basic " + token}}, 401, "unauthenticated", ""},
	} {
		a := w.send(c.r)
		if a.status != c.status || a.code() != c.code || a.field() != c.field {
			t.Errorf("%s: %d %s %q, want %d %s %q: %s", c.name, a.status, a.code(), a.field(), c.status, c.code, c.field, a.body)
		}
	}
	if log := w.log.String(); strings.Contains(log, token) {
		t.Error("the access token is in the log")
	}
}

// HEAD is answered as GET is, whether the request is refused or not, wherever the
// contract knows a GET.
func TestHead(t *testing.T) {
	w := newWorld(t, store.SQLite)
	token, _ := w.guest("Ana")
	id := w.newMatch(token, "mesa").MatchID
	for path, item := range w.doc.Paths.Map() {
		if item.Get == nil || path == "/v1/stream" || strings.HasPrefix(path, "/admin/") { // the panel has tests of its own
			continue
		}
		for _, id := range []string{id, "00000000-0000-7000-8000-000000000000", "x"} {
			for _, token := range []string{token, "", "x"} {
				path := regexp.MustCompile(`\{.*?\}`).ReplaceAllString(path, id)
				want := w.send(request{method: "GET", path: path, token: token})
				res, err := w.http.Do(w.head(path, token))
				if err != nil {
					t.Fatal(err)
				}
				if err := res.Body.Close(); err != nil {
					t.Fatal(err)
				}
				if res.StatusCode != want.status {
					t.Errorf("HEAD %s: %d, GET says %d", path, res.StatusCode, want.status)
				}
			}
		}
	}
}

// head is a request without the contract's check of its answer, for the contract
// does not mention it.
func (w *world) head(path, token string) *http.Request {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodHead, w.url+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r
}

// Whoever opens more connections than the process may have does not end it.
func TestTooManyFiles(t *testing.T) {
	w := newWorld(t, store.SQLite)
	w.listener.times.Store(4)
	for range 3 { // the first is taken by the accept that was waiting before
		w.http.CloseIdleConnections()
		if a := w.send(request{method: "GET", path: "/healthz"}); a.status != 200 {
			t.Errorf("%d: %s", a.status, a.body)
		}
	}
	if left := w.listener.times.Load(); left >= 0 {
		t.Errorf("accept has still to fail %d times", left)
	}
}

// Fiber would inflate a body far past the limit that it has for bodies.
func TestCompressedBody(t *testing.T) {
	w := newWorld(t, store.SQLite)
	var body bytes.Buffer
	z := gzip.NewWriter(&body)
	if _, err := z.Write(bytes.Repeat([]byte(" "), 50<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	a := w.send(request{
		method: "POST", path: "/v1/guests", body: body.Bytes(), header: map[string]string{"Content-Encoding": "gzip"},
	})
	if a.status != http.StatusUnsupportedMediaType || a.code() != "unsupported_encoding" {
		t.Errorf("%d: %s", a.status, a.body)
	}
}

// Fiber's buffers are the next request's: what is kept of one must be a copy. Many
// clients at once sign up and make matches under names and keys of their own.
func TestNothingOfARequestIsReused(t *testing.T) {
	w := newWorld(t, store.SQLite)
	const clients, rounds = 8, 10
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			name := fmt.Sprintf("Player %02d%s", i, strings.Repeat("x", i))
			token, secret := w.guest(name)
			for j := range rounds {
				key := fmt.Sprintf("key-%02d-%02d-%s", i, j, strings.Repeat("k", i+j))
				r := request{
					method: "POST", path: "/v1/matches", token: token, header: map[string]string{"Idempotency-Key": key},
					body: map[string]any{"rules": map[string]any{"preset": "mesa", "target": i*rounds + j + 1}},
				}
				first := w.send(r)
				var v rest.View
				first.into(t, &v)
				seed := fmt.Sprintf("seed %02d %02d", i, j)
				w.send(request{method: "POST", path: "/v1/matches/" + v.MatchID + "/seed", token: token, body: map[string]string{"seed": seed}})
				again := w.send(r)
				if again.header.Get("Idempotency-Replayed") != "true" || !bytes.Equal(again.body, first.body) || again.status != first.status {
					t.Errorf("%s: a replay of %s was answered %s", key, first.body, again.body)
				}
				if got := w.view(token, v.MatchID); got.Seats[0].Name != name || *got.Fair.ClientSeeds[0] != seed {
					t.Errorf("%s: seat of %q with seed %q", name, got.Seats[0].Name, *got.Fair.ClientSeeds[0])
				}
			}
			var session rest.Session
			w.send(request{method: "POST", path: "/v1/sessions", body: map[string]string{"deviceSecret": secret}}).into(t, &session)
			if session.Player.Name != name {
				t.Errorf("%q came back as %q", name, session.Player.Name)
			}
		})
	}
	wg.Wait()
}

func TestHistoryPages(t *testing.T) {
	w := newWorld(t, store.SQLite)
	token, _ := w.guest("Ana")
	var want []string
	for range 5 {
		want = append([]string{w.newMatch(token, "mesa").MatchID}, want...)
	}
	other, _ := w.guest("Ben")
	w.newMatch(other, "mesa")
	var got []string
	for path := "/v1/matches?limit=2"; ; {
		var page rest.MatchPage
		w.send(request{method: "GET", path: path, token: token}).into(t, &page)
		for _, m := range page.Matches {
			got = append(got, m.MatchID)
		}
		if page.NextCursor == nil {
			break
		}
		path = "/v1/matches?limit=2&cursor=" + *page.NextCursor
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestHeaders(t *testing.T) {
	w := newWorld(t, store.SQLite)
	a := w.send(request{method: "GET", path: "/v1/rules", header: map[string]string{"X-Request-Id": "from-a-proxy-1"}})
	for name, want := range map[string]string{
		"X-Request-Id": "from-a-proxy-1", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
	} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if !strings.Contains(w.log.String(), "from-a-proxy-1") {
		t.Error("the log does not name the request")
	}
	// Without a trusted proxy, anybody may claim anything.
	w.send(request{method: "GET", path: "/v1/rules", header: map[string]string{"X-Forwarded-For": "192.0.2.66"}})
	if log := w.log.String(); strings.Contains(log, "192.0.2.66") || !strings.Contains(log, `"ip":"127.0.0.1"`) {
		t.Errorf("the log believes X-Forwarded-For: %s", log)
	}
	// What may not stand in a log is not taken over.
	a = w.send(request{method: "GET", path: "/v1/rules", header: map[string]string{"X-Request-Id": "a b\"c"}})
	if got := a.header.Get("X-Request-Id"); got == "" || strings.Contains(got, " ") {
		t.Errorf("X-Request-Id: %q", got)
	}
}

func TestPanel(t *testing.T) {
	w := newWorld(t, store.SQLite)
	// Its own addresses are all its page's.
	for _, path := range []string{"/admin", "/admin/", "/admin/staff", "/admin/players/6f0c", "/admin/v1x"} {
		a := w.send(request{method: "GET", path: path})
		if a.status != 200 || a.header.Get("Content-Type") != "text/html; charset=utf-8" || a.header.Get("Cache-Control") != "no-cache" ||
			!strings.Contains(string(a.body), "panel") {
			t.Errorf("%s: %d %v %s", path, a.status, a.header, a.body)
		}
		csp := a.header.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'self';") || strings.Contains(strings.Replace(csp, "'wasm-unsafe-eval'", "", 1), "unsafe") {
			t.Errorf("%s: policy %q", path, csp)
		}
	}
	a := w.send(request{method: "GET", path: "/admin/assets/panel-1234.js"})
	if a.status != 200 || a.header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
		t.Errorf("asset: %d %v", a.status, a.header)
	}
	for _, path := range []string{"/admin/assets/panel-1.js", "/admin/v1/nothing", "/admin/.gitkeep", "/adminx"} {
		a := w.send(request{method: "GET", path: path})
		if a.status != http.StatusNotFound || a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
	}
}

func TestPage(t *testing.T) {
	w := newWorld(t, store.SQLite)
	// A browser that is led to one of the page's own addresses gets the page; a program that errs in a path does not.
	browser := map[string]string{"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
	for _, path := range []string{"/league", "/r/K7M2QX", "/matches/s3cret"} {
		if a := w.send(request{method: "GET", path: path, header: browser}); a.status != 200 || a.header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
		if a := w.send(request{method: "GET", path: path}); a.status != http.StatusNotFound {
			t.Errorf("%s for a program: %d", path, a.status)
		}
		if a := w.send(request{method: "POST", path: path, header: browser}); a.status != http.StatusNotFound {
			t.Errorf("%s, written to: %d", path, a.status)
		}
	}
	if strings.Contains(w.log.String(), "s3cret") {
		t.Error("the log has what the page's address says")
	}
	for _, path := range []string{"/v1/nothing", "/assets/none.js", "/.env", "/adminx"} {
		if a := w.send(request{method: "GET", path: path, header: browser}); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for path, want := range map[string]struct{ media, cache string }{
		"/":                     {"text/html; charset=utf-8", "no-cache"},
		"/assets/app-1234.js":   {"text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		"/assets/rules-56.wasm": {"application/wasm", "public, max-age=31536000, immutable"},
		"/manifest.webmanifest": {"application/manifest+json", "no-cache"},
	} {
		a := w.send(request{method: "GET", path: path})
		if a.status != 200 || a.header.Get("Content-Type") != want.media || a.header.Get("Cache-Control") != want.cache {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
		if csp := a.header.Get("Content-Security-Policy"); !strings.Contains(csp, "'wasm-unsafe-eval'") || strings.Contains(csp, "'unsafe-inline'") {
			t.Errorf("%s: policy %q", path, csp)
		}
		tag := a.header.Get("ETag")
		again := w.send(request{method: "GET", path: path, header: map[string]string{"If-None-Match": tag}})
		if tag == "" || again.status != http.StatusNotModified || len(again.body) != 0 {
			t.Errorf("%s: tag %q, then %d with %d bytes", path, tag, again.status, len(again.body))
		}
	}
	js := "/assets/app-1234.js"
	a := w.send(request{method: "GET", path: js, header: map[string]string{"Accept-Encoding": "gzip, br"}})
	body, err := io.ReadAll(brotli.NewReader(bytes.NewReader(a.body)))
	if err != nil || a.header.Get("Content-Encoding") != "br" || !bytes.Equal(body, page["assets/app-1234.js"].Data) {
		t.Errorf("compressed: %v, %v", a.header, err)
	}
	if a := w.send(request{method: "GET", path: js, header: map[string]string{"Accept-Encoding": "br;q=0"}}); a.header.Get("Content-Encoding") != "" {
		t.Errorf("compressed for a client that refuses it: %v", a.header)
	}
	a = w.send(request{method: "GET", path: "/assets/packed-9.js", header: map[string]string{"Accept-Encoding": "br"}})
	if a.header.Get("Content-Encoding") != "br" || string(a.body) != "as the build has packed it" {
		t.Errorf("packed by the build: %v %q", a.header, a.body)
	}
	if a := w.send(request{method: "GET", path: "/assets/packed-9.js"}); string(a.body) != "let it = 'be'" || a.header.Get("Content-Encoding") != "" {
		t.Errorf("packed by the build, for who cannot unpack it: %v %q", a.header, a.body)
	}
	if a := w.send(request{method: "GET", path: "/assets/packed-9.js.br"}); a.status != http.StatusNotFound {
		t.Errorf("the packed file itself: %d", a.status)
	}
	// Whether it was built depends on who runs the tests.
	if a := w.send(request{method: "GET", path: "/docs"}); a.status == 200 {
		for _, path := range []string{"/docs/start.js", "/docs/dist/swagger-ui-bundle.js", "/docs/dist/swagger-ui.css"} {
			if a := w.send(request{method: "GET", path: path}); a.status != 200 {
				t.Errorf("%s: %d", path, a.status)
			}
		}
	} else if a.status != http.StatusServiceUnavailable || !strings.Contains(string(a.body), "make build") {
		t.Errorf("/docs: %d %s", a.status, a.body)
	}
	if a := w.send(request{method: "GET", path: "/.gitkeep"}); a.status != http.StatusNotFound {
		t.Errorf("/.gitkeep: %d", a.status)
	}
	if a := w.send(request{method: "HEAD", path: "/"}); a.status != 200 || len(a.body) != 0 {
		t.Errorf("HEAD: %d", a.status)
	}
}

// Whoever makes a match chooses how well its bots play, all of them or each.
func TestLevelsOfBots(t *testing.T) {
	w := newWorld(t, store.SQLite)
	token, _ := w.guest("Ana")
	for body, want := range map[string]string{
		`{"rules":"mesa"}`: "Ana tabernero tabernero tabernero",
		`{"rules":"mesa","level":"maestro","seat":2}`:                                               "maestro maestro Ana maestro",
		`{"rules":"mesa","level":"aprendiz","levels":[null,null,"veterano",null]}`:                  "Ana aprendiz veterano aprendiz",
		`{"rules":"mesa","levels":["maestro","maestro",null,"aprendiz"]}`:                           "Ana maestro tabernero aprendiz",
		`{"rules":"mesa","levels":["tabernero","aprendiz","veterano","maestro"],"level":"maestro"}`: "Ana aprendiz veterano maestro",
	} {
		a := w.send(request{method: "POST", path: "/v1/matches", token: token, body: body})
		if a.status != http.StatusCreated {
			t.Fatalf("%d: %s", a.status, a.body)
		}
		var made rest.View
		a.into(t, &made)
		for _, v := range []rest.View{made, w.view(token, made.MatchID)} {
			var names []string
			for _, s := range v.Seats {
				names = append(names, s.Name)
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("%s seats %s", body, got)
			}
		}
	}
}
