package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/cuatrola/cuatrola/server/internal/client"
	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/freeport"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/league"
)

// start runs a server until stop, which gives what serve returned. When the test ends,
// the ledger has to add up.
func start(t *testing.T, c config.Server) (stop func() error) {
	t.Helper()
	t.Cleanup(func() {
		if found := checkLedger(t, c.Database); found.status != 0 {
			t.Errorf("the ledger: %+v", found)
		}
	})
	return startWrong(t, c)
}

// checkLedger runs `cuatrola ledger check`.
func checkLedger(t *testing.T, c config.Database) output {
	t.Helper()
	return runIn(context.Background(), t, []string{"CUATROLA_DATA_DIR=" + c.DataDir, "DATABASE_URL=" + c.DatabaseURL}, "", "ledger", "check")
}

// patience is how long something may take before it is taken to come no more.
const patience = 2 * time.Minute

// startWrong is start with a ledger that need not add up.
func startWrong(t *testing.T, c config.Server) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, context.Background(), c) }()
	for {
		res, err := http.Get("http://" + c.Listen + "/readyz")
		if err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				break
			}
		}
		select {
		case err := <-ended:
			t.Fatal(err)
		default:
		}
	}
	return func() error { cancel(); return <-ended }
}

func settings(t *testing.T) config.Server {
	slog.SetDefault(slog.New(slog.NewJSONHandler(t.Output(), nil)))
	return config.Server{
		Database: config.Database{DataDir: filepath.Join(t.TempDir(), "data"), DatabaseConns: 4},
		Listen:   freeport.Address(), Migrate: true, JWTIssuer: "cuatrola", JWTAudience: "cuatrola-api",
		AccessTTL: time.Hour, RefreshTTL: time.Hour, ShutdownTimeout: 10 * time.Second,
	}
}

