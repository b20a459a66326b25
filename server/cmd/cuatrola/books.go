package main

import (
	"context"
	"crypto/rand"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/clock"
	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/reward"
)

// books are a database and the time by the clock that its servers go by: to all of them
// what a command does has happened when it says so.
type books struct {
	*store.Store
	*clock.Common
}

// economy is the economy in the books.
func (b books) economy() *economy.Service { return economy.NewService(b.Store, b.Now) }

// rewards are what is given and taken by that economy.
func (b books) rewards() *reward.Service {
	return reward.New(b.Store, b.Store, b.economy(), b.Now, rand.Reader)
}

// trail is where it is kept who did what.
func (b books) trail() *audit.Service { return audit.New(b.Store, b.Now, rand.Reader) }

// withBooks runs f with the books of a database.
func withBooks(c config.Database, f func(context.Context, books) error) error {
	return withStore(c, func(ctx context.Context, s *store.Store) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		wall, err := commonTime(ctx, s)
		if err != nil {
			return err
		}
		return f(ctx, books{s, wall})
	})
}
