// Package loadgen is many clients of a running server, over its public interface
// and sockets: how much it bears, how long people wait, and whether everybody is
// told the same.
package loadgen

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// Options say what is run.
type Options struct {
	// URLs of the server's processes, at least one. Requests go to one after the other.
	URLs []string
	Mix  Mix
	// Text is the mix as it was asked for.
	Text string
	// WarmUp goes before what is measured, which takes For.
	WarmUp, For time.Duration
	// Players are how many take part in requests; those at tables come on top.
	Players int
	// InFlight is how many requests of a kind may be under way with an open loop.
	InFlight int
	// Check is the share of tables whose every view is held against the rules. That
	// all hear the same in order is checked at all of them.
	Check float64
	// Timeout is how long an answer may take.
	Timeout time.Duration
	Seed    uint64
	// Progress is told how far it is, each second; nil if nobody is.
	Progress func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	What string // what it is at
	// Points of each series in the last second, if it has begun.
	Names  []string
	Points []Point
}

// run is a run.
type run struct {
	Options
	servers *servers
	tables  []*table

	all                                      []*series
	acts, heard, fromSent, connects, matches *series
	sockets, seated                          sync.WaitGroup
	seeds                                    atomic.Uint64
	totals                                   struct {
		players, matches, finished, events, acknowledged, views, sessions, posted, broken atomic.Int64
	}

	mu         sync.Mutex
	violations []string
	wrong      int
}

// toldViolations is how many are told one by one.
const toldViolations = 20

func (r *run) violated(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.wrong++; len(r.violations) < toldViolations {
		r.violations = append(r.violations, fmt.Sprintf(format, args...))
	}
}

// newRandom is chance that can be had again.
func (r *run) newRandom() *rand.Rand {
	return rand.New(rand.NewPCG(r.Seed, r.seeds.Add(1))) //nolint:gosec // nothing secret follows from it
}

// checked says whether that table's views are held against the rules: evenly spread.
func (r *run) checked(table int) bool {
	return int(float64(table+1)*r.Check) > int(float64(table)*r.Check)
}

func (r *run) series(name string) *series {
	s := newSeries(name)
	r.all = append(r.all, s)
	return s
}

func (r *run) say(what string) {
	if r.Progress != nil {
		r.Progress(Progress{What: what})
	}
}

// drainTime is how long the end waits for what is under way.
const drainTime = 5 * time.Second

// Run carries out a run and says what it has measured. It ends early with ctx, and
// still says what it has. An error is that it could not begin.
func Run(ctx context.Context, o Options) (*Report, error) {
	r := &run{Options: o, servers: newServers(o.URLs, o.Timeout)}
	socketsEnd, end := context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		end()
		r.sockets.Wait()
		r.servers.http.CloseIdleConnections()
	}()
	jobs, err := r.prepare(ctx, socketsEnd)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	from := began.Add(r.WarmUp)
	to := from.Add(r.For)
	for _, s := range r.all {
		s.measure(from, to)
	}
	playing, stop := context.WithDeadline(ctx, to)
	defer stop()
	for _, t := range r.tables {
		t.play()
	}
	var work sync.WaitGroup
	for _, job := range jobs {
		work.Go(func() { job(playing) })
	}
	r.watch(playing, began)
	over := time.Now()
	for _, t := range r.tables {
		t.stop(over)
	}
	r.say("waiting for what is under way")
	work.Wait()
	r.drain(ctx)
	measured := min(over.Sub(from), r.For)
	if measured <= 0 {
		return nil, errors.New("it ended before the warm-up did")
	}
	return r.report(began, measured), nil
}

