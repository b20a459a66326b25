package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/jobs"
	"github.com/cuatrola/cuatrola/server/internal/metrics"
	"github.com/cuatrola/cuatrola/server/internal/socket"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/lobby"
	"github.com/cuatrola/cuatrola/server/overview"
)

// flushEvery is how old what the panel knows of this process may be.
const flushEvery = 10 * time.Second

// newOverview returns the overview, and the pulse of this process.
func newOverview(db *store.Store, economies *economy.Service, hub *socket.Hub, now func() time.Time) (*overview.Service, *overview.Pulse) {
	zone := func(ctx context.Context) (*time.Location, error) {
		_, d, err := economies.Live(ctx)
		if err != nil {
			return nil, err
		}
		return d.Location(), nil
	}
	pulse := overview.NewPulse(db.Overview(), uuid.NewString(), now, map[overview.What]func() int64{
		overview.Sockets: func() int64 { return int64(hub.Len()) },
	})
	return overview.New(db.Overview(), zone, now), pulse
}

// beating has beat run beside until stop, which waits for it.
func beating(ctx context.Context, pulse *overview.Pulse) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		beat(ctx, pulse)
	}()
	return func() {
		cancel()
		<-done
	}
}

// beat keeps what this process has counted, until ctx is done.
func beat(ctx context.Context, pulse *overview.Pulse) {
	every := time.NewTicker(flushEvery)
	defer every.Stop()
	for {
		flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		if err := pulse.Flush(flush); err != nil {
			slog.WarnContext(ctx, "what this process does is not kept for the panel yet", "error", err)
		}
		cancel()
		if ctx.Err() != nil {
			return
		}
		select {
		case <-ctx.Done(): // once more
		case <-every.C:
		}
	}
}

// countRequests counts requests for Prometheus and for the panel.
func countRequests(counts *metrics.Metrics, pulse *overview.Pulse) func(method, route string, status int, took time.Duration) {
	return func(method, route string, status int, took time.Duration) {
		counts.Request(method, route, status, took)
		pulse.Request(method, route, status)
	}
}

// countFaults counts what clients say is wrong with them, for both too.
func countFaults(counts *metrics.Metrics, pulse *overview.Pulse) func(kind string) {
	return func(kind string) {
		counts.ClientFault(kind)
		pulse.Add(overview.ClientFaults, kind, 1)
	}
}

// lobbyMeter counts what happens in the lobby, for both too.
type lobbyMeter struct {
	*metrics.Metrics
	pulse *overview.Pulse
}

// Seated implements lobby.Meter.
func (m lobbyMeter) Seated(mode economy.Mode, waited time.Duration, gap int) {
	m.Metrics.Seated(mode, waited, gap)
	m.pulse.Add(overview.Waits, overview.WaitLabel(string(mode), waited), 1)
}

var _ lobby.Meter = lobbyMeter{}

// summaries is the job that sums up the hours that are over.
func summaries(seen *overview.Service) jobs.Job {
	return jobs.Job{Name: overview.JobSummaries, When: jobs.Every(15 * time.Minute), Run: seen.Summarize}
}
