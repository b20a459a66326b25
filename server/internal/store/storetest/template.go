package storetest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/cuatrola/cuatrola/migrations"
	"github.com/cuatrola/cuatrola/server/internal/store"
)

// migratedFile is an SQLite file with all tables and nothing in them.
var migratedFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "cuatrola-template-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "template.sqlite")
	// The last connection that closes writes everything into the one file.
	if err := migrate(store.Options{File: file}); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

func migrate(o store.Options) error {
	s, err := store.Open(context.Background(), o)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Migrate(context.Background())
	return err
}

// base is the URL of the PostgreSQL that tests may make schemas and databases in.
func base(t testing.TB) *url.URL {
	t.Helper()
	text := os.Getenv(Env)
	if text == "" {
		// Not skipped: a database that nobody tests on is not supported.
		t.Fatalf("%s is not set; it has to be the URL of a PostgreSQL, as make test gives it", Env)
	}
	u, err := url.Parse(text)
	if err != nil {
		t.Fatalf("%s is not a URL", Env)
	}
	return u
}

// administer runs a statement in the database of the base URL.
func administer(t testing.TB, sql string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, base(t).String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql); err != nil {
		t.Fatal(err)
	}
}

func newName() string {
	var random [8]byte
	rand.Read(random[:])
	return "test_" + hex.EncodeToString(random[:])
}

// copied makes a database that is a copy of the template, and returns its URL.
func copied(t testing.TB) string {
	t.Helper()
	from, err := template(base(t))
	if err != nil {
		t.Fatal(err)
	}
	name := newName()
	administer(t, "CREATE DATABASE "+name+" TEMPLATE "+from)
	t.Cleanup(func() { administer(t, "DROP DATABASE "+name+" WITH (FORCE)") })
	u := *base(t)
	u.Path = "/" + name
	return u.String()
}

var (
	templating   sync.Mutex
	templateName string
)

// template is the name of a database with all tables and nothing in them. Whichever
// process comes first makes it, for all that have the same migrations.
func template(u *url.URL) (string, error) {
	templating.Lock()
	defer templating.Unlock()
	if templateName != "" {
		return templateName, nil
	}
	sum := sha256.New()
	err := fs.WalkDir(migrations.Files, store.Postgres, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations.Files, path)
		fmt.Fprintf(sum, "%s %d %s", path, len(text), text)
		return err
	})
	if err != nil {
		return "", err
	}
	name := "template_" + hex.EncodeToString(sum.Sum(nil)[:8])
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, u.String())
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	// One process at a time, until this connection closes.
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(20260328)"); err != nil {
		return "", err
	}
	var there bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)", name).Scan(&there); err != nil {
		return "", err
	}
	if !there {
		// Under another name until it is whole.
		making := newName()
		if _, err := conn.Exec(ctx, "CREATE DATABASE "+making); err != nil {
			return "", err
		}
		to := *u
		to.Path = "/" + making
		if err := migrate(store.Options{URL: to.String(), MaxConns: 4}); err != nil {
			return "", err
		}
		if _, err := conn.Exec(ctx, "ALTER DATABASE "+making+" RENAME TO "+name); err != nil {
			return "", err
		}
	}
	templateName = name
	return name, nil
}
