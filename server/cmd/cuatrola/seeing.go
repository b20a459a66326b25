package main

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/cuatrola/cuatrola/server/internal/bus"
	"github.com/cuatrola/cuatrola/server/internal/jobs"
	"github.com/cuatrola/cuatrola/server/internal/logs"
	"github.com/cuatrola/cuatrola/server/internal/metrics"
	"github.com/cuatrola/cuatrola/server/internal/socket"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/tracing"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/overview"
)

// startTracing turns tracing on if the environment asks for it. stop sends what is left.
func startTracing(ctx context.Context) (stop func(), err error) {
	end, err := tracing.Setup(ctx)
	if err != nil {
		return nil, err
	}
	if tracing.On() {
		slog.InfoContext(ctx, "traces are sent to a collector")
	}
	return func() {
		soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := end(soon); err != nil {
			slog.WarnContext(soon, "traces that are left cannot be sent", "error", err)
		}
	}, nil
}

func done(error) {}

// workAt marks what is done for a match, see [match.WithWork].
func workAt(ctx context.Context, what, matchID string) (context.Context, func(error)) {
	ctx = logs.Match(ctx, matchID)
	if !tracing.On() {
		return ctx, done
	}
	ctx, span := tracing.Begin(ctx, "match "+what, trace.SpanKindInternal)
	if !span.IsRecording() {
		return ctx, func(error) { span.End() }
	}
	span.SetAttributes(attribute.String("cuatrola.match", matchID))
	return ctx, func(err error) {
		tracing.Fail(span, err)
		span.End()
	}
}

// watched is what the counts ask when they are asked.
type watched struct {
	store      *store.Store
	news       *bus.Bus
	hub        *socket.Hub
	matches    *match.Service
	seen       *overview.Service
	background *jobs.Runner
	ready      func(context.Context) error
}

func (w watched) by(counts *metrics.Metrics) error {
	pools, err := w.store.Pools()
	if err != nil {
		return err
	}
	counts.Watch(metrics.Sources{
		Sockets: w.hub.Len, Greeting: w.hub.Greeting, Tables: w.matches.Tables, Pools: pools,
		Connected: w.news.Ready, Reconnects: w.news.Reconnects, Dropped: w.news.Dropped,
		Ready: w.ready, Late: w.late,
	})
	return nil
}

// late is how long each job is overdue. A run under way counts when it is done.
func (w watched) late(ctx context.Context) (map[string]time.Duration, error) {
	all, err := w.seen.Jobs(ctx)
	if err != nil {
		return nil, err
	}
	done := make(map[string]time.Time, len(all))
	for _, j := range all {
		done[j.Name] = j.DoneAt
	}
	return w.background.Late(done), nil
}
