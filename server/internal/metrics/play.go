package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/match"
)

// quick are the bounds of what should take milliseconds.
var quick = []float64{.0005, .001, .002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5}

// playCounts are those of tables and sockets.
type playCounts struct {
	actions   *prometheus.CounterVec
	act       prometheus.Histogram
	entries   *prometheus.CounterVec
	commit    prometheus.Histogram
	conflicts prometheus.Counter
	gaps      prometheus.Counter

	opened  prometheus.Counter
	ended   *prometheus.CounterVec
	frames  *prometheus.CounterVec
	resumes *prometheus.CounterVec
	told    prometheus.Histogram
}

func newPlayCounts(r prometheus.Registerer) playCounts {
	c := playCounts{
		actions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cuatrola_actions_total", Help: "What people wanted to do at their tables, by what became of it: ok, or the error's code.",
		}, []string{"outcome"}),
		act: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "cuatrola_action_duration_seconds", Help: "Time from a person's action until it was committed.", Buckets: quick,
		}),
		entries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cuatrola_match_entries_total", Help: "Entries of matches' logs that this process has committed, by their kind and by who made them.",
		}, []string{"kind", "by"}),
		commit: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "cuatrola_match_commit_duration_seconds", Help: "Time that committing an entry took, waiting for others' included.", Buckets: quick,
		}),
		conflicts: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "cuatrola_match_conflicts_total", Help: "Entries that another process was faster with.",
		}),
		gaps: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "cuatrola_match_gaps_total", Help: "Entries of other processes that came without the one before: the bus has lost something, and the log is read.",
		}),
		opened: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "cuatrola_sockets_opened_total", Help: "Sockets that were opened.",
		}),
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cuatrola_sockets_ended_total", Help: "Sockets that have ended, by why: client, or the code that the server ended them with.",
		}, []string{"why"}),
		frames: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cuatrola_socket_frames_total", Help: "Frames on sockets.",
		}, []string{"direction", "kind"}),
		resumes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cuatrola_socket_resumes_total", Help: "Clients that went on with a topic where they were.",
		}, []string{"topic"}),
		told: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "cuatrola_action_broadcast_seconds", Help: "Time from an entry's stamp, which has whole milliseconds, until a socket was sent it: once for each socket.",
			Buckets: quick,
		}),
	}
	// There from the start, so that the first of each is a change.
	c.actions.WithLabelValues(ok)
	for _, by := range []match.Author{match.ByPlayer, match.ByBot, match.ByClock} {
		c.entries.WithLabelValues(string(match.KindAct), string(by))
	}
	c.ended.WithLabelValues("client")
	c.frames.WithLabelValues("in", "act")
	c.frames.WithLabelValues("out", "event")
	c.resumes.WithLabelValues("match")
	r.MustRegister(c.actions, c.act, c.entries, c.commit, c.conflicts, c.gaps, c.opened, c.ended, c.frames, c.resumes, c.told)
	return c
}

const ok = "ok"

// Acted implements match.Meter, like those below.
func (m *Metrics) Acted(code fault.Code, took time.Duration) {
	if code != "" {
		m.play.actions.WithLabelValues(string(code)).Inc()
		return
	}
	m.play.actions.WithLabelValues(ok).Inc()
	m.play.act.Observe(took.Seconds())
}

// Kept counts an entry.
func (m *Metrics) Kept(kind match.Kind, by match.Author, took time.Duration) {
	m.play.entries.WithLabelValues(string(kind), string(by)).Inc()
	m.play.commit.Observe(took.Seconds())
}

// Conflict counts an entry that another process was faster with.
func (m *Metrics) Conflict() { m.play.conflicts.Inc() }

// Gap counts what the bus has lost.
func (m *Metrics) Gap() { m.play.gaps.Inc() }

// Opened implements socket.Meter, like those below.
func (m *Metrics) Opened() { m.play.opened.Inc() }

// Ended counts a socket that has.
func (m *Metrics) Ended(why fault.Code) {
	if why == "" {
		why = "client"
	}
	m.play.ended.WithLabelValues(string(why)).Inc()
}

// Read counts a frame of a client's.
func (m *Metrics) Read(kind string) { m.play.frames.WithLabelValues("in", kind).Inc() }

// Sent counts a frame to a client.
func (m *Metrics) Sent(kind string) { m.play.frames.WithLabelValues("out", kind).Inc() }

// Resumed counts a client that goes on with a topic.
func (m *Metrics) Resumed(topic string) { m.play.resumes.WithLabelValues(topic).Inc() }

// Told counts an event on its way to a client.
func (m *Metrics) Told(age time.Duration) { m.play.told.Observe(age.Seconds()) }
