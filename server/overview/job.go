package overview

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// JobState says how a job is getting on.
type JobState string

// The states.
const (
	// JobNever: it has not run yet.
	JobNever JobState = "never"
	// JobRunning since BeganAt.
	JobRunning JobState = "running"
	// JobDone: the last run has ended well.
	JobDone JobState = "done"
	// JobFailed: the last run has failed.
	JobFailed JobState = "failed"
	// JobLost: a run has begun and nobody has said how it ended, for so long that its
	// process must have died.
	JobLost JobState = "lost"
)

// Job is what is known of a job that comes round: its last run, on whatever process.
type Job struct {
	Name string
	// BeganAt and EndedAt of the last run; EndedAt is older than BeganAt while it runs.
	BeganAt, EndedAt time.Time
	// DoneAt is when a run last ended well; zero if none has.
	DoneAt time.Time
	// Failure is why the last run failed, for the operator; empty if it has not.
	Failure string
	// Failures in a row.
	Failures int
	// Done of Total steps, for jobs that say so.
	Done, Total int
	// Report is JSON that the last run which had one has left.
	Report []byte
}

// lostAfter is longer than any run may take.
const lostAfter = time.Hour

// State of the job at a time.
func (j Job) State(now time.Time) JobState {
	switch {
	case j.BeganAt.IsZero():
		return JobNever
	case j.BeganAt.After(j.EndedAt) && now.Sub(j.BeganAt) > lostAfter:
		return JobLost
	case j.BeganAt.After(j.EndedAt):
		return JobRunning
	case j.Failure != "":
		return JobFailed
	default:
		return JobDone
	}
}

// Names of the jobs that the operator may have run.
const (
	JobLedger    = "ledger_check"
	JobLeague    = "league_close"
	JobSummaries = "summaries"
)

// maxFailure bounds the text of a failure.
const maxFailure = 500

// JobBegan takes in that this process has begun to run a job. Nothing hangs on these
// words: what fails here is logged.
func (s *Service) JobBegan(ctx context.Context, job string, at time.Time) {
	s.note(ctx, job, s.store.JobBegan(ctx, job, at.UTC().Truncate(time.Millisecond)))
}

// JobEnded takes in how a run has ended.
func (s *Service) JobEnded(ctx context.Context, job string, at time.Time, err error) {
	failure := ""
	if err != nil {
		failure = cmp.Or(err.Error(), "failed")
		failure = failure[:min(len(failure), maxFailure)]
	}
	s.note(ctx, job, s.store.JobEnded(ctx, job, at.UTC().Truncate(time.Millisecond), failure))
}

// JobProgressed takes in that a run has done so many steps of so many.
func (s *Service) JobProgressed(ctx context.Context, job string, done, total int) {
	s.note(ctx, job, s.store.JobProgressed(ctx, job, done, total))
}

func (s *Service) note(ctx context.Context, job string, err error) {
	if err != nil {
		slog.WarnContext(ctx, "how a job is getting on is not kept", "job", job, "error", err)
	}
}

// Job is what is known of one; JobNever if nothing is.
func (s *Service) Job(ctx context.Context, name string) (Job, error) {
	all, err := s.store.Jobs(ctx)
	for _, j := range all {
		if j.Name == name {
			return j, err
		}
	}
	return Job{Name: name}, err
}

// Jobs lists what is known of each job, by name.
func (s *Service) Jobs(ctx context.Context) ([]Job, error) { return s.store.Jobs(ctx) }

// Check is the report of a check of the ledger.
type Check struct {
	// Differences found, of which Places are the first.
	Differences int     `json:"differences"`
	Places      []Place `json:"places"`
}

// Place is where the ledger does not add up; see [wallet.Discrepancy].
type Place struct {
	What    string `json:"what"`
	Subject string `json:"subject"`
	Want    int64  `json:"want"`
	Got     int64  `json:"got"`
}

// maxPlaces of a check are kept.
const maxPlaces = 100

// Ledger is what is checked.
type Ledger interface {
	// CheckLedgerBySteps is wallet.Store's CheckLedger, which says after each step how
	// many of how many are done.
	CheckLedgerBySteps(ctx context.Context, limit int, step func(done, total int)) ([]wallet.Discrepancy, error)
}

// CheckLedger checks the whole ledger for at most limit differences, keeps how far it
// is and what it has found, and returns them.
func (s *Service) CheckLedger(ctx context.Context, ledger Ledger, limit int) ([]wallet.Discrepancy, error) {
	found, err := ledger.CheckLedgerBySteps(ctx, limit, func(done, total int) { s.JobProgressed(ctx, JobLedger, done, total) })
	if err != nil {
		return nil, err
	}
	c := Check{Differences: len(found), Places: []Place{}}
	for _, d := range found[:min(len(found), maxPlaces)] {
		c.Places = append(c.Places, Place{d.What, d.Subject, d.Want, d.Got})
	}
	report, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	return found, s.store.JobReported(ctx, JobLedger, report)
}

// CheckOf reads the report of a check of the ledger; nil if there is none.
func CheckOf(j Job) (*Check, error) {
	if len(j.Report) == 0 {
		return nil, nil
	}
	var c Check
	err := json.Unmarshal(j.Report, &c)
	return &c, err
}

// CodeRunning: the job is running, and is not begun a second time.
const CodeRunning fault.Code = "job_running"

// Idle refuses what would begin a job that is running. Codes: CodeRunning.
func (s *Service) Idle(ctx context.Context, name string) error {
	j, err := s.Job(ctx, name)
	if err == nil && j.State(s.now()) == JobRunning {
		return fault.New(CodeRunning, "It is running already.")
	}
	return err
}
