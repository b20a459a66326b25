package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/cuatrola/cuatrola/server/internal/freeport"
)

const (
	chaosProcesses = 3
	chaosTables    = 2 // of four people who play for coins, round after round
	chaosAlone     = 4 // people who play against bots
	chaosPatience  = 6 * time.Second
	// chaosActions is how many acknowledged actions lie between one mishap and the next,
	// and most of how many a mishap lasts.
	chaosActions = 40
)

// Three processes over one PostgreSQL and one NATS, behind a balancer that sticks to
// nothing, while people play and everything breaks that can: each mishap once, or, for as
// long as CUATROLA_CHAOS says (10m), again and again in any order (CUATROLA_CHAOS_SEED).
//
// Whatever was acknowledged is there once, in order; every match ends, with a record that
// proves its deals; nobody sees what is not so; coins add up; nobody and nothing is left
// behind.
func TestChaos(t *testing.T) {
	length, seed := time.Duration(0), uint64(2026)
	if text := os.Getenv("CUATROLA_CHAOS"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatalf("CUATROLA_CHAOS: %v", err)
		}
	}
	if text := os.Getenv("CUATROLA_CHAOS_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("CUATROLA_CHAOS_SEED: %v", err)
		}
	}
	program := binary
	if length > 0 {
		program = jumpy(t) // which may take longer than all the rest
	}
	ctx, cancel := context.WithTimeout(t.Context(), length+patience)
	defer cancel()
	c := newChaos(ctx, t, seed, program)
	c.jumpy = length > 0

	var rounds, acted atomic.Int64
	// Whoever is at a table plays on when it is over, and whoever waits for one goes.
	lasts, over := context.WithCancel(ctx)
	defer over()
	acknowledged := func() {
		acted.Add(1)
		select {
		case c.acts <- struct{}{}:
		default:
		}
	}
	var people sync.WaitGroup
	for i := range 4*chaosTables + chaosAlone {
		people.Go(func() {
			for round := 0; lasts.Err() == nil; round++ {
				p := &player{srv: c.balancer, lasts: lasts, acknowledged: acknowledged, random: rand.New(rand.NewPCG(seed, uint64(i)<<32|uint64(round)))}
				err := p.liveThroughChaos(ctx, i < 4*chaosTables, ruleSets[round%len(ruleSets)])
				if err != nil {
					t.Errorf("person %d, round %d: %v", i, round, err)
					cancel()
					return
				}
				rounds.Add(1)
			}
		})
	}
	mishaps := mishaps
	if c.jumpy {
		mishaps = append(mishaps[:len(mishaps):len(mishaps)], clockJumps)
	}
	begun := time.Now()
	for i := 0; ctx.Err() == nil && (i < len(mishaps) || time.Since(begun) < length); i++ {
		m := mishaps[i%len(mishaps)]
		if i >= len(mishaps) {
			m = mishaps[c.random.IntN(len(mishaps))]
		}
		c.wait(chaosActions)
		began := time.Now()
		m.happen(c)
		fmt.Printf("%8.1fs %s: %.1fs\n", began.Sub(begun).Seconds(), m.name, time.Since(began).Seconds())
	}
	over()
	people.Wait()
	if t.Failed() {
		return
	}
	c.nothingIsLeft()
	fmt.Printf("%d rounds, %d acknowledged actions; %s\n", rounds.Load(), acted.Load(), c.recovery())
}

// liveThroughChaos is one guest's life: a match for coins with three others, or one
// against bots, and something bought for what is left.
func (p *player) liveThroughChaos(ctx context.Context, forCoins bool, ruleSet any) error {
	if forCoins {
		if _, err := p.playForCoins(ctx, func() {}); err != nil {
			if errors.Is(err, errGone) {
				return nil
			}
			return err
		}
	} else {
		if err := p.signUp(ctx); err != nil {
			return err
		}
		if _, err := p.play(ctx, ruleSet); err != nil {
			return err
		}
	}
	before, err := p.coins(ctx)
	if err != nil {
		return err
	}
	if before < chaosPrice {
		return nil
	}
	for range 2 { // once more, with the same key, is the same purchase
		if err := p.keepTrying(ctx, func() error { return p.client.Purchase(ctx, "chaos", "booster") }); err != nil {
			return fmt.Errorf("purchase: %w", err)
		}
	}
	after, err := p.coins(ctx)
	if err == nil && after != before-chaosPrice {
		err = violated("%d coins before a purchase for %d, %d behind it", before, chaosPrice, after)
	}
	return err
}

// chaosPrice is what a booster costs in the economy that a new database has.
const chaosPrice = 400