// prepare signs people up, seats them and opens sockets, and returns what is to be
// done meanwhile.
func (r *run) prepare(ctx, socketsEnd context.Context) ([]func(context.Context), error) {
	if n := r.Mix.Tables.Count; n > 0 {
		r.acts, r.heard, r.fromSent = r.series("act"), r.series("heard by all four"), r.series("heard by all four, from sending")
		r.connects, r.matches = r.series("coming back"), r.series("next match")
		r.say(fmt.Sprintf("opening %d tables", n))
		r.tables = make([]*table, n)
		r.seated.Add(n * rules.Seats)
		err := eachOf(ctx, n, func(i int) error {
			t := &table{r: r, n: i, random: r.newRandom(), pace: r.Mix.Tables.Pace, sent: make(map[int]*attempt)}
			if rate := t.pace.Rate; rate > 0 {
				t.every = time.Duration(float64(n) / rate * float64(time.Second))
			}
			r.tables[i] = t
			return t.open(socketsEnd)
		})
		if err != nil {
			return nil, err
		}
		if err := r.allSeated(ctx); err != nil {
			return nil, err
		}
	}
	if n := r.Mix.Idle; n > 0 {
		r.say(fmt.Sprintf("opening %d sockets", n))
		if err := r.idle(ctx, socketsEnd, n); err != nil {
			return nil, err
		}
	}
	if len(r.Mix.Requests) == 0 {
		return nil, nil
	}
	r.say(fmt.Sprintf("signing up %d players", r.Players))
	people, err := r.signUps(ctx, r.Players)
	if err == nil {
		err = r.welcome(ctx, people)
	}
	if err != nil {
		return nil, err
	}
	var jobs []func(context.Context)
	for _, q := range r.Mix.Requests {
		s := r.series(string(q.Kind))
		do, err := r.request(q.Kind, people)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, func(ctx context.Context) { r.requests(ctx, s, q.Pace, do) })
	}
	return jobs, nil
}

// seatingTime is how long everybody may take to see their first view.
const seatingTime = 30 * time.Second

func (r *run) allSeated(ctx context.Context) error {
	seated := make(chan struct{})
	go func() {
		r.seated.Wait()
		close(seated)
	}()
	select {
	case <-seated:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(seatingTime):
		return errors.New("not everybody at the tables was shown the match")
	}
}

// idle opens sockets of people who listen and do nothing, as on the page's home.
func (r *run) idle(ctx, socketsEnd context.Context, n int) error {
	if r.connects == nil {
		r.connects = r.series("coming back")
	}
	return eachOf(ctx, n, func(i int) error {
		p, err := r.servers.signUp()
		if err != nil {
			return err
		}
		r.totals.players.Add(1)
		ws, err := listen(socketsEnd, r.URLs[i%len(r.URLs)], p.token, map[string]int{"notices": 0, "engagement": 0})
		if err != nil {
			return fmt.Errorf("open a socket: %w", err)
		}
		welcome := make(chan error, 1)
		r.sockets.Go(func() { r.keep(socketsEnd, ws, welcome) })
		return <-welcome
	})
}

// keep reads what an idle socket is told, until the end.
func (r *run) keep(ctx context.Context, ws *websocket.Conn, welcome chan<- error) {
	stop := context.AfterFunc(ctx, func() { _ = ws.Close() })
	defer stop()
	defer ws.Close()
	for first := true; ; first = false {
		_, _, err := ws.ReadMessage()
		if first {
			welcome <- err
		}
		if err != nil {
			if ctx.Err() == nil && !first {
				r.totals.broken.Add(1)
				r.connects.failed(time.Now(), "socket_broken")
			}
			return
		}
	}
}

// watch counts the seconds, until ctx ends.
func (r *run) watch(ctx context.Context, began time.Time) {
	const interval = time.Second
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		at := time.Since(began)
		p := Progress{What: "running"}
		if at < r.WarmUp {
			p.What = "warming up"
		}
		for _, s := range r.all {
			point := s.tick(at, interval)
			p.Names, p.Points = append(p.Names, s.name), append(p.Points, point)
		}
		if r.Progress != nil {
			r.Progress(p)
		}
	}
}

// drain waits until everybody has heard everything. What is not heard then, by people
// who are there, is missing.
func (r *run) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	for _, t := range r.tables {
		for wait := time.Millisecond; ; wait *= 2 {
			err := t.settled()
			if err == nil {
				break
			}
			if !pause(ctx, wait) {
				r.violated("table %d, match %s, at the end: %v", t.n, t.match, err)
				break
			}
		}
	}
}

func (r *run) report(began time.Time, measured time.Duration) *Report {
	n := &r.totals
	out := &Report{
		Began: began.UTC(), Seconds: measured.Seconds(), URLs: r.URLs, Mix: r.Text,
		Totals: Totals{
			Players: n.players.Load(), Matches: n.matches.Load(), Finished: n.finished.Load(), Events: n.events.Load(),
			Acknowledged: n.acknowledged.Load(), Views: n.views.Load(), Sessions: n.sessions.Load(), Posted: n.posted.Load(), Broken: n.broken.Load(),
		},
	}
	for _, s := range r.all {
		out.Series = append(out.Series, s.report(measured))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	out.Violations, out.ViolationCount = append([]string{}, r.violations...), r.wrong
	return out
}
