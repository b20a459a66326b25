package e2e_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// An upgrade without stopping, as docs/operations.md has it: people play on the program
// of before the newest change of the tables while the new one makes that change; then on
// both at once, without sticking to either; then one of before starts again on the new
// tables, as it does when it crashes or when an upgrade is taken back.
//
// SQLite has one process, so there the programs take turns on one file.
func TestOldProgramOnNewTables(t *testing.T) {
	old, changes := oldBinary(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		s := newServerOf(t, old, "sqlite")
		people := gather(ctx, t, s, 1)
		people.play(nil)
		s.kill()
		migrate(t, s.env, changes)
		for _, mayMigrate := range []string{"false", "true"} {
			s.env = append(s.env, "CUATROLA_MIGRATE="+mayMigrate)
			s.start()
			s.wait(ctx)
			people.signIn()
			people.play(nil)
			gather(ctx, t, s, 2).play(nil)
			s.kill()
		}
		s.binary = binary
		s.start()
		s.wait(ctx)
		people.signIn()
		people.play(nil)
		noFaults(t, s)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		shared := append(postgres(t), "NATS_URL="+newBus(t), "CUATROLA_JWT_KEY_FILE="+jwtKey(t, t.TempDir()))
		before := newServerOf(t, old, "sqlite", shared...)
		people := gather(ctx, t, before, 1)
		people.play(func() { migrate(t, before.env, changes) })
		behind := newServer(t, "sqlite", append(shared, "CUATROLA_MIGRATE=false")...)
		both := between(t, before, behind)
		people.comeTo(both)
		people.play(nil)
		gather(ctx, t, both, 2).play(nil)
		people.sameEverywhere(before, behind)
		before.kill()
		before.env = append(before.env, "CUATROLA_MIGRATE=false")
		before.start()
		before.wait(ctx)
		people.comeTo(before)
		people.play(nil)
		noFaults(t, before, behind)
	})
}

// crowd is people who play for coins and against bots.
type crowd struct {
	t       *testing.T
	ctx     context.Context //nolint:containedctx // of one test
	players []*player
	n       int
}

const (
	atTables  = 4 // people, of whom the matcher makes a table
	withBots  = 2
	playedFor = 40 // acknowledged actions, behind which something happens
)

// gather has people sign up.
func gather(ctx context.Context, t *testing.T, s *server, seed uint64) *crowd {
	t.Helper()
	c := &crowd{t: t, ctx: ctx}
	for i := range withBots {
		p := &player{srv: s, random: rand.New(rand.NewPCG(seed, uint64(i)))}
		if err := p.signUp(ctx); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{
			p.client.Do(ctx, http.MethodGet, "/v1/wallet", nil, nil), // the welcome grant
			p.client.Do(ctx, http.MethodPost, "/v1/wallet/daily", nil, nil),
			p.client.Purchase(ctx, "gathered", "booster"),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		c.players = append(c.players, p)
	}
	return c
}

// comeTo has everybody ask another server from now on.
func (c *crowd) comeTo(s *server) {
	c.t.Helper()
	for _, p := range c.players {
		p.srv = s
		p.client = p.client.At(s.url, s.http)
	}
	c.signIn()
}

func (c *crowd) signIn() {
	c.t.Helper()
	for _, p := range c.players {
		if err := p.client.SignIn(c.ctx); err != nil {
			c.t.Fatal(err)
		}
	}
}

// play has everybody play a whole match against bots, and four who are new play for coins
// at one table. Meanwhile happens something.
func (c *crowd) play(meanwhile func()) {
	c.t.Helper()
	var actions atomic.Int64
	now := make(chan struct{})
	acknowledged := func() {
		if actions.Add(1) == playedFor {
			close(now)
		}
	}
	var playing sync.WaitGroup
	for _, p := range c.players {
		p.acknowledged = acknowledged
		playing.Go(func() {
			if _, err := p.play(c.ctx, ruleSets[c.n%len(ruleSets)]); err != nil {
				c.t.Errorf("a match with bots: %v", err)
			}
		})
	}
	s := c.players[0].srv
	for i := range atTables {
		p := &player{srv: s, acknowledged: acknowledged, random: rand.New(rand.NewPCG(uint64(c.n), uint64(i)))}
		playing.Go(func() {
			if _, err := p.playForCoins(c.ctx, func() {}); err != nil {
				c.t.Errorf("a match for coins: %v", err)
			}
		})
	}
	c.n++
	if meanwhile != nil {
		select {
		case <-now:
			meanwhile()
		case <-c.ctx.Done():
			c.t.Error(c.ctx.Err())
		}
	}
	playing.Wait()
	if c.t.Failed() {
		c.t.FailNow()
	}
}

// sameEverywhere compares what two servers say of everybody's coins.
func (c *crowd) sameEverywhere(a, b *server) {
	c.t.Helper()
	for _, p := range c.players {
		one, errA := p.client.At(a.url, a.http).Get(c.ctx, "/v1/wallet/transfers")
		other, errB := p.client.At(b.url, b.http).Get(c.ctx, "/v1/wallet/transfers")
		if err := errors.Join(errA, errB); err != nil || string(one) != string(other) {
			c.t.Errorf("%v\n%s\n%s", err, one, other)
		}
	}
}

// noFaults looks for what clients try again and players hardly see: that a server failed at
// something, such as at a prepared statement whose table has changed.
func noFaults(t *testing.T, servers ...*server) {
	t.Helper()
	for _, s := range servers {
		for line := range strings.Lines(s.logged()) {
			if strings.Contains(line, `"level":"ERROR"`) || strings.Contains(line, `"status":5`) {
				t.Error(line)
			}
		}
	}
}

// between is a balancer before servers, which gives each request to the next of them.
func between(t *testing.T, servers ...*server) *server {
	var n atomic.Int64
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		to, _ := url.Parse(servers[int(n.Add(1))%len(servers)].url)
		r.SetURL(to)
	}}
	l := httptest.NewServer(proxy)
	t.Cleanup(l.Close)
	up := make(chan struct{})
	close(up)
	return &server{t: t, url: l.URL, http: servers[0].http, up: up}
}