func (p *player) coins(ctx context.Context) (coins int64, err error) {
	err = p.keepTrying(ctx, func() error {
		data, err := p.client.Get(ctx, "/v1/wallet")
		if err != nil {
			return err
		}
		var purse struct{ Coins int64 }
		err = json.Unmarshal(data, &purse)
		coins = purse.Coins
		return err
	})
	return coins, err
}

// chaos is all that can break.
type chaos struct {
	t         *testing.T
	ctx       context.Context //nolint:containedctx // of one test
	random    *rand.Rand
	cluster   *cluster
	nats      *natsserver.Server
	processes []*process
	balancer  *server
	// acts is sent to after an acknowledged action, if somebody waits for it.
	acts  chan struct{}
	kills []time.Time
	jumpy bool // its clocks can be set
}

// process is a server and its ways to what it needs.
type process struct {
	*server
	database, bus *wire
	clock         string // the file that says how far its clock is off
}

func newChaos(ctx context.Context, t *testing.T, seed uint64, program string) *chaos {
	t.Helper()
	c := &chaos{t: t, ctx: ctx, random: rand.New(rand.NewPCG(seed, 1)), acts: make(chan struct{})}
	c.cluster = newCluster(t)
	c.nats = busAt(t, freeport.Port())
	key := jwtKey(t, t.TempDir())
	bus, _ := url.Parse(c.nats.ClientURL())
	for range chaosProcesses {
		p := &process{
			database: newWire(t, "unix", filepath.Join(c.cluster.dir, ".s.PGSQL.5432")),
			bus:      newWire(t, "tcp", bus.Host),
			clock:    filepath.Join(t.TempDir(), "clock"),
		}
		p.server = newServerOf(t, program, "sqlite", // whose environment is replaced
			"CUATROLA_CHAOS_CLOCK="+p.clock,
			"DATABASE_URL=postgres://cuatrola@"+p.database.address()+"/postgres?sslmode=disable&connect_timeout=5",
			"NATS_URL=nats://"+p.bus.address(), "CUATROLA_JWT_KEY_FILE="+key)
		c.processes = append(c.processes, p)
	}
	c.balancer = c.balance()
	return c
}

// balance is a balancer that gives each request to any process that listens, and to
// another if that one is gone.
func (c *chaos) balance() *server {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", "any"
		},
		Transport: &http.Transport{
			DisableKeepAlives: true, // each request goes anywhere
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				for {
					for _, i := range rand.Perm(len(c.processes)) {
						to, _ := url.Parse(c.processes[i].url)
						if conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", to.Host); err == nil {
							return conn, nil
						}
					}
					// All are down: until one is up.
					c.processes[0].wait(ctx)
					if ctx.Err() != nil {
						return nil, ctx.Err()
					}
				}
			},
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	l := httptest.NewServer(proxy)
	c.t.Cleanup(l.Close)
	up := make(chan struct{})
	close(up)
	return &server{t: c.t, url: l.URL, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}, up: up, backOff: 50 * time.Millisecond}
}

// wait lets people act, or run out of patience.
func (c *chaos) wait(actions int) {
	patience := time.NewTimer(chaosPatience)
	defer patience.Stop()
	for range actions {
		select {
		case <-c.acts:
		case <-patience.C:
			return
		case <-c.ctx.Done():
			return
		}
	}
}

func (c *chaos) any() *process { return c.processes[c.random.IntN(len(c.processes))] }

// aWhile is how long a mishap lasts.
func (c *chaos) aWhile() { c.wait(1 + c.random.IntN(chaosActions)) }

type mishap struct {
	name   string
	happen func(*chaos)
}

// clockJumps stays so until it happens again: forwards, backwards, or to what is right.
var clockJumps = mishap{"a process's clock is set", func(c *chaos) {
	c.any().setClock([]int{3600, -3600, 86400 * 40, 0}[c.random.IntN(4)])
	c.aWhile()
}}

