// Package store keeps the server's data in SQLite or PostgreSQL through GORM.
// It is the only package that knows either: the structs with database tags
// live here, and its methods take and return the domains' own types.
//
// Methods return *fault.Error with the codes that their comments name; any
// other error means that the database failed, and nothing of the call was kept
// unless its transaction had been committed.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/glebarez/sqlite"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/reward"
)

// Database kinds, which are also the names of the migrations' folders.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

// Options say which database to open.
type Options struct {
	URL      string // postgres://…; empty for SQLite
	File     string // SQLite's file, made if absent
	MaxConns int    // connections to PostgreSQL at most; 0 means 20
	// Meter counts statements; nil for none.
	Meter Meter
	// Slow is how long a statement may take before it is logged; 0 is any time.
	Slow time.Duration
}

// Store is an open database. Its methods may be called from any goroutine.
type Store struct {
	kind string
	// On SQLite write holds one connection, so that writers queue here instead
	// of failing there, and read holds several, which WAL lets run beside it.
	// On PostgreSQL both are the same pool.
	write, read *gorm.DB
	config      *pgx.ConnConfig // of PostgreSQL
	watch       *watch
	entries     *group[entryRow]
	settle      func(reward.Tx, *match.Match, match.Result) error // see SettleWith
	refund      func(reward.Tx, *match.Match) error               // see VoidWith
}

// Open opens the database and checks that it can be used. It does not migrate.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.URL != "" {
		return openPostgres(ctx, o)
	}
	return openSQLite(ctx, o)
}

// Kind tells which database this is: SQLite or Postgres.
func (s *Store) Kind() string { return s.kind }

// Close closes every connection.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*gorm.DB{s.write, s.read} {
		if db == nil {
			continue
		}
		pool, err := db.DB()
		if err == nil {
			err = pool.Close()
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Pools are the store's connections, by what they are for.
func (s *Store) Pools() (map[string]*sql.DB, error) {
	all := make(map[string]*sql.DB, 2)
	write, err := s.write.DB()
	if err != nil {
		return nil, err
	}
	if s.read == s.write {
		all["all"] = write
		return all, nil
	}
	read, err := s.read.DB()
	if err != nil {
		return nil, err
	}
	all["write"], all["read"] = write, read
	return all, nil
}

// Ping tells whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	pool, err := s.read.DB()
	if err != nil {
		return err
	}
	return pool.PingContext(ctx)
}

// idleLimit is PostgreSQL's setting for how long a transaction may ask for nothing. The
// connection URL may set another.
const idleLimit = "idle_in_transaction_session_timeout"

func openPostgres(ctx context.Context, o Options) (*Store, error) {
	config, err := pgx.ParseConfig(o.URL)
	if err != nil {
		// pgx's message may quote the URL, password and all.
		return nil, errors.New("store: DATABASE_URL is not a PostgreSQL connection URL")
	}
	if _, set := config.RuntimeParams[idleLimit]; !set {
		// A process that is paused or cut off in a transaction keeps others from its rows
		// until PostgreSQL gives it up, which by itself it never does.
		config.RuntimeParams[idleLimit] = "10s"
	}
	w := &watch{kind: Postgres, meter: o.Meter, slow: o.Slow}
	config.Tracer = tracer{w}
	pool := stdlib.OpenDB(*config)
	conns := o.MaxConns
	if conns <= 0 {
		conns = 20
	}
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	if err := pool.PingContext(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("store: cannot reach PostgreSQL: %w", err)
	}
	// pgx keeps its own prepared statements, GORM's would only double them.
	db, err := openGORM(postgres.New(postgres.Config{Conn: pool}), false)
	if err != nil {
		pool.Close()
		return nil, err
	}
	s := &Store{kind: Postgres, write: db, read: db, config: config, watch: w}
	s.groupEntries(entriesWriters, o.Meter)
	return s, nil
}

// minSQLite is the first version without the WAL-reset bug, which could
// corrupt a database that several connections use.
const minSQLite = "3.51.3"

