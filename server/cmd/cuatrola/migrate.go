package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/store"
)

type migrateCommand struct {
	Up     migrateUp     `cmd:"" help:"Apply every change of the tables that is pending."`
	Down   migrateDown   `cmd:"" help:"Take back the newest change, with the data in it."`
	Status migrateStatus `cmd:"" help:"List all changes and when each was applied."`
}

type migrateUp struct {
	config.Database `embed:""`
}

// Run applies what is pending.
func (c *migrateUp) Run() error {
	return withStore(c.Database, func(ctx context.Context, s *store.Store) error {
		done, err := s.Migrate(ctx)
		printMigrations(os.Stdout, "applied", done)
		return err
	})
}

type migrateDown struct {
	config.Database `embed:""`
}

// Run takes back the newest.
func (c *migrateDown) Run() error {
	return withStore(c.Database, func(ctx context.Context, s *store.Store) error {
		done, err := s.MigrateDown(ctx)
		printMigrations(os.Stdout, "taken back", done)
		return err
	})
}

type migrateStatus struct {
	config.Database `embed:""`
}

// Run lists them all.
func (c *migrateStatus) Run() error {
	return withStore(c.Database, func(ctx context.Context, s *store.Store) error {
		all, err := s.MigrationStatus(ctx)
		for _, m := range all {
			when := "pending"
			if !m.Applied.IsZero() {
				when = m.Applied.UTC().Format(time.RFC3339)
			}
			fmt.Printf("%-20s  %s\n", when, m.Name)
		}
		return err
	})
}

func withStore(c config.Database, f func(context.Context, *store.Store) error) error {
	ctx := context.Background()
	s, err := openStore(ctx, c)
	if err != nil {
		return err
	}
	defer s.Close()
	return f(ctx, s)
}

func printMigrations(w io.Writer, what string, list []store.Migration) {
	if len(list) == 0 {
		fmt.Fprintln(w, "nothing to do")
	}
	for _, m := range list {
		fmt.Fprintln(w, what, m.Name)
	}
}
