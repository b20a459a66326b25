// Package jobs runs work that comes round: the nightly check of the ledger, the end
// of a league's week. Each turn of a job's is a row of River's queue in the database,
// so that any number of processes run it once, and a turn that fell into a time in
// which none ran is made up for when one starts.
//
// What a job does must bear repetition all the same: a process that dies in the
// middle of a turn, or fails in it, leaves it to be run again.
package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
	"go.opentelemetry.io/otel/trace"

	"github.com/cuatrola/cuatrola/server/internal/tracing"
)

// Job is work that comes round.
type Job struct {
	// Name is the job's in the database; it must not change.
	Name string
	// When it runs. Of the turns that were missed, only the newest is made up for.
	When Schedule
	// Run does it. If it fails, it is called again within a minute or so, until the
	// turn is over. A turn that takes longer than until the next one does not keep
	// that from beginning.
	Run func(context.Context) error
}

const (
	// timeout is what one run may take.
	timeout = 30 * time.Minute
	// lostAfter is when a run is given up whose process does not say how it ended.
	lostAfter = time.Hour
	// keepDone is how long it is known that a turn has been run: longer than any
	// turn lasts.
	keepDone = 72 * time.Hour
	// offerEvery is how often the turn that has begun is put into the queue, which
	// takes it once. That again and again: a process may have failed to, and River
	// remembers no schedule.
	offerEvery = time.Minute
)

// Runner runs jobs. Make one with New.
type Runner struct {
	driver  riverdriver.Driver[*sql.Tx]
	jobs    map[string]Job
	now     func() time.Time
	observe func(job string, ended time.Time, err error)
	begun   func(ctx context.Context, job string, at time.Time)
	ended   func(ctx context.Context, job string, at time.Time, err error)
	offer   time.Duration
	poll    time.Duration

	mu     sync.Mutex
	client *river.Client[*sql.Tx] // while it runs
}

// New returns a runner that is not running. driver is River's for the database.
// observe is told of every run.
func New(driver riverdriver.Driver[*sql.Tx], now func() time.Time, observe func(job string, ended time.Time, err error), jobs ...Job) (*Runner, error) {
	r := &Runner{
		driver: driver, jobs: make(map[string]Job, len(jobs)), now: now, observe: observe,
		// How late a turn may begin. On SQLite each look takes the one connection that
		// writes for some hundred microseconds.
		poll: 2 * time.Second, offer: offerEvery,
	}
	for _, j := range jobs {
		if _, twice := r.jobs[j.Name]; twice || j.Name == "" || j.Run == nil || j.When.every == 0 {
			return nil, fmt.Errorf("jobs: %q is no job, or two", j.Name)
		}
		r.jobs[j.Name] = j
	}
	return r, nil
}

// Watch has the functions called when a run begins and when it ends, the end with
// a context that outlives the run. It is called before Start.
func (r *Runner) Watch(begun func(ctx context.Context, job string, at time.Time), ended func(ctx context.Context, job string, at time.Time, err error)) {
	r.begun, r.ended = begun, ended
}

// Now puts one more turn of a job into the queue, which some process takes within
// seconds. It works while the runner runs.
func (r *Runner) Now(ctx context.Context, job string) error {
	r.mu.Lock()
	client := r.client
	r.mu.Unlock()
	if _, known := r.jobs[job]; !known || client == nil {
		return fmt.Errorf("jobs: %q does not run here", job)
	}
	_, err := client.Insert(ctx, turn{job, r.now().UnixMilli()}, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true}})
	if err != nil {
		return fmt.Errorf("jobs: %s: %w", job, err)
	}
	return nil
}

// Late is how long the turn of each job is overdue that began longest ago and has not
// been run; 0 for a job that is in time. done has when each job was last run to its end,
// by any process.
func (r *Runner) Late(done map[string]time.Time) map[string]time.Duration {
	now := r.now()
	late := make(map[string]time.Duration, len(r.jobs))
	for name, j := range r.jobs {
		due := j.When.turn(now)
		if at, ok := done[name]; ok && !at.IsZero() {
			due = j.When.next(at)
		}
		late[name] = max(0, now.Sub(due))
	}
	return late
}