// With nothing set, the server makes what it needs, keeps it, and finds it again:
// players, matches, and the key that signed their tokens.
func TestServeEmbedded(t *testing.T) {
	c := settings(t)
	c.PrivateListen = freeport.Address()
	stop := start(t, c)
	ctx := t.Context()
	player, err := client.SignUp(ctx, "http://"+c.Listen, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	m, err := player.CreateMatch(ctx, "key", client.NewMatch{Rules: "mesa"})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := player.Stream(ctx, map[string]int{m.MatchID: 0})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	for _, want := range []string{"welcome", "snapshot"} {
		if f, err := stream.Next(); err != nil || f.Type != want {
			t.Fatalf("%s, %v, want %s", f.Raw, err, want)
		}
	}
	res, err := http.Get("http://" + c.PrivateListen + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	for _, want := range []string{
		"cuatrola_sockets 1", `cuatrola_http_requests_total{method="POST",route="/v1/matches",status="201"} 1`, "go_goroutines",
	} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("no %s among the metrics, %v", want, err)
		}
	}
	for name, mode := range map[string]os.FileMode{"": 0o700, "jwt.pem": 0o600, "cuatrola.sqlite": 0o600, "cuatrola.sqlite-wal": 0o600} {
		if info, err := os.Stat(filepath.Join(c.DataDir, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}

	if err := stop(); err != nil {
		t.Error(err)
	}
	if f, err := stream.Next(); err != nil || f.Type != "bye" || f.Code != "unavailable" {
		t.Errorf("a stopping server said %s, %v", f.Raw, err)
	}

	stop = start(t, c)
	if v, err := player.View(ctx, m.MatchID); err != nil || v.MatchID != m.MatchID {
		t.Errorf("after a restart: %+v, %v", v, err)
	}
	if again, err := player.CreateMatch(ctx, "key", client.NewMatch{Rules: "mesa"}); err != nil || again.MatchID != m.MatchID {
		t.Errorf("the same request after a restart: %+v, %v", again, err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// Signing out everywhere ends open sockets at once, and holds after a restart.
// A server that is told to stop says that it is not ready, and serves whoever still comes
// until the others have found out, or somebody hurries it.
func TestServeDrains(t *testing.T) {
	c := settings(t)
	c.DrainDelay = 5 * time.Minute
	ctx, stop := context.WithCancel(t.Context())
	hurried, hurry := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, hurried, c) }()
	ready := func(want int) {
		t.Helper()
		for {
			res, err := http.Get("http://" + c.Listen + "/readyz")
			if err == nil {
				_ = res.Body.Close()
				if res.StatusCode == want {
					return
				}
			}
			select {
			case err := <-ended:
				t.Fatal(err)
			default:
			}
		}
	}
	ready(http.StatusOK)
	player, err := client.SignUp(ctx, "http://"+c.Listen, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	ready(http.StatusServiceUnavailable)
	m, err := player.CreateMatch(t.Context(), "key", client.NewMatch{Rules: "mesa"})
	if err != nil {
		t.Fatalf("a match while the server drains: %v", err)
	}
	stream, err := player.Stream(t.Context(), map[string]int{m.MatchID: 0})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	for _, want := range []string{"welcome", "snapshot"} {
		if f, err := stream.Next(); err != nil || f.Type != want {
			t.Fatalf("%s, %v, want %s", f.Raw, err, want)
		}
	}
	if _, err := player.Seed(t.Context(), m.MatchID, "seed"); err != nil {
		t.Fatal(err)
	}
	// What bots do comes too: everything runs on.
	for f, err := stream.Next(); f.View == nil || f.View.Phase == "seeds"; f, err = stream.Next() {
		if err != nil {
			t.Fatal(err)
		}
	}
	hurry()
	f, err := stream.Next()
	for ; err == nil && f.Type != "bye"; f, err = stream.Next() {
	}
	if err != nil || f.Code != "unavailable" {
		t.Errorf("at the end it said %s, %v", f.Raw, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestServeSignsOut(t *testing.T) {
	c := settings(t)
	stop := start(t, c)
	ctx := t.Context()
	player, err := client.SignUp(ctx, "http://"+c.Listen, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := player.Stream(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if f, err := stream.Next(); err != nil || f.Type != "welcome" {
		t.Fatalf("%s, %v", f.Raw, err)
	}
	if err := player.SignOut(ctx); err != nil {
		t.Fatal(err)
	}
	if f, err := stream.Next(); err != nil || f.Type != "bye" || f.Code != "session_ended" {
		t.Errorf("the socket said %s, %v", f.Raw, err)
	}
	refused := func(when string) {
		t.Helper()
		var p *client.Problem
		if _, err := player.Get(ctx, "/v1/me"); !errors.As(err, &p) || p.Code != "session_ended" {
			t.Errorf("%s: %v", when, err)
		}
	}
	refused("signed out")
	if err := stop(); err != nil {
		t.Error(err)
	}
	stop = start(t, c)
	refused("after a restart")
	if err := player.SignIn(ctx); err != nil {
		t.Error(err)
	}
	if _, err := player.Get(ctx, "/v1/me"); err != nil {
		t.Error(err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// A setting that cannot be used stops the server before it serves, and is named:
// also one that only trying shows to be wrong. A password in it is not.
// Signed out at one process, a player's socket at another ends too, and its token is
// refused there.
func TestServeSignsOutElsewhere(t *testing.T) {
	n, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	n.Start()
	defer n.Shutdown()
	if !n.ReadyForConnections(10 * time.Second) {
		t.Fatal("the NATS server does not start")
	}
	a := settings(t)
	a.DatabaseURL, a.NATSURL = storetest.Options(t, store.Postgres).URL, n.ClientURL()
	a.JWTKeyFile = filepath.Join(t.TempDir(), "jwt.pem")
	if err := (&keysGenerate{File: a.JWTKeyFile}).Run(); err != nil {
		t.Fatal(err)
	}
	b := a
	b.Listen = freeport.Address()
	stopA, stopB := start(t, a), start(t, b)
	ctx := t.Context()
	there, err := client.SignUp(ctx, "http://"+b.Listen, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := there.Stream(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if f, err := stream.Next(); err != nil || f.Type != "welcome" {
		t.Fatalf("%s, %v", f.Raw, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, "http://"+a.Listen+"/v1/sessions", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+there.Token())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		t.Errorf("status %d", res.StatusCode)
	}
	if f, err := stream.Next(); err != nil || f.Type != "bye" || f.Code != "session_ended" {
		t.Errorf("the socket said %s, %v", f.Raw, err)
	}
	var p *client.Problem
	if _, err := there.Get(ctx, "/v1/me"); !errors.As(err, &p) || p.Code != "session_ended" {
		t.Errorf("the other process: %v", err)
	}
	if err := errors.Join(stopA(), stopB()); err != nil {
		t.Error(err)
	}
}

// A key is rotated under a running server: new tokens are signed with the new one,
// and those that are out go on being good.
func TestServeRotatesKeys(t *testing.T) {
	c := settings(t)
	c.JWTKeyFile = filepath.Join(t.TempDir(), "jwt.pem")
	if err := (&keysGenerate{File: c.JWTKeyFile}).Run(); err != nil {
		t.Fatal(err)
	}
	stop := start(t, c)
	ctx := t.Context()
	player, err := client.SignUp(ctx, "http://"+c.Listen, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	header := func() string { h, _, _ := strings.Cut(player.Token(), "."); return h }
	former, old := header(), player.Token()
	for _, command := range []keysRotate{{File: c.JWTKeyFile, Prepare: true}, {File: c.JWTKeyFile}} {
		if err := command.Run(); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(c.JWTKeyFile); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	for header() == former {
		if err := player.SignIn(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, token := range []string{old, player.Token()} {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.Listen+"/v1/me", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("status %d", res.StatusCode)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestServeRefusesToStart(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file, key := filepath.Join(t.TempDir(), "file"), filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (&keysGenerate{File: key}).Run(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want   string
		change func(*config.Server)
	}{
		{"CUATROLA_LISTEN: ", func(c *config.Server) { c.Listen = taken.Addr().String() }},
		{"CUATROLA_LISTEN: ", func(c *config.Server) { c.Listen = "127.0.0.1:99999" }},
		{"CUATROLA_PRIVATE_LISTEN: ", func(c *config.Server) { c.PrivateListen = taken.Addr().String() }},
		{"CUATROLA_JWT_KEY_FILE: ", func(c *config.Server) { c.JWTKeyFile = file + "-none" }},
		{"CUATROLA_JWT_KEY_FILE: ", func(c *config.Server) { c.JWTKeyFile = file }},
		{"CUATROLA_DATA_DIR: ", func(c *config.Server) { c.DataDir = file }},
		{"CUATROLA_DATA_DIR: ", func(c *config.Server) { c.JWTKeyFile, c.DataDir = key, file }},
		{"DATABASE_URL: ", func(c *config.Server) { c.JWTKeyFile, c.DatabaseURL = key, "postgres://u:hunter2@127.0.0.1:1/db" }},
		{"NATS_URL: ", func(c *config.Server) { c.NATSURL = "nats://u:hunter2@127.0.0.1:1" }},
		{"CUATROLA_FCM_CREDENTIALS: ", func(c *config.Server) { c.FCMCredentials = file }},
		{"CUATROLA_APPLE_ROOT_FILE: ", func(c *config.Server) { c.AppStore.Bundle, c.AppStore.RootFile = "org.example", file }},
		{"CUATROLA_GOOGLE_PLAY_CREDENTIALS: ", func(c *config.Server) { c.Play.Package, c.Play.Credentials = "org.example", file }},
		{"cuatrola migrate up", func(c *config.Server) { c.Migrate = false }},
	} {
		s := settings(t)
		c.change(&s)
		err := serve(t.Context(), context.Background(), s)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// A difference in the ledger is found by the server itself, and raises its metric.
func TestServeChecksTheLedger(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			c := settings(t)
			c.PrivateListen = freeport.Address()
			o := storetest.Options(t, kind)
			c.DatabaseURL = o.URL
			if kind == store.SQLite {
				o.File = c.SQLiteFile()
			}
			db := storetest.Open(t, o)
			storetest.Tampered(db)
			if _, err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			pool, err := db.SQL()
			if err == nil {
				_, err = pool.ExecContext(t.Context(), `INSERT INTO accounts (id, balance) VALUES ('player:eva', 7)`)
			}
			if err != nil {
				t.Fatal(err)
			}
			stop := startWrong(t, c)
			for _, want := range []string{
				`cuatrola_ledger_differences{what="wrong_balance"} 1`, `cuatrola_ledger_differences{what="unbalanced_transfer"} 0`,
				"cuatrola_ledger_check_timestamp_seconds 1", `cuatrola_job_runs_total{outcome="done",task="ledger_check"} 1`,
			} {
				for began, got := time.Now(), ""; !strings.Contains(got, want); got = scrape(t, c) {
					if time.Since(began) > patience {
						t.Fatalf("no %s among the metrics:\n%s", want, got)
					}
				}
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
			got := checkLedger(t, c.Database)
			if want := `{"got":7,"subject":"player:eva","want":0,"what":"wrong_balance"}` + "\n"; got.status != 1 || got.stdout != want {
				t.Errorf("the command says %+v, want %s", got, want)
			}
		})
	}
}

// A week of the league that ended while no server ran is closed by the one that starts.
func TestServeClosesTheLeague(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			c := settings(t)
			o := storetest.Options(t, kind)
			c.DatabaseURL = o.URL
			if kind == store.SQLite {
				o.File = c.SQLiteFile()
			}
			db := storetest.Open(t, o)
			if _, err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			storetest.FillLeague(t, db, 150)
			stop := start(t, c)
			for {
				season, err := db.League().Season(t.Context(), "2026-02-23")
				if err != nil {
					t.Fatal(err)
				}
				if season.State == league.Closed {
					break
				}
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
			if found, err := db.CheckLedger(t.Context(), 10); err != nil || len(found) > 0 {
				t.Errorf("the ledger does not add up: %+v, %v", found, err)
			}
		})
	}
}

func scrape(t *testing.T, c config.Server) string {
	t.Helper()
	res, err := http.Get("http://" + c.PrivateListen + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
