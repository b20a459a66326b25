package store

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"gorm.io/gorm"
)

// What a connection of each pool must have set; SQLite ignores a pragma it does
// not understand, so nothing but a question shows it.
func TestSQLiteSettings(t *testing.T) {
	s, err := openSQLite(t.Context(), Options{File: filepath.Join(t.TempDir(), "x.sqlite")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for pragma, want := range map[string][2]string{
		"journal_mode": {"wal", "wal"},
		"synchronous":  {"2", "2"}, // FULL
		"busy_timeout": {"10000", "10000"},
		"foreign_keys": {"1", "1"},
		"query_only":   {"0", "1"},
	} {
		var write, read string
		if err := s.write.Raw("PRAGMA " + pragma).Scan(&write).Error; err != nil {
			t.Fatal(err)
		}
		if err := s.read.Raw("PRAGMA " + pragma).Scan(&read).Error; err != nil {
			t.Fatal(err)
		}
		if got := [2]string{write, read}; got != want {
			t.Errorf("%s = %v, want %v", pragma, got, want)
		}
	}
	pool, err := s.write.DB()
	if err != nil {
		t.Fatal(err)
	}
	if n := pool.Stats().MaxOpenConnections; n != 1 {
		t.Errorf("the writer has %d connections", n)
	}
	// A transaction of the writer holds the lock from its first word on.
	other, err := openSQLitePool(sqliteDSN(filepath.Join(t.TempDir(), "y.sqlite"), false)+"&_pragma=busy_timeout(0)", 2, &watch{kind: SQLite})
	if err != nil {
		t.Fatal(err)
	}
	otherPool, err := other.DB()
	if err != nil {
		t.Fatal(err)
	}
	defer otherPool.Close()
	first := other.Begin()
	if first.Error != nil {
		t.Fatal(first.Error)
	}
	defer first.Rollback()
	if second := other.Begin(); second.Error == nil {
		second.Rollback()
		t.Error("two transactions that may write at one time")
	}
}

func TestVersionLess(t *testing.T) {
	for _, c := range []struct {
		version string
		less    bool
	}{
		{"3.51.3", false},
		{"3.51.10", false},
		{"3.52.0", false},
		{"4.0.0", false},
		{"3.51.2", true},
		{"3.9.9", true},
		{"3.51", true},
		{"", true},
		{"3.x.9", true},
	} {
		if got := versionLess(c.version, minSQLite); got != c.less {
			t.Errorf("versionLess(%q) = %v", c.version, got)
		}
	}
}

// A statement that waits for the one connection that writes must not keep the
// transaction that has it from the same statement.
func TestSQLiteWriterAloneAndInTransaction(t *testing.T) {
	s, err := openSQLite(t.Context(), Options{File: filepath.Join(t.TempDir(), "x.sqlite")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.write.Exec("CREATE TABLE words (text TEXT)").Error; err != nil {
		t.Fatal(err)
	}
	const statement = "INSERT INTO words VALUES ('a')"
	pool, err := s.write.DB()
	if err != nil {
		t.Fatal(err)
	}
	alone := make(chan error, 1)
	err = s.write.Transaction(func(tx *gorm.DB) error {
		waited := pool.Stats().WaitCount
		go func() { alone <- s.write.Exec(statement).Error }()
		for pool.Stats().WaitCount == waited {
			runtime.Gosched()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		within := make(chan error, 1)
		go func() { within <- tx.WithContext(ctx).Exec(statement).Error }()
		select {
		case err := <-within:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-alone; err != nil {
		t.Fatal(err)
	}
}
