package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/jobs"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

func TestTurns(t *testing.T) {
	madrid, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		when     jobs.Schedule
		at, want string
	}{
		{jobs.Every(time.Minute), "2026-05-01T10:00:59.999Z", "2026-05-01T10:00:00Z"},
		{jobs.Every(time.Minute), "2026-05-01T10:01:00Z", "2026-05-01T10:01:00Z"},
		{jobs.Every(6 * time.Hour), "2026-05-01T23:00:00+02:00", "2026-05-01T18:00:00Z"},
		{jobs.Daily(4, 30, time.UTC), "2026-05-01T04:29:59Z", "2026-04-30T04:30:00Z"},
		{jobs.Daily(4, 30, time.UTC), "2026-05-01T04:30:00Z", "2026-05-01T04:30:00Z"},
		{jobs.Daily(0, 0, madrid), "2026-05-01T22:00:00Z", "2026-05-01T22:00:00Z"},
		// The night in which the clocks go from two to three, and that of the day after.
		{jobs.Daily(2, 30, madrid), "2026-03-29T01:29:00Z", "2026-03-28T01:30:00Z"},
		{jobs.Daily(2, 30, madrid), "2026-03-29T01:30:00Z", "2026-03-29T01:30:00Z"},
		{jobs.Daily(2, 30, madrid), "2026-03-30T00:30:00Z", "2026-03-30T00:30:00Z"},
		// The night that has the hour from two to three twice has one turn.
		{jobs.Daily(2, 30, madrid), "2026-10-25T00:30:00Z", "2026-10-24T00:30:00Z"},
		{jobs.Daily(2, 30, madrid), "2026-10-25T01:30:00Z", "2026-10-25T01:30:00Z"},
	} {
		at, err := time.Parse(time.RFC3339Nano, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.when.Turn(at).Format(time.RFC3339); got != c.want {
			t.Errorf("at %s: the turn of %s, want %s", c.at, got, c.want)
		}
	}
}

// clock is a time that the test moves.
type clock struct{ ms atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.ms.Store(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).UnixMilli())
	return c
}

func (c *clock) now() time.Time          { return time.UnixMilli(c.ms.Load()) }
func (c *clock) advance(d time.Duration) { c.ms.Add(d.Milliseconds()) }
func (c *clock) nightly() jobs.Schedule  { return jobs.Daily(4, 0, time.UTC) }
func ignore(string, time.Time, error)    {}

func named(name string, into chan<- string) jobs.Job {
	return jobs.Job{Name: name, When: jobs.Daily(4, 0, time.UTC), Run: func(context.Context) error {
		into <- name
		return nil
	}}
}

func runner(t *testing.T, s *store.Store, c *clock, all ...jobs.Job) *jobs.Runner {
	t.Helper()
	slog.SetDefault(slog.New(slog.NewTextHandler(t.Output(), nil)))
	driver, err := s.Queue()
	if err != nil {
		t.Fatal(err)
	}
	r, err := jobs.New(driver, c.now, ignore, all...)
	if err != nil {
		t.Fatal(err)
	}
	r.Hurry()
	t.Cleanup(func() { stop(t, r) })
	return r
}

