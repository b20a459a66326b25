package main

import (
	"context"
	"fmt"
	"os"

	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/store"
)

type backupCommand struct {
	config.Database `embed:""`

	File string `arg:"" type:"path" help:"File to write the copy to. It must not exist."`
}

// Run copies the database beside a server that runs or one that does not.
func (c *backupCommand) Run() error {
	if c.DatabaseURL != "" {
		return store.ErrNotSQLite
	}
	// Opening would make an empty one.
	if _, err := os.Stat(c.SQLiteFile()); err != nil {
		return fmt.Errorf("no database to copy: %w", err)
	}
	return withStore(c.Database, func(ctx context.Context, s *store.Store) error {
		if err := s.Backup(ctx, c.File); err != nil {
			return err
		}
		info, err := os.Stat(c.File)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %d bytes\n", c.File, info.Size())
		return nil
	})
}
