package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/internal/freeport"
	"github.com/cuatrola/cuatrola/server/internal/loadgen"
)

// clockTicks is how many ticks a second /proc counts processor time in, on every
// Linux that Go runs on.
const clockTicks = 100

// process is a program that was started here.
type process struct {
	cmd  *exec.Cmd
	url  string
	side string // where profiles are, if anywhere
}

// start starts a program that listens, and waits until it is ready.
func start(env []string, log string, listen string, program string, args ...string) (*process, error) {
	out, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p := &process{cmd: exec.Command(program, args...), url: "http://" + listen}
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = append(os.Environ(), env...), out, out
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	for range 3000 {
		if res, err := http.Get(p.url + "/readyz"); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return p, nil
			}
		}
		<-time.After(10 * time.Millisecond)
	}
	p.stop()
	text, _ := os.ReadFile(log)
	return nil, fmt.Errorf("%s does not get ready:\n%s", program, text[max(0, len(text)-2000):])
}

func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	hard := time.AfterFunc(20*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer hard.Stop()
	_ = p.cmd.Wait()
}

// memory is what the process has of it, in bytes.
func (p *process) memory() float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	var kb float64
	_, _ = fmt.Sscan(rest, &kb)
	return kb * 1024
}

// processor is how many seconds of processors a process has used.
func processor(pid int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / clockTicks
}

// database is one on the PostgreSQL that the peers are measured on.
type database struct {
	url  string
	conn *pgx.Conn
}

func newDatabase(ctx context.Context) (*database, func(), error) {
	base := os.Getenv("CUATROLA_TEST_POSTGRES")
	if base == "" {
		return nil, nil, fmt.Errorf("CUATROLA_TEST_POSTGRES is not set; start this with scripts/bench-peers.sh")
	}
	admin, err := pgx.Connect(ctx, base)
	if err != nil {
		return nil, nil, err
	}
	name := "peers_" + strings.ToLower(rand.Text())
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return nil, nil, err
	}
	u, err := url.Parse(base)
	if err != nil {
		return nil, nil, err
	}
	u.Path = "/" + name
	d := &database{url: u.String()}
	if d.conn, err = pgx.Connect(ctx, d.url); err != nil {
		return nil, nil, err
	}
	return d, func() {
		_ = d.conn.Close(ctx)
		_, _ = admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		_ = admin.Close(ctx)
	}, nil
}

// processor is what PostgreSQL's processes that run now have used.
func (d *database) processor(ctx context.Context) map[int]float64 {
	used := make(map[int]float64)
	rows, err := d.conn.Query(ctx, "SELECT pid FROM pg_stat_activity")
	if err != nil {
		return used
	}
	defer rows.Close()
	for rows.Next() {
		var pid int
		if rows.Scan(&pid) == nil {
			used[pid] = processor(pid)
		}
	}
	return used
}

var tps = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)

// pgbench runs a statement again and again, and says how many a second went through.
func (d *database) pgbench(script string, conns int, long time.Duration) (float64, error) {
	file, err := os.CreateTemp("", "peers-*.sql")
	if err != nil {
		return 0, err
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(script); err != nil {
		return 0, err
	}
	_ = file.Close()
	out, err := exec.Command(os.Getenv("CUATROLA_TEST_PGBENCH"), "-n", "-M", "prepared", "-c", strconv.Itoa(conns), "-j", "2",
		"-T", strconv.Itoa(int(long.Seconds())), "-f", file.Name(), d.url).CombinedOutput()
	m := tps.FindSubmatch(out)
	if err != nil || m == nil {
		return 0, fmt.Errorf("pgbench: %w\n%s", err, out)
	}
	return strconv.ParseFloat(string(m[1]), 64)
}

// serverOptions say which server is started.
type serverOptions struct {
	database string // empty: SQLite in dir
	conns    int
	dir      string
}

// serve starts the real server.
func (b *bench) serve(o serverOptions) (*process, error) {
	listen, side := freeport.Address(), freeport.Address()
	env := []string{
		"CUATROLA_LISTEN=" + listen, "CUATROLA_PRIVATE_LISTEN=" + side, "CUATROLA_DATA_DIR=" + o.dir, "DATABASE_URL=" + o.database,
	}
	for _, name := range []string{"ADDRESS", "ACCOUNT", "SIGN_UPS", "FRAMES"} {
		env = append(env, "CUATROLA_LIMIT_"+name+"=0")
	}
	if o.conns > 0 {
		env = append(env, "CUATROLA_DATABASE_CONNS="+strconv.Itoa(o.conns))
	}
	if o.database != "" {
		key := filepath.Join(o.dir, "jwt.pem")
		text, err := account.GenerateKey(nil)
		if err == nil {
			err = os.WriteFile(key, text, 0o600)
		}
		if err != nil {
			return nil, err
		}
		env = append(env, "CUATROLA_JWT_KEY_FILE="+key)
	}
	p, err := start(env, filepath.Join(o.dir, "log"), listen, b.binary, "serve")
	if p != nil {
		p.side = side
	}
	return p, err
}

// bare starts the peer.
func (b *bench) bare(d *database, conns int) (*process, error) {
	listen := freeport.Address()
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return start(nil, filepath.Join(b.dir, "bare.log"), listen, self, "bare", d.url, strconv.Itoa(conns), listen)
}

// load is a run of clients, in a process of their own. meanwhile is called when it is
// said to be measuring, if it is not nil.
func (b *bench) load(p *process, mix string, warm, long time.Duration, meanwhile func(), more ...string) (*loadgen.Report, error) {
	file := filepath.Join(b.dir, "report.json")
	args := append([]string{
		"load", "clients", "--url", p.url, "--mix", mix, "--for", long.String(), "--warm-up", warm.String(), "--json", file,
	}, more...)
	cmd := exec.Command(b.binary, args...)
	var said bytes.Buffer
	progress, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	running := false
	text := make([]byte, 1<<16)
	for {
		n, err := progress.Read(text)
		said.Write(text[:n])
		if !running && bytes.Contains(text[:n], []byte("running:")) {
			running = true
			if b.profiles != "" && p.side != "" {
				go b.profile(p, mix, long)
			}
			if meanwhile != nil {
				meanwhile()
			}
		}
		if err != nil {
			break
		}
	}
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("load %s: %w\n%s", mix, err, said.Bytes())
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var r loadgen.Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	for _, s := range r.Series {
		if s.Count == 0 && len(s.Errors) > 0 {
			return nil, fmt.Errorf("load %s: nothing but errors: %v", mix, s.Errors)
		}
		if len(s.Errors) > 0 || s.Unsent > 0 {
			fmt.Fprintf(os.Stderr, "  %s of %s: %d done, %d unsent, errors %v\n", s.Name, mix, s.Count, s.Unsent, s.Errors)
		}
	}
	return &r, nil
}

// profile keeps a profile of the server's processor time while it is measured.
func (b *bench) profile(p *process, name string, long time.Duration) {
	res, err := http.Get(fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", p.side, max(1, int(long.Seconds())-2)))
	if err != nil {
		return
	}
	defer res.Body.Close()
	f, err := os.Create(filepath.Join(b.profiles, strings.NewReplacer("=", "-", "/", "-", "@", "-", ":", "-").Replace(name)+".pprof"))
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = io.Copy(f, res.Body)
}