func start(t *testing.T, r *jobs.Runner) {
	t.Helper()
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func stop(t *testing.T, r *jobs.Runner) {
	t.Helper()
	if err := r.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// turns counts what the queue holds of a job.
func turns(t *testing.T, s *store.Store, name string) (n int) {
	t.Helper()
	pool, err := s.SQL()
	if err != nil {
		t.Fatal(err)
	}
	query := `SELECT COUNT(*) FROM river_job WHERE json_extract(args, '$.job') = $1`
	if s.Kind() == store.Postgres {
		query = `SELECT COUNT(*) FROM river_job WHERE args ->> 'job' = $1`
	}
	if err := pool.QueryRowContext(t.Context(), query, name).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A turn is run once, over restarts and by several processes; one that is missed is
// made up for.
func TestEachTurnRunsOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		c, ran := newClock(), make(chan string, 100)
		first := runner(t, s, c, named("night", ran))
		start(t, first)
		start(t, first) // runs already
		<-ran
		stop(t, first)
		stop(t, first)

		// Another process. That it has offered the night's turn shows in the other
		// job, which it offers together with it.
		second := runner(t, s, c, named("night", ran), named("other", ran))
		start(t, second)
		if name := <-ran; name != "other" || turns(t, s, "night") != 1 {
			t.Errorf("%s ran, and the queue has the same night %d times", name, turns(t, s, "night"))
		}
		// The next night falls into its time, the one after it into nobody's.
		c.advance(24 * time.Hour)
		<-ran
		<-ran
		stop(t, second)
		c.advance(49 * time.Hour)
		start(t, first)
		<-ran
		stop(t, first)

		// Several at once.
		c.advance(24 * time.Hour)
		var wg sync.WaitGroup
		for range 3 {
			r := runner(t, s, c, named("night", ran), named("last", ran))
			wg.Go(func() {
				if err := r.Start(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for range 2 {
			<-ran
		}
		if n := turns(t, s, "night"); n != 4 {
			t.Errorf("the queue has %d nights, want 4", n)
		}
	})
}

// A turn may be asked for out of turn, and whoever watches is told of every run.
func TestNow(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		c, told := newClock(), make(chan string, 100)
		wrong := errors.New("not now")
		job := jobs.Job{Name: "night", When: c.nightly(), Run: func(context.Context) error { return wrong }}
		r := runner(t, s, c, job)
		if r.Now(t.Context(), "night") == nil {
			t.Error("a runner that does not run takes a turn")
		}
		r.Watch(func(_ context.Context, job string, at time.Time) { told <- job + " begins" },
			func(ctx context.Context, job string, at time.Time, err error) {
				if ctx.Err() != nil || !errors.Is(err, wrong) {
					t.Errorf("%v, %v", ctx.Err(), err)
				}
				told <- job + " ends"
			})
		hear := func() {
			t.Helper()
			for _, want := range []string{"night begins", "night ends"} {
				if got := <-told; got != want {
					t.Errorf("told %q, want %q", got, want)
				}
			}
		}
		start(t, r)
		hear() // the turn that was missed
		stop(t, r)
		for len(told) > 0 {
			<-told
		}
		c.advance(time.Minute)
		start(t, r)
		if err := r.Now(t.Context(), "night"); err != nil {
			t.Fatal(err)
		}
		hear()
		if r.Now(t.Context(), "day") == nil {
			t.Error("a job that nobody knows was taken")
		}
		stop(t, r)
		close(told)
	})
}

// What fails, and what is interrupted, is run again.
func TestFailedTurnsRunAgain(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		c := newClock()
		tries, began, ended := 0, make(chan int), make(chan error, 1)
		job := jobs.Job{Name: "night", When: c.nightly(), Run: func(ctx context.Context) error {
			tries++ // one at a time: the queue says so
			switch tries {
			case 1:
				return errors.New("not yet")
			case 2:
				panic("not at all")
			case 3:
				began <- tries
				<-ctx.Done()
				ended <- ctx.Err()
				return ctx.Err()
			}
			began <- tries
			return nil
		}}
		r := runner(t, s, c, job)
		start(t, r)
		if n := <-began; n != 3 {
			t.Errorf("try %d", n)
		}
		stop(t, r)
		if err := <-ended; err == nil {
			t.Error("the run was not told to end")
		}
		start(t, r)
		if n := <-began; n != 4 {
			t.Errorf("try %d", n)
		}
		stop(t, r)
	})
}

func TestRunnersAreMisused(t *testing.T) {
	s := storetest.New(t, store.SQLite)
	driver, err := s.Queue()
	if err != nil {
		t.Fatal(err)
	}
	ran := make(chan string, 9)
	for _, all := range [][]jobs.Job{
		{named("a", ran), named("a", ran)},
		{named("", ran)},
		{{Name: "a", When: jobs.Every(time.Minute)}},
		{{Name: "a", Run: func(context.Context) error { return nil }}},
	} {
		if _, err := jobs.New(driver, time.Now, ignore, all...); err == nil {
			t.Errorf("jobs %+v were taken", all)
		}
	}
	idle := runner(t, s, newClock())
	stop(t, idle) // not started
	start(t, idle)
	stop(t, idle)

	// Without tables.
	r := runner(t, storetest.Open(t, storetest.Options(t, store.SQLite)), newClock(), named("night", ran))
	if err := r.Start(t.Context()); err == nil {
		t.Error("a runner started without tables")
	}
	stop(t, r)
}

// A job is late from the turn on that began first since it was last done, whoever did it.
func TestLate(t *testing.T) {
	c := newClock() // noon
	s := storetest.New(t, store.SQLite)
	ran := make(chan string, 9)
	r := runner(t, s, c, named("night", ran), jobs.Job{Name: "often", When: jobs.Every(time.Minute), Run: func(context.Context) error { return nil }})
	for _, one := range []struct {
		job  string
		done time.Time
		want time.Duration
	}{
		{"night", time.Time{}, 8 * time.Hour},                   // never, and due at four
		{"night", c.now().Add(-8 * time.Hour), 0},               // this night
		{"night", c.now().Add(-8*time.Hour - 1), 8 * time.Hour}, // a moment before it was due
		{"night", c.now().Add(-50 * time.Hour), 32 * time.Hour}, // at ten, the day before yesterday
		{"often", c.now().Add(-59 * time.Second), 0},
		{"often", c.now().Add(-10 * time.Minute), 9 * time.Minute},
	} {
		if got := r.Late(map[string]time.Time{one.job: one.done})[one.job]; got != one.want {
			t.Errorf("%s, done %v: %v late, want %v", one.job, one.done, got, one.want)
		}
	}
	if got := r.Late(nil); len(got) != 2 {
		t.Errorf("late: %v", got)
	}
}
