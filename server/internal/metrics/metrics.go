// Package metrics counts what the server does, for Prometheus, and serves the
// counts and Go's profiles on a private address.
package metrics

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/pprof"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/shop"
)

// Metrics are the server's counts. Make one with New.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec

	differences *prometheus.GaugeVec
	checked     prometheus.Gauge
	jobs        *prometheus.CounterVec
	jobEnded    *prometheus.GaugeVec

	events *prometheus.CounterVec
	faults *prometheus.CounterVec

	lobby lobbyCounts
	play  playCounts
	under underCounts
}

// New returns counts at zero, beside those of the Go runtime and the process.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cuatrola_http_requests_total", Help: "Requests answered.",
		}, []string{"method", "route", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "cuatrola_http_request_duration_seconds", Help: "Time until a request was answered.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route"}),
		differences: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "cuatrola_ledger_differences",
			Help: "Places where the ledger did not add up when this process last checked it, by what is wrong.",
		}, []string{"what"}),
		checked: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "cuatrola_ledger_check_timestamp_seconds",
			Help: "When this process last checked the ledger. Each night one of them does: the newest counts.",
		}),
		jobs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cuatrola_job_runs_total", Help: "Runs of background jobs by this process, by how they ended: done or failed.",
		}, []string{"task", "outcome"}),
		jobEnded: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "cuatrola_job_done_timestamp_seconds", Help: "When a run of a background job by this process last succeeded.",
		}, []string{"task"}),
	}
	m.events = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "cuatrola_provider_events_total",
		Help: "Events of those who take money, by what became of them. One that is refused is money that nothing was given for, or a fault: look.",
	}, []string{"provider", "outcome", "code"})
	for _, name := range []shop.ProviderName{shop.Stripe, shop.Apple, shop.Google} {
		// There from the start, so that the first one is a change.
		m.events.WithLabelValues(string(name), string(shop.Refused), string(shop.CodeMismatch))
	}
	m.faults = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "cuatrola_client_faults_total",
		Help: "Faults that clients have reported of themselves. A disagreement is a client whose rules are not the server's: look.",
	}, []string{"kind"})
	m.lobby, m.play, m.under = newLobbyCounts(m.registry), newPlayCounts(m.registry), newUnderCounts(m.registry)
	m.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.requests, m.duration, m.differences, m.checked, m.jobs, m.jobEnded, m.events, m.faults,
	)
	return m
}

// Request counts a request. route is the pattern, not the path: a path's values
// would make a new series each.
func (m *Metrics) Request(method, route string, status int, took time.Duration) {
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.duration.WithLabelValues(method, route).Observe(took.Seconds())
}

// Ledger tells what a check of the ledger found: how many differences of each kind,
// with a 0 for those that it did not find.
func (m *Metrics) Ledger(at time.Time, differences map[string]int) {
	for what, n := range differences {
		m.differences.WithLabelValues(what).Set(float64(n))
	}
	m.checked.Set(float64(at.UnixMilli()) / 1000)
}

// Job counts a run of a background job, which ended just now.
func (m *Metrics) Job(name string, at time.Time, err error) {
	if err != nil {
		m.jobs.WithLabelValues(name, "failed").Inc()
		return
	}
	m.jobs.WithLabelValues(name, "done").Inc()
	m.jobEnded.WithLabelValues(name).Set(float64(at.UnixMilli()) / 1000)
}

// ProviderEvent counts an event of a provider's of money.
func (m *Metrics) ProviderEvent(provider shop.ProviderName, outcome shop.Outcome, code fault.Code) {
	m.events.WithLabelValues(string(provider), string(outcome), string(code)).Inc()
}

// ClientFaultKinds has the kinds of faults that clients can report counted from the start,
// so that the first one is a change.
func (m *Metrics) ClientFaultKinds(kinds []string) {
	for _, kind := range kinds {
		m.faults.WithLabelValues(kind)
	}
}

// ClientFault counts a fault that a client has reported. kind is one of the contract's.
func (m *Metrics) ClientFault(kind string) { m.faults.WithLabelValues(kind).Inc() }

// Serve answers /metrics and /debug/pprof/ until ctx is done.
func (m *Metrics) Serve(ctx context.Context, l net.Listener) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	// No write timeout: a profile takes as long as it was asked to.
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
