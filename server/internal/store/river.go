package store

import (
	"context"
	"database/sql"

	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
)

// Queue is the driver of the job queue over this database. On SQLite it shares the
// one connection that writes.
func (s *Store) Queue() (riverdriver.Driver[*sql.Tx], error) {
	pool, err := s.write.DB()
	if err != nil {
		return nil, err
	}
	return queue(s.kind, pool), nil
}

func queue(kind string, pool *sql.DB) riverdriver.Driver[*sql.Tx] {
	if kind == SQLite {
		return riversqlite.New(pool)
	}
	return riverdatabasesql.New(pool)
}

// queueMigrations bring the queue's tables, which are the library's own, to one of
// its versions each. They are numbered among ours, so that one list has all that
// happens to the database. When the library has a newer version, add a migration.
var queueMigrations = []struct {
	number   int64
	from, to int // the library's versions; -1 is without its tables
}{
	{15, -1, 8},
}

// goMigrations are those that are no file of SQL.
func goMigrations(kind string) []*goose.Migration {
	all := make([]*goose.Migration, len(queueMigrations))
	for i, m := range queueMigrations {
		// Not within a transaction of goose's: PostgreSQL cannot use a new value of an
		// enumeration in the transaction that adds it. The library knows how far it got.
		all[i] = goose.NewGoMigration(m.number,
			&goose.GoFunc{RunDB: func(ctx context.Context, pool *sql.DB) error {
				return migrateQueue(ctx, queue(kind, pool), rivermigrate.DirectionUp, m.to)
			}},
			&goose.GoFunc{RunDB: func(ctx context.Context, pool *sql.DB) error {
				return migrateQueue(ctx, queue(kind, pool), rivermigrate.DirectionDown, m.from)
			}})
	}
	return all
}

func migrateQueue(ctx context.Context, driver riverdriver.Driver[*sql.Tx], direction rivermigrate.Direction, to int) error {
	m, err := rivermigrate.New(driver, nil)
	if err != nil {
		return err
	}
	_, err = m.Migrate(ctx, direction, &rivermigrate.MigrateOpts{TargetVersion: to})
	return err
}
