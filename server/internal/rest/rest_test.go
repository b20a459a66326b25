package rest_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/gofiber/contrib/websocket"

	"github.com/cuatrola/cuatrola"
	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/attempt"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/internal/clock"
	"github.com/cuatrola/cuatrola/server/internal/clock/clocktest"
	"github.com/cuatrola/cuatrola/server/internal/metrics"
	"github.com/cuatrola/cuatrola/server/internal/oidc/oidctest"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/lobby"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	passwords "github.com/cuatrola/cuatrola/server/password"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/privacy"
	"github.com/cuatrola/cuatrola/server/review"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/room"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/shop/shoptest"
	"github.com/cuatrola/cuatrola/server/support"
	"github.com/cuatrola/cuatrola/server/talk"
	"github.com/cuatrola/cuatrola/shared/rules"
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

// world is a server on a real listener. Whatever goes through its client is held
// against the contract.
type world struct {
	t       testing.TB
	url     string
	http    *http.Client
	doc     *openapi3.T
	router  routers.Router
	store   *store.Store
	matches *match.Service
	tries   moved // the clock of those who try passwords
	rights  *privacy.Service
	tokens  *account.Tokens
	house   *notice.Service
	rooms   *room.Service
	leagues *league.Service
	shop    *shop.Service
	till    *shoptest.Till
	play    *shoptest.Counter // Google's; Apple's is closed
	lobby   *lobby.Service
	talk    *talk.Service
	said    []talk.Said      // guarded by mu
	waits   *clocktest.Clock // the lobby's, which finds nobody but when it is moved
	random  switchable

	economies *economy.Service
	accounts  *account.Service
	mails     postbox
	google    *oidctest.Issuer // Apple's ID tokens are not taken
	log       buffer
	ready     error

	halts *halt.Service

	listener *crowded

	mu   sync.Mutex
	skew time.Duration   // how far the people's clock is ahead
	seen map[string]bool // "operation status code" that the server has answered
}

// cheap passwords make tests quick.
var cheap = passwords.Cost{Memory: 8, Passes: 1}

// switchable is crypto/rand until it is told to fail.
type switchable struct {
	mu  sync.Mutex
	err error
}

func (s *switchable) fail(err error) { s.mu.Lock(); defer s.mu.Unlock(); s.err = err }

func (s *switchable) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	return rand.Read(p)
}

// crowded is a listener that fails as often as it is told to, as if too many files
// were open.
type crowded struct {
	net.Listener
	times atomic.Int32
}

func (l *crowded) Accept() (net.Conn, error) {
	if l.times.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	return l.Listener.Accept()
}

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

var panel = fstest.MapFS{
	"index.html":           {Data: []byte("<!doctype html><title>panel</title>")},
	"assets/panel-1234.js": {Data: []byte("let panel = 1\n")},
	".gitkeep":             {},
}

var page = fstest.MapFS{
	"index.html":            {Data: []byte("<!doctype html><title>page</title>")},
	"assets/app-1234.js":    {Data: []byte("let page = 1\n" + strings.Repeat("//\n", 1000))},
	"assets/packed-9.js":    {Data: []byte("let it = 'be'")},
	"assets/packed-9.js.br": {Data: []byte("as the build has packed it")},
	"assets/rules-56.wasm":  {Data: []byte("\x00asm\x01\x00\x00\x00")},
	"manifest.webmanifest":  {Data: []byte("{}")},
	".gitkeep":              {},
}

func (w *world) now() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return time.Now().Add(w.skew) }

// pass lets time pass for people.
func (w *world) pass(d time.Duration) { w.mu.Lock(); defer w.mu.Unlock(); w.skew += d }

