package store

import (
	"context"

	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/unit"
)

type transactionKey struct{}

// Atomically has f's changes kept together or not at all: what is called with f's
// context reads and writes in one transaction. Within a unit that is under way, f is a
// part of that one. See package unit for what f may not do.
func (s *Store) Atomically(ctx context.Context, f func(ctx context.Context) error) error {
	if unit.Of(ctx) != nil {
		return f(ctx)
	}
	var work unit.Work
	within := unit.Begin(ctx, &work)
	err := s.write.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		return f(context.WithValue(within, transactionKey{}, tx))
	})
	work.End(err == nil)
	return err
}

// writing is where changes go: into the transaction of the unit that is under way in
// ctx, or each into one of its own.
func (s *Store) writing(ctx context.Context) *gorm.DB { return inUnit(ctx, s.write) }

// reading is where reads come from: out of the transaction of the unit that is under
// way in ctx, which sees its own changes, or from a connection of their own.
func (s *Store) reading(ctx context.Context) *gorm.DB { return inUnit(ctx, s.read) }

func inUnit(ctx context.Context, otherwise *gorm.DB) *gorm.DB {
	if unit.Of(ctx) != nil {
		if tx, ok := ctx.Value(transactionKey{}).(*gorm.DB); ok {
			return tx.WithContext(ctx)
		}
	}
	return otherwise.WithContext(ctx)
}
