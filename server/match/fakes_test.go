package match_test

import (
	"context"
	"errors"
	"sort"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// fakeClock goes on when it is told to. Alarms ring inside Advance, in order.
type fakeClock struct {
	mu     sync.Mutex
	now    time.Time
	alarms []*fakeAlarm
}

type fakeAlarm struct {
	at      time.Time
	f       func()
	stopped bool
}

func newFakeClock() *fakeClock {
	return &fakeClock{now: time.Date(2026, 3, 28, 20, 0, 0, 0, time.UTC)}
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &fakeAlarm{at: c.now.Add(max(d, 0)), f: f}
	c.alarms = append(c.alarms, a)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		was := !a.stopped
		a.stopped = true
		return was
	}
}

// Advance lets d pass and everything happen that falls due meanwhile.
func (c *fakeClock) Advance(d time.Duration) {
	end := c.Now().Add(d)
	for {
		c.mu.Lock()
		sort.SliceStable(c.alarms, func(i, j int) bool { return c.alarms[i].at.Before(c.alarms[j].at) })
		var next *fakeAlarm
		for len(c.alarms) > 0 && next == nil {
			if a := c.alarms[0]; a.stopped {
				c.alarms = c.alarms[1:]
			} else if a.at.After(end) {
				break
			} else {
				next, c.alarms = a, c.alarms[1:]
				next.stopped = true
				c.now = next.at
			}
		}
		if next == nil {
			c.now = end
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		next.f()
	}
}

// Skip lets d pass while no process runs: nothing rings.
func (c *fakeClock) Skip(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.alarms = c.now.Add(d), nil
}

// memory is a store that forgets nothing and can be told to fail.
type memory struct {
	mu      sync.Mutex
	matches map[string]*match.Match
	logs    map[string][]match.Entry
	answers map[string]match.Answer
	beats   map[string]time.Time
	outages []match.Outage
	// fail is what the next write returns; with failAfter it returns it although
	// it has kept the entry, as when a connection breaks between the two.
	fail      error
	failAfter bool
}

func newMemory() *memory {
	return &memory{
		matches: map[string]*match.Match{}, logs: map[string][]match.Entry{},
		answers: map[string]match.Answer{}, beats: map[string]time.Time{},
	}
}

func (s *memory) CreateMatch(_ context.Context, m *match.Match, a *match.Answer) (*match.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a != nil {
		if earlier, ok := s.answers[a.PlayerID+a.Key]; ok {
			return &earlier, nil
		}
		s.answers[a.PlayerID+a.Key] = *a
	}
	kept := *m
	s.matches[m.ID] = &kept
	return nil, nil
}

func (s *memory) GetMatch(_ context.Context, id string) (*match.Match, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, ok := s.matches[id]
	if !ok {
		return nil, fault.New(fault.NotFound, "There is no such match.")
	}
	found := *m
	return &found, nil
}

func (s *memory) ReadLog(_ context.Context, id string, from int) ([]match.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.logs[id]
	return append([]match.Entry(nil), log[min(from, len(log)):]...), nil
}

func (s *memory) AppendLog(_ context.Context, id string, e match.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil && !s.failAfter {
		return s.failed()
	}
	if e.Seq != len(s.logs[id]) || s.matches[id].Over() {
		return match.ErrConflict
	}
	s.logs[id] = append(s.logs[id], e)
	if s.fail != nil {
		return s.failed()
	}
	return nil
}

func (s *memory) failed() error {
	err := s.fail
	s.fail, s.failAfter = nil, false
	return err
}

func (s *memory) FinishMatch(ctx context.Context, id string, e match.Entry, r match.Result) error {
	if err := s.AppendLog(ctx, id, e); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.matches[id].Result, s.matches[id].EndedAt = &r, e.At
	return nil
}

func (s *memory) VoidMatch(ctx context.Context, id string, e match.Entry, reason string) error {
	return s.FinishMatch(ctx, id, e, match.Result{Void: reason})
}

func (s *memory) Due(_ context.Context, before time.Time, after string, limit int) ([]match.Due, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var due []match.Due
	for id, m := range s.matches {
		d := match.Due{MatchID: id, Since: m.CreatedAt, Deadline: m.CreatedAt.Add(m.TurnTime)}
		if log := s.logs[id]; len(log) > 0 {
			d.Since, d.Deadline = log[len(log)-1].At, log[len(log)-1].Deadline
		}
		if !m.Over() && id > after && d.Deadline.Before(before) {
			due = append(due, d)
		}
	}
	sort.Slice(due, func(i, j int) bool { return due[i].MatchID < due[j].MatchID })
	return due[:min(limit, len(due))], nil
}

func (s *memory) History(context.Context, string, string, int) ([]*match.Match, error) {
	return nil, errors.New("not in this fake")
}

func (s *memory) ListMatches(_ context.Context, l match.Listing) ([]*match.Match, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*match.Match
	for id, m := range s.matches {
		if m.Over() == l.Over && (l.Mode == "" || l.Mode == m.Mode) && (l.Before == "" || id < l.Before) {
			found := *m
			list = append(list, &found)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID > list[j].ID })
	return list[:min(l.Limit, len(list))], nil
}

func (s *memory) BeginProcess(_ context.Context, process string, at time.Time, limit time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var last time.Time
	for _, t := range s.beats {
		if t.After(last) {
			last = t
		}
	}
	if !last.IsZero() && at.Sub(last) > limit {
		s.outages = append(s.outages, match.Outage{From: last, To: at})
	}
	s.beats[process] = at
	return nil
}

func (s *memory) Beat(_ context.Context, process string, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beats[process] = at
	return nil
}

func (s *memory) Outages(context.Context) ([]match.Outage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]match.Outage(nil), s.outages...), nil
}

// world is a store and a clock with processes over them.
type world struct {
	t     *testing.T
	store *memory
	clock *fakeClock
	// announced is what the processes have told the bus.
	mu        sync.Mutex
	announced []match.Entry
}

func newWorld(t *testing.T) *world {
	return &world{t: t, store: newMemory(), clock: newFakeClock()}
}

func (w *world) process(options ...match.Option) *match.Service {
	w.t.Helper()
	s := match.New(w.store, w.clock, func(_ context.Context, _ string, e match.Entry) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.announced = append(w.announced, e)
	}, options...)
	if err := s.Start(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// players sit in the seats that are named; bots in the others.
func players(names ...string) (seats [rules.Seats]match.Seat) {
	for i := range seats {
		seats[i].Bot = bot.Tabernero
	}
	for i, name := range names {
		seats[i] = match.Seat{PlayerID: name, Name: name}
	}
	return seats
}

func (w *world) create(s *match.Service, rs rules.RuleSet, seats [rules.Seats]match.Seat) string {
	w.t.Helper()
	var id string
	_, err := s.Create(context.Background(), match.Setup{
		Rules: rs, Seats: seats, TurnTime: 30 * time.Second, BotPause: time.Second,
	}, func(v match.View) (*match.Answer, error) {
		id = v.ID
		return &match.Answer{}, nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func code(err error) string { return string(fault.CodeOf(err)) }
