// Command peers measures the server beside what else does such work on the same
// machine at the same time: PostgreSQL alone (pgbench), and a bare Fiber app.
// scripts/bench-peers.sh starts it.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/loadgen"
)

// bench is one run.
type bench struct {
	binary   string // of the real server
	dir      string
	profiles string // where to keep the server's profiles; empty: nowhere
	rows     []row
}

// row is a line of the table.
type row struct {
	what, ours, peers, ratio, goal string
	met                            int // 1, -1, or 0 where there is no goal
}

// conns is how many connections the server has to the database, and pgbench.
const conns = 32

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 4 && args[0] == "bare" {
		n, err := strconv.ParseInt(args[2], 10, 32)
		if err != nil {
			return err
		}
		return serveBare(ctx, args[1], int32(n), args[3])
	}
	dir, err := os.MkdirTemp("", "cuatrola-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, profiles: os.Getenv("PROFILES")}
	if b.binary, err = filepath.Abs("build/cuatrola"); err != nil {
		return err
	}
	parts := []struct {
		name    string
		measure func(context.Context) error
	}{
		{"actions", b.actions},
		{"heard", b.heard},
		{"postings", b.postings},
		{"hot", b.hot},
		{"profiles", b.readProfiles},
		{"sign-ins", b.signIns},
		{"memory", b.memory},
		{"tables", b.tables},
		{"start", b.start},
		{"size", b.size},
	}
	for _, name := range args {
		if !slices.ContainsFunc(parts, func(p struct {
			name    string
			measure func(context.Context) error
		},
		) bool {
			return p.name == name
		}) {
			return fmt.Errorf("there is no part %q", name)
		}
	}
	var failed error
	for _, p := range parts {
		if len(args) > 0 && !slices.Contains(args, p.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "== %s (load of the machine before: %s)\n", p.name, machineLoad())
		printed := len(b.rows)
		err := p.measure(ctx)
		for _, r := range b.rows[printed:] {
			fmt.Fprintf(os.Stderr, "  %s: %s, %s %s\n", r.what, r.ours, r.peers, r.ratio)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", p.name, err))
			fmt.Fprintln(os.Stderr, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	b.print()
	return failed
}

func machineLoad() string {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

func (b *bench) print() {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| what\t| here\t| beside it\t| ratio\t| goal\t|")
	fmt.Fprintln(w, "|---\t|---\t|---\t|---\t|---\t|")
	for _, r := range b.rows {
		goal := r.goal
		if r.met < 0 {
			goal += ": missed"
		}
		fmt.Fprintf(w, "| %s\t| %s\t| %s\t| %s\t| %s\t|\n", r.what, r.ours, r.peers, r.ratio, goal)
	}
	_ = w.Flush()
}

// rate adds a row of two rates. goal is the least ratio; 0, none.
func (b *bench) rate(what string, ours, peers float64, beside string, goal float64) {
	r := row{what: what, ours: fmt.Sprintf("%.0f/s", ours), peers: fmt.Sprintf("%s %.0f/s", beside, peers), ratio: fmt.Sprintf("%.2f", ours/peers)}
	if goal > 0 {
		r.goal, r.met = fmt.Sprintf("≥ %v", goal), 1
		if ours/peers < goal {
			r.met = -1
		}
	}
	b.rows = append(b.rows, r)
}

// least adds a row of a figure that may not be above its goal; 0, none.
func (b *bench) least(what string, ours float64, unit, peers string, goal float64) {
	r := row{what: what, ours: fmt.Sprintf("%.4g %s", ours, unit), peers: peers}
	if goal > 0 {
		r.goal, r.met = fmt.Sprintf("≤ %v %s", goal, unit), 1
		if ours > goal {
			r.met = -1
		}
	}
	b.rows = append(b.rows, r)
}

// with has a server on a database of its own.
func (b *bench) with(ctx context.Context, f func(d *database, p *process) error) error {
	d, drop, err := newDatabase(ctx)
	if err != nil {
		return err
	}
	defer drop()
	dir, err := os.MkdirTemp(b.dir, "server-")
	if err != nil {
		return err
	}
	p, err := b.serve(serverOptions{database: d.url, conns: conns, dir: dir})
	if err != nil {
		return err
	}
	defer p.stop()
	return f(d, p)
}

// Turns of what is compared are this long, so that both have the same of a machine
// that does other things too.
const (
	turn = 8 * time.Second
	warm = 2 * time.Second
)

// turns measures the other, ours, and the other once more, and returns ours and the
// other's mean.
func turns(other, ours func() (float64, error)) (ourRate, otherRate float64, err error) {
	before, err := other()
	if err != nil {
		return 0, 0, err
	}
	if ourRate, err = ours(); err != nil {
		return 0, 0, err
	}
	after, err := other()
	return ourRate, (before + after) / 2, err
}

// actions: 64 tables play as fast as they may; beside them single-row inserts.
func (b *bench) actions(ctx context.Context) error {
	return b.with(ctx, func(d *database, p *process) error {
		_, err := d.conn.Exec(ctx, `CREATE TABLE peer_log (LIKE match_log INCLUDING ALL)`)
		if err != nil {
			return err
		}
		script := `\set m random(1, 1000000000)
\set s random(1, 1000000000)
INSERT INTO peer_log (match_id, seq, at, kind, seat, text, "by", deadline)
VALUES ('00000000-0000-7000-9000-' || :m, :s, 1767225600000, 'act', 0, 'AO', 'player', 1767225600000) ON CONFLICT DO NOTHING;
`
		var r *loadgen.Report
		ours, other, err := turns(
			func() (float64, error) { return d.pgbench(script, conns, turn/2) },
			func() (rate float64, err error) {
				r, err = b.load(p, "tables=64@max", warm, turn, nil, "--check", "0")
				if err == nil {
					rate = r.Of("act").Rate
				}
				return rate, err
			})
		if err == nil {
			b.rate("committed actions, four sockets each told (64 tables)", ours, other, "pgbench, single-row inserts", 1)
			b.least("… from sending to the fourth socket, p50", r.Of("heard by all four, from sending").P50, "ms", "", 0)
		}
		return err
	})
}

// heard: 800 actions a second on 200 tables.
func (b *bench) heard(ctx context.Context) error {
	return b.with(ctx, func(_ *database, p *process) error {
		r, err := b.load(p, "tables=200@800/s", 5*time.Second, 20*time.Second, nil)
		if err != nil {
			return err
		}
		s, due := r.Of("heard by all four, from sending"), r.Of("heard by all four")
		what := fmt.Sprintf("800 actions/s on 200 tables (%.0f/s): sent → fourth socket, ", s.Rate)
		b.least(what+"p50", s.P50, "ms", "", 2)
		b.least("… p99", s.P99, "ms", "", 10)
		b.least("… from when it was due, p50", due.P50, "ms", "", 0)
		b.least("… p99", due.P99, "ms", "", 0)
		return nil
	})
}

// transfers is a double entry as one statement: a transfer, two balances, two entries.
func transfers(from string) string {
	return `\set f ` + from + `
\set t random(5001, 10000)
\set k random(1, 9000000000000000)
WITH t AS (INSERT INTO peer_transfers (key, kind, at) VALUES ('buy' || :k || ':' || :client_id, 'booster', 1767225600000) RETURNING id),
a AS (UPDATE peer_accounts SET balance = balance - 1 WHERE id = :f AND balance >= 1 RETURNING id, balance),
b AS (UPDATE peer_accounts SET balance = balance + 1 WHERE id = :t RETURNING id, balance)
INSERT INTO peer_entries (transfer_id, account_id, amount, balance)
SELECT t.id, a.id, -1, a.balance FROM t, a UNION ALL SELECT t.id, b.id, 1, b.balance FROM t, b;
`
}

// bank makes boosters cost a coin, gives newcomers many, and lays out pgbench's tables.
func (b *bench) bank(ctx context.Context, d *database, p *process) error {
	for _, text := range []string{
		`CREATE TABLE peer_accounts (id INT PRIMARY KEY, balance BIGINT NOT NULL CHECK (balance >= 0))`,
		`INSERT INTO peer_accounts SELECT n, 1000000000 FROM generate_series(1, 10000) n`,
		`CREATE TABLE peer_transfers (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, at BIGINT NOT NULL)`,
		`CREATE TABLE peer_entries (transfer_id BIGINT NOT NULL REFERENCES peer_transfers, account_id INT NOT NULL REFERENCES peer_accounts,
			amount BIGINT NOT NULL, balance BIGINT NOT NULL, PRIMARY KEY (transfer_id, account_id))`,
	} {
		if _, err := d.conn.Exec(ctx, text); err != nil {
			return err
		}
	}
	return b.publish(d, func(doc map[string]any) {
		doc["welcome"] = 1_000_000
		doc["booster"].(map[string]any)["price"] = 1
	})
}

func (b *bench) bought(ctx context.Context, what, mix, from, beside string, goal float64) error {
	return b.with(ctx, func(d *database, p *process) error {
		if err := b.bank(ctx, d, p); err != nil {
			return err
		}
		ours, other, err := turns(
			func() (float64, error) { return d.pgbench(transfers(from), conns, turn/2) },
			func() (float64, error) {
				name, _, _ := strings.Cut(mix, "=")
				r, err := b.load(p, mix, warm, turn, nil, "--players", "1000")
				if err != nil {
					return 0, err
				}
				return r.Of(name).Rate, nil
			})
		if err == nil {
			b.rate(what, ours, other, beside, goal)
		}
		return err
	})
}

func (b *bench) postings(ctx context.Context) error {
	return b.bought(ctx, "postings through the API, 32 clients, 1,000 players", "postings=max:32", "random(1, 5000)", "pgbench, a double entry as one statement", 1.5)
}

func (b *bench) hot(ctx context.Context) error {
	return b.bought(ctx, "… all of one player", "hot-postings=max:32", "1", "pgbench, one hot row", 4)
}

// against measures a request beside the same one to the bare app.
func (b *bench) against(ctx context.Context, what, mix string, goal float64) error {
	return b.with(ctx, func(d *database, p *process) error {
		bare, err := b.bare(d, conns)
		if err != nil {
			return err
		}
		defer bare.stop()
		name, _, _ := strings.Cut(mix, "=")
		of := func(p *process, long time.Duration) func() (float64, error) {
			return func() (float64, error) {
				r, err := b.load(p, mix, warm, long, nil, "--players", "1000")
				if err != nil {
					return 0, err
				}
				return r.Of(name).Rate, nil
			}
		}
		ours, other, err := turns(of(bare, turn/2), of(p, turn))
		if err == nil {
			b.rate(what, ours, other, "bare Fiber, JWT, pgx", goal)
		}
		return err
	})
}

func (b *bench) readProfiles(ctx context.Context) error {
	return b.against(ctx, "signed-in profile reads, 32 clients", "profiles=max:32", 0.8)
}

func (b *bench) signIns(ctx context.Context) error {
	return b.against(ctx, "sign-ins of known guests, 32 clients (the bare app keeps no session)", "sign-ins=max:32", 1.5)
}

const kib = 1024

// memory of sockets: what the process has more of with them than before.
func (b *bench) memory(ctx context.Context) error {
	const sockets, tables = 10_000, 500
	grown := func(p *process, mix string) (float64, error) {
		// A first few, so that what is there once for all is not counted.
		if _, err := b.load(p, "idle=100", 0, time.Second, nil); err != nil {
			return 0, err
		}
		before, after := p.memory(), 0.0
		_, err := b.load(p, mix, time.Second, 10*time.Second, func() {
			<-time.After(8 * time.Second)
			after = p.memory()
		})
		return after - before, err
	}
	idle := fmt.Sprintf("idle=%d", sockets)
	return b.with(ctx, func(d *database, p *process) error {
		bare, err := b.bare(d, conns)
		if err != nil {
			return err
		}
		other, err := grown(bare, idle)
		bare.stop()
		if err != nil {
			return err
		}
		ours, err := grown(p, idle)
		if err != nil {
			return err
		}
		beside := fmt.Sprintf("bare Fiber websocket %.1f KiB", other/sockets/kib)
		b.least("memory per idle socket, 10,000 of them", ours/sockets/kib, "KiB", beside, 20)
		return b.with(ctx, func(_ *database, p *process) error {
			ours, err := grown(p, fmt.Sprintf("tables=%d@human", tables))
			if err == nil {
				b.least(fmt.Sprintf("memory per seated player with a socket, %d tables playing", tables), ours/(4*tables)/kib, "KiB", beside, 26)
			}
			return err
		})
	})
}

// tables: how processor time and memory grow with tables at human pace.
func (b *bench) tables(ctx context.Context) error {
	cpu := loadgen.Chart{X: "tables", Y: "processors", Lines: []loadgen.Line{{Name: "server", Dots: true}, {Name: "PostgreSQL", Color: 1, Dots: true}, {Name: "server, straight", Dashed: true}}}
	memory := loadgen.Chart{X: "tables", Y: "MiB", Lines: []loadgen.Line{{Name: "server", Dots: true}, {Name: "server, straight", Dashed: true}}}
	for _, n := range []int{250, 500, 1000, 2000} {
		err := b.with(ctx, func(d *database, p *process) error {
			const long = 15 * time.Second
			var server, postgres, mib float64
			r, err := b.load(p, fmt.Sprintf("tables=%d@human", n), 5*time.Second, long, func() {
				server, postgres = -processor(p.cmd.Process.Pid), 0
				before := d.processor(ctx)
				began := time.Now()
				<-time.After(long - 3*time.Second)
				took := time.Since(began).Seconds()
				server = (server + processor(p.cmd.Process.Pid)) / took
				for pid, used := range d.processor(ctx) {
					postgres += (used - before[pid]) / took
				}
				mib = p.memory() / kib / kib
			}, "--check", "0.1")
			if err != nil {
				return err
			}
			s := r.Of("heard by all four, from sending")
			b.rows = append(b.rows, row{
				what:  fmt.Sprintf("%d tables at human pace: %.0f actions/s, p50 / p99 to the fourth socket", n, s.Rate),
				ours:  fmt.Sprintf("%.1f / %.1f ms", s.P50, s.P99),
				peers: fmt.Sprintf("server %.2f processors, %.0f MiB; PostgreSQL %.2f processors", server, mib, postgres),
			})
			x := float64(n)
			cpu.Lines[0].Points = append(cpu.Lines[0].Points, [2]float64{x, server})
			cpu.Lines[1].Points = append(cpu.Lines[1].Points, [2]float64{x, postgres})
			memory.Lines[0].Points = append(memory.Lines[0].Points, [2]float64{x, mib})
			return nil
		})
		if err != nil {
			return err
		}
	}
	for chart, at := range map[*loadgen.Chart]int{&cpu: 2, &memory: 1} {
		line, off := straight(chart.Lines[0].Points)
		chart.Lines[at].Points = line
		fmt.Fprintf(os.Stderr, "  %s: at most %.0f %% off a straight line\n", chart.Y, 100*off)
	}
	f, err := os.Create("docs/img/tables.svg")
	if err != nil {
		return err
	}
	return errors.Join(loadgen.Draw(f, cpu, memory), f.Close())
}

// straight is the straight line that lies nearest to the points, and how far off the
// farthest is, as a share of it.
func straight(points [][2]float64) (line [][2]float64, off float64) {
	var n, sx, sy, sxx, sxy float64
	for _, p := range points {
		n, sx, sy, sxx, sxy = n+1, sx+p[0], sy+p[1], sxx+p[0]*p[0], sxy+p[0]*p[1]
	}
	slope := (n*sxy - sx*sy) / (n*sxx - sx*sx)
	base := (sy - slope*sx) / n
	for _, p := range points {
		y := base + slope*p[0]
		line = append(line, [2]float64{p[0], y})
		off = max(off, math.Abs(p[1]-y)/y)
	}
	return line, off
}

// start to ready, on SQLite with a database on which something was played.
func (b *bench) start(context.Context) error {
	dir, err := os.MkdirTemp(b.dir, "start-")
	if err != nil {
		return err
	}
	o := serverOptions{dir: dir}
	p, err := b.serve(o)
	if err != nil {
		return err
	}
	_, err = b.load(p, "tables=20@max,profiles=10/s", 0, 3*time.Second, nil)
	p.stop()
	if err != nil {
		return err
	}
	var took []float64
	for range 7 {
		began := time.Now()
		p, err := b.serve(o)
		if err != nil {
			return err
		}
		took = append(took, float64(time.Since(began).Microseconds())/1000)
		p.stop()
	}
	slices.Sort(took)
	b.least("start to ready, SQLite with an existing database (median of 7)", took[len(took)/2], "ms", "", 300)
	return nil
}

func (b *bench) size(context.Context) error {
	info, err := os.Stat(b.binary)
	if err != nil {
		return err
	}
	b.least("binary", float64(info.Size())/1e6, "MB", "", 0)
	return nil
}
