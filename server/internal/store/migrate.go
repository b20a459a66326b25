package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"github.com/cuatrola/cuatrola/migrations"
)

// Migration is one numbered change of the tables.
type Migration struct {
	Version int64
	Name    string
	Applied time.Time // zero if it is pending
}

// Migrate applies every pending migration and returns those it applied.
func (s *Store) Migrate(ctx context.Context) ([]Migration, error) {
	var done []Migration
	err := s.migrating(ctx, func(p *goose.Provider) error {
		results, err := p.Up(ctx)
		done = fromResults(results)
		return err
	})
	return done, err
}

// MigrateDown takes back the newest applied migration, with the data in it. It
// returns none if none was applied.
func (s *Store) MigrateDown(ctx context.Context) ([]Migration, error) {
	var done []Migration
	err := s.migrating(ctx, func(p *goose.Provider) error {
		result, err := p.Down(ctx)
		if errors.Is(err, goose.ErrNoNextVersion) {
			return nil
		}
		if result != nil {
			done = fromResults([]*goose.MigrationResult{result})
		}
		return err
	})
	return done, err
}

// MigrationStatus lists every migration, oldest first.
func (s *Store) MigrationStatus(ctx context.Context) ([]Migration, error) {
	var all []Migration
	err := s.migrating(ctx, func(p *goose.Provider) error {
		list, err := p.Status(ctx)
		for _, m := range list {
			all = append(all, Migration{Version: m.Source.Version, Name: migrationName(m.Source), Applied: m.AppliedAt})
		}
		return err
	})
	return all, err
}

func fromResults(results []*goose.MigrationResult) []Migration {
	var out []Migration
	for _, r := range results {
		if r.Error == nil {
			out = append(out, Migration{Version: r.Source.Version, Name: migrationName(r.Source)})
		}
	}
	return out
}

// migrationName is the migration's file, or what its file would be called.
func migrationName(m *goose.Source) string {
	if m.Path != "" {
		return m.Path
	}
	return fmt.Sprintf("%05d_queue.go", m.Version)
}

// migrating runs f while no other process migrates the same database. SQLite
// has one process by definition; on PostgreSQL a session's advisory lock makes
// the others wait, which goose's own lock would do by polling once a second.
func (s *Store) migrating(ctx context.Context, f func(*goose.Provider) error) error {
	pool, err := s.write.DB()
	if err != nil {
		return err
	}
	dialect := goose.DialectSQLite3
	if s.kind == Postgres {
		dialect = goose.DialectPostgres
		unlock, err := lockMigrations(ctx, s.config)
		if err != nil {
			return fmt.Errorf("store: waiting for another process to migrate: %w", err)
		}
		defer unlock()
	}
	files, err := fs.Sub(migrations.Files, s.kind)
	if err != nil {
		return err
	}
	// A migration in Go takes a second connection beside goose's own.
	if conns := pool.Stats().MaxOpenConnections; conns == 1 {
		pool.SetMaxOpenConns(2)
		defer pool.SetMaxOpenConns(conns)
	}
	provider, err := goose.NewProvider(dialect, pool, files, goose.WithGoMigrations(goMigrations(s.kind)...))
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	// The provider is not closed: that would close the pool.
	if err := f(provider); err != nil {
		return fmt.Errorf("store: migrate: %w", err)
	}
	return nil
}

// The lock is of the schema, not the database, for the tests put many schemas
// into one database.
const migrationLock = "hashtextextended('cuatrola migrations ' || current_schema(), 0)"

// lockMigrations takes the lock on a connection of its own: one from the pool
// could be the last that goose needs. Closing it lets go of the lock.
func lockMigrations(ctx context.Context, config *pgx.ConnConfig) (unlock func(), err error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	unlock = func() {
		// Not ctx: the lock goes also when the caller gave up.
		_ = conn.Close(context.WithoutCancel(ctx))
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock("+migrationLock+")"); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}