// turn is one of a job's, as the queue keeps it.
type turn struct {
	Job string `json:"job"`
	// Begin in milliseconds.
	Begin int64 `json:"begin"`
}

// Kind implements river.JobArgs.
func (turn) Kind() string { return "turn" }

// Start begins to run the jobs, until Stop. A runner that runs goes on. Without jobs
// there is nothing to run.
func (r *Runner) Start(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.client != nil || len(r.jobs) == 0 {
		return nil
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{r: r})
	config := &river.Config{
		Workers:           workers,
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 4}},
		FetchPollInterval: r.poll,
		// Listening on SQLite would be to ask it twenty times a second.
		PollOnly:                    true,
		MaxAttempts:                 1, // the next offer is the next attempt
		JobTimeout:                  timeout,
		RescueStuckJobsAfter:        lostAfter,
		CompletedJobRetentionPeriod: keepDone,
		DiscardedJobRetentionPeriod: keepDone,
		ErrorHandler:                failures{},
		Logger:                      slog.New(quiet{slog.Default().Handler()}),
	}
	for _, j := range r.jobs {
		config.PeriodicJobs = append(config.PeriodicJobs, river.NewPeriodicJob(
			river.PeriodicInterval(min(j.When.every, r.offer)),
			func() (river.JobArgs, *river.InsertOpts) {
				return turn{j.Name, j.When.turn(r.now()).UnixMilli()}, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true}}
			},
			&river.PeriodicJobOpts{RunOnStart: true}))
	}
	client, err := river.NewClient(r.driver, config)
	if err != nil {
		return fmt.Errorf("jobs: %w", err)
	}
	// Stopped by Stop alone: a context that is done would stop it behind our back.
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("jobs: %w", err)
	}
	r.client = client
	return nil
}

// Stop ends the runs that are under way, by their context, and waits for them until
// ctx is done. What it interrupts is run again, here or elsewhere. A runner that does
// not run stays so.
func (r *Runner) Stop(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.client == nil {
		return nil
	}
	if err := r.client.StopAndCancel(ctx); err != nil {
		return fmt.Errorf("jobs: stop: %w", err)
	}
	r.client = nil
	return nil
}

type worker struct {
	river.WorkerDefaults[turn]
	r *Runner
}

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, row *river.Job[turn]) error {
	j, known := w.r.jobs[row.Args.Job]
	if !known {
		// Of a newer or an older program, of which another process may be.
		if w.r.now().Sub(time.UnixMilli(row.Args.Begin)) > keepDone {
			return river.JobCancel(errors.New("nobody knows this job"))
		}
		return river.JobSnooze(offerEvery)
	}
	if w.r.begun != nil {
		w.r.begun(ctx, j.Name, w.r.now())
	}
	traced, span := tracing.Begin(ctx, "job "+j.Name, trace.SpanKindInternal)
	err := j.Run(traced)
	tracing.Fail(span, err)
	span.End()
	if w.r.ended != nil {
		// Also of a run that was interrupted.
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		w.r.ended(late, j.Name, w.r.now(), err)
		cancel()
	}
	w.r.observe(j.Name, w.r.now(), err)
	return err
}

// failures logs what has failed, by the job's name.
type failures struct{}

// HandleError implements river.ErrorHandler.
func (failures) HandleError(ctx context.Context, row *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	slog.ErrorContext(ctx, "a job has failed", "turn", string(row.EncodedArgs), "error", err)
	return nil
}

// HandlePanic implements river.ErrorHandler.
func (failures) HandlePanic(ctx context.Context, row *rivertype.JobRow, value any, trace string) *river.ErrorHandlerResult {
	slog.ErrorContext(ctx, "a job has panicked", "turn", string(row.EncodedArgs), "panic", value, "stack", trace)
	return nil
}

// quiet leaves out what the queue says when all is well.
type quiet struct{ slog.Handler }

func (quiet) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }
func (q quiet) WithAttrs(a []slog.Attr) slog.Handler           { return quiet{q.Handler.WithAttrs(a)} }

func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }
