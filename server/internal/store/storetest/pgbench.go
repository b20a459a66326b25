package storetest

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// PgbenchEnv names the variable with the path of PostgreSQL's own benchmark program.
const PgbenchEnv = "CUATROLA_TEST_PGBENCH"

// Pgbench measures what a PostgreSQL does by itself, with a client that does next to
// nothing.
type Pgbench struct {
	b      testing.TB
	path   string
	url    string
	schema string
	script string
	conns  int
	next   int
}

// NewPgbench returns one for a database as Options gives it. Each connection runs the
// script again and again, in which :client_id is the connection and :i counts its runs,
// once the script has begun with \set i :i + 1.
func NewPgbench(b testing.TB, dsn string, conns int, script string) *Pgbench {
	b.Helper()
	path := os.Getenv(PgbenchEnv)
	if path == "" {
		b.Fatalf("%s is not set; it has to be the path of PostgreSQL's pgbench, as scripts/with-postgres.sh gives it", PgbenchEnv)
	}
	u, err := url.Parse(dsn)
	if err != nil {
		b.Fatal(err)
	}
	q := u.Query()
	p := &Pgbench{b: b, path: path, schema: q.Get("search_path"), script: filepath.Join(b.TempDir(), "script.sql"), conns: conns}
	q.Del("search_path") // which libpq does not know
	u.RawQuery = q.Encode()
	p.url = u.String()
	if err := os.WriteFile(p.script, []byte(script), 0o600); err != nil {
		b.Fatal(err)
	}
	return p
}

var tps = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)

// Run runs the script n times in all and returns how many times a second that was,
// without the time to connect. Statements are prepared once by each connection.
func (p *Pgbench) Run(n int) float64 {
	p.b.Helper()
	each := n / p.conns
	cmd := exec.CommandContext(p.b.Context(), p.path, "-n", "-M", "prepared", "-c", strconv.Itoa(p.conns), "-j", "2",
		"-t", strconv.Itoa(each), "-D", "i="+strconv.Itoa(p.next), "-f", p.script, p.url)
	p.next += each
	cmd.Env = os.Environ()
	if p.schema != "" {
		cmd.Env = append(cmd.Env, "PGOPTIONS=-c search_path="+p.schema)
	}
	out, err := cmd.CombinedOutput()
	m := tps.FindSubmatch(out)
	if err != nil || m == nil {
		p.b.Fatalf("pgbench: %v\n%s", err, out)
	}
	rate, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		p.b.Fatal(err)
	}
	return rate
}
