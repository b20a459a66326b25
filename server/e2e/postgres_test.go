package e2e_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// cluster is a PostgreSQL of a test's own, which it may kill and restore. It listens on a
// socket in its own folder, so that it needs no port.
type cluster struct {
	t   testing.TB
	bin string // the folder of PostgreSQL's programs
	dir string
	as  *syscall.Credential

	server *exec.Cmd
}

// newCluster makes a cluster with an archive of its WAL, and starts it.
func newCluster(t testing.TB) *cluster {
	t.Helper()
	dir, err := os.MkdirTemp("", "cuatrola-pg-") //nolint:usetesting // t.TempDir is in a folder that another user cannot enter
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, bin: postgresPrograms(t), dir: dir}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if os.Geteuid() == 0 { // PostgreSQL refuses to run as root
		c.as = someoneElse(t)
		if err := os.Chown(dir, int(c.as.Uid), int(c.as.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	c.run("mkdir", c.path("archive"))
	c.run("initdb", "-D", c.path("data"), "-U", "cuatrola", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	t.Cleanup(c.kill)
	c.start("archive_mode=on", fmt.Sprintf("archive_command=test ! -f %[1]s/%%f && cp %%p %[1]s/%%f.part && mv %[1]s/%%f.part %[1]s/%%f", c.path("archive")))
	return c
}

func postgresPrograms(t testing.TB) string {
	if found, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(found)
	}
	all, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(all) == 0 {
		t.Fatal("no initdb on PATH or in /usr/lib/postgresql/*/bin; scripts/test-deps.sh installs PostgreSQL")
	}
	version := func(file string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(file))))
		return n
	}
	return filepath.Dir(slices.MaxFunc(all, func(a, b string) int { return version(a) - version(b) }))
}

func someoneElse(t testing.TB) *syscall.Credential {
	who, err := user.Lookup("postgres")
	if err != nil {
		who, err = user.Lookup("nobody")
	}
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.ParseUint(who.Uid, 10, 32)
	gid, _ := strconv.ParseUint(who.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func (c *cluster) path(name string) string { return filepath.Join(c.dir, name) }

func (c *cluster) url() string {
	return "postgres://cuatrola@/postgres?host=" + c.dir
}

func (c *cluster) command(name string, args ...string) *exec.Cmd {
	if program := filepath.Join(c.bin, name); fileExists(program) {
		name = program
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = c.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.as}
	return cmd
}

func (c *cluster) run(name string, args ...string) {
	c.t.Helper()
	if out, err := c.command(name, args...).CombinedOutput(); err != nil {
		c.t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// start returns when the cluster takes transactions. pg_ctl would return before: as soon as
// it has begun to recover.
func (c *cluster) start(options ...string) {
	c.t.Helper()
	args := []string{"-D", c.path("data")}
	for _, o := range append(options, "listen_addresses=", "unix_socket_directories="+c.dir, "fsync=off", "lc_messages=C") {
		args = append(args, "-c", o)
	}
	cmd := c.command("postgres", args...)
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	var log strings.Builder
	up, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		once := sync.OnceFunc(func() { close(up) })
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			log.WriteString(lines.Text() + "\n")
			if strings.Contains(lines.Text(), "database system is ready to accept connections") {
				once()
			}
		}
	}()
	c.server = cmd
	select {
	case <-up:
	case <-ended:
		c.t.Fatalf("PostgreSQL does not start:\n%s", log.String())
	case <-time.After(startTimeout):
		c.t.Fatal("PostgreSQL does not start in time")
	}
}

// kill ends it as a power cut would.
func (c *cluster) kill() {
	if c.server != nil {
		_ = c.server.Process.Signal(syscall.SIGQUIT) // its processes end with it
		_ = c.server.Wait()
		c.server = nil
	}
}

// write makes a file of the cluster's owner.
func (c *cluster) write(name, text string) {
	c.t.Helper()
	err := os.WriteFile(c.path(name), []byte(text), 0o600)
	if err == nil && c.as != nil {
		err = os.Chown(c.path(name), int(c.as.Uid), int(c.as.Gid))
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// restore puts the base backup into the place of the cluster and takes up the archive's
// WAL as far as the restore point.
func (c *cluster) restore(base, point string) {
	c.t.Helper()
	if err := errors.Join(os.RemoveAll(c.path("data")), os.Rename(c.path(base), c.path("data"))); err != nil {
		c.t.Fatal(err)
	}
	c.write("data/recovery.signal", "")
	// hot_standby=off: nobody gets in before all is there.
	c.start("restore_command=cp "+c.path("archive")+"/%f %p", "recovery_target_name="+point, "recovery_target_action=promote", "hot_standby=off")
}

func fileExists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
