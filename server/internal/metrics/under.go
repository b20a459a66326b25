package metrics

import (
	"context"
	"database/sql"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/cuatrola/cuatrola/server/internal/bus"
)

// underCounts are those of what the game stands on: database and bus.
type underCounts struct {
	statements *prometheus.HistogramVec
	failed     prometheus.Counter
	slow       prometheus.Counter
	batch      prometheus.Histogram
	wait       prometheus.Histogram

	published, refused, received, unreadable *prometheus.CounterVec
}

func newUnderCounts(r prometheus.Registerer) underCounts {
	kind := []string{"kind"}
	c := underCounts{
		statements: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "cuatrola_db_statement_duration_seconds", Help: "Time that a statement took, its rows read; by its verb and first table.",
			// Few, for there are many statements.
			Buckets: []float64{.0005, .002, .01, .05, .25, 1, 5},
		}, []string{"statement"}),
		failed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "cuatrola_db_statement_errors_total", Help: "Statements that have failed, also by what a constraint refuses.",
		}),
		slow: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "cuatrola_db_slow_statements_total", Help: "Statements that took longer than CUATROLA_SLOW_QUERY; the log has which.",
		}),
		batch: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "cuatrola_db_commit_batch_entries", Help: "Log entries that were committed together.",
			Buckets: []float64{1, 2, 4, 8, 16, 32, 64, 128},
		}),
		wait: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "cuatrola_db_commit_wait_seconds", Help: "How long the first of the log entries that were committed together waited to be written.",
			Buckets: quick,
		}),
		published: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cuatrola_bus_published_total", Help: "Messages that the bus has taken from this process.",
		}, kind),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cuatrola_bus_publish_errors_total", Help: "Messages that the bus has not taken.",
		}, kind),
		received: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cuatrola_bus_received_total", Help: "Messages that this process has got, its own among them.",
		}, kind),
		unreadable: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cuatrola_bus_unreadable_total", Help: "Messages that this process has got and could not read.",
		}, kind),
	}
	for _, kind := range bus.Kinds() {
		for _, v := range []*prometheus.CounterVec{c.published, c.refused, c.received, c.unreadable} {
			v.WithLabelValues(kind)
		}
	}
	r.MustRegister(c.statements, c.failed, c.slow, c.batch, c.wait, c.published, c.refused, c.received, c.unreadable)
	return c
}

// Statement implements store.Meter, like those below.
func (m *Metrics) Statement(name string, took time.Duration, failed bool) {
	m.under.statements.WithLabelValues(name).Observe(took.Seconds())
	if failed {
		m.under.failed.Inc()
	}
}

// Slow counts a statement that took too long.
func (m *Metrics) Slow(string) { m.under.slow.Inc() }

// Batch counts entries that were committed together.
func (m *Metrics) Batch(entries int, waited time.Duration) {
	m.under.batch.Observe(float64(entries))
	m.under.wait.Observe(waited.Seconds())
}

// Published implements bus.Meter, like the next.
func (m *Metrics) Published(kind string, err error) {
	if err != nil {
		m.under.refused.WithLabelValues(kind).Inc()
		return
	}
	m.under.published.WithLabelValues(kind).Inc()
}

// Received counts a message.
func (m *Metrics) Received(kind string, err error) {
	if err != nil {
		m.under.unreadable.WithLabelValues(kind).Inc()
		return
	}
	m.under.received.WithLabelValues(kind).Inc()
}

// Sources are what is asked whenever somebody asks for the counts.
type Sources struct {
	// Sockets that are open, Greeting those that have not said hello; Tables in memory.
	Sockets, Greeting, Tables func() int
	// Pools are the database's connections, by what they are for.
	Pools map[string]*sql.DB
	// Connected says whether the bus is, Reconnects how often it came back, Dropped how
	// many messages this process was too slow for.
	Connected  func() bool
	Reconnects func() uint64
	Dropped    func() int
	// Ready returns why requests cannot be taken now, or nil.
	Ready func(context.Context) error
	// Late is how long each job is overdue.
	Late func(context.Context) (map[string]time.Duration, error)
}

// askTimeout bounds what is asked of others for one answer.
const askTimeout = 3 * time.Second

// Watch adds what the sources tell.
func (m *Metrics) Watch(s Sources) {
	gauge := func(name, help string, f func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, f)
	}
	counter := func(name, help string, f func() float64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, f)
	}
	m.registry.MustRegister(
		gauge("cuatrola_sockets", "Sockets that are open.", func() float64 { return float64(s.Sockets()) }),
		gauge("cuatrola_sockets_greeting", "Sockets that are open and have not said hello yet.", func() float64 { return float64(s.Greeting()) }),
		gauge("cuatrola_tables", "Open matches in this process's memory.", func() float64 { return float64(s.Tables()) }),
		gauge("cuatrola_bus_connected", "Whether the bus is connected.", func() float64 { return truth(s.Connected()) }),
		counter("cuatrola_bus_reconnects_total", "How often the bus came back.", func() float64 { return float64(s.Reconnects()) }),
		counter("cuatrola_bus_dropped_total", "Messages that were lost since this process was slower than they came.", func() float64 { return float64(s.Dropped()) }),
		gauge("cuatrola_ready", "Whether this process can take requests now.", func() float64 {
			ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
			defer cancel()
			return truth(s.Ready(ctx) == nil)
		}),
		lateJobs{s.Late},
	)
	for name, pool := range s.Pools {
		m.registry.MustRegister(collectors.NewDBStatsCollector(pool, name))
	}
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// lateJobs tells how late jobs are, as the database has it.
type lateJobs struct {
	late func(context.Context) (map[string]time.Duration, error)
}

var lateDesc = prometheus.NewDesc("cuatrola_job_lag_seconds",
	"How long the oldest turn of a background job is overdue that no process has run to its end.", []string{"task"}, nil)

// Describe implements prometheus.Collector.
func (lateJobs) Describe(to chan<- *prometheus.Desc) { to <- lateDesc }

// Collect implements prometheus.Collector. What cannot be asked now is left out: that the
// database does not answer, others say.
func (l lateJobs) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	all, err := l.late(ctx)
	if err != nil {
		return
	}
	for job, late := range all {
		to <- prometheus.MustNewConstMetric(lateDesc, prometheus.GaugeValue, late.Seconds(), job)
	}
}
