// Package tracing follows what happens from a request over the database and the bus to
// the sockets, and sends it to a collector by OTLP over HTTP.
//
// It is off unless the environment names a collector, and costs nothing then: no span is
// made, no context grows, no message has a header. No span holds a parameter of a
// statement, a path's values, a header or a body: who looks at traces is not to read
// what players and tokens are.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/cuatrola/cuatrola/server/fault"
)

// tracer is nil while tracing is off.
var tracer atomic.Pointer[trace.Tracer]

// On says whether anything is traced. What only a trace needs is worked out behind it.
func On() bool { return tracer.Load() != nil }

// Setup turns tracing on if the environment names a collector, by OpenTelemetry's own
// variables, which say all the rest too. stop sends what is left and turns it off.
func Setup(ctx context.Context) (stop func(context.Context) error, err error) {
	off := func(context.Context) error { return nil }
	if !wanted() {
		return off, nil
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if p := os.Getenv(name); p != "" && p != "http/protobuf" {
			return off, fmt.Errorf("%s: %q is not http/protobuf, which is the one that is spoken here", name, p)
		}
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return off, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	// The environment's name comes last and wins.
	who, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(),
		resource.WithAttributes(attribute.String("service.name", "cuatrola")), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return off, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { slog.Warn("tracing", "error", err) }))
	// Without a sampler given, OTEL_TRACES_SAMPLER says which.
	p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(who))
	use := Use(p)
	return func(ctx context.Context) error {
		use()
		return p.Shutdown(ctx)
	}, nil
}

// wanted says whether the environment names a collector.
func wanted() bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// Use has a provider make the spans, until off.
func Use(p trace.TracerProvider) (off func()) {
	t := p.Tracer("github.com/cuatrola/cuatrola/server")
	tracer.Store(&t)
	return func() { tracer.CompareAndSwap(&t, nil) }
}

// nothing is the span of what is not traced.
var nothing trace.Span = noop.Span{}

// Begin begins a span, of the trace that ctx is in or of one of its own.
func Begin(ctx context.Context, name string, kind trace.SpanKind) (context.Context, trace.Span) {
	t := tracer.Load()
	if t == nil {
		return ctx, nothing
	}
	return (*t).Start(ctx, name, trace.WithSpanKind(kind))
}

// Within is Begin for what is worth a span only as a part of something: without a trace
// in ctx that is kept, there is none.
func Within(ctx context.Context, name string, kind trace.SpanKind) (context.Context, trace.Span) {
	if !On() || !trace.SpanContextFromContext(ctx).IsSampled() {
		return ctx, nothing
	}
	return Begin(ctx, name, kind)
}

// Fail says that what the span is of has failed, by the error's code: its text may quote
// what is nobody's to read.
func Fail(span trace.Span, err error) {
	if err == nil || !span.IsRecording() {
		return
	}
	code := string(fault.CodeOf(err))
	span.SetAttributes(attribute.String("error.type", code))
	span.SetStatus(codes.Error, code)
}

var carrier propagation.TraceContext

// Incoming is ctx in the trace that a caller's headers name, if they name one.
func Incoming(ctx context.Context, header func(name string) string) context.Context {
	if !On() {
		return ctx
	}
	return carrier.Extract(ctx, headers{get: header})
}

// Outgoing hands on the trace that ctx is in, if it is kept.
func Outgoing(ctx context.Context, set func(name, value string)) {
	if On() && trace.SpanContextFromContext(ctx).IsSampled() {
		carrier.Inject(ctx, headers{set: set})
	}
}

// headers are a carrier of another library's.
type headers struct {
	get func(name string) string
	set func(name, value string)
}

func (h headers) Get(name string) string { return h.get(name) }
func (h headers) Set(name, value string) { h.set(name, value) }
func (h headers) Keys() []string         { return slices.Clone(carrier.Fields()) }

// Of is the trace that ctx is in, if it is kept, to be gone on with elsewhere; see In.
func Of(ctx context.Context) trace.SpanContext {
	if !On() {
		return trace.SpanContext{}
	}
	if s := trace.SpanContextFromContext(ctx); s.IsSampled() {
		return s
	}
	return trace.SpanContext{}
}

// In is ctx in a trace.
func In(ctx context.Context, s trace.SpanContext) context.Context {
	if !s.IsValid() {
		return ctx
	}
	return trace.ContextWithSpanContext(ctx, s)
}