// mishaps is everything else that happens.
var mishaps = []mishap{
	{"a process is killed", func(c *chaos) {
		p := c.any()
		p.kill()
		c.kills = append(c.kills, time.Now())
		c.aWhile()
		p.start()
		p.wait(c.ctx)
	}},
	{"a process is paused", func(c *chaos) {
		p := c.any()
		p.signal(syscall.SIGSTOP)
		c.aWhile()
		p.signal(syscall.SIGCONT)
	}},
	{"a process is cut from the bus", func(c *chaos) {
		p := c.any()
		p.bus.cutOff()
		c.aWhile()
		p.bus.mend()
	}},
	{"nothing comes through between a process and the bus", func(c *chaos) {
		p := c.any()
		p.bus.block()
		c.aWhile()
		p.bus.mend()
	}},
	{"a process is cut from the database", func(c *chaos) {
		p := c.any()
		p.database.cutOff()
		c.aWhile()
		p.database.mend()
	}},
	{"nothing comes through between a process and the database", func(c *chaos) {
		p := c.any()
		p.database.block()
		c.aWhile()
		p.database.mend()
	}},
	{"the database crashes and recovers", func(c *chaos) {
		c.cluster.kill()
		c.cluster.start()
	}},
	{"the database is restarted", func(c *chaos) {
		_ = c.cluster.command("pg_ctl", "-D", c.cluster.path("data"), "-m", "fast", "-w", "stop").Run()
		c.cluster.start()
	}},
	{"the database has no connection left", func(c *chaos) {
		var taken []*pgx.Conn
		for {
			conn, err := pgx.Connect(c.ctx, c.cluster.url())
			if err != nil {
				break
			}
			taken = append(taken, conn)
		}
		c.aWhile()
		for _, conn := range taken {
			_ = conn.Close(c.ctx)
		}
	}},
	{"the bus is restarted", func(c *chaos) {
		port := c.nats.Addr().(*net.TCPAddr).Port
		c.nats.Shutdown()
		c.nats.WaitForShutdown()
		c.aWhile()
		c.nats = busAt(c.t, port)
	}},
	{"all processes are replaced, one after the other", func(c *chaos) {
		for _, p := range c.processes {
			p.stop()
			p.start()
			p.wait(c.ctx)
		}
	}},
	{"two processes are killed at once", func(c *chaos) {
		i := c.random.IntN(len(c.processes))
		gone := []*process{c.processes[i], c.processes[(i+1)%len(c.processes)]}
		for _, p := range gone {
			p.kill()
		}
		c.kills = append(c.kills, time.Now())
		c.aWhile()
		for _, p := range gone {
			p.start()
		}
		for _, p := range gone {
			p.wait(c.ctx)
		}
	}},
}

// nothingIsLeft looks into the database behind it all.
func (c *chaos) nothingIsLeft() {
	c.t.Helper()
	conn, err := pgx.Connect(c.ctx, c.cluster.url())
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close(c.ctx)
	for what, query := range map[string]string{
		"matches that do not end":      `SELECT COUNT(*) FROM matches WHERE status <> 'over'`,
		"players who are kept":         `SELECT COUNT(*) FROM engagements WHERE kind <> 'none'`,
		"gaps in logs":                 `SELECT COUNT(*) FROM (SELECT match_id FROM match_log GROUP BY match_id HAVING MAX(seq) + 1 <> COUNT(*)) AS g`,
		"players at two matches":       `SELECT COUNT(*) FROM (SELECT s.player_id FROM match_seats s JOIN matches m ON m.id = s.match_id WHERE m.status <> 'over' GROUP BY s.player_id HAVING COUNT(*) > 1) AS g`,
		"escrow that nobody gets back": `SELECT COUNT(*) FROM accounts WHERE id LIKE 'escrow%' AND balance <> 0`,
	} {
		var n int
		if err := conn.QueryRow(c.ctx, query).Scan(&n); err != nil || n != 0 {
			c.t.Errorf("%s: %d, %v", what, n, err)
		}
	}
	check := exec.Command(binary, "ledger", "check")
	check.Env = c.processes[0].env
	if out, err := check.CombinedOutput(); err != nil {
		c.t.Errorf("ledger check: %v\n%s", err, out)
	}
}

// recovery says how long tables stood still behind a kill: from it to the next entry of
// each match that somebody had acted in just before.
func (c *chaos) recovery() string {
	conn, err := pgx.Connect(c.ctx, c.cluster.url())
	if err != nil {
		return err.Error()
	}
	defer conn.Close(c.ctx)
	var gaps []int64
	for _, at := range c.kills {
		rows, err := conn.Query(c.ctx, `SELECT MIN(l.at) - $1 FROM match_log l WHERE l.at > $1
AND EXISTS (SELECT 1 FROM match_log b WHERE b.match_id = l.match_id AND b.at BETWEEN $1 - 2000 AND $1) GROUP BY l.match_id`, at.UnixMilli())
		if err != nil {
			return err.Error()
		}
		some, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			return err.Error()
		}
		gaps = append(gaps, some...)
	}
	if len(gaps) == 0 {
		return "no table was played at when a process was killed"
	}
	slices.Sort(gaps)
	return fmt.Sprintf("from a kill to a table's next entry, of %d: p50 %d ms, p99 %d ms, at most %d ms",
		len(gaps), gaps[len(gaps)/2], gaps[(len(gaps)*99-1)/100], gaps[len(gaps)-1])
}
