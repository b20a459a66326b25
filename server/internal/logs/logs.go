// Package logs says in each line of the log what it belongs to: the request, or the
// socket, and the match that the work was for, and the trace that shows it.
package logs

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

type (
	requestKey struct{}
	matchKey   struct{}
)

// Request is ctx of work for a request, by the name that its answer gives it. Work for a
// socket has the name of the request that opened it.
func Request(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// Match is ctx of work for a match.
func Match(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, matchKey{}, id)
}

// Handler adds to each line what its context says.
type Handler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h Handler) Handle(ctx context.Context, r slog.Record) error {
	if ctx == nil {
		return h.Handler.Handle(context.Background(), r)
	}
	// What the line says itself is not said twice.
	var request, match bool
	r.Attrs(func(a slog.Attr) bool {
		request = request || a.Key == "request"
		match = match || a.Key == "match"
		return true
	})
	if id, ok := ctx.Value(requestKey{}).(string); ok && !request {
		r.AddAttrs(slog.String("request", id))
	}
	if id, ok := ctx.Value(matchKey{}).(string); ok && !match {
		r.AddAttrs(slog.String("match", id))
	}
	if span := trace.SpanContextFromContext(ctx); span.IsSampled() {
		r.AddAttrs(slog.String("trace", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h Handler) WithAttrs(a []slog.Attr) slog.Handler { return Handler{h.Handler.WithAttrs(a)} }

// WithGroup implements slog.Handler.
func (h Handler) WithGroup(name string) slog.Handler { return Handler{h.Handler.WithGroup(name)} }
