package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/engagement"
)

// lobbyCounts are those of the lobby.
type lobbyCounts struct {
	waiting   *prometheus.GaugeVec
	waits     *prometheus.HistogramVec
	gaps      *prometheus.HistogramVec
	left      *prometheus.CounterVec
	cancelled prometheus.Counter
}

func newLobbyCounts(r prometheus.Registerer) lobbyCounts {
	mode := []string{"mode"}
	c := lobbyCounts{
		waiting: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "cuatrola_queue_players", Help: "Players who wait for a match, as this process saw last.",
		}, mode),
		waits: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "cuatrola_queue_wait_seconds", Help: "How long players waited for the match that they got.",
			Buckets: []float64{.5, 1, 2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300},
		}, mode),
		gaps: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "cuatrola_queue_rating_gap_points", Help: "How far apart the ratings of the two pairs of a match are, for each of its players.",
			Buckets: []float64{10, 25, 50, 100, 150, 200, 300, 500, 1000},
		}, mode),
		left: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cuatrola_queue_left_total", Help: "Players who left the queue or a table without a match.",
		}, []string{"mode", "reason"}),
		cancelled: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "cuatrola_tables_cancelled_total", Help: "Staked tables that were cancelled.",
		}),
	}
	// There from the start, so that the first of each is a change.
	for _, mode := range []economy.Mode{economy.Online, economy.Staked} {
		c.waiting.WithLabelValues(string(mode))
		c.waits.WithLabelValues(string(mode))
		c.gaps.WithLabelValues(string(mode))
		c.left.WithLabelValues(string(mode), string(engagement.Left))
	}
	r.MustRegister(c.waiting, c.waits, c.gaps, c.left, c.cancelled)
	return c
}

// Waiting implements lobby.Meter, like those below.
func (m *Metrics) Waiting(mode economy.Mode, players int) {
	m.lobby.waiting.WithLabelValues(string(mode)).Set(float64(players))
}

// Seated counts a player who got a match.
func (m *Metrics) Seated(mode economy.Mode, waited time.Duration, gap int) {
	m.lobby.waits.WithLabelValues(string(mode)).Observe(waited.Seconds())
	m.lobby.gaps.WithLabelValues(string(mode)).Observe(float64(gap))
}

// Left counts a player who went without one.
func (m *Metrics) Left(mode economy.Mode, why engagement.Reason) {
	m.lobby.left.WithLabelValues(string(mode), string(why)).Inc()
}

// TableClosed counts a staked table that was cancelled.
func (m *Metrics) TableClosed() { m.lobby.cancelled.Inc() }
