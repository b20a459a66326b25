// Package storetest opens empty, migrated databases for tests, on each kind of
// database that the server runs on.
package storetest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// Env names the variable with the URL of a PostgreSQL that tests may make
// schemas in.
const Env = "CUATROLA_TEST_POSTGRES"

// Kinds are the databases that a test of the store's behaviour runs on.
var Kinds = []string{store.SQLite, store.Postgres}

// Each runs f as a subtest on every kind, each with a database of its own.
func Each(t *testing.T, f func(t *testing.T, s *store.Store)) {
	for _, kind := range Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f(t, New(t, kind))
		})
	}
}

// New returns an empty, migrated database, which goes when the test ends. It is a copy of
// one that has been migrated before, which takes a fraction of the time.
func New(t testing.TB, kind string) *store.Store {
	t.Helper()
	if kind == store.SQLite {
		o := Options(t, kind)
		file, err := migratedFile()
		if err == nil {
			err = os.WriteFile(o.File, file, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return Open(t, o)
	}
	return Open(t, store.Options{URL: copied(t), MaxConns: 4})
}

// Open opens the database until the test ends. Then its ledger has to add up, unless
// the test has said that it has [Tampered] with it.
func Open(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, is := tampered.LoadAndDelete(s); !is {
			endsWell(t, s)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// tampered holds the stores whose ledgers need not add up.
var tampered sync.Map

// Tampered says that the ledger will not add up when the test ends, and need not.
func Tampered(s *store.Store) { tampered.Store(s, true) }

// endsWell checks the ledger of a database that the test has done with, unless it has
// closed it or has not made its tables.
func endsWell(t testing.TB, s *store.Store) {
	t.Helper()
	ctx := context.Background()
	if s.Ping(ctx) != nil {
		return
	}
	found, err := s.CheckLedger(ctx, 1000)
	if err != nil {
		all, statusErr := s.MigrationStatus(ctx)
		if statusErr == nil && slices.ContainsFunc(all, func(m store.Migration) bool { return m.Applied.IsZero() }) {
			return
		}
	}
	if !s.Settles() { // a test of something else
		found = slices.DeleteFunc(found, func(d wallet.Discrepancy) bool { return d.What == wallet.UnsettledMatch })
	}
	if err != nil || len(found) > 0 {
		t.Errorf("the ledger does not add up: %+v, %v", found, err)
	}
}

// AddsUp fails the test now if the ledger does not add up.
func AddsUp(t testing.TB, s *store.Store) {
	t.Helper()
	if found, err := s.CheckLedger(context.Background(), 100); err != nil || len(found) > 0 {
		t.Fatalf("the ledger does not add up: %+v, %v", found, err)
	}
}

// Options returns those of an empty database without tables.
func Options(t testing.TB, kind string) store.Options {
	t.Helper()
	if kind == store.SQLite {
		return store.Options{File: filepath.Join(t.TempDir(), "a db?#%41.sqlite")}
	}
	return store.Options{URL: schema(t), MaxConns: 4}
}

// schema makes a schema in the test database and returns a URL that lands in
// it. A schema takes a fraction of the time that a database takes.
func schema(t testing.TB) string {
	t.Helper()
	u := base(t)
	name := newName()
	administer(t, "CREATE SCHEMA "+name)
	t.Cleanup(func() { administer(t, "DROP SCHEMA "+name+" CASCADE") })
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String()
}
