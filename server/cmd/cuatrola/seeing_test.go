package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.yaml.in/yaml/v4"

	"github.com/cuatrola/cuatrola/server/internal/client"
	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/freeport"
	"github.com/cuatrola/cuatrola/server/internal/logs"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/internal/tracing"
)

// seriesOf are the series in it, by name and labels.
func seriesOf(text string) map[string]bool {
	all := make(map[string]bool)
	for line := range strings.Lines(text) {
		if i := strings.LastIndexByte(line, ' '); i > 0 && !strings.HasPrefix(line, "#") {
			all[line[:i]] = true
		}
	}
	return all
}

// seat is a player at a table of bots.
type seat struct {
	*client.Client
	t      *testing.T
	stream *client.Stream
	match  string
}

// sitDown has a player begin a match, followed by a socket.
func sitDown(t *testing.T, c config.Server, h *http.Client) *seat {
	t.Helper()
	player, err := client.SignUp(t.Context(), "http://"+c.Listen, h)
	if err != nil {
		t.Fatal(err)
	}
	pause := 0
	m, err := player.CreateMatch(t.Context(), "key", client.NewMatch{Rules: "mesa", BotPauseMs: &pause})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := player.Stream(t.Context(), map[string]int{m.MatchID: 0})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stream.Close)
	if _, err := player.Seed(t.Context(), m.MatchID, "a-secret-seed"); err != nil {
		t.Fatal(err)
	}
	return &seat{player, t, stream, m.MatchID}
}

// turn waits for the player's own turn.
func (s *seat) turn() client.View {
	s.t.Helper()
	for {
		f, err := s.stream.Next()
		if err != nil {
			s.t.Fatal(err)
		}
		if f.View != nil && len(f.View.Legal) > 0 {
			return *f.View
		}
	}
}

// result waits for a frame with an id.
func (s *seat) result(id int) client.Frame {
	s.t.Helper()
	for {
		f, err := s.stream.Next()
		if err != nil {
			s.t.Fatal(err)
		}
		if f.ID == id {
			return f
		}
	}
}

// play acts by REST and then by the socket.
func (s *seat) play() {
	s.t.Helper()
	v := s.turn()
	if _, err := s.Act(s.t.Context(), s.match, v.Seq, v.Legal[0]); err != nil {
		s.t.Fatal(err)
	}
	v = s.turn()
	if err := s.stream.Act(7, s.match, v.Seq, v.Legal[0]); err != nil {
		s.t.Fatal(err)
	}
	if f := s.result(7); f.Type != "result" {
		s.t.Fatalf("%s", f.Raw)
	}
}

// oddities sends what nobody should, other values in each round.
func (s *seat) oddities(base string, round int) {
	s.t.Helper()
	odd := fmt.Sprintf("odd-%d", round)
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW", "Brew" + odd[4:]} {
		for _, path := range []string{
			"/" + odd, "/v1/" + odd, "/v1/matches/" + odd, "/v1/matches/" + odd + "/actions", "/v1/players/" + odd + "?a=" + odd,
			"/v1/matches/00000000-0000-7000-8000-" + fmt.Sprintf("%012d", round), "/admin/" + odd, "/docs/" + odd, "/%ff" + odd, "//" + odd,
			"/v1/webhooks/" + odd,
		} {
			req, err := http.NewRequestWithContext(s.t.Context(), method, base+path, nil)
			if err != nil {
				s.t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+s.Token())
			req.Header.Set("X-Request-Id", odd+"-"+odd)
			req.Header.Set("User-Agent", odd)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				s.t.Fatal(method, path, err)
			}
			_ = res.Body.Close()
		}
	}
	for i, frame := range []map[string]any{
		{"type": odd},
		{"type": "act", "match": odd, "seq": round, "action": odd},
		{"type": "act", "match": s.match, "seq": round, "action": odd},
		{"type": "subscribe", "topic": odd},
		{"type": "subscribe", "topic": "match:" + odd, "seq": round},
		{"type": "talk", "match": s.match, "say": odd},
		{"type": "seed", "match": s.match, "seed": odd},
		{"type": "unsubscribe", "topic": odd},
	} {
		frame["id"] = 100 + i
		if err := s.stream.Send(frame); err != nil {
			s.t.Fatal(err)
		}
		s.result(100 + i)
	}
}

