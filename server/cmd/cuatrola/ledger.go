package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/store"
)

type ledgerCommand struct {
	Check ledgerCheck `cmd:"" help:"Look for everything that does not add up; a line of JSON each. Fails if there is anything."`
}

type ledgerCheck struct {
	config.Database `embed:""`

	Limit int `default:"100" help:"Stop after so many places."`
}

var errLedgerWrong = errors.New("the ledger does not add up; the lines above say where")

// Run checks the whole ledger.
func (c *ledgerCheck) Run() error {
	return withStore(c.Database, func(ctx context.Context, s *store.Store) error {
		found, err := s.CheckLedger(ctx, c.Limit)
		if err != nil {
			return err
		}
		out := json.NewEncoder(os.Stdout)
		for _, d := range found {
			if err := out.Encode(map[string]any{"what": d.What, "subject": d.Subject, "want": d.Want, "got": d.Got}); err != nil {
				return err
			}
		}
		if len(found) > 0 {
			return errLedgerWrong
		}
		fmt.Println("the ledger adds up")
		return nil
	})
}
