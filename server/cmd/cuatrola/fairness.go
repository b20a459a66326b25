package main

import (
	"context"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fairness"
	"github.com/cuatrola/cuatrola/server/internal/jobs"
)

// fairnessLimits are the thresholds of the economy that is live.
func fairnessLimits(e *economy.Service) func(context.Context) (economy.Fairness, error) {
	return func(ctx context.Context) (economy.Fairness, error) {
		_, d, err := e.Live(ctx)
		if err != nil {
			return economy.Fairness{}, err
		}
		return d.Fairness, nil
	}
}

// fairnessDaily looks at the last days once a day, behind the check of the ledger.
func fairnessDaily(w *fairness.Service, zone *time.Location) jobs.Job {
	return jobs.Job{Name: "fairness_watch", When: jobs.Daily(5, 10, zone), Run: w.Daily}
}

// fairnessAsked makes a search that somebody has asked for where the process that took
// the request did not live to.
func fairnessAsked(w *fairness.Service) jobs.Job {
	return jobs.Job{Name: "fairness_asked", When: jobs.Every(time.Minute), Run: w.Work}
}
