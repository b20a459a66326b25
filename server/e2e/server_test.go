// Package e2e_test runs the real binary and plays on it as clients do, over real
// sockets: what a person would notice, and what breaks when the server is killed.
package e2e_test

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/cuatrola/cuatrola/server/internal/freeport"
)

// binary is the server, built once for all tests.
var binary string

func TestMain(m *testing.M) {
	code, err := func() (int, error) {
		dir, err := os.MkdirTemp("", "cuatrola-e2e-")
		if err != nil {
			return 1, err
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "cuatrola")
		if out, err := exec.Command("go", "build", "-o", binary, "../cmd/cuatrola").CombinedOutput(); err != nil {
			return 1, fmt.Errorf("go build: %w\n%s", err, out)
		}
		return m.Run(), nil
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// databases are the ones that a server is tested on. Each gives the environment
// of a server on an empty one.
var databases = map[string]func(t testing.TB) []string{
	"sqlite":   func(testing.TB) []string { return nil },
	"postgres": postgres,
}

func postgres(t testing.TB) []string {
	base := os.Getenv("CUATROLA_TEST_POSTGRES")
	if base == "" {
		t.Fatal("CUATROLA_TEST_POSTGRES is not set; it has to be the URL of a PostgreSQL, as make test gives it")
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, base)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	random := make([]byte, 8)
	_, _ = rand.Read(random)
	name := "e2e_" + hex.EncodeToString(random)
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn, err := pgx.Connect(ctx, base)
		if err == nil {
			_, err = conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
			conn.Close(ctx)
		}
		if err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return []string{"DATABASE_URL=" + u.String()}
}

// server is a process of the binary that can be killed and started again on the
// same address and data.
type server struct {
	t      testing.TB
	binary string
	url    string
	http   *http.Client
	env    []string
	// backOff is how long a client waits before it tries again; a single server is waited
	// for instead.
	backOff time.Duration

	mu  sync.Mutex
	cmd *exec.Cmd
	up  chan struct{} // closed while it listens
	log strings.Builder
}

// newServer starts a server on an empty database of that kind.
func newServer(t testing.TB, database string, env ...string) *server {
	t.Helper()
	return newServerOf(t, binary, database, env...)
}

// newServerOf starts a server of another binary.
func newServerOf(t testing.TB, binary, database string, env ...string) *server {
	t.Helper()
	address := freeport.Address()
	s := &server{
		t: t, binary: binary, url: "http://" + address, up: make(chan struct{}),
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}},
	}
	dir := t.TempDir()
	s.env = append(os.Environ(), "CUATROLA_LISTEN="+address, "CUATROLA_DATA_DIR="+dir)
	// All players of a test come from one address, and think for no time at all.
	for _, name := range []string{"ADDRESS", "ACCOUNT", "SIGN_UPS", "FRAMES"} {
		s.env = append(s.env, "CUATROLA_LIMIT_"+name+"=0")
	}
	s.env = append(s.env, databases[database](t)...)
	if database == "postgres" {
		s.env = append(s.env, "CUATROLA_JWT_KEY_FILE="+jwtKey(t, dir))
	}
	s.env = append(s.env, env...)
	s.start()
	t.Cleanup(func() {
		s.kill()
		check := exec.Command(binary, "ledger", "check")
		check.Env = s.env
		if found, err := check.CombinedOutput(); err != nil {
			t.Errorf("the ledger: %v\n%s", err, found)
		}
		if t.Failed() {
			t.Logf("the server's log ends:\n%s", s.lately())
		}
	})
	s.wait(context.Background())
	return s
}

// jwtKey makes the signing key that a server on PostgreSQL wants to be given.
func jwtKey(t testing.TB, dir string) string {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "jwt.pem")
	data := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func (s *server) start() {
	cmd := exec.Command(s.binary, "serve")
	cmd.Env = s.env
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.t.Error(err)
		return
	}
	s.mu.Lock()
	s.cmd = cmd
	up := s.up
	s.mu.Unlock()
	go func() {
		once := sync.OnceFunc(func() { close(up) })
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			s.mu.Lock()
			s.log.WriteString(lines.Text() + "\n")
			s.mu.Unlock()
			if strings.Contains(lines.Text(), "listening") {
				once()
			}
		}
	}()
}

// kill ends the process as a power cut would.
func (s *server) kill() {
	s.mu.Lock()
	cmd := s.cmd
	s.up = make(chan struct{})
	s.mu.Unlock()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// stop tells the process to stop, and waits until it has.
func (s *server) stop() {
	s.mu.Lock()
	cmd := s.cmd
	s.up = make(chan struct{})
	s.mu.Unlock()
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		s.t.Errorf("a server that is told to stop: %v", err)
	}
}

// signal sends the process a signal.
func (s *server) signal(what os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.cmd.Process.Signal(what); err != nil {
		s.t.Error(err)
	}
}

const startTimeout = 2 * time.Minute

// patience is how long a test may take before it is taken to hang: far longer than on the
// slowest machine, for how long it takes proves nothing.
const patience = 15 * time.Minute

// wait returns when the server listens.
func (s *server) wait(ctx context.Context) {
	s.mu.Lock()
	up := s.up
	s.mu.Unlock()
	if s.backOff > 0 {
		rested := time.NewTimer(s.backOff)
		defer rested.Stop()
		select {
		case <-rested.C:
		case <-ctx.Done():
		}
		return
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	select {
	case <-up:
	case <-ctx.Done():
		s.t.Errorf("the server does not start: %v\n%s", ctx.Err(), s.lately())
	}
}

// lately is the end of the log: all of it may be hundreds of megabytes.
func (s *server) lately() string {
	log := s.logged()
	return log[max(0, len(log)-8000):]
}

func (s *server) logged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}