func openSQLite(ctx context.Context, o Options) (*Store, error) {
	if o.File == "" {
		return nil, errors.New("store: no SQLite file given")
	}
	if dir := filepath.Dir(o.File); dir != "." {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
	}
	// For its owner only, also in a directory that others may read; the files that
	// SQLite makes beside it take after it.
	f, err := os.OpenFile(o.File, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	s := &Store{kind: SQLite, watch: &watch{kind: SQLite, meter: o.Meter, slow: o.Slow}}
	if s.write, err = openSQLitePool(sqliteDSN(o.File, false), 1, s.watch); err != nil {
		return nil, err
	}
	var version string
	if err := s.write.WithContext(ctx).Raw("SELECT sqlite_version()").Scan(&version).Error; err != nil {
		s.Close()
		return nil, fmt.Errorf("store: cannot open %s: %w", o.File, err)
	}
	if versionLess(version, minSQLite) {
		s.Close()
		return nil, fmt.Errorf("store: built with SQLite %s, which can corrupt its file; %s or newer is needed", version, minSQLite)
	}
	s.groupEntries(1, o.Meter) // for it has one connection that writes
	if s.read, err = openSQLitePool(sqliteDSN(o.File, true), max(4, runtime.NumCPU()), s.watch); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// sqliteDSN sets what every connection needs. No _time_format may be added: the
// driver then skips _txlock, and a transaction that reads before it writes
// fails as soon as another one wrote in between.
func sqliteDSN(file string, readOnly bool) string {
	q := url.Values{}
	q.Add("_pragma", "busy_timeout(10000)")
	q.Add("_pragma", "journal_mode(WAL)")
	q.Add("_pragma", "synchronous(FULL)")
	q.Add("_pragma", "foreign_keys(1)")
	if readOnly {
		q.Add("_pragma", "query_only(1)")
	} else {
		q.Add("_txlock", "immediate")
	}
	// Escaped, for a path may hold what a URI gives a meaning to.
	return "file:" + (&url.URL{Path: file}).EscapedPath() + "?" + q.Encode()
}

func openSQLitePool(dsn string, conns int, w *watch) (*gorm.DB, error) {
	named, err := sql.Open(sqlite.DriverName, dsn) // for its driver: it connects to nothing
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	pool := sql.OpenDB(&watchedConnector{named.Driver(), dsn, w})
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	// Never on the one connection that writes: GORM lets a statement that waits for the
	// connection, to be prepared, keep the transaction that has it from the same
	// statement, and each waits for the other.
	db, err := openGORM(sqlite.Dialector{Conn: pool}, conns > 1)
	if err != nil {
		pool.Close()
		return nil, err
	}
	return db, nil
}

func openGORM(d gorm.Dialector, prepare bool) (*gorm.DB, error) {
	db, err := gorm.Open(d, &gorm.Config{
		// A single statement is a transaction already.
		SkipDefaultTransaction: true,
		PrepareStmt:            prepare,
		// GORM's own log would print statements with their values; errors are
		// returned, and the caller logs them.
		Logger: logger.Discard,
	})
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return db, nil
}

// versionLess compares dotted numbers.
func versionLess(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range bs {
		if i >= len(as) {
			return true
		}
		x, errX := strconv.Atoi(as[i])
		y, errY := strconv.Atoi(bs[i])
		if errX != nil || errY != nil {
			return true
		}
		if x != y {
			return x < y
		}
	}
	return false
}

// millis and fromMillis carry times as the tables hold them. The zero time is 0.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// LogAttrs describe the database for the log, without a secret.
func (o Options) LogAttrs() []slog.Attr {
	if o.URL == "" {
		return []slog.Attr{slog.String("database", SQLite), slog.String("file", o.File)}
	}
	attrs := []slog.Attr{slog.String("database", Postgres)}
	if c, err := pgx.ParseConfig(o.URL); err == nil {
		attrs = append(attrs, slog.String("host", c.Host), slog.String("name", c.Database))
	}
	return attrs
}

// orNull is NULL for an empty text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
