package e2e_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
)

// cluster is a PostgreSQL of a test's own, which it may kill and restore. It listens on a
// socket in its own folder, so that it needs no port.
type cluster struct {
	t   testing.TB
	bin string // the folder of PostgreSQL's programs
	dir string
	as  *syscall.Credential
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
	c.start("-c archive_mode=on -c archive_command='test ! -f " + c.path("archive") + "/%f && cp %p " + c.path("archive") + "/%f'")
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

// start returns when the cluster answers.
func (c *cluster) start(options string) {
	c.t.Helper()
	// What it prints goes to no pipe: the server keeps it open.
	err := c.command("pg_ctl", "-D", c.path("data"), "-w", "-t", "60", "-l", c.path("log"), "start",
		"-o", "-c listen_addresses='' -c unix_socket_directories="+c.dir+" -c fsync=off "+options).Run()
	if err != nil {
		log, _ := os.ReadFile(c.path("log"))
		c.t.Fatalf("PostgreSQL does not start: %v\n%s", err, log)
	}
}

// kill ends it as a power cut would.
func (c *cluster) kill() {
	_ = c.command("pg_ctl", "-D", c.path("data"), "-m", "immediate", "-w", "stop").Run()
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
	c.start(fmt.Sprintf("-c restore_command='cp %s/%%f %%p' -c recovery_target_name=%s -c recovery_target_action=promote -c hot_standby=off",
		c.path("archive"), point))
}

func fileExists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
