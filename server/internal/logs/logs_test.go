package logs_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/cuatrola/cuatrola/server/internal/logs"
)

func TestLinesSayWhatTheyBelongTo(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(logs.Handler{Handler: slog.NewTextHandler(&out, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})})
	ctx := logs.Match(logs.Request(t.Context(), "r1"), "m1")
	traced := trace.ContextWithSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled,
	}))
	for _, c := range []struct {
		ctx  context.Context
		args []any
		want string
	}{
		{t.Context(), nil, "level=INFO msg=line\n"},
		{ctx, []any{"a", 1}, "level=INFO msg=line a=1 request=r1 match=m1\n"},
		{ctx, []any{"match", "m2", "request", "r2"}, "level=INFO msg=line match=m2 request=r2\n"},
		{traced, []any{"request", "r1"}, "level=INFO msg=line request=r1 match=m1 trace=01000000000000000000000000000000\n"},
	} {
		out.Reset()
		log.InfoContext(c.ctx, "line", c.args...)
		if out.String() != c.want {
			t.Errorf("%q, want %q", out.String(), c.want)
		}
	}
	out.Reset()
	log.With("b", 2).WithGroup("g").InfoContext(ctx, "line", "c", 3)
	if want := "level=INFO msg=line b=2 g.c=3 g.request=r1 g.match=m1\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	out.Reset()
	var none context.Context
	if err := (logs.Handler{Handler: log.Handler()}).Handle(none, slog.NewRecord(time.Time{}, slog.LevelInfo, "line", 0)); err != nil || out.String() != "level=INFO msg=line\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