// migrate has the new program change the tables, if there is anything to change.
func migrate(t *testing.T, env []string, changes bool) {
	t.Helper()
	cmd := exec.Command(binary, "migrate", "up")
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "applied") != changes {
		t.Errorf("migrate up: %v\n%s", err, out)
	}
	fmt.Printf("%s", out)
}

// oldBinary builds the program as it was before the newest migration, from the clone's
// history. A clone that begins behind it has no such program: then it is the one of now,
// which has nothing to change.
func oldBinary(t *testing.T) (file string, changes bool) {
	t.Helper()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = filepath.Join("..", "..")
		out, err := cmd.Output()
		if err != nil {
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				out = exit.Stderr
			}
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	all, err := filepath.Glob(filepath.Join("..", "..", "migrations", "sqlite", "*.sql"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no migrations: %v", err)
	}
	newest := filepath.Base(all[len(all)-1]) // Glob sorts
	commit := "HEAD"                         // if the newest is not committed yet
	if added := git("log", "-1", "--format=%H", "--diff-filter=A", "--", "migrations/sqlite/"+newest); added != "" {
		commit = added + "^"
		cmd := exec.Command("git", "cat-file", "-e", commit)
		cmd.Dir = filepath.Join("..", "..")
		if cmd.Run() != nil {
			fmt.Printf("the clone has no history of before %s: the old program is the new one (git fetch --unshallow)\n", newest)
			return binary, false
		}
	}
	dir := t.TempDir()
	archive := filepath.Join(dir, "old.tar")
	git("archive", "--format=tar", "-o", archive, commit, "go.mod", "go.sum", "contract.go", "openapi.yaml", "asyncapi.yaml",
		"admin", "migrations", "server", "shared", "wasm")
	source := filepath.Join(dir, "source")
	if err := os.Mkdir(source, 0o755); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(dir, "cuatrola")
	// -trimpath: what has not changed comes out of the cache that `make build` has filled.
	for _, cmd := range []*exec.Cmd{
		exec.Command("tar", "-xf", archive, "-C", source),
		exec.Command("go", "build", "-trimpath", "-o", old, "./server/cmd/cuatrola"),
	} {
		cmd.Dir = source
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
		}
	}
	fmt.Printf("the old program is of %s, before %s\n", cmp.Or(git("rev-parse", "--short", commit), commit), newest)
	return old, true
}
