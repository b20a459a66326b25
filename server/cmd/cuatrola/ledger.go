package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/jobs"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/overview"
	"github.com/cuatrola/cuatrola/server/wallet"
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

// nightlyCheck is the job that checks the whole ledger every night. It logs each
// difference with the account or transfer that it is in, and tells report how many
// there are of each kind.
func nightlyCheck(seen *overview.Service, ledger overview.Ledger, zone *time.Location, report func(at time.Time, differences map[string]int)) jobs.Job {
	return jobs.Job{Name: overview.JobLedger, When: jobs.Daily(4, 30, zone), Run: func(ctx context.Context) error {
		const most = 1000
		began := time.Now()
		found, err := seen.CheckLedger(ctx, ledger, most)
		if err != nil {
			return err
		}
		differences := make(map[string]int, len(wallet.Differences))
		for _, what := range wallet.Differences {
			differences[what] = 0
		}
		for _, d := range found {
			differences[d.What]++
			slog.ErrorContext(ctx, "the ledger does not add up", "what", d.What, "subject", d.Subject, "want", d.Want, "got", d.Got)
		}
		report(time.Now(), differences)
		slog.InfoContext(ctx, "checked the ledger", "differences", len(found), "took", time.Since(began))
		return nil
	}}
}
