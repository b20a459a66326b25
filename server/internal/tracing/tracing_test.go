package tracing_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/tracing"
)

// Nothing is traced unless the environment names a collector, and that costs nothing.
func TestOff(t *testing.T) {
	for _, environment := range []map[string]string{
		{},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "none"},
	} {
		t.Run("", func(t *testing.T) {
			for name, value := range environment {
				t.Setenv(name, value)
			}
			stop, err := tracing.Setup(t.Context())
			if err != nil || tracing.On() {
				t.Fatalf("on: %v, %v", tracing.On(), err)
			}
			ctx, failed := t.Context(), fault.New(fault.NotFound, "")
			if n := testing.AllocsPerRun(100, func() {
				inner, span := tracing.Begin(ctx, "a request", trace.SpanKindServer)
				_, part := tracing.Within(inner, "a statement", trace.SpanKindClient)
				tracing.Fail(part, failed)
				part.End()
				span.End()
				if inner != ctx || tracing.Of(inner).IsValid() {
					t.Error("the context has grown")
				}
			}); n != 0 {
				t.Errorf("%v allocations", n)
			}
			if err := stop(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}

// What is traced reaches the collector that the environment names, by the time stop
// returns.
func TestCollector(t *testing.T) {
	got := make(chan string, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r.Method + " " + r.URL.Path + " " + r.Header.Get("Content-Type") + " " + string(body)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_SERVICE_NAME", "another-name")
	stop, err := tracing.Setup(t.Context())
	if err != nil || !tracing.On() {
		t.Fatalf("on: %v, %v", tracing.On(), err)
	}
	_, span := tracing.Begin(t.Context(), "a request", trace.SpanKindServer)
	span.End()
	if err := stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent := <-got
	if !strings.HasPrefix(sent, "POST /v1/traces application/x-protobuf ") || !strings.Contains(sent, "a request") || !strings.Contains(sent, "another-name") {
		t.Errorf("the collector got %q", sent)
	}
	if tracing.On() {
		t.Error("still on")
	}
}

// A sampler of the environment's decides, whatever a caller says.
func TestSampler(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	t.Setenv("OTEL_TRACES_SAMPLER", "traceidratio")
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", "0")
	stop, err := tracing.Setup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stop(t.Context()) }()
	ctx := tracing.Incoming(t.Context(), func(name string) string {
		return map[string]string{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}[name]
	})
	if _, span := tracing.Begin(ctx, "a request", trace.SpanKindServer); span.IsRecording() {
		t.Error("a caller had a trace kept")
	}
}

func TestProtocol(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	if _, err := tracing.Setup(t.Context()); err == nil || !strings.Contains(err.Error(), "OTEL_EXPORTER_OTLP_PROTOCOL") {
		t.Errorf("a protocol that is not spoken: %v", err)
	}
}

// A trace goes over to another process in headers, and on from there.
func TestHandedOn(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	defer tracing.Use(sdktrace.NewTracerProvider(sdktrace.WithSyncer(kept)))()
	ctx, span := tracing.Begin(t.Context(), "here", trace.SpanKindServer)
	headers := make(map[string]string)
	tracing.Outgoing(ctx, func(name, value string) { headers[name] = value })
	there := tracing.Incoming(context.Background(), func(name string) string { return headers[name] })
	_, part := tracing.Within(tracing.In(context.Background(), tracing.Of(there)), "there", trace.SpanKindConsumer)
	tracing.Fail(part, errors.New("the text of a secret"))
	part.End()
	span.End()
	spans := kept.GetSpans()
	if len(spans) != 2 || spans[0].SpanContext.TraceID() != spans[1].SpanContext.TraceID() || spans[0].Parent.SpanID() != spans[1].SpanContext.SpanID() {
		t.Fatalf("%+v", spans)
	}
	if s := spans[0].Status; s.Description != string(fault.Internal) {
		t.Errorf("the span says %q", s.Description)
	}
	// Nobody's trace: nothing to be a part of.
	if _, span := tracing.Within(t.Context(), "alone", trace.SpanKindClient); span.IsRecording() {
		t.Error("a span of nothing")
	}
	tracing.Outgoing(t.Context(), func(name, _ string) { t.Errorf("a header %s", name) })
}
