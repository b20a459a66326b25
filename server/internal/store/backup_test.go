package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A copy is whole, for its owner only, and takes the place of nothing. A file that is
// damaged gives none.
func TestBackup(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	file := filepath.Join(dir, "a?#%.sqlite") // what a URI gives a meaning to
	s, err := openSQLite(ctx, Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, statement := range []string{
		"CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)", "CREATE INDEX i ON t (text)",
		"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2000) INSERT INTO t SELECT n, 'text ' || n FROM c",
	} {
		if err := s.write.Exec(statement).Error; err != nil {
			t.Fatal(err)
		}
	}
	into := filepath.Join(dir, "b?#%.sqlite")
	// What others have begun and not committed is not in it, and does not hold it up.
	tx := s.write.Begin()
	if err := tx.Exec("INSERT INTO t (text) VALUES ('not committed')").Error; err != nil {
		t.Fatal(err)
	}
	other, err := openSQLite(ctx, Options{File: file}) // as another process does
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.Backup(ctx, into); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit().Error; err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(into); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	copied, err := openSQLite(ctx, Options{File: into})
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := copied.read.Raw("SELECT count(*) FROM t").Scan(&n).Error; err != nil || n != 2000 {
		t.Errorf("%d rows, %v", n, err)
	}
	copied.Close()

	before, err := os.ReadFile(into)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(ctx, into); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another copy: %v", err)
	}
	if after, err := os.ReadFile(into); err != nil || len(after) != len(before) {
		t.Errorf("the other copy: %d bytes, %v", len(after), err)
	}
	if err := s.Backup(ctx, filepath.Join(dir, "nowhere", "c.sqlite")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("into no folder: %v", err)
	}

	// One page of the copy is overwritten, and SQLite is not told.
	damaged := append([]byte(nil), before...)
	for i := range 4096 {
		damaged[8192+i] = byte(i)
	}
	hurt := filepath.Join(dir, "hurt.sqlite")
	if err := os.WriteFile(hurt, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	ill, err := openSQLite(ctx, Options{File: hurt})
	if err != nil {
		t.Fatal(err)
	}
	defer ill.Close()
	if err := ill.Backup(ctx, filepath.Join(dir, "c.sqlite")); err == nil {
		t.Error("a damaged file was copied as if it were whole")
	}
	if err := integral(ctx, hurt); err == nil {
		t.Error("a damaged copy was found whole")
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.part"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "c.sqlite")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a failed copy has its name: %v", err)
	}
}

// PostgreSQL has better ways, which the error names.
func TestBackupOfPostgres(t *testing.T) {
	s := &Store{kind: Postgres}
	if err := s.Backup(t.Context(), filepath.Join(t.TempDir(), "x")); !errors.Is(err, ErrNotSQLite) {
		t.Error(err)
	}
}