func newWorld(t testing.TB, kind string, change ...func(*rest.Options)) *world {
	t.Helper()
	w := &world{t: t, tries: moved{at: time.Now()}, seen: map[string]bool{}, store: storetest.New(t, kind)}
	text, err := account.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := account.ParseKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	w.tokens = account.NewTokens(keys, "cuatrola", "cuatrola-api", time.Hour)
	w.halts = halt.New(w.store, w.now, func() {})
	accounts := account.New(w.store, w.tokens, time.Now, account.WithRandom(&w.random), account.WithHalts(w.halts), account.WithPasswordCost(cheap),
		account.WithMailer(&w.mails, "https://example.org"), account.WithIDTokens(w.issuer(t)))
	w.accounts = accounts
	matches := match.New(w.store, clock.Wall{}, func(context.Context, string, match.Entry) {})
	if err := matches.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(matches.Stop)
	w.matches = matches
	economies := economy.NewService(w.store, w.now)
	if err := economies.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.economies = economies
	rewards := reward.New(w.store, w.store, economies, w.now, &w.random)
	w.store.SettleWith(rewards.Settle)
	w.house = notice.New(w.store, w.now, func(string, int) {})
	w.leagues = league.New(w.store.League(), economies, w.now, &w.random, w.house.Announce)
	w.till, w.play = shoptest.NewTill(w.now), shoptest.NewCounter(shop.Google, w.now)
	w.shop = shop.New(w.store, economies, w.store, w.now, &w.random, shop.WithTill(shop.Stripe, w.till), shop.WithCounter(shop.Google, w.play))
	engagements := engagement.New(w.store, func(engagement.Change) {})
	w.rooms = room.New(room.Options{
		Store: w.store, Matches: matches, Now: w.now, Random: &w.random, Tell: engagements.Announce, Announce: w.house.Announce, Halts: w.halts,
		Economy: func(ctx context.Context) (int, error) {
			v, _, err := economies.Live(ctx)
			if err != nil {
				return 0, err
			}
			return v.Number, nil
		},
	})
	w.waits = clocktest.New(time.Now())
	w.lobby = lobby.New(lobby.Options{
		Store: w.store, Matches: matches, Economy: economies, Clock: w.waits, Random: &w.random,
		Announce: engagements.Announce, Notify: w.house.Announce, Meter: metrics.New(), Halts: w.halts,
	})
	w.lobby.Start()
	t.Cleanup(w.lobby.Stop)
	places := privacy.Places{Of: engagements.Of, LeaveRoom: w.rooms.Remove, LeaveQueue: w.lobby.Leave}
	w.rights = privacy.New(w.store, accounts, places, w.now, grace, append(w.store.ExportParts(), rest.ExportMatches(matches))...)
	w.talk = talk.New(matches, w.store, w.now, func(said talk.Said) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.said = append(w.said, said)
	})
	reviews, err := review.New(matches, 1)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewJSONHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o := rest.Options{
		Accounts: accounts, Matches: matches, Reviews: reviews, People: people.New(w.store, w.now, w.house.Announce), Notices: w.house, Privacy: w.rights, Attempts: attempt.New(w.store, w.tries.now), Rewards: rewards, Leagues: w.leagues, Engagements: engagements, Rooms: w.rooms, Lobby: w.lobby, Economies: economies, Shop: w.shop, PublicURL: "https://example.org", Stream: websocket.New(func(*websocket.Conn) {}),
		Talk: w.talk, Halts: w.halts,
		Support: support.New(support.Options{Store: w.store, Now: w.now, Random: &w.random}),
		Page:    page, PanelPage: panel, Ready: func(context.Context) error { return w.ready },
		Observe: func(string, string, int, time.Duration) {}, Log: log, Now: time.Now,
	}
	for _, f := range change {
		f(&o)
	}
	server, err := rest.New(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	w.listener = &crowded{Listener: l}
	go func() { served <- server.Serve(w.listener) }()
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

// request is one to send; the zero values are those of a well-formed one.
type request struct {
	method, path string
	token        string
	body         any // a string or []byte is sent as it is
	header       map[string]string
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// code of a problem. Rooms have codes of another kind.
func (a answer) code() string {
	if a.status < 400 {
		return ""
	}
	var p struct{ Code string }
	_ = json.Unmarshal(a.body, &p)
	return p.Code
}

func (a answer) field() string {
	var p struct{ Field string }
	_ = json.Unmarshal(a.body, &p)
	return p.Field
}

func (a answer) into(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(a.body, v); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
}

// send sends the request and holds the answer against the contract.
func (w *world) send(r request) answer { w.t.Helper(); return w.sendWith(r, nil) }

// sendWith sends the request with more headers, which may have several lines.
func (w *world) sendWith(r request, more http.Header) answer {
	w.t.Helper()
	var in io.Reader
	switch body := r.body.(type) {
	case nil:
	case string:
		in = strings.NewReader(body)
	case []byte:
		in = bytes.NewReader(body)
	default:
		data, err := json.Marshal(body)
		if err != nil {
			w.t.Fatal(err)
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(w.t.Context(), r.method, w.url+r.path, in)
	if err != nil {
		w.t.Fatal(err)
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	maps.Copy(req.Header, more)
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

// A page is text to the validator too.
func init() { openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.PlainBodyDecoder) }

// check fails unless the contract allows the answer, and remembers it.
func (w *world) check(req *http.Request, a answer) {
	w.t.Helper()
	if a.status >= 400 && req.URL.Path != "/docs" {
		if got := a.header.Get("Content-Type"); got != "application/problem+json" {
			w.t.Errorf("%s %s: a problem of type %q: %s", req.Method, req.URL.Path, got, a.body)
		}
		schema := w.doc.Components.Schemas["Problem"].Value
		var body any
		if err := json.Unmarshal(a.body, &body); err != nil {
			w.t.Errorf("%s %s: %v", req.Method, req.URL.Path, err)
		} else if err := schema.VisitJSON(body); err != nil {
			w.t.Errorf("%s %s: %v", req.Method, req.URL.Path, err)
		}
	}
	plain, err := url.Parse(req.URL.Path)
	if err != nil {
		w.t.Fatal(err)
	}
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

// guest signs up and returns the access token and the device's secret.
func (w *world) guest(name string) (token, secret string) {
	w.t.Helper()
	a := w.send(request{method: "POST", path: "/v1/guests", body: map[string]string{"name": name}})
	var g rest.Guest
	a.into(w.t, &g)
	if a.status != http.StatusCreated || g.Player.Name != name {
		w.t.Fatalf("%d: %s", a.status, a.body)
	}
	return g.AccessToken, g.DeviceSecret
}

// newMatch makes a match whose bots wait for nothing.
func (w *world) newMatch(token string, rules any) rest.View {
	w.t.Helper()
	a := w.send(request{method: "POST", path: "/v1/matches", token: token, body: map[string]any{"rules": rules, "botPauseMs": 0}})
	if a.status != http.StatusCreated {
		w.t.Fatalf("%d: %s", a.status, a.body)
	}
	var v rest.View
	a.into(w.t, &v)
	return v
}

func (w *world) view(token, id string) rest.View {
	w.t.Helper()
	a := w.send(request{method: "GET", path: "/v1/matches/" + id, token: token})
	if a.status != http.StatusOK {
		w.t.Fatalf("%d: %s", a.status, a.body)
	}
	var v rest.View
	a.into(w.t, &v)
	return v
}

func (w *world) seed(token, id string) rest.View {
	w.t.Helper()
	a := w.send(request{method: "POST", path: "/v1/matches/" + id + "/seed", token: token, body: map[string]string{"seed": "s"}})
	if a.status != http.StatusOK {
		w.t.Fatalf("%d: %s", a.status, a.body)
	}
	var v rest.View
	a.into(w.t, &v)
	return v
}

func (w *world) act(token, id string, seq int, action string) answer {
	w.t.Helper()
	return w.send(request{
		method: "POST", path: "/v1/matches/" + id + "/actions", token: token,
		body: map[string]any{"seq": seq, "action": action},
	})
}

// playUntil plays the first legal action each time, until the view is such.
func (w *world) playUntil(token, id string, such func(rest.View) bool) rest.View {
	w.t.Helper()
	v := w.view(token, id)
	for !such(v) {
		if len(v.Legal) > 0 {
			if a := w.act(token, id, v.Seq, v.Legal[0]); a.status != http.StatusOK && a.code() != "stale_sequence" {
				w.t.Fatalf("%d: %s", a.status, a.body)
			}
		}
		v = w.view(token, id)
	}
	return v
}

// Every answer that the contract shows as an example is one that the server gives,
// and every answer that the server gives is one that the contract has.
func TestContract(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		kind := t.Name()[strings.LastIndex(t.Name(), "/")+1:]
		w := newWorld(t, kind)
		ana, secret := w.guest("Ana")
		ben, _ := w.guest("Ben")

		for _, r := range w.requestExamples("createGuest") {
			w.expect(http.StatusCreated, "", request{method: "POST", path: "/v1/guests", body: r})
		}
		w.expect(http.StatusCreated, "", request{method: "POST", path: "/v1/sessions", body: map[string]string{"deviceSecret": secret}})
		w.expect(http.StatusUnprocessableEntity, "name_reserved", request{method: "POST", path: "/v1/guests", body: `{"name":"Adrnin"}`})
		w.expect(http.StatusOK, "", request{method: "GET", path: "/v1/me", token: ana})
		w.expect(http.StatusOK, "", request{method: "GET", path: "/v1/rules"})
		for _, path := range []string{"/healthz", "/readyz", "/openapi.yaml", "/asyncapi.yaml"} {
			w.expect(http.StatusOK, "", request{method: "GET", path: path})
		}
		w.expect(http.StatusUpgradeRequired, "upgrade_required", request{method: "GET", path: "/v1/stream"})

		for _, r := range w.requestExamples("createMatch") {
			w.expect(http.StatusCreated, "", request{method: "POST", path: "/v1/matches", token: ana, body: r})
		}
		w.expect(http.StatusUnprocessableEntity, "invalid_rules", request{
			method: "POST", path: "/v1/matches", token: ana, body: `{"rules":{"preset":"mesa","target":100}}`,
		})
		key := map[string]string{"Idempotency-Key": "k"}
		w.expect(http.StatusCreated, "", request{method: "POST", path: "/v1/matches", token: ana, header: key, body: `{"rules":"mesa"}`})
		w.expect(http.StatusConflict, "idempotency_conflict", request{
			method: "POST", path: "/v1/matches", token: ana, header: key, body: `{"rules":"liga"}`,
		})

		// A match of one hand without bids of ours, so that it comes to every phase.
		v := w.newMatch(ana, map[string]any{"preset": "mesa", "target": 1})
		at := "/v1/matches/" + v.MatchID
		w.expect(http.StatusConflict, "wrong_phase", request{
			method: "POST", path: at + "/actions", token: ana, body: `{"seq":0,"action":"pass"}`,
		})
		for _, r := range w.requestExamples("giveSeed") {
			w.expect(http.StatusOK, "", request{method: "POST", path: at + "/seed", token: ana, body: r})
			w.expect(http.StatusOK, "", request{method: "POST", path: at + "/seed", token: ana, body: r})
		}
		w.expect(http.StatusConflict, "seed_conflict", request{method: "POST", path: at + "/seed", token: ana, body: `{"seed":"another"}`})
		w.expect(http.StatusConflict, "match_not_over", request{method: "GET", path: at + "/record", token: ana})
		w.expect(http.StatusConflict, "match_not_over", request{method: "GET", path: at + "/review", token: ana})
		v = w.playUntil(ana, v.MatchID, func(v rest.View) bool { return v.Phase == "bid" && len(v.Legal) > 0 })
		w.expectAct(http.StatusUnprocessableEntity, "bid_not_in_rules", ana, v, "quintola")
		w.expectAct(http.StatusConflict, "wrong_phase", ana, v, v.Cards[0])
		for _, r := range w.requestExamples("act") {
			var a struct {
				Seq    int
				Action string
			}
			a1 := w.send(request{method: "POST", path: at + "/actions", token: ana, body: r})
			_ = json.Unmarshal(r, &a)
			if a1.status != http.StatusOK && a1.status != http.StatusConflict && a1.status != http.StatusUnprocessableEntity {
				t.Errorf("%s: %d: %s", r, a1.status, a1.body)
			}
		}
		w.expectAct(http.StatusConflict, "stale_sequence", ana, rest.View{MatchID: v.MatchID, Seq: 0}, "solo")
		w.mustFollow(ana)
		w.notYourTurn(ana)

		over := w.playUntil(ana, v.MatchID, func(v rest.View) bool { return v.Phase == "over" })
		if over.Winner == nil || over.EndedAt == nil || over.Fair.ServerSeed == nil || over.Deadline != nil || len(over.Scores) != over.Hand {
			t.Errorf("the view of a match that is over: %+v", over)
		}
		w.expectAct(http.StatusConflict, "match_over", ana, over, "pass")
		w.expect(http.StatusOK, "", request{method: "GET", path: at + "/record", token: ana})
		w.reviews(ana, at)
		w.expect(http.StatusOK, "", request{method: "GET", path: "/v1/matches", token: ana})

		gone := w.newMatch(ana, "mesa")
		if err := w.matches.Void(t.Context(), gone.MatchID, "the power went"); err != nil {
			t.Fatal(err)
		}
		w.expect(http.StatusConflict, "match_void", request{method: "GET", path: "/v1/matches/" + gone.MatchID + "/record", token: ana})
		w.expect(http.StatusConflict, "match_void", request{method: "GET", path: "/v1/matches/" + gone.MatchID + "/review", token: ana})
		w.expect(http.StatusConflict, "match_void", request{
			method: "POST", path: "/v1/matches/" + gone.MatchID + "/seed", token: ana, body: `{"seed":"x"}`,
		})
		w.expectAct(http.StatusConflict, "match_void", ana, w.view(ana, gone.MatchID), "pass")

		for _, r := range []request{
			{method: "GET", path: at},
			{method: "GET", path: at + "/record"},
			{method: "GET", path: at + "/review"},
			{method: "POST", path: at + "/seed", body: `{"seed":"x"}`},
			{method: "POST", path: at + "/actions", body: `{"seq":0,"action":"pass"}`},
		} {
			r.token = ben
			w.expect(http.StatusForbidden, "forbidden", r)
			r.path = strings.Replace(r.path, v.MatchID, "00000000-0000-7000-8000-000000000000", 1)
			w.expect(http.StatusNotFound, "not_found", r)
			r.path = strings.Replace(r.path, "00000000-0000-7000-8000-000000000000", "x", 1)
			w.expect(http.StatusBadRequest, "invalid_request", r)
		}
		for _, r := range []request{
			{method: "POST", path: "/v1/guests"},
			{method: "POST", path: "/v1/sessions"},
			{method: "POST", path: "/v1/sessions/refresh"},
			{method: "POST", path: "/v1/me/identities"},
			{method: "POST", path: "/v1/me/identities/email"},
			{method: "POST", path: "/v1/email/verify"},
			{method: "POST", path: "/v1/email/reset-request"},
			{method: "POST", path: "/v1/email/reset"},
			{method: "POST", path: "/v1/matches"},
			{method: "POST", path: at + "/seed"},
			{method: "POST", path: at + "/actions"},
		} {
			r.token = ana
			r.body = `{"surplus":1}`
			w.expect(http.StatusBadRequest, "invalid_request", r)
			w.tooLarge(r)
			r.body = "{}"
			r.header = map[string]string{"Content-Type": "text/plain"}
			w.expect(http.StatusUnsupportedMediaType, "unsupported_media", r)
			r.header = map[string]string{"Content-Encoding": "gzip"}
			w.expect(http.StatusUnsupportedMediaType, "unsupported_encoding", r)
		}
		w.expect(http.StatusBadRequest, "invalid_request", request{method: "GET", path: "/v1/matches?limit=0", token: ana})

		w.sessions(secret)
		w.identities()
		out := w.signedOut()
		guarded := []request{
			{method: "GET", path: "/v1/sessions"},
			{method: "DELETE", path: "/v1/sessions"},
			{method: "GET", path: "/v1/me/identities"},
			{method: "POST", path: "/v1/me/identities", body: "{}"},
			{method: "POST", path: "/v1/me/identities/email", body: "{}"},
			{method: "DELETE", path: "/v1/me/identities/google"},
			{method: "DELETE", path: "/v1/sessions/" + v.MatchID},
			{method: "GET", path: "/v1/me"},
			{method: "GET", path: "/v1/matches"},
			{method: "POST", path: "/v1/matches", body: "{}"},
			{method: "GET", path: at},
			{method: "GET", path: at + "/record"},
			{method: "GET", path: at + "/review"},
			{method: "POST", path: at + "/seed", body: "{}"},
			{method: "POST", path: at + "/actions", body: "{}"},
		}
		expired, err := w.tokens.Issue(account.Caller{PlayerID: v.MatchID, SessionID: v.MatchID}, time.Now().Add(-2*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range guarded {
			w.expect(http.StatusUnauthorized, "unauthenticated", r)
			r.token = "x"
			w.expect(http.StatusUnauthorized, "unauthenticated", r)
			r.token = expired.Access
			w.expect(http.StatusUnauthorized, "token_expired", r)
			r.token = out
			w.expect(http.StatusUnauthorized, "session_ended", r)
		}

		// A failing source of randomness, and then a database that is gone.
		w.random.fail(errors.New("planted"))
		w.expect(http.StatusInternalServerError, "internal", request{method: "POST", path: "/v1/guests", body: "{}"})
		w.ready = errors.New("planted")
		w.expect(http.StatusServiceUnavailable, "unavailable", request{method: "GET", path: "/readyz"})

		w.allSeen("accounts", "matches", "rules", "operations")
	})
}

// reviews asks the coach about a match that is over and was played by its first seat.
func (w *world) reviews(token, at string) {
	w.t.Helper()
	for _, query := range []string{"", "?hand=0", "?hand=0&language=ca"} {
		a := w.send(request{method: "GET", path: at + "/review" + query, token: token})
		var got struct {
			Hands  int
			Review struct {
				Hand      int
				Decisions []struct{ Reasons []struct{ Text string } }
			}
		}
		if a.into(w.t, &got); a.status != http.StatusOK || got.Hands < 1 || len(got.Review.Decisions) < 8 {
			w.t.Errorf("%s: %d: %.300s", query, a.status, a.body)
		}
		if want := map[bool]string{true: "millor", false: "mejor"}[strings.HasSuffix(query, "ca")]; !strings.Contains(strings.ToLower(string(a.body)), want) {
			w.t.Errorf("%s: no %q", query, want)
		}
	}
	w.expect(http.StatusNotFound, "not_found", request{method: "GET", path: at + "/review?hand=99", token: token})
	for _, query := range []string{"?hand=-1", "?hand=x", "?language=de"} {
		w.expect(http.StatusBadRequest, "invalid_request", request{method: "GET", path: at + "/review" + query, token: token})
	}
}

// requestExamples are the bodies that the contract shows for an operation.
func (w *world) requestExamples(operation string) []json.RawMessage {
	w.t.Helper()
	var bodies []json.RawMessage
	for _, item := range w.doc.Paths.Map() {
		for _, op := range item.Operations() {
			if op.OperationID != operation {
				continue
			}
			// By their names, so that every run sends them in the same order.
			examples := op.RequestBody.Value.Content["application/json"].Examples
			for _, name := range slices.Sorted(maps.Keys(examples)) {
				e := examples[name]
				data, err := json.Marshal(e.Value.Value)
				if err != nil {
					w.t.Fatal(err)
				}
				bodies = append(bodies, data)
			}
		}
	}
	if len(bodies) == 0 {
		w.t.Fatalf("%s has no examples", operation)
	}
	return bodies
}

func (w *world) expect(status int, code string, r request) {
	w.t.Helper()
	if a := w.send(r); a.status != status || a.code() != code {
		w.t.Errorf("%s %s: %d %s, want %d %s: %s", r.method, r.path, a.status, a.code(), status, code, a.body)
	}
}

// tooLarge announces a body that is too large and sends none of it: the server
// answers at once and closes, which could reset the connection of a client that
// was still writing.
func (w *world) tooLarge(r request) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), r.method, w.url+r.path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	conn, err := net.Dial("tcp", req.URL.Host)
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n",
		r.method, r.path, req.URL.Host, r.token, 64<<10+1)
	if err != nil {
		w.t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	a := answer{status: res.StatusCode, header: res.Header}
	if a.body, err = io.ReadAll(res.Body); err != nil {
		w.t.Fatal(err)
	}
	w.check(req, a)
	if a.status != http.StatusRequestEntityTooLarge || a.code() != "payload_too_large" {
		w.t.Errorf("%s %s: %d %s", r.method, r.path, a.status, a.body)
	}
}

func (w *world) expectAct(status int, code, token string, v rest.View, action string) {
	w.t.Helper()
	if a := w.act(token, v.MatchID, v.Seq, action); a.status != status || a.code() != code {
		w.t.Errorf("%s: %d %s, want %d %s: %s", action, a.status, a.code(), status, code, a.body)
	}
}

// mustFollow plays until a card in hand is against the rules, which it is in most
// hands, and tries that and a card of another's.
func (w *world) mustFollow(token string) {
	w.t.Helper()
	v := w.newMatch(token, map[string]any{"preset": "mesa", "target": 99})
	w.seed(token, v.MatchID)
	v = w.playUntil(token, v.MatchID, func(v rest.View) bool {
		if v.Phase != "play" || len(v.Legal) == 0 || len(v.Trick.Cards) == 0 {
			return false
		}
		suit := v.Trick.Cards[0].Card[1]
		follows := func(c string) bool { return c[1] == suit }
		return slices.ContainsFunc(v.Cards, follows) && !slices.ContainsFunc(v.Legal, func(a string) bool { return !follows(a) }) &&
			slices.ContainsFunc(v.Cards, func(c string) bool { return !follows(c) })
	})
	suit := v.Trick.Cards[0].Card[1]
	for _, c := range v.Cards {
		if c[1] != suit {
			w.expectAct(http.StatusUnprocessableEntity, "must_follow", token, v, c)
		}
	}
	w.expectAct(http.StatusUnprocessableEntity, "card_not_in_hand", token, v, v.Trick.Cards[0].Card)
	w.expectAct(http.StatusUnprocessableEntity, "unknown_card", token, v, "??")
	if after := w.view(token, v.MatchID); after.Seq != v.Seq || !slices.Equal(after.Cards, v.Cards) {
		w.t.Errorf("a refused action changed the view: %+v, before: %+v", after, v)
	}
	// The same action twice is one.
	first := w.act(token, v.MatchID, v.Seq, v.Legal[0])
	again := w.act(token, v.MatchID, v.Seq, v.Legal[0])
	if first.status != http.StatusOK || again.status != http.StatusOK {
		w.t.Errorf("first %d, again %d: %s", first.status, again.status, again.body)
	}
}

// notYourTurn acts while a bot is thinking.
func (w *world) notYourTurn(token string) {
	w.t.Helper()
	for {
		a := w.send(request{method: "POST", path: "/v1/matches", token: token, body: `{"rules":"mesa","botPauseMs":5000}`})
		var v rest.View
		a.into(w.t, &v)
		// Seats speak in turn, and the first to speak is drawn.
		if v = w.seed(token, v.MatchID); *v.Turn != *v.You {
			w.expectAct(http.StatusConflict, "not_your_turn", token, v, "pass")
			return
		}
	}
}

// allSeen fails for each answer that the contract documents and no request got, of
// the operations that have one of the tags.
func (w *world) allSeen(tags ...string) {
	w.t.Helper()
	// Seen elsewhere, or the same for all operations.
	elsewhere := func(id string, status string) bool {
		return status == "101" || id == "getDocs" || strings.HasSuffix(id, "Webhook") || // TestWebhooks
			status == "429" || // TestLimits
			id != "createGuest" && status == "500" || id != "getReadiness" && status == "503"
	}
	for _, item := range w.doc.Paths.Map() {
		for _, op := range item.Operations() {
			if !slices.Contains(tags, op.Tags[0]) {
				continue
			}
			for status, response := range op.Responses.Map() {
				if elsewhere(op.OperationID, status) {
					continue
				}
				codes := []string{""}
				if problem := response.Value.Content["application/problem+json"]; problem != nil {
					codes = slices.Collect(maps.Keys(problem.Examples))
				}
				for _, code := range codes {
					if key := op.OperationID + " " + status + " " + code; !w.seen[key] && code != "stopped" { // TestStopped
						w.t.Errorf("no request was answered with %s", key)
					}
				}
			}
		}
	}
}

func TestTheViewSaysWhoIsAway(t *testing.T) {
	v := rest.ViewJSON(match.View{Viewer: rules.Spectator, Away: [rules.Seats]bool{1: true, 3: true}})
	if !slices.Equal(v.Away, []rest.Seat{1, 3}) {
		t.Errorf("away: %v", v.Away)
	}
	if v := rest.ViewJSON(match.View{Viewer: rules.Spectator}); v.Away == nil {
		t.Error("nobody is null")
	}
}