// What the server counts keeps to the conventions, has labels that nobody outside can
// make grow, and is all that the dashboard and the alerts ask for.
func TestCounts(t *testing.T) {
	c := settings(t)
	c.PrivateListen, c.LimitAddress = freeport.Address(), 0
	c.LogLevel = slog.LevelError
	stop := start(t, c)
	s := sitDown(t, c, http.DefaultClient)
	s.play()

	// The check of the ledger, which is due at the first start, comes in its own time.
	for !strings.Contains(scrape(t, c), "cuatrola_ledger_differences{") {
	}
	s.oddities("http://"+c.Listen, 0)
	before := seriesOf(scrape(t, c))
	for round := 1; round <= 5; round++ {
		s.oddities("http://"+c.Listen, round)
	}
	text := scrape(t, c)
	statements := make(map[string]bool)
	for one := range seriesOf(text) {
		_, statement, is := strings.Cut(one, `statement="`)
		switch {
		case is:
			name, _, _ := strings.Cut(statement, `"`)
			statements[name] = true
		case strings.Contains(one, `task="`): // those that have run meanwhile
		case !before[one]:
			t.Errorf("a series more: %s", one)
		}
		if strings.Contains(one, "odd") || strings.Contains(one, s.match) {
			t.Errorf("a series has what a client has sent: %s", one)
		}
		// Prometheus gives these labels itself.
		if strings.HasPrefix(one, "cuatrola_") && regexp.MustCompile(`[{,](job|instance)="`).MatchString(one) {
			t.Errorf("a label that is Prometheus's own: %s", one)
		}
	}
	if n := len(statements); n < 10 || n > 300 {
		t.Errorf("%d statements: %v", n, slices.Sorted(maps.Keys(statements)))
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "cuatrola_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
	if err != nil {
		t.Error(err)
	}

	names := make(map[string]bool)
	for one := range seriesOf(text) {
		name, _, _ := strings.Cut(one, "{")
		names[name] = true
	}
	asked := regexp.MustCompile(`\b(?:cuatrola|go|process)_[a-z0-9_]+`)
	for _, file := range []string{"grafana/cuatrola.json", "prometheus/alerts.yml"} {
		content, err := os.ReadFile(filepath.Join("../../../deploy", file))
		if err != nil {
			t.Fatal(err)
		}
		found := asked.FindAllString(string(content), -1)
		if len(found) < 10 {
			t.Errorf("%s asks for %d counts only", file, len(found))
		}
		for _, name := range found {
			if !names[name] {
				t.Errorf("%s asks for %s, which is not there", file, name)
			}
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// Each alert says how urgent it is and leads to a section of its own.
func TestAlertsAreDocumented(t *testing.T) {
	content, err := os.ReadFile("../../../deploy/prometheus/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	manual, err := os.ReadFile("../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert       string
				Labels      map[string]string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			if r.Alert == "" {
				continue
			}
			n++
			if level := r.Labels["level"]; level != "page" && level != "ticket" {
				t.Errorf("%s is of level %q", r.Alert, level)
			}
			if want := "docs/operations.md#alert-" + strings.ToLower(r.Alert); r.Annotations["runbook"] != want || r.Annotations["summary"] == "" {
				t.Errorf("%s: %v, want %s", r.Alert, r.Annotations, want)
			}
			if !strings.Contains(string(manual), "\n### Alert "+r.Alert+"\n") {
				t.Errorf("docs/operations.md has no section on %s", r.Alert)
			}
		}
	}
	if n == 0 {
		t.Error("no alerts")
	}
}

// The dashboard's panels have numbers of their own, lie beside each other, and ask the
// data source that is chosen.
func TestDashboard(t *testing.T) {
	content, err := os.ReadFile("../../../deploy/grafana/cuatrola.json")
	if err != nil {
		t.Fatal(err)
	}
	type source struct{ Type, UID string }
	var board struct {
		Panels []struct {
			ID         int
			Type       string
			Title      string
			Datasource source
			GridPos    struct{ H, W, X, Y int }
			Targets    []struct {
				Datasource source
				Expr       string
			}
		}
	}
	if err := json.Unmarshal(content, &board); err != nil {
		t.Fatal(err)
	}
	ids, places := make(map[int]bool), make(map[[2]int]string)
	var rows []string
	for _, p := range board.Panels {
		if ids[p.ID] || p.ID == 0 || p.Title == "" {
			t.Errorf("%q has number %d", p.Title, p.ID)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other, taken := places[[2]int{x, y}]; taken || x >= 24 {
					t.Fatalf("%q lies over %q, or outside", p.Title, other)
				}
				places[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			rows = append(rows, p.Title)
			continue
		}
		if len(p.Targets) == 0 || p.Datasource.UID != "${datasource}" {
			t.Errorf("%q asks nobody", p.Title)
		}
		for _, q := range p.Targets {
			if q.Expr == "" || q.Datasource.UID != "${datasource}" {
				t.Errorf("%q asks %q of %q", p.Title, q.Expr, q.Datasource.UID)
			}
		}
	}
	if want := []string{"Players", "Play", "Money", "Database", "Bus", "Process"}; !slices.Equal(rows, want) {
		t.Errorf("rows %v, want %v", rows, want)
	}
}

// spans hands on each span that has ended.
type spans chan tracetest.SpanStub

func (s spans) ExportSpans(_ context.Context, all []sdktrace.ReadOnlySpan) error {
	for _, one := range tracetest.SpanStubsFromReadOnlySpans(all) {
		s <- one
	}
	return nil
}

func (spans) Shutdown(context.Context) error { return nil }

// withHeader adds a header to each request.
type withHeader struct{ name, value string }

func (h withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(h.name, h.value)
	return http.DefaultTransport.RoundTrip(r)
}

// chain waits for spans of these names, each within the one before, the first of which
// began with one that good accepts, and returns all that it has seen.
func chain(t *testing.T, ended spans, seen []tracetest.SpanStub, good func(tracetest.SpanStub) bool, names ...string) []tracetest.SpanStub {
	t.Helper()
	within := func(a, b tracetest.SpanStub) bool {
		for {
			if a.Parent.SpanID() == b.SpanContext.SpanID() {
				return true
			}
			i := slices.IndexFunc(seen, func(s tracetest.SpanStub) bool { return s.SpanContext.SpanID() == a.Parent.SpanID() })
			if i < 0 {
				return false
			}
			a = seen[i]
		}
	}
	var find func(from tracetest.SpanStub, names []string) bool
	find = func(from tracetest.SpanStub, names []string) bool {
		if len(names) == 0 {
			return true
		}
		return slices.ContainsFunc(seen, func(s tracetest.SpanStub) bool {
			return s.Name == names[0] && s.SpanContext.TraceID() == from.SpanContext.TraceID() && within(s, from) && find(s, names[1:])
		})
	}
	late := time.After(time.Minute)
	for {
		if slices.ContainsFunc(seen, func(s tracetest.SpanStub) bool {
			return s.Name == names[0] && good(s) && find(s, names[1:])
		}) {
			return seen
		}
		select {
		case one := <-ended:
			seen = append(seen, one)
		case <-late:
			t.Fatalf("no chain of %q", names)
		}
	}
}

// One trace leads from an action, by REST or by the socket, over the database and the bus
// to the sockets that are told; and no span has anything in it that is somebody's.
func TestTraces(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			c := settings(t)
			if kind == store.Postgres {
				c.DatabaseURL, c.JWTKeyFile = storetest.Options(t, kind).URL, filepath.Join(t.TempDir(), "jwt.pem")
				if err := (&keysGenerate{File: c.JWTKeyFile}).Run(); err != nil {
					t.Fatal(err)
				}
			}
			ended := make(spans, 100_000)
			off := tracing.Use(sdktrace.NewTracerProvider(sdktrace.WithSyncer(ended)))
			defer off()
			stop := start(t, c)
			const theirs = "0af7651916cd43dd8448eb211c80319c"
			s := sitDown(t, c, &http.Client{Transport: withHeader{"traceparent", "00-" + theirs + "-b7ad6b7169203331-01"}})
			email := map[string]string{"email": "somebody@example.org", "password": "correct horse battery"}
			if err := s.Do(t.Context(), http.MethodPost, "/v1/me/identities/email", email, nil); err != nil {
				t.Fatal(err)
			}
			s.play()

			seen := chain(t, ended, nil, func(s tracetest.SpanStub) bool {
				return s.SpanContext.TraceID().String() == theirs && s.Parent.SpanID().String() == "b7ad6b7169203331" && s.Parent.IsRemote()
			}, "POST /v1/matches/:matchId/actions", "match act", "insert match_log")
			seen = chain(t, ended, seen, func(s tracetest.SpanStub) bool { return s.SpanContext.TraceID().String() == theirs },
				"POST /v1/matches/:matchId/actions", "match act", "publish match", "receive match", "socket send")
			root := func(s tracetest.SpanStub) bool { return !s.Parent.IsValid() }
			seen = chain(t, ended, seen, root, "socket act", "match act", "insert match_log")
			seen = chain(t, ended, seen, root, "socket act", "match act", "publish match", "receive match")
			// Before or behind what came over the bus.
			seen = chain(t, ended, seen, root, "socket act", "socket send")
			// A bot's turn and a job are traces of their own.
			seen = chain(t, ended, seen, root, "match turn", "publish match", "receive match", "socket send")
			seen = chain(t, ended, seen, root, "job league_close", "select league_seasons")
			if err := stop(); err != nil {
				t.Error(err)
			}
			off()
			close(ended)
			for one := range ended {
				seen = append(seen, one)
			}
			me, err := json.Marshal(seen)
			if err != nil {
				t.Fatal(err)
			}
			for _, private := range []string{s.Token(), "a-secret-seed", "somebody@", "example.org", "correct horse", "127.0.0.1", "Bearer"} {
				if bytes.Contains(me, []byte(private)) {
					t.Errorf("a span has %q", private)
				}
			}
			for _, one := range seen {
				if one.SpanKind == trace.SpanKindClient && len(one.Attributes) != 4 {
					t.Errorf("a statement's span has %v", one.Attributes)
				}
			}
		})
	}
}

// syncBuffer is a log that many write.
type syncBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// The log of a played match: each request has a line with its name, which the answer has
// too, and all that was done for the match has the match's.
func TestLogLines(t *testing.T) {
	c := settings(t)
	c.SlowQuery = 1 // every statement has a line
	var out syncBuffer
	slog.SetDefault(slog.New(logs.Handler{Handler: slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})}))
	stop := start(t, c)
	s := sitDown(t, c, &http.Client{Transport: withHeader{"X-Request-Id", "request-of-a-test"}})
	s.play()
	s.stream.Close()
	if err := stop(); err != nil {
		t.Error(err)
	}
	type line struct{ Msg, Request, Match, Statement, Path string }
	var named, opened, by string
	inserts := make(map[string]int) // into the match's log, by the request that they were for
	for text := range strings.Lines(out.String()) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if n := strings.Count(text, `"request":`); l.Msg == "request" && n != 1 || n > 1 || strings.Count(text, `"match":`) > 1 {
			t.Errorf("names its request %d times: %s", n, text)
		}
		if l.Msg == "request" && strings.HasSuffix(l.Path, "/actions") {
			named, by = l.Match, l.Request
		}
		if l.Msg == "request" && l.Path == "/v1/stream" {
			opened = l.Request
		}
		if l.Statement == "insert match_log" {
			inserts[l.Request]++
			if l.Match != s.match {
				t.Errorf("an entry's line names match %q: %s", l.Match, text)
			}
		}
	}
	if named != s.match || by != "request-of-a-test" {
		t.Errorf("the line of an action names match %q and request %q", named, by)
	}
	// By REST, by the socket, which has the name of the request that opened it, and by bots.
	if opened == "" || inserts[by] == 0 || inserts[opened] == 0 || inserts[""] == 0 {
		t.Errorf("entries by request %v; the socket's is %q", inserts, opened)
	}
}
