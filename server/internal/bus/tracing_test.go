package bus_test

import (
	"context"
	"sync"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/cuatrola/cuatrola/server/internal/bus"
	"github.com/cuatrola/cuatrola/server/internal/tracing"
	"github.com/cuatrola/cuatrola/server/match"
)

// tally counts messages.
type tally struct {
	mu  sync.Mutex
	all map[string]int
}

func (t *tally) count(what string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		what += " failed"
	}
	t.all[what]++
}

func (t *tally) Published(kind string, err error) { t.count("published "+kind, err) }
func (t *tally) Received(kind string, err error)  { t.count("received "+kind, err) }

// An entry is heard in the trace in which it was announced, or in none, and every message
// is counted.
func TestTracesGoOn(t *testing.T) {
	defer tracing.Use(sdktrace.NewTracerProvider())()
	b, err := bus.Open("")
	if err != nil {
		t.Fatal(err)
	}
	counted := &tally{all: make(map[string]int)}
	b.Count(counted)
	heard := make(chan trace.SpanContext, 2)
	if err := b.Subscribe(func(ctx context.Context, _ string, _ match.Entry) { heard <- tracing.Of(ctx) }); err != nil {
		t.Fatal(err)
	}
	ctx, span := tracing.Begin(t.Context(), "an action", trace.SpanKindServer)
	b.Publish(ctx, "m", entry)
	if got := <-heard; got.TraceID() != span.SpanContext().TraceID() || got.SpanID() == span.SpanContext().SpanID() {
		t.Errorf("heard in %v, announced in %v", got, span.SpanContext())
	}
	span.End()
	b.Publish(t.Context(), "m", entry)
	if got := <-heard; got.IsValid() {
		t.Errorf("heard in %v, which is nobody's", got)
	}
	b.PublishNotice("a", 1)
	if b.Dropped() != 0 || b.Reconnects() != 0 {
		t.Errorf("%d dropped, %d reconnects", b.Dropped(), b.Reconnects())
	}
	b.Close()
	b.PublishNotice("a", 2)
	counted.mu.Lock()
	defer counted.mu.Unlock()
	for what, want := range map[string]int{"published match": 2, "received match": 2, "published notice": 1, "published notice failed": 1} {
		if counted.all[what] != want {
			t.Errorf("%s: %d, want %d", what, counted.all[what], want)
		}
	}
}
